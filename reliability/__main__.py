# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Run the experiments and print what was seen, as Markdown.

    python -m reliability [--short] [--only NAME ...] [--seed N] [--write FILE]

Exits with 1 if a figure is not as wanted. ``--write`` keeps the record as JSON, by default in
``reliability_output/``, which git ignores.
"""

from argparse import ArgumentParser
from functools import partial
from importlib import import_module
import json
import os
from pathlib import Path
import signal
import sys
from time import monotonic
import traceback

from . import EXPERIMENTS
from .figures import circumstances, Figure, markdown, NotPossibleHere

#: Prefixes of variables that are not set for a user who has just installed ROS 2.
_SETTINGS = ('FASTDDS_', 'FASTRTPS_', 'RMW_', 'ROS_AUTOMATIC_', 'ROS_DISCOVERY_', 'ROS_LOCALHOST_',
             'ROS_STATIC_')


def arguments(given=None):
    """Return what the command line asks for."""
    parser = ArgumentParser(prog='python -m reliability',
                            description='Run the experiments and print what was seen.')
    parser.add_argument('--short', action='store_true', help='seconds each, as the tests run them')
    parser.add_argument('--only', nargs='+', metavar='NAME', choices=EXPERIMENTS,
                        default=EXPERIMENTS, help=f'experiments: {", ".join(EXPERIMENTS)}')
    parser.add_argument('--seed', type=int, default=1, help='of the random numbers')
    parser.add_argument('--write', nargs='?', metavar='FILE', type=Path,
                        const=Path('reliability_output/record.json'),
                        help='keep the record as JSON (default: %(const)s)')
    return parser.parse_args(given)


def run(name, short, seed):
    """Run an experiment; one that raises an error counts as a failed figure."""
    try:
        return import_module(f'.{name}', __package__).run(
            short, seed, partial(print, f'{name}:', file=sys.stderr, flush=True))
    except NotPossibleHere as reason:
        return [Figure('can be tried on this machine', '', f'no: {reason}')]
    except Exception as error:  # noqa: BLE001, whatever it was: the others are still to be run
        traceback.print_exc()
        return [Figure('the experiment comes to its end', 'it does',
                       f'{type(error).__name__}: {error}', False)]


def main(given=None):
    """Run what is asked for; return the exit code."""
    chosen, where, record = arguments(given), circumstances(), []
    print(f'commit {where["commit"]}, {where["date"]}, {where["distro"]}, Python '
          f'{where["python"]}, {where["machine"]}\n', flush=True)
    for name in chosen.only:
        command = f'python -m reliability --only {name} --seed {chosen.seed}' + (
            ' --short' if chosen.short else '')
        start = monotonic()
        figures = run(name, chosen.short, chosen.seed)
        seconds = monotonic() - start
        print(markdown(name, command, figures, seconds), flush=True)
        record.append({'experiment': name, 'command': command, 'seed': chosen.seed,
                       'seconds': round(seconds, 1), **where,
                       'figures': [figure._asdict() for figure in figures]})
        if chosen.write:  # after each experiment, so that an interrupted run is not lost
            chosen.write.parent.mkdir(parents=True, exist_ok=True)
            chosen.write.write_text(json.dumps(record, indent=1) + '\n', encoding='utf-8')
    return 0 if all(figure['kept'] for run in record for figure in run['figures']) else 1


if __name__ == '__main__':
    for variable in [name for name in os.environ if name.startswith(_SETTINGS)]:
        del os.environ[variable]
    # A signal to this process also ends the processes of the experiment.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('told to end'))
    sys.exit(main())
