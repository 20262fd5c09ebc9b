# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


"""
What serves the tools on all serial servo buses.

All servos answer a ping, together, so that only bytes come: somebody is there. One servo is asked
for little first, which is quick where nobody answers. Two servos with one id may give the same
answer then, and clash as soon as each is asked where it is.
"""

import time

from .maintenance import FoundServo, Maintenance
from .serial_line import heard, lateness, SerialLine, SLOWER
from .serial_port import SerialPort
from ..errors import DriverError

#: Tries before a servo is said not to answer, or not to obey; before it is said not to be there.
_TRIES, _LOOKS = 5, 2

#: Pings, each with twice the patience of the one before.
_PINGS = 3

#: So long answers may take at least [s]: nothing is in a hurry here, and the machine may be busy.
_PATIENCE = 0.01


class SerialMaintenance(Maintenance):
    """
    Servos on a serial port, by their :class:`~.serial_line.SerialLine`.

    :meth:`set_id` and :meth:`write_settings` write what outlasts the power.
    """

    #: The subclass of :class:`~.serial_line.SerialLine`.
    line_kind: type[SerialLine]

    #: Whether a servo that holds writes nothing into its EEPROM.
    holds_its_id = False

    def __init__(self, port, baud=None, patience=None, **_):
        self.baud = baud or self.bauds[0]
        self._port = SerialPort(self.name, port, self.baud)
        self._late = None           # how late answers are [s]
        self._allowed = patience or self._port.latency      # what the driver will wait for [s]
        self._line = self.line_kind(self._port, max(self._port.latency, patience or _PATIENCE))

    def is_anybody_there(self):
        """See :meth:`Maintenance.is_anybody_there`."""
        ping, there = self._line.protocol.ping(), False
        for attempt in range(_PINGS):
            received = bytearray()
            self._port.discard()
            self._port.write(ping)
            sent, heard = time.monotonic(), 0.0
            deadline = sent + 2.0 ** (attempt + 1) * self._line.patience
            while time.monotonic() < deadline:
                received += self._port.read(deadline)
                if received.startswith(ping):    # the adapter's echo
                    del received[:len(ping)]
                heard = heard or bool(received) * (time.monotonic() - sent)
            there = there or bool(received)
            self._line.patience = max(self._line.patience, 2.0 * heard)
        return there

    def find(self, servo_id):
        """See :meth:`Maintenance.find`."""
        looks = (self._silence(servo_id) for _ in range(_LOOKS))
        silence = next((words for words in looks if words != 'no answer'), None)
        if silence is None:
            return None
        found = self._described(servo_id)
        if found is None and silence and not self._clash(servo_id):
            return None
        return found or FoundServo(servo_id, odd=(
            'answers, but garbled: two servos with this id, or a bad cable. Connect one alone',))

    def _silence(self, servo_id):
        """Return why a servo does not say that it is there; ``''``: it does."""
        return self._line.read([servo_id], self._line.presence_block).lost.get(servo_id, '')

    def _clash(self, servo_id):
        """Return whether two servos garble each other whenever asked; noise garbles any answer."""
        nobody = self.ids[-1] + 1
        return all(self._silence(servo_id) == 'garbled answer'
                   and self._silence(nobody) == 'no answer' for _ in range(_TRIES))

    def read(self, ids):
        """See :meth:`Maintenance.read`."""
        ticks = {servo_id: self.tick_of(servo_id) for servo_id in ids}
        return {servo_id: tick for servo_id, tick in ticks.items() if tick is not None}

    def release(self, ids):
        """
        Switch the torque of servos off, and read it back.

        :raises DriverError: naming the ids that do not obey.
        """
        self._until(ids, lambda: self._line.send_torque(ids, False),
                    lambda servo_id: not self._line.holds(servo_id), 'no torque off')

    def set_id(self, servo_id, new_id):
        """
        Give a servo another id, for good, and read it back.

        :raises DriverError: if the servo does not obey.
        """
        if self.holds_its_id and self._holds(servo_id) is not False:
            raise DriverError(self.name, f'id {servo_id} holds; nothing is written then. Switch '
                                         'the power of the arm off and on, and it is limp')
        self._until([servo_id], lambda: self._line.send_id(servo_id, new_id),
                    lambda _: new_id in self.read([new_id]),
                    'does not answer after its id was written')

    def settings(self, servo_id):
        """Return what is in a servo's EEPROM, of what may be written there: dict by name."""
        facts = heard(self._line.facts, servo_id, tries=_TRIES)
        return {} if facts is None else {
            name: setting.value(facts.data) for name, setting in self._line.settings.items()}

    def write_settings(self, servo_id, values):
        """
        Write into the EEPROM of a limp servo, and read it back; its goal is where it is then.

        :param values: by name, in the order in which they are written.
        :raises DriverError: if the servo holds, or does not obey.
        """
        self._tune(self.baud)
        if self._holds(servo_id) is not False:
            raise DriverError(self.name, f'id {servo_id} holds, or does not answer; nothing is '
                                         'written into its EEPROM then')
        codes = {code: baud for baud, code in self.baud_codes.items()}

        def write_one():
            self._tune(self.baud)
            self._line.write(setting.address, {servo_id: setting.data(value)})
            if name == 'baud':
                self._tune(codes[value])

        for name, value in values.items():
            setting = self._line.settings[name]
            self._until([servo_id], write_one, lambda _: self.settings(servo_id).get(
                name) == value, f'does not take {name} {value} (register {setting.address})')

    @classmethod
    def needed(cls, servo, now, main_id=None):
        """
        Return what has to be in the EEPROM of a joint's servo to drive it: dict by name.

        :param servo: the :class:`~.servos_file.ServoJoint`.
        :param now: what is there, as :meth:`settings`.
        :param main_id: of a shadow, the id of the servo that it follows.
        """
        fits = now['lower limit'] <= servo.ticks.first and servo.ticks.last <= now['upper limit']
        return {'return delay': 0, **({} if fits else {
            'lower limit': 0, 'upper limit': cls.family.last_tick})}

    def _tune(self, baud):
        if self._port.baud != baud:
            self._port.tune(baud)

    def close(self):
        """See :meth:`Maintenance.close`."""
        self._line.close()

    def tick_of(self, servo_id):
        """Return where one servo is, ``None`` if it does not say."""
        return heard(lambda: self._line.tick(self._line.ask_one(
            servo_id, self._line.position_block).data), tries=_TRIES)

    def _holds(self, servo_id):
        return heard(self._line.holds, servo_id, tries=_TRIES)

    def _described(self, servo_id):
        """Return a :class:`FoundServo`, ``None`` if it is not understood."""
        facts = heard(self._line.facts, servo_id, tries=_TRIES)
        # Also one that a servo which counts turns wrongly says.
        tick = SerialMaintenance.tick_of(self, servo_id)
        health = heard(self._line.health, servo_id, tries=_TRIES)
        if None in (facts, tick, health):
            return None
        odd = [*self.odd(facts, health),
               *(heard(lambda: list(self._line.weakness(servo_id)), tries=_TRIES) or ())]
        if not self._late:
            self._late = self._line.latency(servo_id)
            if self._late > self._allowed + SLOWER:
                odd.append(f'{lateness(self._late)}, and --patience here')
        return FoundServo(servo_id, tick, facts, health, tuple(odd))

    def odd(self, facts, health):
        """Say what is unusual, each with what to do."""
        yield from facts.odd
        if facts.is_known and health.flags:
            yield f'complains of {" and ".join(health.flags)}{self._line.remedy(health.flags)}'
        if facts.advice:
            yield facts.advice

    def _until(self, ids, write, obeys, otherwise):
        """Write until all servos obey; raise a sentence on those that do not."""
        for _ in range(_TRIES):
            write()
            others = [str(each) for each in ids if not heard(obeys, each, tries=_TRIES)]
            if not others:
                return
        raise DriverError(self.name, f'id {", ".join(others)}: {otherwise}')
