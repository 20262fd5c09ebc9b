# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How many corrupted answers are taken for positions: by the checksum, and by plausibility too.

A joint moves at its full speed and is read at 100 Hz (LX-16A: 50); every second answer is
corrupted, by one of :data:`FAULTS`. ``python -m reliability --only corruption``
counts a million.
"""

from math import pi, sin
from random import Random

from . import dxl_servos, lx16a_servos, sts_servos
from ...bus import frames
from ...bus.dynamixel import protocol2
from ...bus.dynamixel.ax_series import AxLine
from ...bus.feetech import FeetechLine
from ...bus.lx16a import protocol as lx16a
from ...bus.readings import Plausibility

SPEED = 3.0
SERVO_ID = 3


class Codec:
    """
    How a position is answered, and how that is read.

    How many ticks are a turn, which is the last, and how far beyond a servo may be; and how
    often it is read [s].
    """

    beyond, period = 0, 0.01


class Feetech(Codec):
    """As above; a position comes last of eighteen registers."""

    name, turn, last_tick = 'feetech: sum of 8 bits', 4096, 4095

    def answer(self, tick):
        return sts_servos.frame(SERVO_ID, 0, bytes((
            1, 0, *frames.little(tick), 0, 0, 50, 9, 232, 3, 0, 0, 0, 0, 0, 1,
            *frames.little(tick))))

    def ticks(self, received):
        return [FeetechLine.tick(status.data)
                for status in frames.take_answers(received, (SERVO_ID,), 18)[0]]


class Dynamixel2(Codec):
    """As above."""

    name, turn, last_tick = 'dynamixel, protocol 2.0: CRC of 16 bits', 4096, 4095

    def answer(self, tick):
        return dxl_servos.frame(SERVO_ID, dxl_servos.STATUS, b'\0' + frames.little(tick, 4))

    def ticks(self, received):
        return [frames.little_number(status.data, signed=True)
                for status in protocol2.take_answers(received, (SERVO_ID,), 4)[0]]


class Dynamixel1(Codec):
    """As above; a position comes among twenty registers."""

    name, turn, last_tick = 'dynamixel, protocol 1.0: sum of 8 bits', 1023 * 1.2, 1023

    def answer(self, tick):
        return sts_servos.frame(SERVO_ID, 0, bytes((1, 0, 1, 1, 32, 32, *frames.little(tick),
                                                    100, 0, 255, 3, *frames.little(tick),
                                                    0, 0, 0, 0, 111, 40)))

    def ticks(self, received):
        return [AxLine.tick(status.data) for status in
                frames.take_answers(received, (SERVO_ID,), AxLine.position_block[1])[0]]


class Lx16a(Codec):
    """As above."""

    name, turn, last_tick, beyond, period = 'lx16a: sum of 8 bits', 1500, 1000, 250, 0.02

    def answer(self, tick):
        return lx16a_servos.frame(SERVO_ID, lx16a.POSITION, frames.little(tick))

    def ticks(self, received):
        return [lx16a.signed(answer.data)
                for answer in lx16a.take_answers(received, (SERVO_ID,), lx16a.POSITION)[0]]


CODECS = {'feetech': Feetech(), 'dynamixel2': Dynamixel2(), 'dynamixel1': Dynamixel1(),
          'lx16a': Lx16a()}


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


FAULTS = {'one bit': lambda frame, random: bits(frame, random, 1),
          'two bits': lambda frame, random: bits(frame, random, 2),
          'three bits': lambda frame, random: bits(frame, random, 3),
          'one byte': lambda frame, random: places(frame, random, 1),
          'two bytes': lambda frame, random: places(frame, random, 2),
          'burst': burst, 'byte lost and one too many': shifted}


def count(number, fault, codec='feetech', seed=1):
    """
    Corrupt answers in one manner.

    :param codec: one of :data:`CODECS`.
    :returns: how many of ``number`` were read as a wrong position, how many of these were believed
        too, and the largest distance of one of them from the truth [rad].
    """
    codec, random = CODECS[codec], Random(seed)
    rad = 2.0 * pi / codec.turn     # a tick
    swing = 800.0 / 4096 * codec.turn
    joint = Plausibility(SPEED, 3 * rad)
    passed = believed = 0
    worst, time, corrupted = 0.0, 0.0, 0
    while corrupted < number:
        time += codec.period
        truth = round((codec.last_tick + 1) / 2 + swing * sin(SPEED * time / (swing * rad)))
        frame = bytearray(codec.answer(truth))
        whole = bytes(frame)
        if random.random() < 0.5:
            FAULTS[fault](frame, random)
            corrupted += frame != whole
        for tick in codec.ticks(frame):
            is_believed = -codec.beyond <= tick <= codec.last_tick + codec.beyond \
                and joint.believes(tick * rad, time, time)
            if tick != truth:
                passed += 1
                if is_believed:
                    believed += 1
                    worst = max(worst, abs(tick - truth) * rad)
    return passed, believed, worst
