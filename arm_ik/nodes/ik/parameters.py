# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The parameters of ``ik_node``."""

from .core import MOTIONS, OUTPUTS, Settings
from .target_reader import TOOL_AXES
from ..common.parameters import Spec

#: Names of the executors there are; the first is the default.
EXECUTORS = ('events', 'single_threaded')

_DEFAULT = Settings()

SPECS = (
    Spec('up_axis', 'z', 'Axis of the frame of target_pose that is the up vector',
         choices=tuple(TOOL_AXES), read_only=True),
    Spec('base_frame', 'base_link', 'Frame that targets are solved in', read_only=True),
    Spec('frame_prefix', '', 'Prefix of base_frame, for several arms', read_only=True),
    Spec('executor', EXECUTORS[0],
         'Executor of the callbacks: the fast one, or the default of rclpy',
         choices=EXECUTORS, read_only=True),
    Spec('command_rate', _DEFAULT.command_rate, 'Rate of joint_commands; keep it above 1 / '
         'command_timeout of the driver', 'Hz', 1.0, 1000.0),
    Spec('position_tolerance', _DEFAULT.position_tolerance,
         'Largest error of the tip that counts as reached', 'm', 1e-12, 1.0),
    Spec('up_tolerance', _DEFAULT.up_tolerance,
         'Largest error of the up vector that counts as reached', 'rad', 1e-12, 3.2),
    Spec('arrival_tolerance', _DEFAULT.arrival_tolerance,
         'Distance from its command within which each joint rests when the arm has arrived', 'rad',
         1e-9, 3.2),
    Spec('elbow', _DEFAULT.elbow, 'Solution to take: nearest to the present pose, elbow up or '
         'down', choices=('nearest', 'up', 'down')),
    Spec('priority', _DEFAULT.priority, 'What to meet first if both cannot be met',
         choices=('position', 'up')),
    Spec('follow_relaxed', _DEFAULT.follow_relaxed, 'Go to the closest pose of a target out of '
         'reach; false: refuse it'),
    Spec('branch_tolerance', _DEFAULT.branch_tolerance, 'Keep the present branch while it is '
         'worse than the best by at most this: tip, up vector', 'm, rad', 0.0, 10.0),
    Spec('elevation', _DEFAULT.elevation, 'Preferred elevation of the last link without an up '
         'vector: 0 away from the yaw axis, pi/2 up; nan: the present one',
         'rad', -3.15, 3.15),
    Spec('avoid_base', _DEFAULT.avoid_base, 'Refuse targets with tip, wrist or elbow inside the '
         'base of the URDF, and targets below floor_height; the path is not checked'),
    Spec('max_step', _DEFAULT.max_step, 'Largest step of a joint; a target that needs a larger '
         'one is refused; 0: no limit', 'rad', 0.0, 100.0),
    Spec('home_speed', _DEFAULT.home_speed, 'Speed of ~/home as a share of max_velocity; joints '
         'arrive together', '1', 0.01, 1.0),
    Spec('motion', _DEFAULT.motion, 'Path to a target: joint by joint, or the tip in a straight '
         'line, where a target that cannot be reached so is refused',
         choices=MOTIONS),
    Spec('tip_speed', _DEFAULT.tip_speed, 'Speed of the tip along lines, slower where a joint '
         'would be too fast', 'm/s', 1e-4, 10.0),
    Spec('tip_turn_speed', _DEFAULT.tip_turn_speed, 'Largest turning speed along lines, and of '
         'the hand while jogging if no faster turn is asked for',
         'rad/s', 1e-3, 100.0),
    Spec('jog_slide', _DEFAULT.jog_slide, 'Largest part of the speed asked for at which the tip '
         'slides along a limit or the edge of reach while jogging',
         '1', 0.0, 1.0),
    Spec('output', _DEFAULT.output, 'Send joint_commands, for driver_node, or '
         'joint_trajectory, for ros2_control',
         choices=OUTPUTS, read_only=True),
    Spec('show_reach', False, 'Show in the markers what the tip reaches in the plane of home'),
    Spec('state_timeout', _DEFAULT.state_timeout,
         'Age from which joint_states are stale: commands stop until a new target; they pause '
         'earlier, after 2.5 usual intervals and a fifth of this', 's',
         0.05, 3600.0),
    Spec('target_timeout', _DEFAULT.target_timeout,
         'Gap in a stream of targets that stops the arm; 0: each target is a goal', 's',
         0.0, 3600.0),
)


def settings_of(parameters):
    """Return the :class:`~.core.Settings` among the parameters."""
    return Settings(**{name: parameters[name] for name in Settings._fields})
