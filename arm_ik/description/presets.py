# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The arms that come with the package, found by name.

The files are in ``config/`` of the source tree and are installed to ``share/arm_ik/config``.
They are looked for beside the running package, so that files of another copy are not used:

1. the source tree, if the package runs from it (a checkout, an editable or symlinked install);
2. ``share/`` of the prefix that the package is installed under (pip, ``--target``, colcon, apt).
"""

from pathlib import Path

from ..errors import UnknownPresetError

#: The file beside the arms' that is for teleop_twist_joy.
_STICKS = 'joy'
_SHARE = Path('share/arm_ik/config')


def preset_names() -> tuple[str, ...]:
    """Return the names of the arms that come with the package, sorted."""
    directory = config_directory()
    names = {path.stem for path in directory.glob('*.yaml')} if directory else set()
    return tuple(sorted(names - {_STICKS}))


#: The same, as ``arm_ik.presets``.
presets = preset_names


def preset_path(name: str) -> Path:
    """
    Return the file of an arm that comes with the package.

    :param name: e.g. ``'so101'``; a name, not a path. Capitals, ``-`` and ``_`` are all one.
    :raises UnknownPresetError: if there is none; it suggests a similar name and lists all names.
    """
    names, directory = preset_names(), config_directory()
    for known in names:
        if directory is not None and isinstance(name, str) and _plain(known) == _plain(name):
            return directory / f'{known}.yaml'
    raise UnknownPresetError(name, names)


def arm_file(name: str) -> Path:
    """
    Return the file of an arm.

    :param name: a path, recognized by its suffix or a slash in it, or the name of an arm that
        comes with the package.
    :raises UnknownPresetError: if no arm has that name.
    """
    return Path(name) if '/' in name or name.endswith(('.yaml', '.yml')) else preset_path(name)


def _plain(name: str) -> str:
    return name.lower().replace('-', '').replace('_', '')


def config_directory(package_directory: Path | str | None = None) -> Path | None:
    """
    Return the directory with the arms that belong to a copy of the package, or ``None``.

    :param package_directory: the folder ``arm_ik`` of that copy; by default the running one.
    """
    package = Path(package_directory or Path(__file__).parent.parent).resolve()
    places = [package.parent / 'config'] if (package.parent / 'setup.py').is_file() else []
    places += [prefix / _SHARE for prefix in package.parents]
    return next((place for place in places if place.is_dir()), None)
