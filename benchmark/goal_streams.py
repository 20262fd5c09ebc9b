# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How evenly a stream of goals without velocities is followed, and how late.

    python benchmark/goal_streams.py

An SO-101 in simulated time, its tip sent round a circle of 40 mm at 0.1 m/s, hand down, by
commands that come up to 20 % of their period early or late; five seeds each, the worst counts.
Then lines (``motion: line``, ``tip_speed`` 0.3) to a target at 0.2 m/s, which comes so, too.
"""

from pathlib import Path
import sys

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1] / 'test' / folder)
                for folder in ('', 'drivers', 'nodes/ik')]
from circle import figures  # noqa: E402, I100
from moving_target import MovingTarget  # noqa: E402

_KINDS = (('stamps', {'stamps': True}), ('none', {'stamps': False}),
          ('stamps, 0.3 mm of noise', {'stamps': True, 'noise': 3e-4}),
          ('stamps, one lost', {'stamps': True, 'lost': 2.0}))


def main():
    """Print a line for each rate and kind of stream."""
    print('| rate [Hz] | stream | tip speed, of its motion | rms acceleration, of the limit '
          '| lag [ms] |\n|---|---|---|---|---|')
    for rate in (10.0, 20.0, 30.0, 50.0, 60.0, 100.0, 200.0):
        for words, kind in _KINDS:
            kind = {**kind, **({'lost': round(kind['lost'] * rate)} if 'lost' in kind else {})}
            slowest, fastest, rms, lag = np.transpose(
                [figures(rate, seed=seed, **kind) for seed in range(5)])
            print(f'| {rate:g} | {words} | {slowest.min():.2f} to {fastest.max():.2f} '
                  f'| {rms.max():.2f} | {1e3 * lag.mean():.0f} |', flush=True)
    print('\n| lines, rate [Hz] | tip speed [m/s] | lag, mean and largest [ms] | off [mm] '
          '|\n|---|---|---|---|')
    for rate in (10.0, 20.0, 30.0, 50.0, 100.0):
        runs = [MovingTarget(rate=rate).run(1.0, jitter=0.2, seed=seed) for seed in range(5)]
        speeds, lags = ([values(run) for run in runs] for values in (
            lambda run: run.speeds()[15:45], MovingTarget.lags))
        print(f'| {rate:g} | {np.min(speeds):.2f} to {np.max(speeds):.2f} '
              f'| {1e3 * np.mean(lags):.0f}, {1e3 * np.max(lags):.0f} '
              f'| {1e3 * max(run.off(1.0).max() for run in runs):.2f} |', flush=True)


if __name__ == '__main__':
    main()
