# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The parameters of ``ik_node``; no ROS."""

from collections import namedtuple
from math import nan

from ..common.spec import Spec
from ...collision import MODES
from ...kinematics.tool_axes import TOOL_AXES

#: Names of the executors there are; the first is the default.
EXECUTORS = ('events', 'single_threaded')

SPECS = (
    Spec('up_axis', 'z', 'Axis of the frame of target_pose that is the up vector',
         choices=tuple(TOOL_AXES), read_only=True),
    Spec('base_frame', 'base_link', 'Frame that targets are solved in', read_only=True),
    Spec('frame_prefix', '', 'Prefix of base_frame, for several arms', read_only=True),
    Spec('executor', EXECUTORS[0], 'Executor of the callbacks', choices=EXECUTORS, read_only=True),
    Spec('command_rate', 50.0, 'Rate of joint_commands; keep it above 1 / command_timeout of the '
         'driver', 'Hz', 1.0, 1000.0),
    Spec('position_tolerance', 1e-4, 'Largest tip error that counts as reached', 'm', 1e-12, 1.0),
    Spec('up_tolerance', 1e-3, 'Largest error of the up vector that counts as reached', 'rad',
         1e-12, 3.2),
    Spec('arrival_tolerance', 0.05, 'Largest distance of a joint from its command when the arm '
         'has arrived', 'rad', 1e-9, 3.2),
    Spec('elbow', 'nearest', 'Solution to take: nearest to the present pose, elbow up or down',
         choices=('nearest', 'up', 'down')),
    Spec('priority', 'position', 'What to meet first if both cannot be met',
         choices=('position', 'up')),
    Spec('follow_relaxed', True, 'Go to the closest pose of a target out of reach; false: refuse '
         'it'),
    Spec('branch_tolerance', (0.001, 0.0349), 'Keep the present branch while it is worse than the '
         'best by at most this: tip, up vector', 'm, rad', 0.0, 10.0),
    Spec('elevation', nan, 'Preferred elevation of the last link without an up vector; nan: the '
         'present one', 'rad', -3.15, 3.15),
    Spec('avoid_base', True, 'Refuse targets with tip, wrist or elbow inside the base of the '
         'URDF, and targets below floor_height'),
    Spec('check_path', 'user', 'Refuse paths that touch floor or keep_out shapes, and warn of the '
         'arm itself; all: refuse these, too', choices=MODES),
    Spec('max_step', 0.0, 'Largest step of a joint; a target that needs a larger one is refused; '
         '0: no limit', 'rad', 0.0, 100.0),
    Spec('home_speed', 0.5, 'Speed of ~/home as a share of max_velocity; joints arrive together',
         '1', 0.01, 1.0),
    Spec('motion', 'joint', 'Path to a target: joint by joint, or the tip in a straight line',
         choices=('joint', 'line')),
    Spec('tip_speed', 0.1, 'Speed of the tip along lines, slower where a joint would be too fast',
         'm/s', 1e-4, 10.0),
    Spec('tip_turn_speed', 1.0, 'Largest turning speed along lines, and while jogging if no '
         'faster turn is asked for', 'rad/s', 1e-3, 100.0),
    Spec('speed', 1.0, 'Part of their speed at which lines, paths, home and jogging go, and with '
         'trajectories every goal', '1', 0.05, 1.0),
    Spec('blend_radius', 0.0, 'How far from a target of a path the tip may leave the lines to go '
         'round it; 0: it stops at each', 'm', 0.0, 1.0),
    Spec('jog_slide', 0.1, 'Part of the speed asked for at which the tip slides along a limit or '
         'the edge of reach while jogging', '1', 0.0, 1.0),
    Spec('output', 'commands', 'Send joint_commands, for driver_node, or joint_trajectory, for '
         'ros2_control', choices=('commands', 'trajectory'), read_only=True),
    Spec('state_timeout', 1.0, 'Age from which joint_states are stale: commands stop until a new '
         'target', 's', 0.05, 3600.0),
    Spec('target_max_age', 0.0, 'Age by its stamp from which a target is refused; 0: never. A '
         'zero stamp has no age', 's', 0.0, 3600.0),
    Spec('target_timeout', 0.0, 'Gap in a stream of targets that stops the arm; 0: each target is '
         'a goal', 's', 0.0, 3600.0),
)

#: The values of all of them, by name.
Settings = namedtuple('Settings', [spec.name for spec in SPECS],  # type: ignore[misc]
                      defaults=[spec.default for spec in SPECS])  # type: ignore[misc]
