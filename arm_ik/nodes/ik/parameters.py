# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The parameters of ``ik_node``."""

from .core import Settings
from .target_reader import TOOL_AXES
from ..common.parameters import Spec
from ..process.run import EXECUTORS

_DEFAULT = Settings()

SPECS = (
    Spec('up_axis', 'z', 'Axis of the frame of target_pose that is the up vector',
         choices=tuple(TOOL_AXES), read_only=True),
    Spec('base_frame', 'base_link', 'Frame that targets are solved in', read_only=True),
    Spec('frame_prefix', '', 'Stands before base_frame, for several arms', read_only=True),
    Spec('executor', EXECUTORS[0],
         'What callbacks run in: the quick one, or the one that rclpy takes '
         'by default', choices=EXECUTORS, read_only=True),
    Spec('command_rate', 50.0, 'How often joint_commands is repeated; below 1 / command_timeout '
         'of the driver the arm stops and goes', 'Hz', 1.0, 1000.0),
    Spec('position_tolerance', _DEFAULT.position_tolerance,
         'A target met to within this counts as reached', 'm', 1e-12, 1.0),
    Spec('up_tolerance', _DEFAULT.up_tolerance,
         'An up vector met to within this counts as reached', 'rad', 1e-12, 3.2),
    Spec('arrival_tolerance', _DEFAULT.arrival_tolerance,
         'How far from its command a joint at rest may stand when the arm has arrived', 'rad',
         1e-9, 3.2),
    Spec('elbow', _DEFAULT.elbow, 'Which of the solutions: nearest to where the arm is, or by its '
         'elbow', choices=('nearest', 'up', 'down')),
    Spec('priority', _DEFAULT.priority, 'What is met first when both cannot be',
         choices=('position', 'up')),
    Spec('follow_relaxed', _DEFAULT.follow_relaxed, 'Go to the nearest alternative when a target '
         'cannot be reached; false: refuse it'),
    Spec('branch_tolerance', _DEFAULT.branch_tolerance, 'How much farther off than the best '
         'solution one in the branch the arm is in may be, and still be kept: tip, up vector',
         'm, rad', 0.0, 10.0),
    Spec('elevation', _DEFAULT.elevation, 'Elevation of the last link in the arm plane, above '
         'forward, that targets without an up vector get if they can; nan: the present one',
         'rad', -3.15, 3.15),
    Spec('max_step', _DEFAULT.max_step, 'A target is refused for which a joint would have to go '
         'farther than this from where the arm is; 0: however far', 'rad', 0.0, 100.0),
    Spec('home_speed', _DEFAULT.home_speed, 'Part of max_velocity at which home is approached; '
         'joints arrive together', '1', 0.01, 1.0),
    Spec('show_reach', False, 'Show what the tip can reach, in the plane of home, among the '
         'markers'),
    Spec('state_timeout', _DEFAULT.state_timeout,
         'Age from which joint_states are stale: commands stop until a new target; they pause '
         'after 2.5 of the usual intervals of a joint, and no sooner than a fifth of it', 's',
         0.05, 3600.0),
    Spec('target_timeout', _DEFAULT.target_timeout,
         'Targets are a stream: silence for longer stops the arm; 0: each target is a goal', 's',
         0.0, 3600.0),
)


def settings_of(parameters):
    """Return the :class:`~.core.Settings` among the parameters."""
    return Settings(**{name: parameters[name] for name in Settings._fields})
