# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


"""
Whether the emulated servos are like real ones: other people's clients are the judges.

They cannot be installed beside each other, so each lives in an environment of its own, in a folder
that the environment variable SERVO_JUDGES names: ``$SERVO_JUDGES/pylx16a/bin/python``, and so on.
CONTRIBUTING.md says how to make them.
"""

import json
import subprocess

from arm_ik.testing.servos.emulated_bus import EmulatedBus
from bus_helpers import python_of
import pytest

#: Around what each judge does; ``told`` is what it has to say in the end.
FRAME = """
import json, sys
told = {{}}
{}
print(json.dumps(told))
"""

#: Two SDKs with the same hands.
SDK = """
from {sdk} import *
from {sdk} import port_handler
port_handler.LATENCY_TIMER = 500    # this machine may be busy: a late answer is taken for the next
port = PortHandler(sys.argv[1])
port.openPort()
port.setBaudRate(1000000)
"""

#: Feetech's own and LeRobot's, on STS servos.
FEETECHS = SDK.format(sdk='scservo_sdk') + """
h = sms_sts(port)
told.update({'model': h.ping(1)[0], 'read': [h.ReadPos(i)[0] for i in (1, 2, 3)],
             'error': h.ReadPos(5)[2], 'silent': h.ping(6)[1] != COMM_SUCCESS})
group = GroupSyncRead(h, SMS_STS_PRESENT_POSITION_L, 4)
for i in (1, 2, 3):
    group.addParam(i)
group.txRxPacket()
told['sync'] = [group.getData(i, SMS_STS_PRESENT_POSITION_L, 2) for i in (1, 2, 3)]
h.write1ByteTxRx(1, SMS_STS_TORQUE_ENABLE, 1)
h.write1ByteTxRx(2, SMS_STS_TORQUE_ENABLE, 1)
h.write1ByteTxRx(3, SMS_STS_TORQUE_ENABLE, 1)
h.SyncWritePosEx(1, 1300, 3000, 50)
h.SyncWritePosEx(2, 1000, 3000, 50)
h.groupSyncWrite.txPacket()
h.RegWritePosEx(3, 1450, 3000, 50)
h.RegAction()
while h.ReadPos(1)[0] != 1300 or h.ReadPos(2)[0] != 1000 or h.ReadPos(3)[0] != 1450:
    pass
h.unLockEprom(4)
h.write1ByteTxRx(4, SMS_STS_ID, 9)
h.LockEprom(9)
told['renamed'] = h.ping(9)[0]
"""

LEROBOTS = SDK.format(sdk='scservo_sdk') + """
h = PacketHandler(0)
position = lambda i: h.read2ByteTxRx(port, i, 56)
told.update({'model': h.ping(port, 1)[0], 'read': [position(i)[0] for i in (1, 2, 3)],
             'error': position(5)[2], 'silent': h.ping(port, 6)[1] != COMM_SUCCESS})
group = GroupSyncRead(port, h, 56, 2)
for i in (1, 2, 3):
    group.addParam(i)
group.txRxPacket()
told['sync'] = [group.getData(i, 56, 2) for i in (1, 2, 3)]
torque, goals = GroupSyncWrite(port, h, 40, 1), GroupSyncWrite(port, h, 42, 2)
for i, goal in ((1, 1300), (2, 1000), (3, 1450)):
    torque.addParam(i, [1])
    goals.addParam(i, [goal & 0xFF, goal >> 8])
goals.txPacket()
torque.txPacket()
while [position(i)[0] for i in (1, 2, 3)] != [1300, 1000, 1450]:
    pass
h.write1ByteTxRx(port, 4, 55, 0)
h.write1ByteTxRx(port, 4, 5, 9)
h.write1ByteTxRx(port, 9, 55, 1)
told['renamed'] = h.ping(port, 9)[0]
"""

#: The maker's SDK on X servos, and on AX servos, which know less.
SDK_X = SDK.format(sdk='dynamixel_sdk') + """
h = PacketHandler(2.0)
position = lambda i: h.read4ByteTxRx(port, i, 132)
told.update({'model': h.ping(port, 1)[0], 'read': [position(i)[0] for i in (1, 2, 3)],
             'silent': h.ping(port, 6)[1] != COMM_SUCCESS})
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
"""

SDK_AX = SDK.format(sdk='dynamixel_sdk') + """
h = PacketHandler(1.0)
position = lambda i: h.read2ByteTxRx(port, i, 36)
told.update({'model': h.ping(port, 1)[0], 'read': [position(i)[0] for i in (1, 2, 3)],
             'silent': h.ping(port, 6)[1] != COMM_SUCCESS, 'error': position(5)[2]})
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
"""

#: On LX-16A.
PYLX16A = """
from pylx16a.lx16a import LX16A, ServoTimeoutError
LX16A.initialize(sys.argv[1], 0.5)
servos = {i: LX16A(i, disable_torque=True) for i in (1, 2, 3)}
told.update({'read': [round(servos[i].get_physical_angle() * 25 / 6) for i in (1, 2, 3)],
             'limits': servos[1].get_vin_limits(poll_hardware=True)[0],
             'temperature': servos[2].get_temp(), 'voltage': servos[2].get_vin(),
             'torque': [servos[1].is_torque_enabled(poll_hardware=True)]})
try:
    LX16A(9)
    told['silent'] = False
except ServoTimeoutError:
    told['silent'] = True
servos[1].enable_torque()
told['torque'].append(servos[1].is_torque_enabled(poll_hardware=True))
for i, goal in ((2, 500), (3, 150)):
    servos[i].enable_torque()
    servos[i].move(goal * 6 / 25, 300)
while [round(servos[i].get_physical_angle() * 25 / 6) for i in (2, 3)] != [500, 150]:
    pass
servos[2].set_id(12)
told['renamed'] = round(LX16A(12).get_physical_angle() * 25 / 6)
"""

STS = {'model': 777, 'read': [1100, 1200, 1300], 'sync': [1100, 1200, 1300], 'error': 1,
       'silent': True, 'renamed': 777}

#: Where servos are at first, by id, and in the end; and what one that was renamed is now.
PLACES = {'sts_servos': ([1100, 1200, 1300, 1400, 1500], {1: 1300, 2: 1000, 3: 1450, 9: 1400}),
          'dxl_servos': ([1100, 1200, 1300, 1400, 1500], {1: 1300, 2: 1000, 3: 1450, 9: 1400}),
          'ax_servos': ([310, 320, 330, 340, 350], {1: 300, 2: 500, 3: 330, 9: 340}),
          'lx16a_servos': ([700, 400, 300], {1: 700, 12: 500, 3: 150})}

#: Judge, kind of servos, what it does, and what it has to say in the end.
JUDGES = {
    'ftservo': ('ftservo-python-sdk', 'sts_servos', FEETECHS, STS),
    'feetech': ('feetech-servo-sdk', 'sts_servos', LEROBOTS, STS),
    'dynamixel-sdk 2.0': ('dynamixel-sdk', 'dxl_servos', SDK_X, {
        'model': 1060, 'read': [1100, 1200, 1300], 'sync': [1100, 1200, 1300], 'silent': True,
        'alert': True, 'everyone': [1, 2, 3, 4, 5], 'locked': 7, 'limit': 6, 'undefined': 7,
        'stuffed': 0xFFFDFFFF, 'renamed': 1060, 'rebooted': 0}),
    'dynamixel-sdk 1.0': ('dynamixel-sdk', 'ax_servos', SDK_AX, {
        'model': 12, 'read': [310, 320, 330], 'silent': True, 'error': 1, 'torque': 1,
        'limit': 2, 'renamed': 12}),
    'pylx16a': ('pylx16a', 'lx16a_servos', PYLX16A, {
        'read': [700, 400, 300], 'limits': 4500, 'temperature': 30, 'voltage': 7400,
        'torque': [False, True], 'silent': True, 'renamed': 500})}


@pytest.mark.parametrize('judge', JUDGES)
def test_a_client_of_other_people_finds_servos_as_it_knows_them(judge, tmp_path):
    environment, kind, program, expected = JUDGES[judge]
    python = python_of(environment)
    first, last = PLACES[kind]
    servos = [{'servo_id': each, 'position': tick} for each, tick in enumerate(first, start=1)]
    with EmulatedBus(tmp_path, kind=kind, servos=servos) as bus:
        if kind != 'lx16a_servos':
            bus.do('servo', servo_id=5, voltage=35)
        told = subprocess.run([python, '-c', FRAME.format(program), bus.port],
                              capture_output=True, text=True, timeout=60)
        assert told.returncode == 0, told.stderr
        assert json.loads(told.stdout) == expected
        assert {each: bus.position(each) for each in last} == last
        assert kind != 'sts_servos' or bus.do('state', servo_id=9)['eeprom'][5] == 9
