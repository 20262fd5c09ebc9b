# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How many corrupted answers are taken for positions: by the checksum, and by plausibility too.

``python test/servos/corrupted_frames.py [NUMBER]``. A joint moves at its full speed and is read at
100 Hz (LX-16A: 50); every second answer is corrupted, in one of the ways named in :data:`WAYS`.
"""

from math import pi, sin
from random import Random
import sys
from typing import Callable, NamedTuple

from arm_ik.drivers.feetech import protocol
from arm_ik.drivers.lx16a import protocol as lx16a
from arm_ik.drivers.plausibility import MARGIN, Plausibility
import lx16a_servos
import sts_servos

SPEED = 3.0
SERVO_ID = 3


class Codec(NamedTuple):
    """How a bus is read: how often [s], in ticks of what size [rad], of which; and where."""

    period: float
    tick: float
    least: int
    most: int
    middle: int         # of the motion
    swing: int          # to either side
    answer: Callable    # of a tick: the bytes of the answer
    ticks: Callable     # of a bytearray: those read from it


def feetech_ticks(received):
    return [protocol.signed(protocol.word(status.data), protocol.POSITION_SIGN)
            for status in protocol.take_answers(received, (SERVO_ID,), 2)[0]]


def lx16a_ticks(received):
    return [lx16a.signed_word(answer.data)
            for answer in lx16a.take_answers(received, (SERVO_ID,), lx16a.POSITION)[0]]


CODECS = {
    'feetech': Codec(0.01, 2.0 * pi / 4096, 0, 4095, 2048, 800,
                     lambda tick: sts_servos.frame(SERVO_ID, 0, protocol.two_bytes(tick)),
                     feetech_ticks),
    'lx16a': Codec(0.02, 2.0 * pi / 1500, -250, 1250, 500, 300,
                   lambda tick: lx16a_servos.frame(SERVO_ID, lx16a.POSITION,
                                                   lx16a.two_bytes(tick)),
                   lx16a_ticks)}


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


def count(number, way, codec='feetech', seed=1):
    """
    Corrupt answers in one way.

    :param codec: one of :data:`CODECS`.
    :returns: how many of ``number`` were read as a wrong position, how many of these were believed
        too, and the largest distance of one of them from the truth [rad].
    """
    random, codec = Random(seed), CODECS[codec]
    joint = Plausibility(SPEED, 3 * codec.tick)
    passed = believed = 0
    worst, time, corrupted = 0.0, 0.0, 0
    while corrupted < number:
        time += codec.period
        turned = SPEED * time / (codec.swing * codec.tick)
        truth = round(codec.middle + codec.swing * sin(turned))
        frame = bytearray(codec.answer(truth))
        whole = bytes(frame)
        if random.random() < 0.5:
            WAYS[way](frame, random)
            corrupted += frame != whole
        for tick in codec.ticks(frame):
            is_believed = codec.least <= tick <= codec.most and joint.believes(
                tick * codec.tick, time, time)
            if tick != truth:
                passed += 1
                if is_believed:
                    believed += 1
                    worst = max(worst, abs(tick - truth) * codec.tick)
    return passed, believed, worst


def main():
    """Print a table for each codec."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
    for codec in CODECS:
        reach = MARGIN * SPEED * CODECS[codec].period
        print(f'{codec}: {number} corrupted answers, {number // len(WAYS)} in each way; believed '
              f'is what lies within\n{reach:.2f} rad, for each period since the last position '
              'that was believed')
        print(f'{"":28}{"passed the checksum":>20}{"believed":>10}{"worst, rad":>12}')
        total = [0, 0, 0.0]
        for way in WAYS:
            passed, believed, worst = count(number // len(WAYS), way, codec)
            print(f'{way:28}{passed:20}{believed:10}{worst:12.4f}', flush=True)
            total = [total[0] + passed, total[1] + believed, max(total[2], worst)]
        print(f'{"all":28}{total[0]:20}{total[1]:10}{total[2]:12.4f}')


if __name__ == '__main__':
    main()
