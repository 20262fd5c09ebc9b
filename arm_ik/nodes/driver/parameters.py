# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The parameters of ``driver_node``."""

from dataclasses import fields

from ..common.spec import Spec
from ...bus.simulated import Imperfections
from ...drivers import backend_names
from ...drivers.servos_file import ON_EXIT, ON_FAULT
from ...drivers.stall_guard import STALL_GUARD

SPECS = (
    Spec('backend', 'simulated', 'What moves the joints', choices=backend_names(), read_only=True),
    Spec('state_rate', 50.0, 'Rate of joint_states, where the bus is as fast', 'Hz', 1.0, 1000.0),
    Spec('command_timeout', 0.5, 'Time without joint_commands after which a moving arm stops; 0: '
         'never', 's', 0.0, 3600.0),
    Spec('speed', 1.0, 'Part of max_velocity at which joints go to goals: joint_commands without '
         'velocities, grippers', '1', 0.05, 1.0),
    Spec('bus_rate', 100.0, 'Rate of servo reads and writes', 'Hz', 1.0, 1000.0, read_only=True),
    Spec('max_lead', 0.15, 'Lead of set-points over measured positions; of a prismatic joint, '
         'this part of its range', 'rad', 0.001, 10.0, read_only=True),
    Spec('on_fault', 'stop', 'What a fault of one servo does to the others', choices=ON_FAULT),
    Spec('stall_guard', 'gripper', 'Which joints are held where they stall', choices=STALL_GUARD),
    Spec('trim', False, 'Whether joints at rest that sag are brought to their set-points'),
    Spec('start', 'hold', 'Whether servos get torque at the start; limp: a real arm falls',
         choices=('hold', 'limp'), read_only=True),
    Spec('on_exit', 'hold', 'What the arm does at the end', choices=ON_EXIT),
    Spec('objects', '', 'File of the objects for mujoco', read_only=True),
    Spec('frame_prefix', '', 'Prefix of their frames', read_only=True),
    Spec('simulated.seed', 0.0, 'Of lost replies and flicker', '', 0.0, 1e9, read_only=True),
    Spec('simulated.latency', 0.0, 'Time a set-point takes to have an effect', 's', 0.0, 10.0),
    Spec('simulated.read_time', 0.0, 'Time a read of all joints takes', 's', 0.0, 10.0),
    Spec('simulated.resolution', 0.0, 'Encoder count, whose last digit flickers', 'rad', 0.0, 1.0),
    Spec('simulated.sag', 0.0, 'Sag of shoulder, elbow, wrist below set-points', 'rad', 0.0, 1.0),
    Spec('simulated.lost_replies', 0.0, 'Part of all replies that gets lost', '', 0.0, 1.0),
    Spec('simulated.blocked', '', 'Joint that does not move'),
    Spec('simulated.dead', '', 'Joint that neither answers nor hears, but holds'),
    Spec('simulated.brown_out', '', 'Joint that loses its torque'),
    Spec('simulated.unplugged', False, 'Whether the bus is missing'),
)


def specs_with(servos):
    """Return the parameters, with the defaults that a servos file brings, if there is one."""
    return [spec._replace(default=getattr(servos, spec.name, spec.default)) for spec in SPECS]


def imperfections(parameters):
    """Return the :class:`~arm_ik.bus.simulated.Imperfections` that parameters ask for."""
    return Imperfections(**{field.name: parameters[f'simulated.{field.name}']
                            for field in fields(Imperfections)})
