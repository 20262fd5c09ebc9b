# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Print the masses of a preset's links as its maker's URDF has them, in the frames of this package.

    python tools/makers_masses.py FOLDER NAME

The URDF is ``FOLDER/NAME/NAME.urdf``. What hangs on joints that the preset does not have goes
with the link before. Copy the lines into the joints of ``config/NAME.yaml``.
"""

import json
from pathlib import Path
import sys

import numpy as np
import pinocchio

GOLDEN = Path(__file__).parents[1] / 'test' / 'golden'
sys.path.append(str(GOLDEN))
from make_golden import MakersArm  # noqa: E402

from arm_ik import Arm  # noqa: E402
from arm_ik.description.urdf import link_frames, link_names, links  # noqa: E402


def masses(urdf, golden, model):
    """Return mass [kg], centre [m] and inertia [kg m^2] by joint of an arm model."""
    whole = pinocchio.buildModelFromUrdf(str(urdf))
    joints = golden['joint_names']
    urdf_names = dict(zip(joints, golden.get('urdf_joint_names', joints)))
    names = {joint.name: urdf_names.get(joint.name, joint.name)
             for joint in (*model.joints, *model.extra_joints)}
    held = [index for index, name in enumerate(whole.names) if index and
            name not in names.values()]
    reduced = pinocchio.buildReducedModel(whole, held, pinocchio.neutral(whole))
    data, q = reduced.createData(), pinocchio.neutral(reduced)
    zeros = dict(zip(joints, golden.get('urdf_readings', [(1, 0.0)] * 9)))
    for name, urdf_name in names.items():
        joint = reduced.joints[reduced.getJointId(urdf_name)]
        angle = zeros.get(name, (1, 0.0))[1]
        q[joint.idx_q:joint.idx_q + joint.nq] = (
            [np.cos(angle), np.sin(angle)] if joint.nq == 2 else [angle])
    pinocchio.framesForwardKinematics(reduced, data, q)
    base = data.oMf[reduced.getFrameId(golden['base_frame'], pinocchio.BODY)]
    turn = pinocchio.SE3(pinocchio.utils.rotate('z', -golden.get('base_turn', 0.0)), np.zeros(3))
    frames = link_frames(links(model), {})
    found = {}
    for name, urdf_name in names.items():
        index = reduced.getJointId(urdf_name)
        own = pinocchio.SE3(frames[link_names(model)[name]])
        in_own = own.inverse() * turn * base.inverse() * data.oMi[index]
        inertia = in_own.act(reduced.inertias[index])
        found[name] = inertia.mass, inertia.lever, inertia.inertia
    return found


def main(folder, name):
    """Print the lines."""
    golden = json.loads((GOLDEN / f'{name}.json').read_text())
    MakersArm(golden, Path(folder, name, f'{name}.urdf'))     # refuses what does not fit
    for joint, (mass, centre, inertia) in masses(
            Path(folder, name, f'{name}.urdf'), golden, Arm.preset(name).model).items():
        numbers = ', '.join(f'{value:.4g}' for value in inertia[np.triu_indices(3)] + 0.0)
        print(f'{joint}:\n  mass: {mass:.4g}, '
              f'centre: [{", ".join(f"{value:.4f}" for value in centre)}],\n'
              f'  inertia: [{numbers}]')


if __name__ == '__main__':
    main(*sys.argv[1:])
