# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What one target file came to: every verdict, and every measured state on the way."""

from dataclasses import dataclass

from .judge import GripVerdict, TOLERANCE
from .target_file import TargetFile
from .urdf_chain import UrdfChain


@dataclass(frozen=True)
class Run:
    """
    One target file, streamed.

    ``items`` are the verdicts in the file's order; ``samples`` are the measured readings by name
    [rad], in the order of time, at least one. ``stopped`` says why the stream ended early,
    if it did.
    """

    file: TargetFile
    arm_name: str
    chain: UrdfChain
    items: tuple
    samples: tuple
    seconds: float
    stopped: str = ''

    @property
    def verdicts(self):
        """Return what came of the poses."""
        return [item for item in self.items if not isinstance(item, GripVerdict)]

    @property
    def grips(self):
        """Return what came of the gripper's steps."""
        return [item for item in self.items if isinstance(item, GripVerdict)]

    @property
    def passed(self):
        """Tell whether everything the file asks for was done and came out as the file expects."""
        return not self.stopped and len(self.items) == len(self.file.steps) and all(
            item.passed for item in self.items)

    @property
    def title(self):
        """Return the arm and the file, for a heading."""
        return f'{self.arm_name}: {self.file.name}'

    @property
    def summary(self):
        """One line of figures, for a person."""
        steps = [step for step in self.file.steps if getattr(step, 'reachable', False)]
        met = [verdict for verdict in self.verdicts if verdict.step.reachable and verdict.passed]
        words = [f'at rest on {len(met)} of {len(steps)} reachable poses']
        if met:
            words.append(f'worst {max(verdict.position_error_m for verdict in met):.1e} m, '
                         f'{max(verdict.turned_rad for verdict in met):.1e} rad '
                         f'({TOLERANCE:.0e} allowed)')
        relaxed = [verdict for verdict in self.verdicts if not verdict.step.reachable]
        if relaxed:
            honest = sum(verdict.passed for verdict in relaxed)
            words.append(f'{honest} of {len(relaxed)} out of reach, and said so')
        failed = sum(not grip.passed for grip in self.grips)
        if failed:
            words.append(f'{failed} of {len(self.grips)} gripper moves failed')
        words.append(f'{self.seconds:.1f} s')
        return '; '.join(words)
