# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The registers of a PCA9685; no bus, no time.

Its oscillator, divided by ``prescale + 1``, counts from 0 to 4095 and begins anew: that is the
period of every pulse. A channel is high from the count ON to the count OFF; here all go high at
0::

    prescale = round(oscillator / (4096 frequency)) - 1
    one count = (prescale + 1) / oscillator         4.88 us at 50 Hz

Source: NXP, PCA9685 product data sheet.
"""

MODE1, MODE2, LED0, ALL_LED, PRESCALE = 0x00, 0x01, 0x06, 0xFA, 0xFE

#: Bits of MODE1. Without the second, several bytes would go to one register.
RESTART, AUTO_INCREMENT, SLEEP = 0x80, 0x20, 0x10

#: What MODE2 holds after power on: outputs driven both ways, not inverted.
TOTEM_POLE = 0x04

#: A channel that is low all the time.
NO_PULSE = bytes((0, 0, 0, 0x10))

#: What PRESCALE takes.
LEAST_PRESCALE, MOST_PRESCALE = 3, 255

COUNTS, CHANNELS = 4096, 16


def prescale(oscillator, frequency):
    """
    Return what PRESCALE has to hold, maybe outside of what it takes.

    :param oscillator: of the board [Hz].
    :param frequency: of the pulses [Hz].
    """
    return round(oscillator / (COUNTS * frequency)) - 1


def count_time(oscillator, scale):
    """Return how long a count is [us] with a PRESCALE."""
    return 1e6 * (scale + 1) / oscillator


def channel(number):
    """Return the first of the four registers of a channel."""
    return LED0 + 4 * number


def pulse(counts):
    """
    Return a channel's four registers for a pulse of so many counts.

    :param counts: a number; what the registers cannot hold is clipped.
    """
    counts = min(max(round(counts), 1), COUNTS - 1)
    return bytes((0, 0, counts & 0xFF, counts >> 8))


def counts_of(block):
    """Return how many counts a channel's registers make a pulse; ``None``: they make none."""
    on, off = block[0] | block[1] << 8, block[2] | block[3] << 8
    return None if (on | off) & COUNTS else (off - on) % COUNTS or None
