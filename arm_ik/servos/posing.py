# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How an arm gets into the drawn poses: limp, by hand; or by keys where nothing is measured.

Both have one verb, :meth:`reach`: it returns where every joint is, by name, once the user says so.
"""

from math import inf, radians
import time

from .named_poses import home_pose, side_view
from .terminal import BOUNCE

#: Readings until a joint that does not answer is said to be lost.
_TRIES = 10

#: A pose held still for so long is taken without Enter [s].
_HELD = 2.0

#: A joint held still moves by less [rad].
STILL = radians(2.0)

#: What a line says of a joint that is not as drawn.
TOO_FAR, NO_ANSWER = 'too far', 'no answer'

KEYS = ('keys: n, p next and previous joint; left, right or a, d turn it; A, D in large steps; '
        'Enter: done')


class ByHand:
    """
    A limp arm, moved by hand; ``typed`` is what was typed with the last Enter.

    :param terminal: the :class:`~.terminal.Terminal`.
    :param names: of the joints.
    :param read: returns where joints are, by name; without those that do not answer.
    :param let_fall: switches the torque of every servo off.
    :param still: a joint held still moves by less, as :data:`STILL`.
    """

    def __init__(self, terminal, names, read, let_fall, still):
        self._terminal, self._names, self._read, self._still = terminal, names, read, still
        self.at, self.typed = {}, ''
        terminal.say('Torque goes off at every servo: the arm falls unless you hold it.')
        terminal.confirm('Do you hold it?')
        terminal.state = 'the torque is off: the arm is limp; no file was written'
        let_fall()
        self.step()

    def reach(self, prompt, lines, held=False):
        """
        Return where the joints are when Enter is pressed, or when they have been held still.

        An Enter at once, at an arm that was not moved since the last one, is the same one; the arm
        has to be held still after it.

        :param prompt: what to do.
        :param lines: returns lines to show, given where the joints are.
        :param held: whether they may be held still for that. No line may say that one is too far.
        """
        begun, since, start, self.typed = time.monotonic(), inf, self.at, None
        self._wait_for_all()
        self._terminal.drop_typed()
        self._terminal.say(f'{prompt}; hold it still for two seconds, or press Enter.' if held
                           else f'{prompt}, then press Enter.')
        while self.typed is None:
            self.step()
            shown, now, typed = lines(self.at), time.monotonic(), self._terminal.typed()
            if typed or typed == '' and (since < inf or now - begun > BOUNCE):
                self.typed = typed
            elif typed == '' or any(abs(at - start.get(name, inf)) > self._still
                                    for name, at in self.at.items()):
                since, start = now, self.at
            left = since + _HELD - now
            if held and left < _HELD and not any(
                    words in line for words in (TOO_FAR, NO_ANSWER) for line in shown):
                shown = [*shown, f'held still: taken in {max(left, 0.0):.1f} s']
                self.typed = '' if left <= 0.0 else self.typed
            self._terminal.show(shown)
        self._terminal.say(*shown)
        self._wait_for_all()
        return dict(self.at)

    def step(self):
        """Read where the joints are."""
        self.at = dict(self._read())

    def _wait_for_all(self):
        tries, said = 0, ''
        while missing := ', '.join(name for name in self._names if name not in self.at):
            tries += 1
            if tries > _TRIES and missing != said:
                said = missing
                self._terminal.say(f'No answer: {missing}. Look at the cables; it goes on as soon '
                                   'as they answer.')
            self.step()


class ByKeys:
    """
    Joints that hold and measure nothing, sent about by keys; they start at home, one by one.

    ``typed`` is as of :class:`ByHand`: ``'b'`` where that key was pressed.

    :param terminal: the :class:`~.terminal.Terminal`.
    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param start: function of a joint's name that starts it, and returns where it is then.
    :param write: takes where joints shall go, by name.
    :param steps: a small and a large step, by name.
    :param limits: lower and upper, by name.
    """

    def __init__(self, terminal, model, start, write, steps, limits):
        self._terminal, self._write, self._steps, self._limits = terminal, write, steps, limits
        self.at, self._chosen, self.typed = {}, 0, ''
        terminal.say(
            *side_view(model, home_pose(model)), '', 'These servos measure nothing. Hold the arm '
            'about as drawn: pulses start, servo by servo, and each may jump.')
        terminal.confirm('Ready?')
        terminal.state = 'the servos hold; no file was written'
        for name in steps:
            self.at[name] = start(name)
            terminal.say(f'{name} holds')

    def reach(self, prompt, lines, held=False):
        """Return where the joints are when Enter is pressed; as :meth:`ByHand.reach`."""
        names = list(self.at)
        self._terminal.say(f'{prompt}.', KEYS)
        with self._terminal.key_by_key():
            while True:
                name = names[self._chosen % len(names)]
                key = self._terminal.key([f'now turning: {name}', *lines(self.at)])
                if key in ('b', 'enter'):
                    self.typed = 'b' if key == 'b' else ''
                    self._terminal.say(*lines(self.at))
                    return dict(self.at)
                if key in ('n', '\t', 'down'):
                    self._chosen += 1
                elif key in ('p', 'up'):
                    self._chosen -= 1
                elif key in ('a', 'd', 'A', 'D', 'left', 'right'):
                    self._turn(name, key)

    def _turn(self, name, key):
        step = self._steps[name][key in 'AD']
        lower, upper = self._limits[name]
        wanted = self.at[name] + (step if key in ('d', 'D', 'right') else -step)
        self.at[name] = min(max(wanted, lower), upper)
        self._write({name: self.at[name]})


def reach_pose(terminal, model, poser, pose, number, lines):
    """Return where the joints are in one of the three poses; ``lines`` as for :meth:`reach`."""
    terminal.say('', f'Pose {number} of 3', '', *side_view(model, pose), '')
    return poser.reach('Bring the arm into this pose', lines, held=True)
