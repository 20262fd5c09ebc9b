# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A simulated arm and ``ik_node``, started and ended with the test."""

from collections.abc import Mapping
from contextlib import ExitStack
import json
from pathlib import Path
import socket
from tempfile import NamedTemporaryFile
from typing import Any

from .client import ArmClient, find_arm
from .processes import domain_environment, NodeProcess, reserved_domain
from ..errors import InvalidInputError, one_of

#: The nodes that are started.
NODES = ('driver_node', 'ik_node')

#: How long it is listened for another arm in a shared domain [s].
LISTENING = 1.0


class SimulatedArm(ArmClient):
    """
    An arm of its own for one test: two processes in a ROS domain that nobody else uses.

    All processes end with the context, or with the test's process, however it ends. ``processes``
    has both by name.

    :param arm: the name of an arm that comes with the package, or the path of its file.
    :param params_file: a ROS parameter file for both nodes.
    :param parameters: single parameters: ``{'ik_node': {'elbow': 'up'}, 'driver_node': {...}}``.
    :param namespace: for nodes and topics.
    :param frame_prefix: of the arm's frames.
    :param timeout: how long to wait for anything [s].
    :param domain_id: a ROS domain to share with others, to watch from outside; ``None``: its own.
    :param backend: ``'mujoco'``: in a world with weight.
    :param objects: in that world: a file, or what such a file has below ``objects``.
    :raises InvalidInputError: for parameters of an unknown node, or if there is another arm in the
        shared domain: it would move too.
    """

    def __init__(self, arm: Path | str = 'so101', params_file: Path | str | None = None,
                 parameters: Mapping[str, Mapping[str, Any]] | None = None, namespace: str = '',
                 frame_prefix: str = '', timeout: float = 60.0, domain_id: int | None = None,
                 backend: str = 'simulated', objects: Path | str | Mapping[str, Any] = ''
                 ) -> None:
        # Mistakes of the caller are reported before anything starts.
        model, parameters = find_arm(arm), parameters or {}
        for name in parameters:
            if name not in NODES:
                raise InvalidInputError('node name in parameters', name, one_of(name, NODES))
        self._commands: dict[str, list[str]] = {}
        self._stack = ExitStack()
        try:
            shared = domain_id is not None
            if domain_id is None:
                domain_id = self._stack.enter_context(reserved_domain())
            self.domain_id = domain_id
            # Of two that begin at once neither hears the other; the name is free when one dies.
            lock = self._stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
            try:
                lock.bind(f'\0arm_ik/{domain_id}/{namespace.strip("/")}')
            except OSError:
                raise _other_arm(domain_id) from None
            super().__init__(model, namespace, domain_id, frame_prefix, timeout)
            self._has_objects = bool(objects)
            self._stack.callback(super().close)
            if shared and self._ros.wait_until(lambda: self._positions, LISTENING) is None:
                raise _other_arm(domain_id)
            if isinstance(objects, Mapping):
                file = self._stack.enter_context(NamedTemporaryFile('w', suffix='.yaml'))
                json.dump({'objects': objects}, file)
                file.flush()
                objects = file.name
            for name in NODES:
                given = dict(parameters.get(name, {}))
                if frame_prefix:
                    given['frame_prefix'] = frame_prefix
                if name == 'driver_node':
                    given = {'backend': backend, 'objects': str(objects), **given}
                self._commands[name] = command = [
                    '--arm', str(arm), '--ros-args', '-r', f'__ns:=/{namespace.strip("/")}']
                if params_file is not None:
                    command += ['--params-file', str(params_file)]
                for key, value in given.items():
                    text = f"'{value}'" if isinstance(value, str) else str(value).lower()
                    command += ['-p', f'{key}:={text}']
                self.start(name)
                self._stack.callback(self._stop, name)
        except BaseException:
            self._stack.close()
            raise

    def start(self, name: str) -> None:
        """
        Start a node again that has ended, as it was started before.

        :param name: ``'ik_node'`` or ``'driver_node'``.
        """
        if name in self.processes:
            self._stop(name)    # what is left of it
        self.processes[name] = NodeProcess.of_node(
            name, self._commands[name], domain_environment(self.domain_id), self._ros.notify)

    def _stop(self, name: str) -> None:
        self.processes[name].stop()

    def disturb(self, **imperfections: Any) -> None:
        """
        Change the faults and imperfections of the simulated servos while the arm runs.

        An example is ``arm.disturb(blocked='elbow_flex')``.

        :param imperfections: by the names of :class:`~arm_ik.bus.simulated.Imperfections`.
        """
        self.set_parameters('driver_node', **{
            f'simulated.{name}': value for name, value in imperfections.items()})

    def close(self) -> None:
        """End the nodes and everything else that was started."""
        self._stack.close()


def _other_arm(domain_id: int) -> InvalidInputError:
    return InvalidInputError('ROS domain', domain_id, 'one without another arm of this namespace, '
                             'which would move too')
