# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Nodes inside this process, and benches: several parts that are started and ended together."""

from contextlib import ExitStack

from arm_ik.nodes.startup.command_line import prepare


def made(kind, specs, *args, **options):
    """Return a node of a class with some parameters, of a command line, in this process."""
    with prepare(args, 'some', specs) as (ros_args, _, given):
        return kind(given, cli_args=ros_args, **options)


class Bench:
    """
    A context manager whose parts are all running inside, or none.

    A subclass starts its parts in ``_start`` and puts the end of each on ``_stack``, a
    :class:`contextlib.ExitStack`. Where a part can't be started, those before it are ended.
    """

    def __init__(self):
        self._stack = ExitStack()

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _start(self):
        """Start the parts."""
        raise NotImplementedError
