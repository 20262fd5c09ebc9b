# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Joints that press against something until their servos would trip: seen in time, and held.

A joint is suspected that is far from its set-point and still. Nobody reads more for that: of the
looks at the servos' health that there are, every other one is at a suspect.

Servos hold as springs do. So a gripper that has closed on something goes on pressing by a
set-point a little beyond where it is: it keeps hard things as well as soft ones. How stiff a servo
is depends on its gains: where the load is still high, that becomes less.
"""

from dataclasses import dataclass
from math import copysign, degrees, radians

from ..motion.generator import unit

STALL_GUARD = ('gripper', 'all', 'none')

#: So far from its set-point, for so long [s], and moved by less, a joint has stalled; so far past
#: where it is a gripper is held. Angles [rad]; on a prismatic joint parts of its range.
_FAR, _LONG, _STILL, _SQUEEZE = radians(3.0), 0.25, radians(1.0), radians(2.0)

#: What is left of that after a look with a high load.
_LESS = 1.0 / 3.0

#: So far from its set-point is no joint that only sags [rad]: of servos that do not report a load.
_NO_SAG = 0.1

#: A load is high from this part on of what trips a servo; it has to be in so many looks.
_HIGH, _LOOKS = 0.9, 2


@dataclass
class _Press:
    """A joint that presses against something at a place; once it has stalled, less and less."""

    since: float
    place: float
    direction: float                    # 1 or -1
    looks: int = 0                      # with a high load, in a row
    strain: float | None = None
    squeeze: float = 0.0                # how far beyond its place it is held
    is_held: bool = False               # there already


class StallGuard:
    """
    Which joints have stalled, and where.

    ``watched`` is one of :data:`STALL_GUARD`; ``suspects`` has the names of the joints whose
    health is to be read first, ``held`` those that have stalled, and words on each.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param watched: see above.
    """

    def __init__(self, model, watched='gripper'):
        self.watched, self.suspects, self.held = watched, {}, {}
        self._chain = model.joint_names
        self._joints = model.all_joints
        self._stalled = {}

    def hear(self, name, health):
        """Take note of the :class:`~..bus.backend.Health` of a joint."""
        suspect, stalled = self.suspects.get(name), self._stalled.get(name)
        if suspect and health.torque:
            suspect.strain = health.strain
            is_high = health.strain is None or health.strain >= _HIGH
            suspect.looks = suspect.looks + 1 if is_high else 0
        elif stalled and stalled.squeeze and (health.strain or 0.0) >= _HIGH:
            stalled.squeeze, stalled.is_held = _LESS * stalled.squeeze, False

    def look(self, set_points, measured, now):
        """
        Look where joints are that hold.

        :param set_points: by name.
        :param measured: positions by name.
        :param now: the time [s].
        :returns: of those that have stalled now, or press too hard, names and where to hold them.
        """
        for name, joint in self._joints.items():
            error = set_points[name] - measured[name] if name in measured else 0.0
            if abs(error) <= _FAR * unit(joint) or self.watched == 'none' \
                    or self.watched == 'gripper' and name in self._chain:
                self.suspects.pop(name, None)
                continue
            direction, suspect = copysign(1.0, error), self.suspects.get(name)
            if suspect is None or suspect.direction != direction \
                    or abs(measured[name] - suspect.place) > _STILL * unit(joint):
                self.suspects[name] = _Press(now, measured[name], direction)
            elif now - suspect.since >= _LONG and suspect.looks >= _LOOKS and (
                    suspect.strain is not None or name not in self._chain
                    or abs(error) > _NO_SAG):
                suspect.place = measured[name]
                self._stall(joint, self.suspects.pop(name), error)
        places = {name: each.place + each.squeeze * each.direction
                  for name, each in self._stalled.items() if not each.is_held}
        for name in places:
            self._stalled[name].is_held = True
        return places

    def _stall(self, joint, suspect, error):
        self._stalled[joint.name] = suspect
        # Not on into what it has stalled at while it opened.
        if joint.name not in self._chain \
                and suspect.direction == copysign(1.0, joint.closed - joint.open):
            suspect.squeeze = _SQUEEZE * unit(joint)
        load = '' if suspect.strain is None else \
            f' with {100.0 * suspect.strain:.0f} % of the load that trips its servo'
        far = f'{1e3 * abs(error):.1f} mm' if unit(joint) != 1.0 else \
            f'{degrees(abs(error)):.1f} deg'
        self.held[joint.name] = f'{joint.name} has stalled{load}, {far} before its set-point'

    def against(self, goals):
        """Return the names of the joints held whose goals, by name, lead on, not away."""
        return [name for name, each in self._stalled.items() if name in goals and each.direction
                * (goals[name] - each.place) > _STILL * unit(self._joints[name])]

    def release(self, names=None):
        """Hold joints no longer, by name; ``None``: all."""
        for name in list(self.held) if names is None else names:
            self.held.pop(name, None)
            self._stalled.pop(name, None)
