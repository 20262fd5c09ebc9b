# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Presets are found by name, beside the copy of the package that is running."""

from pathlib import Path

import arm_ik.description
from arm_ik.description import preset_names, preset_path, presets
from arm_ik.errors import UnknownPresetError
import pytest

PACKAGE = Path(arm_ik.description.__file__).parents[1]


def test_the_names_are_sorted():
    assert list(preset_names()) == sorted(preset_names())


@pytest.mark.parametrize('name, near', [
    ('so_11', 'so101'), ('rx15', 'rx150'), ('', None),
    ('nothing like it', None)])
def test_an_unknown_name_gets_the_nearest_and_all_there_are(name, near):
    with pytest.raises(UnknownPresetError) as error:
        preset_path(name)
    message = str(error.value)
    assert repr(name) in message
    assert all(known in message for known in preset_names())
    assert ('did you mean' in message) == (near is not None)
    assert near is None or f'did you mean {near!r}?' in message


@pytest.mark.parametrize('name, found', [
    ('SO-101', 'so101'), ('so_101', 'so101'), ('OMX-F', 'omx_f'), ('omxf', 'omx_f'),
    ('Open-Manipulator-X', 'open_manipulator_x'), ('SO101-old-calib', 'so101_old_calib')])
def test_capitals_and_dashes_do_not_matter(name, found):
    assert preset_path(name).stem == found


def test_no_two_names_are_one_without_capitals_and_dashes():
    assert len({name.lower().replace('_', '') for name in preset_names()}) == len(preset_names())


@pytest.mark.parametrize('name', [
    'config/so101', '../config/so101', './so101', '/etc/passwd', 'so101.yaml', 'targets/..', '..',
    'so101\0', None, 5, ['so101']])
def test_a_path_is_no_name(name):
    with pytest.raises(UnknownPresetError):
        preset_path(name)


def config(directory, *names):
    directory.mkdir(parents=True)
    for name in names:
        (directory / f'{name}.yaml').write_text('')
    return directory


#: Where a package lies, and where its arms do, below one prefix.
INSTALLS = [
    ('lib/python3.12/site-packages', 'share/arm_ik/config'),             # pip, colcon, apt
    ('local/lib/python3.12/dist-packages', 'share/arm_ik/config'),       # Debian
    ('local/lib/python3.12/dist-packages', 'local/share/arm_ik/config'),
    ('', 'share/arm_ik/config'),                                         # pip --target
    ('Lib/site-packages', 'share/arm_ik/config'),
]


@pytest.mark.parametrize('lib, share', INSTALLS)
def test_an_installed_copy_finds_the_arms_of_its_own_prefix(tmp_path, lib, share):
    package = tmp_path / lib / 'arm_ik'
    package.mkdir(parents=True)
    expected = config(tmp_path / share, 'mine')
    assert presets.config_directory(package) == expected


def test_a_source_tree_wins_over_an_installed_copy_around_it(tmp_path):
    config(tmp_path / 'share/arm_ik/config', 'stale')
    package = tmp_path / 'checkout' / 'arm_ik'
    expected = config(tmp_path / 'checkout' / 'config', 'fresh')
    package.mkdir()
    (tmp_path / 'checkout' / 'setup.py').write_text('')
    assert presets.config_directory(package) == expected


def test_a_stray_folder_beside_an_installed_copy_is_passed_over(tmp_path):
    expected = config(tmp_path / 'share/arm_ik/config', 'mine')
    site_packages = tmp_path / 'lib' / 'site-packages'
    config(site_packages / 'config', 'somebody_elses')
    assert presets.config_directory(site_packages / 'arm_ik') == expected


def test_a_link_to_a_source_tree_leads_to_its_arms(tmp_path):
    checkout = tmp_path / 'checkout'
    expected = config(checkout / 'config', 'fresh')
    (checkout / 'setup.py').write_text('')
    (checkout / 'arm_ik').mkdir()
    link = tmp_path / 'build' / 'arm_ik'
    link.parent.mkdir()
    link.symlink_to(checkout / 'arm_ik')
    assert presets.config_directory(link) == expected
