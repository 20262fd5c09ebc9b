# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
One million random and exceptional targets into the core.

Each goes the way that ``ik_node`` sends it, without DDS: the bytes of a pose, or a point, are
read, checked, solved from where the arm is, and become a command. Most are for the presets of four
and five axes, under several settings, 8000 for a rolling base and a tilting wrist. Joint states
and driver commands with wrong names, lengths and numbers come in between.

Every answer is judged: its values by the limits, its claims by forward kinematics read off the
URDF. One in five is followed by a good one, a target that the arm reaches. It has to be met within
the tolerances set: the node's own, 1e-4 m and 1e-3 rad, or for a tenth of them 1e-9 m and rad.
"""

from contextlib import ExitStack
from functools import partial
from itertools import cycle
from math import pi
from multiprocessing import Pool
from random import Random

from arm_ik import Arm, ArmModel, Joint
from arm_ik.description import preset_names
from arm_ik.nodes.ik.settings import Settings
import numpy as np

from . import odd_joints, odd_targets
from .claims import misses, worst_difference
from .core_trial import CoreTrial, NOW_NS
from .driver_trial import DriverTrial
from .tally import SHORT_WAY, Tally
from ..figure import Figure

#: How many targets in the full and in the short form, and how many for each arm on which the
#: solver searches over planes besides: there an unreachable one takes some ten milliseconds.
FULL, FULL_SEARCHED = 1_000_000, 4_000
SHORT, SHORT_SEARCHED = 2_500, 60
_SHORT_ARMS = ('so101', 'px100', 'rolling_base')

#: Made up, for no preset has two axes in its wrist.
_TILTING = 'tilting_wrist'

#: How exactly a good target has to be met under the last settings [m, rad], and how far claims
#: may be from the truth under all.
EXACT = 1e-9

#: Each with its share of the targets.
SETTINGS = (
    (0.6, Settings()), (0.1, Settings(priority='up')),
    (0.1, Settings(elbow='up', elevation=-0.5)), (0.1, Settings(follow_relaxed=False)),
    (0.1, Settings(position_tolerance=EXACT, up_tolerance=EXACT, branch_tolerance=(0.0, 0.0))))

#: Classes of targets in turn: the last is rare, for whole circles of poses are to be searched.
_RARE = 'special places'
KINDS = [*(kind for kind in (*odd_targets.ORDINARY, *odd_targets.EXCEPTIONAL) if kind != _RARE)]
_TURNS = (*(KINDS * 4), _RARE)

#: How many of the targets are followed by a good one, and how many by a joint state before that.
_GOOD_ONES, _STATES = 0.15, 0.05


def run(short, seed, say):
    """Count what goes wrong; see the module."""
    tally, results = Tally(say), []
    with ExitStack() as stack:
        in_turn = map if short else stack.enter_context(Pool()).imap
        for said, counts, found in in_turn(partial(_of_arm, short, seed), _shares(short)):
            for line in said:
                say(line)
            tally.add(counts)
            results += found
    short_ways = tally.short_ways[SHORT_WAY]
    return [tally.total('targets', (*KINDS, _RARE), SHORT if short else FULL),
            Figure(SHORT_WAY, str(short_ways), 'some', short_ways > 0), *tally.figures(),
            *_figures(results), *tally.figures_by_class()]


def _of_arm(short, seed, share):
    """Return what one arm's trials have to say, their counts and the errors of their answers."""
    (name, count), said, results = share, [f'{share[0]}: {share[1]} targets'], []
    arm = _tilting_wrist() if name == _TILTING else Arm.preset(name)
    tally = Tally(said.append)
    random = Random(f'{seed} {arm.name}')
    targets = odd_targets.Targets(arm, random, 100 if short else 2000)
    for part, settings in SETTINGS:
        trial = CoreTrial(arm, settings, random, tally)
        goods = _tried(trial, arm, targets, int(part * count) + 1, random)
        results.append((settings, _judged(arm, settings, goods, tally),
                        worst_difference(arm, trial.answers)))
    _command(arm, 20 if short else 2000, random, tally)
    return said, tally.counts, results


def _judged(arm, settings, goods, tally):
    """Count which of the good ones were met; return the errors of all, tip and directions."""
    tips, turns = misses(arm, [good for _, good in goods])
    for (kind, good), tip, turn in zip(goods, tips, turns):
        tally.good_one(
            kind, tip <= settings.position_tolerance and turn <= settings.up_tolerance,
            good, f'off by {tip} m and {turn} rad')
    return tips, turns


def _figures(results):
    tips, turns = (np.concatenate(errors) for errors in zip(*(missed for _, missed, _ in results)))
    exact = int(np.sum((tips <= EXACT) & (turns <= EXACT)))
    strict = [missed for settings, missed, _ in results if settings.up_tolerance == EXACT]
    yield Figure(f'of these, met to {EXACT:g} m and rad', f'{exact} of {len(tips)}', '', True)
    for what, unit, values in (
            ('tip error of good ones at worst, with tolerances of 1e-9', 'm',
             np.concatenate([tips for tips, _ in strict])),
            ('error of their directions at worst, with tolerances of 1e-9', 'rad',
             np.concatenate([turns for _, turns in strict])),
            ('claimed tip error, beside the true one at worst', 'm per m',
             [differences[0] for *_, differences in results]),
            ('claimed error of the up vector, beside the true one at worst', 'rad',
             [differences[1] for *_, differences in results])):
        worst = float(np.max(values))
        yield Figure(what, f'{worst:.2g} {unit}', f'at most {EXACT:g}', worst <= EXACT)


def _shares(short):
    """Return each arm's name and how many targets it gets."""
    total, searched = (SHORT, SHORT_SEARCHED) if short else (FULL, FULL_SEARCHED)
    names = _SHORT_ARMS if short else preset_names()
    others = [*(name for name in names if Arm.preset(name).model.has('roll')), _TILTING]
    plain = [name for name in names if name not in others]
    left = total - searched * len(others)
    return [*((name, left // len(plain) + 1) for name in plain),
            *((name, searched) for name in others)]


def _tilting_wrist():
    roles = {'yaw': pi, 'shoulder': 1.9, 'elbow': 2.4, 'wrist': 1.9, 'wrist_tilt': 1.5,
             'wrist_roll': 2.8}
    return Arm(ArmModel(
        _TILTING, 0.12, 0.12, 0.08, base_height=0.06, home=[0.0] * len(roles),
        joints=[Joint(role, role, -end, end, 3.0) for role, end in roles.items()]))


def _tried(trial, arm, targets, count, random):
    """Ask for so many targets; return the answers to good ones, with the class before each."""
    goods = []
    kinds = cycle(_TURNS)
    joint_kinds = cycle(kind for kind in odd_joints.KINDS if kind != odd_joints.LONG)
    for _ in range(count):
        kind = next(kinds)
        trial.ask(kind, targets.make(kind, NOW_NS))
        if random.random() < _STATES:
            kind = _state(trial, arm, next(joint_kinds), random)
        elif random.random() > _GOOD_ONES:
            continue
        trial.ask_good(kind, targets.good(), goods)
    kind = _state(trial, arm, odd_joints.LONG, random)  # once: it takes long
    trial.ask_good(kind, targets.good(), goods)
    return goods


def _state(trial, arm, kind, random):
    return trial.take_state(kind, odd_joints.KINDS[kind](random, list(arm.joint_names)))


def _command(arm, count, random, tally):
    trial = DriverTrial(arm, random, tally)
    for kind, make in odd_joints.KINDS.items():
        for _ in range(1 if kind == odd_joints.LONG else count // len(odd_joints.KINDS) + 1):
            trial.command(kind, make(random, list(arm.joint_names)))
