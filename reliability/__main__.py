# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Run the experiments and print what was seen.

    python -m reliability [--short] [--only NAME ...] [--seed N] [--write]

Exits with 1 if a promise was not held. Run from the project's root.
"""

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser
from functools import partial
import signal
import sys
from time import monotonic
import traceback

from . import circumstances, experiments, record
from .figure import Figure


def arguments(given=None):
    """Return what the command line asks for."""
    parser = ArgumentParser(prog='python -m reliability',
                            description=__doc__.strip().splitlines()[0],
                            formatter_class=ArgumentDefaultsHelpFormatter)
    parser.add_argument('--short', action='store_true', help='seconds each, as the tests run it')
    parser.add_argument('--only', nargs='+', metavar='NAME', choices=experiments.names(),
                        default=experiments.names(), help='experiments to run')
    parser.add_argument('--seed', type=int, default=1, help='of the random numbers')
    parser.add_argument('--write', action='store_true',
                        help='put the figures of full runs on record, in docs/')
    parser.add_argument('--render', action='store_true',
                        help='run nothing: make docs/reliability.md from the record')
    chosen = parser.parse_args(given)
    if chosen.short and chosen.write:
        parser.error('--write is for full runs: leave out --short')
    return chosen


def tried(name, short, seed):
    """Run an experiment; one that breaks off is a promise not held, with its traceback printed."""
    try:
        return experiments.run(name, short, seed, partial(_say, name))
    except Exception as error:  # noqa: BLE001, whatever it was: the others are still to run
        traceback.print_exc()
        return [Figure('the experiment comes to its end', f'{type(error).__name__}: {error}',
                       'it does', False)]


def printed(figures):
    """Print a table of figures; return whether all were held."""
    rows = [('', 'wanted', 'seen', 'held')]
    rows += [(figure.what, figure.wanted, figure.seen, 'yes' if figure.held else 'NO')
             for figure in figures]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print('| ' + ' | '.join(cell.ljust(width) for cell, width in zip(row, widths)) + ' |')
    sys.stdout.flush()
    return all(figure.held for figure in figures)


def main(given=None):
    """Run what is asked for; return the exit code."""
    chosen = arguments(given)
    if chosen.render:
        record.render()
        return 0
    held = True
    for name in chosen.only:
        command = f'python -m reliability --only {name} --seed {chosen.seed}' + (
            ' --short' if chosen.short else '')
        print(f'\n{name}, seed {chosen.seed}, on {circumstances.distro()}: {command}', flush=True)
        # Before the run: what is written meanwhile was not run.
        commit, start = circumstances.commit(), monotonic()
        figures = tried(name, chosen.short, chosen.seed)
        held = printed(figures) and held
        if chosen.write:
            record.store(name, circumstances.distro(), figures, command=command,
                         seed=chosen.seed, commit=commit, date=circumstances.today(),
                         machine=circumstances.machine(), seconds=round(monotonic() - start))
    return 0 if held else 1


def _say(name, text):
    print(f'  {name}: {text}', flush=True)


if __name__ == '__main__':
    # Whoever ends this ends the processes of the experiment too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('told to end'))
    sys.exit(main())
