# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What all tests share."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
import signal

from arm_ik import description
from arm_ik.description.presets import config_directory
from arm_ik.testing.processes import NodeProcess
import forked
import pytest
import tiers

# What is ignored here would be ignored by everything started from here, and tests interrupt what
# they start: undo nohup, and what a shell does for its background jobs.
for _number, _handler in ((signal.SIGINT, signal.default_int_handler),
                          (signal.SIGHUP, lambda *_: None)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

NodeProcess.popen = staticmethod(forked.popen)

_read, _read_once = description.load_model, cache(description.load_model)

# Thousands of tests want a preset, and its file is always the same.
description.load_model = lambda path: (
    _read_once if Path(str(path)).parent == config_directory() else _read)(path)

LAUNCH_TESTS = Path(__file__).parent / 'launch'

#: More failures than so many are not for want of time.
MOST_AGAIN = 3


def pytest_addoption(parser):
    """Take ``--long`` and ``--again``."""
    parser.addoption('--long', action='store_true',
                     help='all random cases instead of a share: takes minutes')
    parser.addoption('--again', action='store_true',
                     help='refuse to run what cannot have failed for want of time')


def pytest_generate_tests(metafunc):
    """Give a test marked with ``cases`` its ``case``, a number to make a random case of."""
    cases = metafunc.definition.get_closest_marker('cases')
    if cases:
        short, long = cases.args
        metafunc.parametrize(
            'case', range(long if metafunc.config.getoption('--long') else short))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the thorough cases, before those of a tier are chosen."""
    tiers.mark(items)


def pytest_collection_finish(session):
    """With ``--again``, run only a few tests, all of them about time."""
    if session.config.getoption('--again'):
        failed = session.items
        others = [item.nodeid for item in failed if not item.get_closest_marker('about_time')]
        words = f'{len(failed)} failed beside others, of them {len(others)} not about time'
        if others or len(failed) > MOST_AGAIN:
            pytest.exit(f'{words}: no second run', returncode=1)
        print(f'{words}: once more, alone')


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path, parent):
    """
    Collect everything but launch tests as plain pytest does.

    The plugin of launch_testing imports each test file to see what it is. A file that is skipped
    as a whole, or cannot be imported, takes all others with it there: no test is run at all.
    """
    if LAUNCH_TESTS in module_path.parents and find_spec('launch_ros'):
        return None  # the plugin's
    return pytest.Module.from_parent(parent, path=module_path)
