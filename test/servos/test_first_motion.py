# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""From six new servos, all with the id 1, to an arm that is driven: the commands of one page."""

import sys

from arm_ik.testing.connection import NodeThread
from arm_ik.testing.processes import domain_environment, reserved_domain
from arm_ik.testing.servos.emulated_bus import EmulatedBus
from held_arm import HeldArm, hold_poses, IDS, patient_example, ZEROS
import pytest
from sensor_msgs.msg import JointState
from test_calibrate import move_to_ends
from tool_process import ToolProcess

pytestmark = pytest.mark.about_time


def test_new_servos_become_a_moving_arm_by_five_commands(tmp_path):
    with EmulatedBus(tmp_path, servos=[]) as bus:
        common = ('--port', bus.port, '--patience', 0.1)
        for name, servo_id in reversed(IDS.items()):    # the gripper first
            bus.do('add', servo_id=1, position=ZEROS[servo_id])
            with ToolProcess('scan', *common, '--ids', '1-6', '--baud', 1000000,
                             folder=tmp_path) as scan:
                assert scan.end() == 0
            listed = [line.split() for line in scan.shown.splitlines()]
            assert ['1'] in [line[:1] for line in listed], scan.shown
            ids = [line[0] for line in listed if line and line[0] in '123456']
            assert len(ids) == 7 - servo_id
            if servo_id > 1:
                with ToolProcess('set-id', servo_id, '--from', 1, *common, '--ids', '1-6',
                                 '--baud', 1000000, folder=tmp_path) as tool:
                    tool.answer('[y/N]')
                    assert tool.end() == 0, tool.shown
        held = HeldArm(bus)
        with ToolProcess('calibrate', 'so101', '--port', bus.port, '--like', patient_example(
                tmp_path), folder=tmp_path) as calibrate:
            hold_poses(calibrate, held)
            move_to_ends(calibrate, held)
            assert calibrate.end() == 0, calibrate.shown
        with ToolProcess('verify', 'my_so101.yaml', folder=tmp_path) as verify:
            hold_poses(verify, held)
            assert verify.end() == 0, verify.shown
        assert not any(held.torque().values())
        held.hold(dict.fromkeys(IDS, 0.0))
        with reserved_domain() as domain, NodeThread('bench', domain_id=domain) as bench:
            states = []
            bench.listen(JointState, 'joint_states', states.append)
            commands = bench.node.create_publisher(JointState, 'joint_commands', 10)
            variables = [f'{key}={value}' for key, value in domain_environment(domain).items()]
            with ToolProcess(folder=tmp_path, program=[
                    'env', *variables, sys.executable, '-m', 'arm_ik', 'driver_node', '--arm',
                    'so101', '--servos', 'my_so101.yaml']) as driver:
                driver.expect('so101 on the feetech back end')
                assert bench.wait_until(lambda: states, 30.0) is None
                assert bench.wait_until(lambda: commands.publish(JointState(
                    name=['shoulder_pan'], position=[0.3])) or abs(
                    held.position('shoulder_pan') - 0.3) < 0.01, 30.0, poll=0.1) is None
                assert 'verified' not in driver.shown
                driver.interrupt()
                driver.end()
