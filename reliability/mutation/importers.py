# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which modules of the project are touched by a fault in one of them: all that import it."""

import ast
from importlib.util import resolve_name
from pathlib import Path

PACKAGE = 'arm_ik'


class Importers:
    """
    The imports of a tree, at any depth of a module, read backwards.

    :param folder: the tree's root.
    """

    def __init__(self, folder):
        self._imported = {}
        for path in Path(folder, PACKAGE).rglob('*.py'):
            parts = path.relative_to(folder).with_suffix('').parts
            is_package = parts[-1] == '__init__'
            name = '.'.join(parts[:-1] if is_package else parts)
            package = name if is_package else name.rpartition('.')[0]
            self._imported[name] = set(_imports(ast.parse(path.read_text()), package))

    @property
    def modules(self):
        """Return the names of all modules."""
        return sorted(self._imported)

    def of(self, module):
        """Return the names of a module and of all that import it, directly or not."""
        touched, more = set(), {module}
        while more:
            touched |= more
            more = {name for name, imported in self._imported.items()
                    if imported & more} - touched
        return touched | {PACKAGE}  # which imports by name, when it is asked


def _imports(tree, package):
    """Yield the names of what is imported, modules or things in them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = resolve_name('.' * node.level + (node.module or ''), package)
            yield base
            yield from (f'{base}.{alias.name}' for alias in node.names)
