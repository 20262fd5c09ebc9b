# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Compute the golden poses of the presets from the makers' URDFs, with pinocchio.

    python make_golden.py FOLDER [NAME ...]

FOLDER holds one folder per arm with its URDF, ``FOLDER/so101/so101.urdf`` and so on; files that
are xacro at the maker's are expanded first, with default arguments. One ``NAME.json`` per arm is
read and written again beside this script: a new arm's has what is known of it, and no poses.
Nothing of arm_ik is used, and neither are the numbers in ``config/``: pose by pose, the URDF alone
says where the tip is.

The tip is the origin of the maker's tool frame; on arms with a wrist roll, its foot on the roll
axis. The up vector is that axis, or the axis of the tool frame along the last link; the forward
vector (``tool0``'s x) is an axis of the tool frame. In the file, ``up_axis`` and ``forward_axis``
are their directions in the maker's tool frame. ``tip_along_up`` moves the tip from that frame's
origin along the up axis [m], where the maker has no frame at the tip; ``tip`` says the same in
words. ``base_turn`` [rad] turns ``base_link`` in the maker's base frame about z. ``limits`` are
given where the URDF has none. Where the preset's joints have names and zeros of their own,
``urdf_joint_names`` are the URDF's, and ``urdf_readings`` has a sign and an offset [rad] for each:
its reading is ``sign * reading + offset``. Of so_arm_102 the joints alone were read, not the
boxes: ``urdf_sha256`` is that of the extract.
"""

import hashlib
from itertools import product
import json
from math import cos, sin
from pathlib import Path
import random
import sys

import numpy as np
import pinocchio

POSES = 60
CORNERS = 15
SEED = 20260101


class MakersArm:
    """
    Forward kinematics of a maker's URDF.

    :param arm: what is known of it, as in its file.
    :param urdf: path of the file.
    """

    def __init__(self, arm, urdf):
        self.model = pinocchio.buildModelFromUrdf(str(urdf))
        self.data = self.model.createData()
        self.arm = arm
        self.joints = [self.model.getJointId(name)
                       for name in arm.get('urdf_joint_names', arm['joint_names'])]
        self.frame = self.model.getFrameId(arm['tool_frame'], pinocchio.BODY)
        self.base = self.model.getFrameId(arm['base_frame'], pinocchio.BODY)
        frame = self.model.frames[self.frame]
        if frame.parentJoint != self.joints[-1]:
            raise SystemExit(f'{arm["tool_frame"]} does not hang on the last joint')
        up, forward = np.array(arm['up_axis'], float), np.array(arm['forward_axis'], float)
        # All three are fixed in the last joint's own frame, so they are worked out once.
        self.up, self.forward = frame.placement.rotation @ up, frame.placement.rotation @ forward
        self.tip = frame.placement.translation + frame.placement.rotation @ up * arm.get(
            'tip_along_up', 0.0)
        self.moved = 0.0
        if arm.get('wrist_roll'):
            axis = self.axis_of(self.joints[-1])
            axis = axis if axis @ self.up > 0.0 else -axis
            foot = axis * (axis @ self.tip)
            self.moved = float(np.linalg.norm(foot - self.tip))
            self.tip, self.up = foot, axis

    def axis_of(self, joint):
        """Return the axis of a joint in its own frame, from its Jacobian."""
        jacobian = pinocchio.computeJointJacobian(
            self.model, self.data, pinocchio.neutral(self.model), joint)
        return jacobian[3:, self.model.joints[joint].idx_v].copy()

    def limits(self):
        """Return lower and upper limits of the chain's joints: of the URDF, unless it has none."""
        if 'limits' in self.arm:
            return tuple(map(list, zip(*self.arm['limits'])))
        indices = [self.model.joints[joint].idx_q for joint in self.joints]
        return (self.model.lowerPositionLimit[indices].tolist(),
                self.model.upperPositionLimit[indices].tolist())

    def pose(self, readings):
        """Return tip [m], up and forward vector in the base frame."""
        q = pinocchio.neutral(self.model)
        zeros = self.arm.get('urdf_readings', [(1, 0.0)] * len(self.joints))
        for joint, reading, (sign, offset) in zip(self.joints, readings, zeros):
            found, angle = self.model.joints[joint], sign * reading + offset
            q[found.idx_q:found.idx_q + found.nq] = (
                [cos(angle), sin(angle)] if found.nq == 2 else [angle])    # continuous, or not
        pinocchio.framesForwardKinematics(self.model, self.data, q)
        last = self.data.oMi[self.joints[-1]]
        base = self.data.oMf[self.base]
        base_turn = self.arm.get('base_turn', 0.0)
        c, s = round(cos(base_turn), 15), round(sin(base_turn), 15)
        turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        rotation = turn @ base.rotation.T @ last.rotation
        return (turn @ base.actInv(last.act(self.tip)), rotation @ self.up,
                rotation @ self.forward)


def readings(lower, upper, generator):
    """Return readings inside the limits: the zero pose, corners of the limits, random ones."""
    zero = tuple(min(max(0.0, low), high) for low, high in zip(lower, upper))
    corners = generator.sample([corner for corner in product(*zip(lower, upper))
                                if corner != zero], CORNERS)
    inside = [tuple(round(generator.uniform(low, high), 9) for low, high in zip(lower, upper))
              for _ in range(POSES - 1 - CORNERS)]
    return [zero, *corners, *inside]


def golden(arm, urdf):
    """Return everything that is known of an arm's golden poses, ready for JSON."""
    maker = MakersArm(arm, urdf)
    lower, upper = maker.limits()
    poses = []
    for q in readings(lower, upper, random.Random(f'{SEED} {arm["arm"]}')):
        tip, up, forward = maker.pose(q)
        poses.append({'q': q, 'position': _rounded(tip), 'up': _rounded(up),
                      'forward': _rounded(forward)})
    return {**arm, 'urdf_sha256': hashlib.sha256(urdf.read_bytes()).hexdigest(),
            'pinocchio': pinocchio.__version__, 'seed': SEED,
            'tip_moved_onto_roll_axis_m': round(maker.moved, 9),
            'lower': lower, 'upper': upper, 'poses': poses}


def _rounded(vector):
    # To 1e-12; + 0.0 makes zeros of negative zeros.
    return [round(float(value), 12) + 0.0 for value in vector]


def _json(document):
    """Return JSON with one line per pose, so that a change can be read as a difference."""
    head = [f' {json.dumps(key)}: {json.dumps(value)},\n' for key, value in document.items()
            if key != 'poses']
    lines = ',\n'.join('  ' + json.dumps(pose) for pose in document['poses'])
    return f'{{\n{"".join(head)} "poses": [\n{lines}\n ]\n}}\n'


def main(arguments):
    """Write the golden poses of the arms named, or of all."""
    if not arguments:
        raise SystemExit(__doc__)
    folder, names = Path(arguments[0]), arguments[1:]
    for path in sorted(Path(__file__).parent.glob('*.json')):
        if not names or path.stem in names:
            urdf = folder / path.stem / f'{path.stem}.urdf'
            path.write_text(_json(golden(json.loads(path.read_text()), urdf)))


if __name__ == '__main__':
    main(sys.argv[1:])
