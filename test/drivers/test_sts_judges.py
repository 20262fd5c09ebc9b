# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Whether the emulated servos are like real ones: other people's clients are the judges.

They cannot be installed beside each other, so each lives in an environment of its own, in a folder
that the environment variable SERVO_JUDGES names: ``$SERVO_JUDGES/rustypot/bin/python``, and so on.
docs/servos.md says how to make them.
"""

import json
import os
from pathlib import Path
import subprocess

from arm_ik.testing.servos.emulated_bus import EmulatedBus
import pytest

#: What each judge does, with its own words: see ``told`` for what it has to say in the end.
VENDOR = """
import json, sys
from scservo_sdk import *
from scservo_sdk import port_handler
port_handler.LATENCY_TIMER = 500    # this machine may be busy: a late answer is taken for the next
port = PortHandler(sys.argv[1])
port.openPort()
h = sms_sts(port)
told = {'model': h.ping(1)[0], 'read': [h.ReadPos(i)[0] for i in (1, 2, 3)],
        'error': h.ReadPos(5)[2], 'silent': h.ping(6)[1] != COMM_SUCCESS}
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
print(json.dumps(told))
"""

LEROBOTS = """
import json, sys
from scservo_sdk import *
from scservo_sdk import port_handler
port_handler.LATENCY_TIMER = 500    # this machine may be busy: a late answer is taken for the next
port = PortHandler(sys.argv[1])
port.openPort()
port.setBaudRate(1000000)
h = PacketHandler(0)
position = lambda i: h.read2ByteTxRx(port, i, 56)
told = {'model': h.ping(port, 1)[0], 'read': [position(i)[0] for i in (1, 2, 3)],
        'error': position(5)[2], 'silent': h.ping(port, 6)[1] != COMM_SUCCESS}
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
print(json.dumps(told))
"""

RUSTYPOT = """
import json, sys
from rustypot import Sts3215PyController
bus = Sts3215PyController(sys.argv[1], 1000000, 0.2)
one = lambda answer: answer[0] if isinstance(answer, list) else answer
told = {'model': one(bus.read_model(1)), 'error': one(bus.read_status(5)),
        'read': [one(bus.read_raw_present_position(i)) for i in (1, 2, 3)],
        'sync': list(bus.sync_read_raw_present_position([1, 2, 3]))}
try:
    told['silent'] = not bus.ping(6)
except RuntimeError:
    told['silent'] = True
bus.sync_write_raw_goal_position([1, 2, 3], [1300, 1000, 1450])
bus.sync_write_torque_enable([1, 2, 3], [True, True, True])
while list(bus.sync_read_raw_present_position([1, 2, 3])) != [1300, 1000, 1450]:
    pass
bus.write_lock(4, False)
bus.write_id(4, 9)
bus.write_lock(9, True)
told['renamed'] = one(bus.read_model(9))
print(json.dumps(told))
"""

JUDGES = {'ftservo-python-sdk': VENDOR, 'feetech-servo-sdk': LEROBOTS, 'rustypot': RUSTYPOT}


@pytest.mark.parametrize('judge', JUDGES)
def test_a_client_of_other_people_finds_servos_as_it_knows_them(judge, tmp_path):
    folder = os.environ.get('SERVO_JUDGES')
    python = Path(folder or '', judge, 'bin', 'python')
    if not folder or not python.exists():
        pytest.skip(f'no {judge} in $SERVO_JUDGES; docs/servos.md says how to install it')
    servos = [{'servo_id': each, 'position': 1000 + 100 * each} for each in range(1, 6)]
    with EmulatedBus(tmp_path, servos=servos) as bus:
        bus.do('servo', servo_id=5, voltage=35)
        told = subprocess.run([python, '-c', JUDGES[judge], bus.port], capture_output=True,
                              text=True, timeout=60)
        assert told.returncode == 0, told.stderr
        assert json.loads(told.stdout) == {
            'model': 777, 'read': [1100, 1200, 1300], 'sync': [1100, 1200, 1300], 'error': 1,
            'silent': True, 'renamed': 777}
        assert [bus.position(each) for each in (1, 2, 3)] == [1300, 1000, 1450]
        assert bus.do('state', servo_id=9)['eeprom'][5] == 9
