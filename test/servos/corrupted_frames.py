# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How many corrupted answers are taken for positions: by the checksum, and by plausibility too.

``python test/servos/corrupted_frames.py [NUMBER]``. A joint moves at its full speed and is read at
100 Hz; every second answer is corrupted, in one of the ways named in :data:`WAYS`.
"""

from math import pi, sin
from random import Random
import sys

from arm_ik.drivers import frames
from arm_ik.drivers.feetech import protocol
from arm_ik.drivers.plausibility import MARGIN, Plausibility
import sts_servos

SPEED, PERIOD, TICK = 3.0, 0.01, 2.0 * pi / 4096
SERVO_ID = 3


def bits(frame, random, number):
    for _ in range(number):
        frame[random.randrange(len(frame))] ^= 1 << random.randrange(8)


def places(frame, random, number):
    for place in random.sample(range(len(frame)), number):
        frame[place] = random.randrange(256)


def burst(frame, random):
    start = random.randrange(len(frame) - 1)
    for place in range(start, random.randrange(start + 1, len(frame)) + 1):
        frame[place] = random.randrange(256)


def shifted(frame, random):
    del frame[random.randrange(len(frame))]
    frame.insert(random.randrange(len(frame)), random.randrange(256))


WAYS = {'one bit': lambda frame, random: bits(frame, random, 1),
        'two bits': lambda frame, random: bits(frame, random, 2),
        'three bits': lambda frame, random: bits(frame, random, 3),
        'one byte': lambda frame, random: places(frame, random, 1),
        'two bytes': lambda frame, random: places(frame, random, 2),
        'burst': burst, 'byte lost and one too many': shifted}


def count(number, way, seed=1):
    """
    Corrupt answers in one way.

    :returns: how many of ``number`` were read as a wrong position, how many of these were believed
        too, and the largest distance of one of them from the truth [rad].
    """
    random = Random(seed)
    joint = Plausibility(SPEED, 3 * TICK)
    passed = believed = 0
    worst, time, corrupted = 0.0, 0.0, 0
    while corrupted < number:
        time += PERIOD
        truth = round(2048 + 800 * sin(SPEED * time / (800 * TICK)))
        frame = bytearray(sts_servos.frame(SERVO_ID, 0, frames.two_bytes(truth)))
        whole = bytes(frame)
        if random.random() < 0.5:
            WAYS[way](frame, random)
            corrupted += frame != whole
        for status in frames.take_answers(frame, (SERVO_ID,), 2)[0]:
            tick = frames.signed(frames.word(status.data), protocol.POSITION_SIGN)
            is_believed = 0 <= tick < 4096 and joint.believes(tick * TICK, time, time)
            if tick != truth:
                passed += 1
                if is_believed:
                    believed += 1
                    worst = max(worst, abs(tick - truth) * TICK)
    return passed, believed, worst


def main():
    """Print a table."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
    print(f'{number} corrupted answers, {number // len(WAYS)} in each way; believed is what lies '
          f'within\n{MARGIN * SPEED * PERIOD:.2f} rad, for each period since the last position '
          'that was believed')
    print(f'{"":28}{"passed the checksum":>20}{"believed":>10}{"worst, rad":>12}')
    total = [0, 0, 0.0]
    for way in WAYS:
        passed, believed, worst = count(number // len(WAYS), way)
        print(f'{way:28}{passed:20}{believed:10}{worst:12.4f}', flush=True)
        total = [total[0] + passed, total[1] + believed, max(total[2], worst)]
    print(f'{"all":28}{total[0]:20}{total[1]:10}{total[2]:12.4f}')


if __name__ == '__main__':
    main()
