# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Experiments that count what goes wrong, and the command that runs them.

Each experiment is a module of one of the folders, with a function ``run(short, seed, say)`` that
returns a list of :class:`~.figure.Figure`. What it does is told in the module's docstring, which
``docs/reliability.md`` repeats.
"""
