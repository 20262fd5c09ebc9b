# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Whether the emulated Dynamixel are like real ones: other people's clients are the judges.

Each lives in an environment of its own, in a folder that the environment variable SERVO_JUDGES
names: ``$SERVO_JUDGES/dynamixel-sdk/bin/python``, and so on. docs/servos.md says how to make them.
"""

import json
import os
from pathlib import Path
import subprocess

from arm_ik.testing.servos.emulated_bus import EmulatedBus
import pytest

#: The maker's SDK on X servos.
SDK_X = """
import json, sys
from dynamixel_sdk import *
from dynamixel_sdk import port_handler
port_handler.LATENCY_TIMER = 500    # this machine may be busy
port = PortHandler(sys.argv[1])
port.openPort()
port.setBaudRate(1000000)
h = PacketHandler(2.0)
position = lambda i: h.read4ByteTxRx(port, i, 132)
told = {'model': h.ping(port, 1)[0], 'read': [position(i)[0] for i in (1, 2, 3)],
        'silent': h.ping(port, 6)[1] != COMM_SUCCESS}
told['alert'] = position(5)[2] == 128 and h.read1ByteTxRx(port, 5, 70)[0] == 1
told['everyone'] = sorted(h.broadcastPing(port)[0])
group = GroupSyncRead(port, h, 132, 4)
for i in (1, 2, 3):
    group.addParam(i)
assert group.txRxPacket() == COMM_SUCCESS
told['sync'] = [group.getData(i, 132, 4) for i in (1, 2, 3)]
torque, goals = GroupSyncWrite(port, h, 64, 1), GroupSyncWrite(port, h, 116, 4)
for i, goal in ((1, 1300), (2, 1000)):
    torque.addParam(i, [1])
    goals.addParam(i, list(goal.to_bytes(4, 'little')))
goals.txPacket()
torque.txPacket()
h.write1ByteTxRx(port, 3, 64, 1)
h.regWriteTxRx(port, 3, 116, 4, [0xAA, 5, 0, 0])
assert position(3)[0] == 1300
h.action(port, BROADCAST_ID)
while [position(i)[0] for i in (1, 2, 3)] != [1300, 1000, 1450]:
    pass
told['locked'] = h.write1ByteTxRx(port, 3, 7, 8)[1]
told['limit'] = h.write4ByteTxRx(port, 3, 116, 5000)[1]
told['undefined'] = h.read1ByteTxRx(port, 3, 66)[2]
h.write4ByteTxRx(port, 4, 20, 0xFFFDFFFF)       # its bytes are ff ff fd ff: stuffed
told['stuffed'] = h.read4ByteTxRx(port, 4, 20)[0]
h.write4ByteTxRx(port, 4, 20, 0)
h.write1ByteTxRx(port, 4, 7, 9)
told['renamed'] = h.ping(port, 9)[0]
h.reboot(port, 2)
while h.ping(port, 2)[1] != COMM_SUCCESS:
    pass
told['rebooted'] = h.read1ByteTxRx(port, 2, 64)[0]
print(json.dumps(told))
"""

#: The same on AX servos, which know less.
SDK_AX = """
import json, sys
from dynamixel_sdk import *
from dynamixel_sdk import port_handler
port_handler.LATENCY_TIMER = 500    # this machine may be busy
port = PortHandler(sys.argv[1])
port.openPort()
port.setBaudRate(1000000)
h = PacketHandler(1.0)
position = lambda i: h.read2ByteTxRx(port, i, 36)
told = {'model': h.ping(port, 1)[0], 'read': [position(i)[0] for i in (1, 2, 3)],
        'silent': h.ping(port, 6)[1] != COMM_SUCCESS, 'error': position(5)[2]}
goals = GroupSyncWrite(port, h, 30, 2)
for i, goal in ((1, 300), (2, 500)):
    goals.addParam(i, [goal & 0xFF, goal >> 8])
goals.txPacket()
h.regWriteTxRx(port, 3, 30, 2, [0x4A, 1])
h.action(port, BROADCAST_ID)
while [position(i)[0] for i in (1, 2, 3)] != [300, 500, 330]:
    pass
told['torque'] = h.read1ByteTxRx(port, 3, 24)[0]
told['limit'] = h.write2ByteTxRx(port, 3, 30, 1500)[1]
h.write1ByteTxRx(port, 4, 3, 9)
told['renamed'] = h.ping(port, 9)[0]
print(json.dumps(told))
"""

RUSTYPOT_X = """
import json, sys
from rustypot import Xl430PyController
bus = Xl430PyController(sys.argv[1], 1000000, 0.5)
one = lambda answer: answer[0] if isinstance(answer, list) else answer
told = {'model': one(bus.read_model_number(1)),
        'read': [one(bus.read_present_position(i)) for i in (1, 2, 3)],
        'sync': list(bus.sync_read_present_position([1, 2, 3])),
        'error': one(bus.read_hardware_error_status(5))}
goals = [1300, 1000, 1450]
bus.sync_write_goal_position([1, 2, 3], goals)
bus.sync_write_torque_enable([1, 2, 3], [True, True, True])
while list(bus.sync_read_present_position([1, 2, 3])) != goals:
    pass
bus.write_id(4, 9)
told['renamed'] = one(bus.read_model_number(9))
print(json.dumps(told))
"""

RUSTYPOT_AX = """
import json, sys
from rustypot import AxPyController
bus = AxPyController(sys.argv[1], 1000000, 0.5)
one = lambda answer: answer[0] if isinstance(answer, list) else answer
position = lambda i: one(bus.read_raw_present_position(i))
told = {'model': one(bus.read_model_number(1)), 'read': [position(i) for i in (1, 2, 3)]}
bus.sync_write_raw_goal_position([1, 2, 3], [300, 500, 330])
while [position(i) for i in (1, 2, 3)] != [300, 500, 330]:
    pass
bus.write_id(4, 9)
told['renamed'] = one(bus.read_model_number(9))
print(json.dumps(told))
"""

X, AX = 'dxl_servos', 'ax_servos'

#: Judge, kind of servos, what it does, and what it has to say in the end.
JUDGES = {
    'dynamixel-sdk 2.0': ('dynamixel-sdk', X, SDK_X, {
        'model': 1060, 'read': [1100, 1200, 1300], 'sync': [1100, 1200, 1300], 'silent': True,
        'alert': True, 'everyone': [1, 2, 3, 4, 5], 'locked': 7, 'limit': 6, 'undefined': 7,
        'stuffed': 0xFFFDFFFF, 'renamed': 1060, 'rebooted': 0}),
    'dynamixel-sdk 1.0': ('dynamixel-sdk', AX, SDK_AX, {
        'model': 12, 'read': [310, 320, 330], 'silent': True, 'error': 1, 'torque': 1,
        'limit': 2, 'renamed': 12}),
    'rustypot 2.0': ('rustypot', X, RUSTYPOT_X, {
        'model': 1060, 'read': [1100, 1200, 1300], 'sync': [1100, 1200, 1300], 'error': 1,
        'renamed': 1060}),
    'rustypot 1.0': ('rustypot', AX, RUSTYPOT_AX, {
        'model': 12, 'read': [310, 320, 330], 'renamed': 12})}


@pytest.mark.parametrize('judge', JUDGES)
def test_a_client_of_other_people_finds_dynamixel_as_it_knows_them(judge, tmp_path):
    environment, kind, program, expected = JUDGES[judge]
    folder = os.environ.get('SERVO_JUDGES')
    python = Path(folder or '', environment, 'bin', 'python')
    if not folder or not python.exists():
        pytest.skip(f'no {environment} in $SERVO_JUDGES; docs/servos.md says how to install it')
    start, step = (1000, 100) if kind == X else (300, 10)
    servos = [{'servo_id': each, 'position': start + step * each} for each in range(1, 6)]
    with EmulatedBus(tmp_path, kind=kind, servos=servos) as bus:
        bus.do('servo', servo_id=5, voltage=35)
        told = subprocess.run([python, '-c', program, bus.port], capture_output=True, text=True,
                              timeout=60)
        assert told.returncode == 0, told.stderr
        assert json.loads(told.stdout) == expected
        assert [bus.position(each) for each in (1, 2, 3)] == (
            [1300, 1000, 1450] if kind == X else [300, 500, 330])
        assert bus.do('state', servo_id=9)['position'] == start + 4 * step
