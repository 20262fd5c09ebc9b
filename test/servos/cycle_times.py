# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What one cycle of the bus takes, six servos there or one gone: ours beside the vendor's SDK.

``python test/servos/cycle_times.py [CYCLES]``; the SDK takes part where SERVO_JUDGES names a
folder with its environment, as for test_sts_judges.py. A cycle reads all positions and writes a
set-point.
"""

import json
import os
import subprocess
import sys
from tempfile import TemporaryDirectory
from time import perf_counter

from serial_buses import FEETECH

VENDOR = """
import json, sys, time
from scservo_sdk import *
port = PortHandler(sys.argv[1])
port.openPort()
h = sms_sts(port)
group = GroupSyncRead(h, SMS_STS_PRESENT_POSITION_L, 2)
for i in range(1, 7):
    group.addParam(i)
times, lost = [], 0
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    group.txRxPacket()
    lost += sum(not group.isAvailable(i, SMS_STS_PRESENT_POSITION_L, 2)[0] for i in range(1, 7))
    h.SyncWritePosEx(1, 2047, 3000, 0)
    h.groupSyncWrite.txPacket()
    h.groupSyncWrite.clearParam()
    times.append(time.perf_counter() - start)
print(json.dumps([times, lost]))
"""


def ours(bus, cycles):
    """Return the time of each cycle [s], and how many positions were missing."""
    times, lost = [], 0
    with FEETECH.backend(bus.port, patience=None) as backend:
        for _ in range(cycles):
            start = perf_counter()
            lost += len(backend.read().missing)
            backend.write({'shoulder_pan': 0.0})
            times.append(perf_counter() - start)
    return times, lost


def vendors(bus, cycles):
    """Return the same of the vendor's SDK, or None where it is not installed."""
    python = os.path.join(os.environ.get('SERVO_JUDGES', ''), 'ftservo-python-sdk/bin/python')
    if not os.path.exists(python):
        return None
    told = subprocess.run([python, '-c', VENDOR, bus.port, str(cycles)], check=True,
                          capture_output=True, text=True)
    return json.loads(told.stdout)


def main():
    """Print a table."""
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f'{f"{cycles} cycles each, milliseconds":42}{"p50":>8}{"p99":>8}{"p99.9":>8}'
          '  positions missing')
    with TemporaryDirectory() as folder, FEETECH.emulated(folder) as bus:
        for state in ('healthy', 'one gone'):
            bus.do('servo', servo_id=3, present=state == 'healthy')
            for who, run in (('arm_ik', ours), ('ftservo-python-sdk', vendors)):
                found = run(bus, cycles)
                if found:
                    times, lost = sorted(found[0]), found[1]
                    row = ''.join(f'{1e3 * times[int(part * len(times))]:8.2f}'
                                  for part in (0.5, 0.99, 0.999))
                    print(f'{state + ", " + who:42}{row}{lost:12} of {6 * cycles}')


if __name__ == '__main__':
    main()
