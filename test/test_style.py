# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The style checks of ROS 2 packages: flake8, pep257 and copyright, with ament's settings."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

#: Folders with source; build leftovers beside them are not checked.
SOURCES = [str(ROOT / name) for name in ('arm_ik', 'launch', 'examples', 'test', 'benchmark',
                                         'reliability', 'setup.py')
           if (ROOT / name).exists()]


def ament(linter):
    """Return the main function of an ament linter; skip if it or a dependency is missing."""
    try:
        return import_module(f'{linter}.main')
    except ImportError as error:
        pytest.skip(f'{linter} is not usable here ({error}); ros2 or the extra "lint" bring it')


@pytest.mark.flake8
@pytest.mark.linter
def test_flake8():
    count, errors = ament('ament_flake8').main_with_errors(argv=SOURCES)
    assert count == 0, '\n'.join(errors)


@pytest.mark.pep257
@pytest.mark.linter
def test_pep257(capsys):
    failed = ament('ament_pep257').main(argv=SOURCES)
    assert not failed, capsys.readouterr().err


@pytest.mark.copyright
@pytest.mark.linter
def test_copyright(capsys):
    failed = ament('ament_copyright').main(argv=[str(ROOT / 'LICENSE'), *SOURCES])
    assert not failed, capsys.readouterr().err
