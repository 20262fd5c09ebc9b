# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The experiments there are: every module below with a function ``run(short, seed, say)``."""

import ast
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).parent

_ARGUMENTS = ['short', 'seed', 'say']


def names():
    """Return the names of all experiments, in alphabetical order; nothing of them is imported."""
    return sorted(_files())


def about(name):
    """Return what an experiment says of itself: its docstring, summary and paragraphs."""
    return ast.get_docstring(_parsed(_files()[name]))


def run(name, short, seed, say):
    """Run an experiment; return its list of :class:`~.figure.Figure`."""
    folder = _files()[name].parent.name
    return import_module(f'{__package__}.{folder}.{name}').run(short, seed, say)


def _files():
    return {path.stem: path for path in FOLDER.glob('*/*.py') if _is_experiment(_parsed(path))}


def _parsed(path):
    return ast.parse(path.read_text(encoding='utf-8'))


def _is_experiment(module):
    return any(isinstance(node, ast.FunctionDef) and node.name == 'run'
               and [argument.arg for argument in node.args.args] == _ARGUMENTS
               for node in module.body)
