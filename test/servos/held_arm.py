# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An SO-101 on an emulated bus, held by a hand that knows where its horns sit."""

from math import pi

from arm_ik.description.presets import config_directory
from arm_ik.servos.named_poses import named_poses
from arm_ik.testing.servos.serial_buses import FEETECH

#: What is true of the emulated arm: zero and direction by id; some not as in the example.
ZEROS = {1: 2047, 2: 1990, 3: 2100, 4: 2047, 5: 2200, 6: 1700}
DIRECTIONS = {1: 1, 2: -1, 3: 1, 4: 1, 5: -1, 6: 1}
IDS = {'shoulder_pan': 1, 'shoulder_lift': 2, 'elbow_flex': 3, 'wrist_flex': 4, 'wrist_roll': 5,
       'gripper': 6}

MODEL, JOINTS = FEETECH.model, FEETECH.joints

#: How far the mechanics go [rad].
ENDS = {joint.name: (joint.lower - 0.02, joint.upper + 0.02)
        for joint in (*MODEL.joints, *MODEL.extra_joints)}


POSES = named_poses(MODEL)


class HeldArm:
    """
    The emulated arm.

    ``zeros``, ``directions`` and ``scales`` [ticks/rad] by id are what is true of it.
    """

    def __init__(self, bus):
        self.bus, self.port = bus, bus.port
        self.zeros, self.directions, self.ids = dict(ZEROS), dict(DIRECTIONS), dict(IDS)
        self.scales = dict.fromkeys(ZEROS, 2048 / pi)
        self._offsets = {}

    def tick(self, name, position):
        """Return the tick of a joint at a position [rad]."""
        servo_id = self.ids[name]
        return self.zeros[servo_id] + self.directions[servo_id] * position * self.scales[servo_id]

    def hold(self, positions, off=0.0):
        """Bring joints to positions [rad] by name, off by so much."""
        for name, position in positions.items():
            self.bus.do('servo', servo_id=self.ids[name], actual=self.tick(name, position + off)
                        + self._first_offset(name))

    def _first_offset(self, name):
        # A tool may set another one; the joint stays where it is.
        return self._offsets.setdefault(name, self.offset(name))

    def offset(self, name):
        """Return a servo's homing offset."""
        ram = self.bus.do('state', servo_id=self.ids[name])['ram']
        value = ram[31] | ram[32] << 8
        return -(value & 0x7FF) if value & 0x800 else value

    def position(self, name):
        """Return where a joint is [rad]."""
        servo_id = self.ids[name]
        actual = self.bus.do('state', servo_id=servo_id)['actual'] - self._first_offset(name)
        return self.directions[servo_id] * (actual - self.zeros[servo_id]) / self.scales[servo_id]

    def torque(self):
        """Return the torque registers by id."""
        return {servo_id: self.bus.do('state', servo_id=servo_id)['ram'][40]
                for servo_id in self.ids.values()}

    def eeproms(self):
        """Return what outlasts the power."""
        return [self.bus.do('state', servo_id=servo_id)['eeprom'] for servo_id in IDS.values()]

    def be_read(self, tool):
        """Wait until a tool has read every joint since."""
        be_read(self.bus, 4 * len(IDS), tool)


def be_read(bus, count, tool):
    """Wait until a tool has asked so many times."""
    bus.do('requests')
    heard = 0
    while heard < count:
        tool.look()     # one that cannot print goes no farther
        heard += len(bus.do('requests'))


def patient_example(folder, arm='so101', name='like.yml', patience=0.15):
    """Return the path of the example file, for a machine that is busy with other things."""
    path = folder / name
    path.write_text((config_directory() / 'servos' / f'{arm}.yaml').read_text().replace(
        'max_lead: 0.15', f'max_lead: 0.15\n      patience: {patience}'))
    return path


def hold_poses(tool, held, off=0.0, question='Do you hold it?', poses=POSES,
               all_poses=POSES):
    """Say that the arm is held, and go with a tool through its three poses."""
    tool.answer(question)
    for pose in poses:
        tool.expect(f'Pose {all_poses.index(pose) + 1} of 3')
        tool.expect('press Enter')
        for part in (0.3, 0.6, 1.0):     # no hand takes half a turn from one reading to the next
            held.hold({name: part * at for name, at in pose.positions.items()}, off)
        held.be_read(tool)
        tool.type('\n')
