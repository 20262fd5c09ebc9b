# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What one cycle of a bus takes, all servos there or one gone: ours beside the vendors' SDKs.

``python test/servos/cycle_times.py [CYCLES] [BUS]``; an SDK takes part where SERVO_JUDGES names a
folder with its environment, as for test_sts_judges.py. A cycle reads all positions and writes
set-points; the vendors' way of reading is the one of their examples.
"""

import json
import os
import subprocess
import sys
from tempfile import TemporaryDirectory
from time import perf_counter

from serial_buses import BUSES

FEETECH = """
import json, sys, time
from scservo_sdk import *
port = PortHandler(sys.argv[1])
port.openPort()
h = sms_sts(port)
ids = json.loads(sys.argv[3])
group = GroupSyncRead(h, SMS_STS_PRESENT_POSITION_L, 2)
for i in ids:
    group.addParam(i)
times, lost = [], 0
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    group.txRxPacket()
    lost += sum(not group.isAvailable(i, SMS_STS_PRESENT_POSITION_L, 2)[0] for i in ids)
    h.SyncWritePosEx(1, 2047, 3000, 0)
    h.groupSyncWrite.txPacket()
    h.groupSyncWrite.clearParam()
    times.append(time.perf_counter() - start)
print(json.dumps([times, lost]))
"""

DYNAMIXEL = """
import json, sys, time
from dynamixel_sdk import *
port = PortHandler(sys.argv[1])
port.openPort()
port.setBaudRate(1000000)
h = PacketHandler(2.0)
ids = json.loads(sys.argv[3])
group, goals = GroupSyncRead(port, h, 132, 4), GroupSyncWrite(port, h, 116, 4)
for i in ids:
    group.addParam(i)
goals.addParam(1, [0, 8, 0, 0])
times, lost = [], 0
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    if group.txRxPacket() != COMM_SUCCESS:
        lost += len(ids)        # it ends at the first that is missing, and has none of the others
    goals.txPacket()
    times.append(time.perf_counter() - start)
print(json.dumps([times, lost]))
"""

AX12 = """
import json, sys, time
from dynamixel_sdk import *
port = PortHandler(sys.argv[1])
port.openPort()
port.setBaudRate(1000000)
h = PacketHandler(1.0)
ids = json.loads(sys.argv[3])
goals = GroupSyncWrite(port, h, 30, 2)
goals.addParam(1, [0, 2])
times, lost = [], 0
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    lost += sum(h.read2ByteTxRx(port, i, 36)[1] != COMM_SUCCESS for i in ids)
    goals.txPacket()
    times.append(time.perf_counter() - start)
print(json.dumps([times, lost]))
"""

#: By bus: the SDK and its program.
VENDORS = {'feetech': ('ftservo-python-sdk', FEETECH), 'dynamixel': ('dynamixel-sdk', DYNAMIXEL),
           'ax12': ('dynamixel-sdk', AX12)}


def ours(bus, port, cycles):
    """Return the time of each cycle [s], and how many positions were missing."""
    times, lost = [], 0
    with bus.backend(port, patience=None) as backend:
        held = backend.engage([name for name in bus.joints if name not in backend.read().missing])
        for number in range(cycles):
            start = perf_counter()
            lost += sum(name in bus.ids for name in backend.read().missing)
            backend.write({name: place + 0.02 * (number % 2) for name, place in held.items()})
            times.append(perf_counter() - start)
    return times, lost


def vendors(bus, port, cycles):
    """Return the same of the vendor's SDK, or None where it is not installed."""
    if bus.name not in VENDORS:
        return None
    judge, program = VENDORS[bus.name]
    python = os.path.join(os.environ.get('SERVO_JUDGES', ''), judge, 'bin/python')
    if not os.path.exists(python):
        return None
    told = subprocess.run([python, '-c', program, port, str(cycles), json.dumps([*bus.ticks])],
                          check=True, capture_output=True, text=True)
    return json.loads(told.stdout)


def main():
    """Print a table."""
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f'{f"{cycles} cycles each, milliseconds":42}{"p50":>8}{"p99":>8}{"p99.9":>8}'
          '  positions missing')
    for bus in (bus for bus in BUSES if bus.name in (sys.argv[2:] or [bus.name])):
        with TemporaryDirectory() as folder, bus.emulated(folder) as emulated:
            for state in ('healthy', 'one gone'):
                emulated.do('servo', servo_id=3, present=state == 'healthy')
                for who, run in (('arm_ik', ours), ('its vendor', vendors)):
                    found = run(bus, emulated.port, cycles)
                    if found:
                        times, lost = sorted(found[0]), found[1]
                        row = ''.join(f'{1e3 * times[int(part * len(times))]:8.2f}'
                                      for part in (0.5, 0.99, 0.999))
                        print(f'{f"{bus.name} x {len(bus.ticks)}, {state}, {who}":42}{row}'
                              f'{lost:12} of {len(bus.ticks) * cycles}', flush=True)


if __name__ == '__main__':
    main()
