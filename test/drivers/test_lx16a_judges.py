# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Whether the emulated LX-16A are like real ones: other people's clients are the judges.

Each lives in an environment of its own below ``$SERVO_JUDGES``; docs/servos.md says how to make
them.
"""

import json
import os
from pathlib import Path
import subprocess

from arm_ik.testing.servos.emulated_bus import EmulatedBus
import pytest

#: What each judge does, with its own words: see ``told`` for what it has to say in the end.
PYLX16A = """
import json, sys
from pylx16a.lx16a import LX16A, ServoTimeoutError
LX16A.initialize(sys.argv[1], 0.5)
servos = {i: LX16A(i, disable_torque=True) for i in (1, 2, 3)}
told = {'read': [round(servos[i].get_physical_angle() * 25 / 6) for i in (1, 2, 3)],
        'limits': servos[1].get_vin_limits(poll_hardware=True)[0],
        'temperature': servos[2].get_temp(), 'voltage': servos[2].get_vin(),
        'torque': [servos[1].is_torque_enabled(poll_hardware=True)]}
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
print(json.dumps(told))
"""

LEWANSOUL = """
import json, sys
import serial
from lewansoul_lx16a import ServoController, TimeoutError
bus = ServoController(serial.Serial(sys.argv[1], 115200, timeout=0.5), 0.5)
told = {'read': [bus.get_position(i) for i in (1, 2, 3)],
        'limits': bus.get_voltage_limits(1)[0], 'temperature': bus.get_temperature(2),
        'voltage': bus.get_voltage(2), 'torque': [bus.is_motor_on(1)]}
try:
    bus.get_position(9)
    told['silent'] = False
except TimeoutError:
    told['silent'] = True
bus.motor_on(1)
told['torque'].append(bus.is_motor_on(1))
bus.motor_on(2)
bus.motor_on(3)
bus.move_prepare(2, 500, 300)
bus.move(3, 150, 300)
bus.move_start()
while [bus.get_position(i) for i in (2, 3)] != [500, 150]:
    pass
bus.set_servo_id(2, 12)
told['renamed'] = bus.get_position(12)
print(json.dumps(told))
"""

JUDGES = {'pylx16a': PYLX16A, 'lewansoul-lx16a': LEWANSOUL}


@pytest.mark.parametrize('judge', JUDGES)
def test_a_client_of_other_people_finds_servos_as_it_knows_them(judge, tmp_path):
    folder = os.environ.get('SERVO_JUDGES')
    python = Path(folder or '', judge, 'bin', 'python')
    if not folder or not python.exists():
        pytest.skip(f'no {judge} in $SERVO_JUDGES; docs/servos.md says how to install it')
    servos = [{'servo_id': 1, 'position': 700}, {'servo_id': 2, 'position': 400},
              {'servo_id': 3, 'position': 300}]
    with EmulatedBus(tmp_path, kind='lx16a_servos', servos=servos) as bus:
        told = subprocess.run([python, '-c', JUDGES[judge], bus.port], capture_output=True,
                              text=True, timeout=60)
        assert told.returncode == 0, told.stderr
        assert json.loads(told.stdout) == {
            'read': [700, 400, 300], 'limits': 4500, 'temperature': 30, 'voltage': 7400,
            'torque': [False, True], 'silent': True, 'renamed': 500}
        assert [bus.position(each) for each in (1, 12, 3)] == [700, 500, 150]
