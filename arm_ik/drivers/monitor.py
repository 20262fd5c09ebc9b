# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is known of the servos: who is heard, who holds, which are at fault, what is measured."""

from math import inf

from ..bus.readings import Faults, IMPLAUSIBLE, Movement, TORQUE_LOST

#: A joint at rest farther than this from its set-point [rad] is blocked: it would go on when it is
#: released. Nearer ones sag, and with a goal where they have sagged to they would sag farther.
_BLOCKED = 0.1

#: A joint that has been missing for so long [s] is a fault.
_MISSING = 0.25

#: A joint not heard for so many turns of the bus, and for so long [s], was silent: it may have
#: been moved meanwhile, or have lost its power. Before, a reply was lost.
_SILENT_TURNS, _SILENT = 2.5, 0.025


class Monitor:
    """
    What is known of an arm's servos.

    ``snapshot`` is the newest :class:`~..bus.backend.Snapshot`, ``None`` while the bus is missing;
    ``health`` the newest :class:`~..bus.backend.Health` of each joint, ``missing`` the names of
    those that have not been heard for so long that it is a fault; ``torque`` says by name which
    servos have been ordered to hold, ``refused`` in sentences by name those that got no torque;
    ``movement`` says which joints are measured to move.

    :param backend: the :class:`~..bus.backend.Backend`.
    :param turn: duration of a turn of the bus [s].
    :param on_fault: ``'stop'`` the arm, or let the healthy joints ``'continue'``.
    """

    def __init__(self, backend, turn, on_fault):
        self.on_fault = on_fault
        self.snapshot = None
        self.health, self.faults, self.missing = {}, Faults(), ()
        self.torque, self.refused = dict.fromkeys(backend.joints, False), {}
        self._joints, self._chain = backend.joints, backend.model.joint_names
        self._has_feedback = backend.has_feedback
        self.movement = Movement(backend.resolution)
        self._missing_since = {}        # when a joint was first not heard [s], by name
        self._heard_at = {}             # when a joint was last heard [s], by name, if taken over
        self._silence = max(_SILENT, _SILENT_TURNS * turn)

    def engaged(self, held, now, off=()):
        """Take note of the joints that hold since ``now`` [s], and of those that stay off."""
        self._heard_at.update(dict.fromkeys(held, now))
        self.refused = {}
        # Of all: one that was missing has none when it comes back, and is at fault for that.
        self.torque.update(dict.fromkeys(self._joints if self._has_feedback else held, True))
        self.torque.update(dict.fromkeys(off, False))

    def begin_without(self, names):
        """Take joints for missing from the start on."""
        self.missing, self._missing_since = tuple(names), dict.fromkeys(names, -inf)

    def look(self, snapshot, now, stopped):
        """
        Look who is heard, and where joints are.

        :param stopped: whether joints that come back are to go where they are put.
        :returns: the names of those that are back after a silence.
        """
        self.snapshot, back = snapshot, []
        self.movement.look(self.measured, now)
        if self._has_feedback:
            for name in snapshot.missing:
                self._missing_since.setdefault(name, now)
        some_missing = bool(self._missing_since)    # else a turn of the bus was late
        for name in snapshot.readings:
            self._missing_since.pop(name, None)
            heard_at = self._heard_at.get(name)
            if heard_at is None or some_missing and now - heard_at > self._silence:
                back.append(name)
                if stopped:
                    self._heard_at.pop(name, None)
                    continue
            self._heard_at[name] = now
        self.missing = tuple(name for name, since in self._missing_since.items()
                             if now - since >= _MISSING)
        return back

    def lose(self):
        """Take note that the bus is missing."""
        self.snapshot = None
        self._heard_at.clear()

    def unheard(self, now):
        """Return the names of the joints that have not been heard, or taken over, at ``now``."""
        return [name for name in self._joints if self._heard_at.get(name) != now]

    @property
    def measured(self):
        """Newest positions by name, of the joints that were measured."""
        return {} if self.snapshot is None else {
            name: each.position for name, each in self.snapshot.readings.items() if each.measured}

    def holds(self, name):
        """Return whether a servo may be written to: some take a set-point for an order to hold."""
        return self.torque[name] and TORQUE_LOST not in self.faults.of(name)

    def look_at(self, name, health):
        """Take note of a joint's health; return whether it has a fault not known yet."""
        self.health[name] = health
        return self.faults.look(name, health, self.torque[name])

    def stuck(self, set_points, now):
        """Return where the joints of the chain are that rest away from their set-points."""
        return {name: position for name, position in self.measured.items()
                if name in self._chain and name in set_points and self.torque[name]
                and abs(position - set_points[name]) > _BLOCKED
                and not self.movement.is_moving(now, [name])}

    @property
    def ill(self):
        """Names of the joints that are missing or at fault."""
        return [name for name in self._joints if name in self.faults or name in self.missing]

    @property
    def is_whole(self):
        """Whether every joint holds, is heard and has no fault."""
        return not (self.fault or self._missing_since) and all(self.torque.values())

    @property
    def fault(self):
        """Faults of the servos in words; empty if there are none."""
        words = {name: self.silence(name) for name in self.missing}
        parts = [f'{", ".join(name for name in words if words[name] == each)}: {each}'
                 for each in dict.fromkeys(words.values())]
        return '; '.join(parts + ([f'{self.faults} (until clear_faults)'] if self.faults else []))

    def silence(self, name):
        """Return why a joint is missing, in words."""
        reason = '' if self.snapshot is None else self.snapshot.missing.get(name, '')
        return reason if reason.startswith(IMPLAUSIBLE) else 'no reply'

    @property
    def words(self):
        """Return what is wrong with the servos in words, a list."""
        off = [name for name, on in self.torque.items() if not on]
        words = [self.fault] if self.fault else []
        if off:
            every = len(off) == len(self._joints)
            words.append(('torque is off' if every else f'torque of {", ".join(off)} is off')
                         + ('' if self._has_feedback else
                            '; ~/torque true says that the arm is at home'))
        return words + [self.refused[name] for name in off if name in self.refused]
