# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A sender of targets as a process of its own, to be killed, silenced or frozen.

    python -m reliability.sender DOMAIN [Q ...]

The domain is that of the arm; ``Q`` are two positions of SO-101's five joints, each of whose poses
is sent in turn for :data:`HOLD` seconds, 50 times a second. After SIGUSR1 it is silent until the
next SIGUSR1. With one ``Q`` it sends that pose once, and kills itself when that has been heard.
"""

import json
import os
import signal
import sys
from time import monotonic, sleep

from arm_ik.testing import ArmClient

from .side_to_side import pose_of

#: How long each of the two poses is asked for [s].
HOLD = 1.2


def main():
    """Send targets as the command line says."""
    domain, *given = sys.argv[1:]
    with ArmClient('so101', domain_id=int(domain)) as arm:
        poses = [pose_of(arm.arm, json.loads(q)) for q in given]
        if len(poses) == 1:
            stamp = arm.send(*poses[0])
            arm.wait_until(lambda: arm.statuses(stamp), 'a status')
            os.kill(os.getpid(), signal.SIGKILL)
        silent = []
        signal.signal(signal.SIGUSR1, lambda *_: silent.clear() if silent else silent.append(True))
        while True:
            if not silent:
                arm.send(*poses[int(monotonic() / HOLD) % 2])
            sleep(0.02)


if __name__ == '__main__':
    main()
