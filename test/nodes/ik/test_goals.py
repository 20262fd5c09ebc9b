# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


"""Targets inside the arm's own base, judged by the shapes and frames of the URDF."""

from math import hypot
from random import Random
from xml.etree import ElementTree

from arm_ik import Arm, Target
from arm_ik.description import collision_shapes
from arm_ik.nodes.ik.core import Settings
from arm_ik.nodes.ik.goals import inside_base
from arm_ik.nodes.ik.report import Level, State
from core_bench import CoreBench
import pytest
from urdf_judge import UrdfJudge


def base_cylinders(urdf):
    """Return ``(x, y, z, radius, length)`` of the cylinders of base_link."""
    robot = ElementTree.fromstring(urdf)
    link = next(link for link in robot.iter('link') if link.get('name') == 'base_link')
    return [(*map(float, visual.find('origin').get('xyz').split()),
             float(shape.get('radius')), float(shape.get('length')))
            for visual in link.iter('visual') for shape in visual.iter('cylinder')]


def is_inside(cylinders, point):
    x, y, z = point
    return any(hypot(x - cx, y - cy) < radius and abs(z - cz) < 0.5 * length
               for cx, cy, cz, radius, length in cylinders)


@pytest.mark.parametrize('name', ['so101', 'px100', 'phantomx_pincher', 'rx150', 'simple'])
def test_what_is_inside_the_base_is_what_the_urdf_shows_there(name):
    arm, random = Arm.preset(name), Random(1)
    urdf = arm.to_urdf()
    judge, cylinders = UrdfJudge(urdf), base_cylinders(urdf)
    shapes = collision_shapes.base_cylinders(arm.model)
    frames = {}
    for role in ('elbow', 'wrist'):
        frames[role] = f'{arm.joint_names[arm.model.roles.index(role)]}_link'
    assert cylinders and inside_base(arm.solver.geometry, shapes, arm.home) == ''
    seen = set()
    for _ in range(400):
        q = [random.uniform(low, high) for low, high in zip(arm.lower, arm.upper)]
        by_name = dict(zip(arm.joint_names, q))
        found = [what for what, frame in (*frames.items(), ('tip', 'tool0'))
                 if is_inside(cylinders, judge.pose(by_name, frame)[:3, 3])]
        hit = inside_base(arm.solver.geometry, shapes, q)
        assert bool(hit) == bool(found)
        assert not hit or hit.startswith(f'the {found[0]} would be inside the base')
        seen.update(found)
    assert seen or name == 'simple'


def inside(arm):
    """Return a target inside the base that the arm can reach, were it not there."""
    random, shapes = Random(4), collision_shapes.base_cylinders(arm.model)
    while True:
        q = [random.uniform(low, high) for low, high in zip(arm.lower, arm.upper)]
        if inside_base(arm.solver.geometry, shapes, q).startswith('the tip'):
            pose = arm.forward(q)
            return Target(pose.position, pose.up)


def test_a_target_inside_the_base_is_refused_and_the_command_in_force_stays():
    arm = Arm.preset('so101')
    bench, within = CoreBench(arm, arm.home), inside(arm)
    good = bench.target(Target((0.25, 0.05, 0.05), (0.0, 0.0, -1.0)))
    report = bench.target(within)
    assert (report.state, report.level, report.cause) == (State.REFUSED, Level.WARN, 'base')
    assert report.reason.startswith('the tip would be inside the base: 0.0')
    assert 'avoid_base' in report.reason
    assert bench.core.command == good.solution.q
    bench.core.change(Settings(avoid_base=False))
    assert bench.target(within).state is State.ACCEPTED
