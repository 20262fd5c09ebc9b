# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How an arm gets into the drawn poses: limp, by hand; or by keys where nothing is measured.

Both have one verb, :meth:`reach`: it returns where every joint is, by name, once the user says so.
"""

from .named_poses import home_pose, side_view

#: Readings until a joint that does not answer is said to be lost.
_TRIES = 10

KEYS = ('keys: n, p next and previous joint; left, right or a, d turn it; A, D in large steps; '
        'Enter: done')


class ByHand:
    """
    A limp arm, moved by hand.

    :param terminal: the :class:`~.terminal.Terminal`.
    :param names: of the joints.
    :param read: returns where joints are, by name; without those that do not answer.
    :param let_fall: switches the torque of every servo off.
    """

    def __init__(self, terminal, names, read, let_fall):
        self._terminal, self._names, self._read = terminal, names, read
        self.at = {}
        terminal.say('Torque goes off at every servo: the arm falls unless you hold it.')
        terminal.confirm('Do you hold it?')
        terminal.state = 'the torque is off: the arm is limp; no file was written'
        let_fall()

    def reach(self, prompt, lines):
        """
        Return where the joints are when Enter is pressed.

        :param prompt: what to do.
        :param lines: returns lines to show, given where the joints are.
        """
        self.step()
        self._wait_for_all()
        self._terminal.until_enter(f'{prompt}, then press Enter.', self.step,
                                   lambda: lines(self.at))
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

    :param terminal: the :class:`~.terminal.Terminal`.
    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param start: function of a joint's name that starts it, and returns where it is then.
    :param write: takes where joints shall go, by name.
    :param steps: a small and a large step, by name.
    :param limits: lower and upper, by name.
    """

    def __init__(self, terminal, model, start, write, steps, limits):
        self._terminal, self._write, self._steps, self._limits = terminal, write, steps, limits
        self.at, self._chosen = {}, 0
        terminal.say(
            *side_view(model, home_pose(model)), '', 'These servos measure nothing. Hold the arm '
            'about as drawn: pulses start, servo by servo, and each may jump.')
        terminal.confirm('Ready?')
        terminal.state = 'the servos hold; no file was written'
        for name in steps:
            self.at[name] = start(name)
            terminal.say(f'{name} holds')

    def reach(self, prompt, lines):
        """Return where the joints are when Enter is pressed; as :meth:`ByHand.reach`."""
        names = list(self.at)
        self._terminal.say(f'{prompt}.', KEYS)
        with self._terminal.key_by_key():
            while True:
                name = names[self._chosen % len(names)]
                key = self._terminal.key([f'now turning: {name}', *lines(self.at)])
                if key == 'enter':
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
    return poser.reach('Bring the arm into this pose', lines)
