# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The status of a target, read from the message of ``ik_node``."""

from __future__ import annotations

from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticStatus

#: Of a message: seconds and nanoseconds.
Stamp = tuple[int, int]


class TargetStatus(NamedTuple):
    """
    One message of ``ik_node/status``.

    ``state`` is ``ready``, ``accepted``, ``moving``, ``arrived`` or ``refused``; ``status`` the
    name of an :class:`~arm_ik.Status`, empty where nothing was solved; errors are NaN then.
    ``target_stamp`` is ``(seconds, nanoseconds)`` of the target it is about.
    """

    level: int
    seq: int
    target_stamp: Stamp
    state: str
    status: str
    reason: str
    position_error_m: float
    up_error_rad: float
    limited_by: tuple[str, ...]
    step_rad: float
    values: dict[str, str]

    @classmethod
    def from_message(cls, message: DiagnosticStatus) -> TargetStatus:
        """Read a message."""
        values = {item.key: item.value for item in message.values}
        seconds, _, nanoseconds = values['target_stamp'].partition('.')
        return cls(
            level=message.level[0], seq=int(values['seq']),
            target_stamp=(int(seconds), int(nanoseconds or 0)),
            state=values['state'], status=values['status'], reason=values['reason'],
            position_error_m=float(values['position_error_m']),
            up_error_rad=float(values['up_error_rad']),
            limited_by=tuple(name.strip() for name in values['limited_by'].split(',')
                             if name.strip()),
            step_rad=float(values['step_rad']), values=values)

    def __str__(self) -> str:
        """Return one line for people."""
        reason = f': {self.reason}' if self.reason else ''
        return f'target {self.seq} {" ".join(filter(None, (self.state, self.status)))}{reason}'
