# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Where the article's three-link recipe misses, and by how much: a table and a picture.

Run::

    python benchmark/recipe_miss.py [--targets N] [--seed N] [--picture FILE]

Random reachable targets of a 0.12/0.12/0.08 m arm with a rolling base, judged by forward
kinematics.
"""

import argparse
from math import asin, degrees, dist, hypot, pi
import random

from arm_ik import Arm, ArmModel, Joint, Target
from arm_ik.kinematics.three_link import solve_recipe

LINKS = {'upper_arm': 0.12, 'forearm': 0.12, 'hand': 0.08}
BINS = (0.0, 1e-6, 5.0, 15.0, 30.0, 60.0, 90.0)


def rolling_arm():
    """Return an arm with a rolling base and no limits that matter."""
    roles = ('yaw', 'roll', 'shoulder', 'elbow', 'wrist')
    joints = [Joint(role, role, -pi, pi, 3.0) for role in roles]
    return Arm(ArmModel('recipe', joints=joints, home=[0.0] * 5, **LINKS))


def out_of_plane(position, up):
    """Return the angle [deg] by which up sticks out of the vertical plane through the wrist."""
    x, y = [e - LINKS['hand'] * u for e, u in zip(position[:2], up[:2])]
    across = (up[1] * x - up[0] * y) / hypot(x, y)
    return degrees(asin(min(1.0, abs(across))))


def samples(arm, count, seed):
    """Yield angle out of plane [deg], wrist height [m], misses [m]: literal, repaired, ours."""
    rng = random.Random(seed)
    for i in range(count):
        roll = 0.0 if i % 10 == 0 else rng.uniform(-pi / 2, pi / 2)
        q = [rng.uniform(-pi, pi), roll] + [rng.uniform(-2.5, 2.5) for _ in range(3)]
        at = arm.forward(q)
        position, up = at.position.tolist(), at.up.tolist()
        misses = []
        for repaired in (False, True):
            angles = solve_recipe(*LINKS.values(), position, up, repaired)
            misses.append(dist(arm.forward(angles).position, position))
        solution = arm.solve(Target(position, up))
        misses.append(dist(arm.forward(solution.q).position, position))
        height = position[2] - LINKS['hand'] * up[2]
        yield out_of_plane(position, up), height, misses


def table(rows):
    """Print the misses by angle out of the plane."""
    print('| up vector out of the vertical plane | targets | literal, median | repaired, median '
          '| repaired, within 0.1 mm | plane first, worst |')
    print('|---|---|---|---|---|---|')
    for low, high in [*zip(BINS, BINS[1:]), (1e-6, 90.1)]:
        chosen = sorted(miss for angle, _, miss in rows if low <= angle < high)
        if not chosen:
            continue
        literal, repaired, ours = [sorted(column) for column in zip(*chosen)]
        near = sum(miss < 1e-4 for miss in repaired) / len(repaired)
        if high > 90.0:
            name = 'all out of the plane'
        else:
            name = f'{low:g} to {high:g} deg' if low else '0 (in the plane)'
        name = name.replace('1e-06', '0')
        print(f'| {name} | {len(chosen)} | {literal[len(literal) // 2] * 1e3:.1f} mm '
              f'| {repaired[len(repaired) // 2] * 1e3:.1f} mm | {near:.1%} | {ours[-1]:.0e} m |')


def draw(rows, path):
    """Write the picture of the misses."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot as plt
    figure, axes = plt.subplots(figsize=(8, 4.5), constrained_layout=True)
    styles = (('recipe as printed', '#c44e52'), ('recipe repaired', '#dd8452'),
              ('plane first (arm_ik)', '#2f6f4f'))
    for i, (name, colour) in enumerate(styles):
        axes.semilogy([row[0] for row in rows[:4000]],
                      [max(row[2][i], 1e-17) for row in rows[:4000]], '.', ms=3, alpha=0.5,
                      color=colour, label=name)
    axes.set_xlabel('up vector out of the vertical plane through the wrist [deg]')
    axes.set_ylabel('tip misses the target by [m]')
    axes.set_title('Three links, 0.12 / 0.12 / 0.08 m: random reachable targets')
    axes.axhline(1e-9, color='grey', lw=0.8, ls='--')
    axes.text(90, 1.3e-9, 'reached: 1e-9 m', ha='right', color='grey', fontsize=9)
    axes.grid(alpha=0.25)
    axes.legend(loc='center', markerscale=4, framealpha=0.95)
    figure.savefig(path, dpi=120)
    print(f'picture: {path}')


def main():
    """Print the table, and draw the picture if asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--targets', type=int, default=20000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--picture')
    options = parser.parse_args()
    print(f'seed {options.seed}')
    rows = list(samples(rolling_arm(), options.targets, options.seed))
    table(rows)
    if options.picture:
        draw(rows, options.picture)


if __name__ == '__main__':
    main()
