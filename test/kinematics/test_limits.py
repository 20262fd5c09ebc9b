# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Where a canonical angle lies among a joint's readings, held against a search over all turns."""

from math import pi

from arm_ik.kinematics.limits import JointLimits
from arm_ik.kinematics.model import Joint
from arm_ik.kinematics.tolerances import LIMIT_SLACK
import pytest

TURN = 2.0 * pi


def limits(lower=-1.0, upper=1.0, sign=1, offset=0.0):
    return JointLimits(Joint('elbow', 'elbow', lower, upper, 1.0, sign=sign, offset=offset))


def readings_of(joint, canonical):
    first = joint.sign * (canonical - joint.offset)
    return [first + turns * TURN for turns in range(-9, 10)]


RANGES = [(-1.0, 1.0), (-10.0, 10.0), (3.0, 4.0), (-4.0, -3.0), (-9.0, -8.0), (8.0, 8.0),
          (-2.0, 5.5), (0.0, TURN)]
each_joint = pytest.mark.parametrize('joint', [
    limits(lower, upper, sign, offset) for lower, upper in RANGES
    for sign, offset in ((1, 0.0), (-1, 0.7), (1, -8.1))],
    ids=lambda joint: f'{joint.lower:.3g}..{joint.upper:.3g} {joint.sign:+g} {joint.offset:g}')
ANGLES = [-13.0137 + 0.3173 * i for i in range(85)]
NEARS = (-9.9, -3.3, 0.0, 0.2, 3.1, 9.5)


def test_a_reading_and_its_canonical_angle():
    joint = limits(sign=-1, offset=0.25)
    assert joint.canonical(1.0) == -0.75 and joint.canonical(0.5) == -0.25
    assert joint.fit(-0.75, 0.0) == 1.0
    assert joint.canonical_ends == (1.25, -0.75)


@each_joint
def test_it_fits_to_the_reading_inside_that_is_nearest(joint):
    for canonical in ANGLES:
        inside = [reading for reading in readings_of(joint, canonical)
                  if joint.lower <= reading <= joint.upper]
        assert joint.allows(canonical) == bool(inside)
        for near in NEARS:
            fit = joint.fit(canonical, near)
            if not inside:
                assert fit is None
            elif joint.lower <= near <= joint.upper:
                nearest = min(inside, key=lambda reading: abs(reading - near))
                assert fit == pytest.approx(nearest, abs=1e-12)
            else:
                assert fit == pytest.approx(min(
                    inside, key=lambda reading: abs(reading - fit)), abs=1e-12)


@each_joint
def test_outside_it_goes_to_the_limit_that_is_nearest_on_the_circle(joint):
    for canonical in ANGLES:
        for near in NEARS:
            outside = min(abs(reading - joint.clamp(reading))
                          for reading in readings_of(joint, canonical))
            clamped, excess = joint.placed(canonical, near)
            assert joint.lower <= clamped <= joint.upper
            assert abs(excess) == pytest.approx(outside, abs=1e-12)
            # Which of two limits as far away is meant may depend on near.
            assert min(abs(reading - clamped - excess)
                       for reading in readings_of(joint, canonical)) < 1e-12


def test_excess_has_the_sign_of_the_limit_passed():
    joint = limits()
    assert joint.placed(1.5, 0.0) == (1.0, 0.5)
    assert joint.placed(-1.25, 0.0) == (-1.0, -0.25)
    assert joint.placed(0.9, 0.0) == (0.9, 0.0)


@pytest.mark.parametrize('turns', [0, 1, -2])
@pytest.mark.parametrize('lower, upper, edge, outwards', [
    (0.0, 1.0, 0.0, -1.0), (-1.0, 0.0, 0.0, 1.0)], ids=['lower', 'upper'])
def test_rounding_past_a_limit_is_put_on_it_and_more_is_refused(
        lower, upper, edge, outwards, turns):
    joint = limits(lower, upper)
    turned = edge + turns * TURN
    assert joint.fit(turned + outwards * 0.9 * LIMIT_SLACK, 0.5 * (lower + upper)) == edge
    assert joint.fit(turned + outwards * 1.1 * LIMIT_SLACK, 0.5 * (lower + upper)) is None
    if not turns:
        assert joint.fit(outwards * LIMIT_SLACK, 0.0) == edge


def test_the_slack_is_rounding_and_no_motion():
    assert LIMIT_SLACK == 1e-7


@pytest.mark.parametrize('lower, upper, reading, inside', [
    (-1.0, 1.0, -2.0, -1.0), (-1.0, 1.0, 2.0, 1.0), (-1.0, 1.0, 0.3, 0.3)])
def test_clamping_takes_the_limit_that_was_passed(lower, upper, reading, inside):
    assert limits(lower, upper).clamp(reading) == inside


def test_narrowed_is_another_joint():
    joint = limits(sign=-1, offset=0.25)
    narrow = joint.narrowed(-0.5, 0.75)
    assert (narrow.lower, narrow.upper) == (-0.5, 0.75)
    assert (narrow.name, narrow.sign, narrow.offset) == ('elbow', -1.0, 0.25)
    assert (joint.lower, joint.upper) == (-1.0, 1.0)
