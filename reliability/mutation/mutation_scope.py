# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What is mutated, and which tests have to notice: limits, validation, and the handling of targets.

Each file comes with the tests that hold it, in stages: a mutant that a stage lets live is handed
on to the next one. Tests that take seconds, of random arms and of whole nodes, are left out: what
only they would notice counts as alive.
"""

from typing import NamedTuple, Tuple


class Scope(NamedTuple):
    """
    A file and its tests.

    :param path: of the file, from the project's root.
    :param stages: each a list of pytest's arguments, in words.
    """

    path: str
    stages: Tuple[str, ...]


_ARM_FILE = ('test/description/test_arm_file.py'
             ' --deselect=test/description/test_arm_file.py'
             '::test_any_name_and_number_survive_the_round_trip'
             ' --deselect=test/description/test_arm_file.py'
             '::test_a_damaged_file_is_an_arm_or_one_clear_error')
_YAML = 'test/description/test_yaml_reader.py'
_FILE = 'test/description/test_parameter_file.py'
_TARGET_INPUT = 'test/nodes/test_target_input.py'
_CORE = 'test/nodes/test_ik_core.py'
_BURST = ('test/nodes/test_burst.py --deselect=test/nodes/test_burst.py'
          '::test_they_do_whatever_comes_between')
_COMMAND_LINE = ('test/nodes/test_command_line.py --deselect=test/nodes/test_command_line.py'
                 '::test_a_wrong_start_ends_in_one_message_and_exit_code_2')
_DRIVER = 'test/drivers/test_servo_driver.py'

SCOPES = (
    # limits
    Scope('arm_ik/kinematics/limits.py', ('test/kinematics/test_limits.py',)),
    Scope('arm_ik/nodes/arm_limits.py', ('test/nodes/test_arm_limits.py',)),
    Scope('arm_ik/drivers/command_filter.py', ('test/drivers/test_command_filter.py',)),
    Scope('arm_ik/drivers/backend.py', ('test/drivers/test_backends.py',)),
    # validation
    Scope('arm_ik/kinematics/target.py', ('test/kinematics/test_target.py',)),
    Scope('arm_ik/kinematics/options.py', ('test/kinematics/test_options.py',)),
    Scope('arm_ik/kinematics/explanation/verdict.py',
          ('test/kinematics/explanation/test_verdict.py',)),
    Scope('arm_ik/kinematics/batch/input.py', ('test/kinematics/test_batch_input.py',)),
    Scope('arm_ik/description/values.py', (f'{_ARM_FILE} {_FILE}',)),
    Scope('arm_ik/description/yaml_reader.py', (f'{_YAML} {_FILE} {_ARM_FILE}',)),
    Scope('arm_ik/description/parameter_file.py', (f'{_FILE} {_ARM_FILE}',)),
    Scope('arm_ik/description/arm_file.py', (_ARM_FILE,)),
    Scope('arm_ik/nodes/given_parameters.py', (_COMMAND_LINE,)),
    Scope('arm_ik/nodes/parameter_check.py', (_COMMAND_LINE,)),
    Scope('arm_ik/nodes/parameters.py', ('test/nodes/test_parameters.py', _COMMAND_LINE)),
    # the handling of targets and of commands
    Scope('arm_ik/nodes/target_input.py', (_TARGET_INPUT,)),
    Scope('arm_ik/nodes/pose_message.py', ('test/nodes/test_pose_message.py',)),
    Scope('arm_ik/nodes/newest.py', ('test/nodes/test_newest_alone.py',
                                     'test/nodes/test_newest.py')),
    Scope('arm_ik/nodes/ik_core.py', (_CORE,)),
    Scope('arm_ik/nodes/answer.py', (_CORE,)),
    Scope('arm_ik/nodes/pauses.py', ('test/nodes/test_pauses.py',)),
    Scope('arm_ik/nodes/burst.py', (_BURST, 'test/nodes/test_ik_node_burst.py')),
    Scope('arm_ik/nodes/burst_core.py', (_BURST, 'test/nodes/test_ik_node_burst.py')),
    Scope('arm_ik/nodes/motion.py', (_CORE,)),
    Scope('arm_ik/nodes/ramp.py', (_CORE,)),
    Scope('arm_ik/nodes/arrival.py', (f'test/nodes/test_arrival.py {_CORE}',)),
    Scope('arm_ik/nodes/following.py', (f'test/nodes/test_following.py {_CORE}',)),
    Scope('arm_ik/nodes/stuck.py', (f'test/nodes/test_stuck.py {_CORE}',)),
    Scope('arm_ik/nodes/arm_state.py', (f'test/nodes/test_arm_state.py {_CORE}',)),
    Scope('arm_ik/nodes/state_watch.py', (f'test/nodes/test_state_watch.py {_CORE}',)),
    Scope('arm_ik/drivers/command_age.py', (f'test/drivers/test_command_age.py {_DRIVER}',)),
    Scope('arm_ik/drivers/movement.py', (f'test/drivers/test_movement.py {_DRIVER}',)),
    Scope('arm_ik/drivers/command_watchdog.py',
          (f'test/drivers/test_command_watchdog.py {_DRIVER}',)),
    Scope('arm_ik/drivers/servo_driver.py', (_DRIVER,)),
)


class Fault(NamedTuple):
    """
    A fault that tests have to notice, for the short form.

    :param path: of the file, from the project's root.
    :param before: what stands there, once.
    :param after: what stands there instead.
    :param tests: pytest's arguments, in words.
    """

    path: str
    before: str
    after: str
    tests: str


FIXED = (
    Fault('arm_ik/kinematics/limits.py', 'min(max(reading, self.lower), self.upper)',
          'max(reading, self.lower)', 'test/kinematics/test_limits.py -k clamping'),
    Fault('arm_ik/kinematics/target.py', 'isfinite(y) and isfinite(z)', 'isfinite(y)',
          'test/kinematics/test_target.py -k nan_and_infinity'),
    Fault('arm_ik/drivers/command_filter.py', 'if not isfinite(position):', 'if False:',
          'test/drivers/test_command_filter.py'),
    Fault('arm_ik/nodes/stuck.py', 'if way <= FOLLOW_TOLERANCE:', 'if way < FOLLOW_TOLERANCE:',
          'test/nodes/test_stuck.py'),
    Fault('arm_ik/nodes/ik_core.py', 'self.enabled = on', 'self.enabled = True',
          f'{_CORE} -k disabling'),
)
