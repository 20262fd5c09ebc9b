# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from types import SimpleNamespace

from arm_ik.errors import InvalidInputError
from arm_ik.nodes.ik.frames import NoTransforms, Tf2Transforms, transforms
from builtin_interfaces.msg import Time
import pytest

HEADER = SimpleNamespace(frame_id='camera', stamp=SimpleNamespace(sec=5, nanosec=7))


class NotThereError(Exception):
    pass


class Buffer:
    """What of a tf2 buffer is used."""

    def __init__(self, answer, newest=0):
        self.asked = None
        self._answer = answer
        self._newest = newest

    def get_latest_common_time(self, *_):
        return SimpleNamespace(nanoseconds=self._newest)

    def lookup_transform(self, *asked):
        self.asked = asked
        if isinstance(self._answer, Exception):
            raise self._answer
        return SimpleNamespace(transform=self._answer)


def test_tf2_is_asked_for_the_frame_in_the_base_frame_at_the_stamp():
    rotation = SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0)
    buffer = Buffer(SimpleNamespace(
        translation=SimpleNamespace(x=1.0, y=2.0, z=3.0), rotation=rotation))
    header = SimpleNamespace(frame_id='camera', stamp=Time(sec=5, nanosec=7))
    found = Tf2Transforms(buffer, 'base_link', NotThereError).look_up('frame_id', header)
    assert found == ((1.0, 2.0, 3.0), rotation)
    assert buffer.asked[:2] == ('base_link', 'camera')
    assert buffer.asked[2].nanoseconds == 5_000_000_007


@pytest.mark.parametrize('newest_ns, asked_ns', [
    (4_999_700_000, 4_999_700_000), (4_960_000_000, 4_960_000_000),
    (4_900_000_000, 5_000_000_000), (5_100_000_000, 5_000_000_000), (0, 5_000_000_000)])
def test_a_stamp_a_little_ahead_of_a_moving_frame_gets_its_newest_transform(newest_ns, asked_ns):
    buffer = Buffer(SimpleNamespace(
        translation=SimpleNamespace(x=1.0, y=2.0, z=3.0), rotation=None), newest_ns)
    Tf2Transforms(buffer, 'base_link', NotThereError).look_up(
        'frame_id', SimpleNamespace(frame_id='camera', stamp=Time(sec=5)))
    assert buffer.asked[2].nanoseconds == asked_ns


def test_what_tf2_cannot_transform_is_refused_with_its_reason():
    transformer = Tf2Transforms(Buffer(NotThereError('not connected')), 'base_link', NotThereError)
    with pytest.raises(InvalidInputError, match="frame_id is 'camera'.* not connected"):
        transformer.look_up('frame_id', SimpleNamespace(frame_id='camera', stamp=Time()))


def test_a_stamp_before_all_time_is_refused_and_not_looked_up():
    buffer = Buffer(None)
    with pytest.raises(InvalidInputError, match='target_pose frame_id, at its stamp is .-1.0+5'):
        Tf2Transforms(buffer, 'base_link', NotThereError).look_up(
            'target_pose frame_id', SimpleNamespace(
                frame_id='camera', stamp=Time(sec=-1, nanosec=5)))
    assert buffer.asked is None


def test_without_tf2_the_reason_says_so():
    with pytest.raises(InvalidInputError, match="'left/base_link' or empty; .* tf2_ros is not"):
        NoTransforms('left/base_link').look_up('frame_id', HEADER)


def test_tf2_is_not_needed():
    try:
        import tf2_ros  # noqa: F401
    except ImportError:
        assert isinstance(transforms(None, 'base_link'), NoTransforms)
    else:
        pytest.skip('tf2_ros is installed here')
