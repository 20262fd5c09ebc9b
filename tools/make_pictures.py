#!/usr/bin/env python3
# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Make every picture of README.md and docs/ anew, the moving one too.

Run in the clone, in an environment with ROS 2 and matplotlib, and for the page with the extra
``physics,viewer,browser`` and Chromium::

    python tools/make_pictures.py [--only NAME ...] [--to FOLDER]
"""

import argparse
from pathlib import Path
from shutil import which
import sys
from time import sleep

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / 'benchmark'), str(ROOT / 'test' / 'viewer')]

from arm_ik import Arm, Target  # noqa: E402
from arm_ik.demo import picture  # noqa: E402
from arm_ik.demo.cli import shipped_files  # noqa: E402
from arm_ik.demo.physics import pick_and_place  # noqa: E402
from arm_ik.demo.stream import stream  # noqa: E402
from arm_ik.description.target_file import load_targets  # noqa: E402
from arm_ik.kinematics.explanation.answers_plane import plane_of_answer  # noqa: E402
from arm_ik.testing import SimulatedArm  # noqa: E402
from arm_ik.testing.processes import domain_environment, NodeProcess  # noqa: E402
from arm_ik.tool_rotation import tool_rotation  # noqa: E402
from arm_ik.viewer import explanation  # noqa: E402
from arm_ik.workspace.cli import main as workspace  # noqa: E402
import numpy as np  # noqa: E402
import recipe_miss  # noqa: E402


def demo(folder, arm='so101'):
    """Run the demo; draw each of its target files."""
    with SimulatedArm(arm) as running:
        record = running.record()
        runs = [stream(load_targets(path), running, record) for path in shipped_files()]
    for path, run in zip(shipped_files(), runs):
        assert run.passed, run.summary
        picture.draw(run, folder / f'{path.stem}.png')


def physics(folder):
    """Pick a cube up in a world with weight, as an animation."""
    assert pick_and_place(2, folder / 'pick_a_cube.png')
    (folder / 'pick_a_cube.png').unlink()       # the page shows it moving


def reach(folder):
    """Draw what SO-101 reaches."""
    assert workspace(['so101', '--output', str(folder / 'workspace_so101.png')]) == 0


def recipe(folder):
    """Draw where the article's recipe misses."""
    recipe_miss.draw(list(recipe_miss.samples(recipe_miss.rolling_arm(), 20000, 1)),
                     folder / 'recipe_miss.png')


#: What is drawn of how a target is solved: an arm, a target, what, and the view's azimuth and
#: elevation from the front of the plane [deg].
EXPLAINED = {
    'reduction': ('simple', ((0.17, 0.10, 0.10), (0.5, 0.9, -0.35)), 'Reduction', (-28.0, 22.0)),
    'two_links': ('simple', ((0.17, 0.10, 0.08), (0.86, 0.5, -0.3)), 'Two links in the plane',
                  (0.0, 0.0)),
    'recipe': ('rolling_base', ((0.14, 0.08, 0.14), (0.5, -0.5, 0.5)), "The article's recipe",
               (-35.0, 20.0))}


def explained(folder):
    """Draw how a target is solved, by what the page draws it by."""
    for name, (preset, target, kind, view) in EXPLAINED.items():
        arm, target = Arm.preset(preset), Target(*target)
        solution = arm.solve(target)
        found = plane_of_answer(arm.solver, target, arm.home, solution)
        flat(explanation.explain(kind, arm, target, solution, found), view,
             folder / f'explain_{name}.png')
    flat(explanation.two_bones(0.12, 0.10, 0.12, 0.12), (0.0, 0.0),
         folder / 'explain_two_bones.png')


def flat(drawn, view, path):
    """Draw a picture as it is seen from a direction."""
    from matplotlib.figure import Figure
    origin, f, n, h = drawn.frame
    (ca, ce), (sa, se) = np.cos(np.radians(view)), np.sin(np.radians(view))
    right, ahead = ca * f + sa * n, ca * n - sa * f
    drawn = drawn._replace(frame=np.array((
        origin, right, ce * ahead - se * h, ce * h + se * ahead))).laid_out()
    figure = Figure(figsize=(6.4, 6.4 * 0.8), dpi=110, facecolor='white')
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), aspect='equal')
    axes.set_axis_off()
    circle = np.linspace(0.0, 2.0 * np.pi, 73)
    plane = origin + drawn.size * (np.outer(np.cos(circle), f) + np.outer(np.sin(circle), h))

    def seen(points):
        return ((points - origin) @ drawn.frame[1::2].T).T
    axes.fill(*seen(plane), color='#0072c8', alpha=0.06)
    for name, (points, colour) in drawn.lines.items():
        axes.plot(*seen(points), color=np.array(colour) / 255,
                  linewidth=0.6 if name.startswith('to ') else 2.0)
    seen_all = np.concatenate([seen(points) for points, _ in drawn.lines.values()], axis=1)
    low, high = seen_all.min(axis=1), seen_all.max(axis=1)
    for place, words in drawn.labels.values():
        axes.text(*seen(place), words, ha='center', va='center', fontsize=8.5,
                  bbox={'facecolor': 'white', 'edgecolor': 'none', 'pad': 1.0, 'alpha': 0.85})
    middle, half = 0.5 * (low + high), 1.12 * max(*(high - low) / (2.0, 1.6), drawn.size * 0.45)
    axes.set(xlim=middle[0] + half * np.array((-1.0, 1.0)),
             ylim=middle[1] + half * np.array((-0.8, 0.8)))
    figure.savefig(path)


def viewer(folder):
    """Take a picture of the page in the browser: a target too far away, after one reached."""
    from browser import Browser, port_of
    from playwright.sync_api import sync_playwright
    from viser.transforms import SO3
    with SimulatedArm('so101') as running:
        process = NodeProcess(
            'viewer', [sys.executable, '-m', 'arm_ik', 'viewer', '--arm', 'so101', '--port', '0'],
            domain_environment(running.domain_id))
        port = port_of(process)
        first = Browser(port)
        first.wait_until(lambda: '**You have control.**' in first.words(), 'control')
        first.wait_until(lambda: '**OK** connected' in first.words(), 'the arm')
        for position, up in (((0.28, 0.06, 0.16), (0.8, 0.2, -0.6)),
                             ((0.21, 0.29, 0.42), (0.5, 0.7, 0.3))):
            axes = tool_rotation(running.arm, Target(position, up))
            first.drag(position, SO3.from_matrix(axes).wxyz.tolist())
            if position[2] < 0.2:
                first.click('Go')
                running.wait_until(lambda: running.status.state == 'arrived', 'arrival')
        with sync_playwright() as playwright:
            page = playwright.chromium.launch(executable_path=which('chromium'), args=[
                '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
            ]).new_page(viewport={'width': 1280, 'height': 800})
            page.goto(f'http://127.0.0.1:{port}/')
            page.get_by_text('You watch').wait_for(timeout=60_000)
            first.close()
            page.get_by_text('You have control').wait_for(timeout=60_000)
            page.evaluate('[...document.querySelectorAll("input[type=checkbox]")].at(-4).click()')
            page.evaluate('document.querySelector(".mantine-Notification-closeButton").click()')
            sleep(5.0)   # the notice goes, and the page fades in
            page.screenshot(path=folder / 'viewer.png')
        process.stop()


def main():
    """Make the pictures."""
    pictures = {'demo': demo, 'physics': physics, 'workspace': reach, 'recipe': recipe,
                'explained': explained,
                'viewer': viewer}
    parser = argparse.ArgumentParser(description=__doc__.strip().split('\n')[0])
    parser.add_argument('--only', action='append', choices=pictures)
    parser.add_argument('--to', type=Path, default=ROOT / 'docs' / 'images', metavar='FOLDER')
    options = parser.parse_args()
    for name in options.only or pictures:
        pictures[name](options.to)


if __name__ == '__main__':
    main()
