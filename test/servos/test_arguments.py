# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which arm a servos file is for, where nobody says so and several have the same joints."""

import shutil

from arm_ik.description.presets import config_directory
from arm_ik.errors import InvalidInputError
from arm_ik.servos.arguments import arm_for
import pytest


def file(folder, preset, name):
    return shutil.copy(config_directory() / 'servos' / f'{preset}.yaml', folder / name)


@pytest.mark.parametrize('preset, name', [
    ('so101', 'my_so101.yaml'), ('so101_old_calib', 'my_so101_old_calib.yaml'),
    ('wx200', 'wx200.yaml'), ('braccio', 'anything.yaml')])
def test_the_name_of_the_file_says_which_arm_it_is_for(preset, name, tmp_path):
    assert arm_for(None, file(tmp_path, preset, name)).name == preset


def test_without_a_name_none_of_several_is_taken(tmp_path):
    path = file(tmp_path, 'so101', 'mine.yaml')
    with pytest.raises(InvalidInputError, match='the arm of these servos; one of koch, so100, so'):
        arm_for(None, path)
    assert arm_for('so100', path).name == 'so100'
