# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Partial evaluation: the numbers of a closure written into its code.

``y = sign * (x - offset)`` of a joint with sign 1 and offset 0 becomes ``y = x``, and what is
under ``if lateral:`` goes where lateral is 0. The result of every sum and product stays the same
to the last bit (but for the sign of a zero).

It takes some milliseconds, so a function is folded once it has proved to be in steady use.
"""

import ast
import linecache

#: Calls after which a function is worth folding.
STEADY = 1000

_ZERO_LESS = (ast.Add, ast.Sub)


def source_of(module):
    """
    Return the text of a module, ``None`` where there is none.

    :param module: its ``globals()``.
    """
    return ''.join(linecache.getlines(module['__file__'], module)) or None


def folded_in_steady_use(function, source, adopt):
    """
    Return the function; its folded form is given to its owner once it's worth it.

    :param function: closure to fold.
    :param source: text of the module it is defined in; ``None``: it stays as it is.
    :param adopt: called once, with the function to call from then on.
    """
    calls = 0

    def counted(*arguments):
        nonlocal calls
        calls += 1
        if calls == STEADY:
            adopt(folded(function, source))
        return function(*arguments)

    return counted


def folded(function, source):
    """
    Return a function that does the same, with the numbers it refers to in its code.

    :param function: closure that no decorator changes; its cells and globals must not be assigned
        any more.
    :param source: text of the module it is defined in; ``None``: the function is returned.
    """
    if source is None:
        return function
    code = function.__code__
    cells = dict(zip(code.co_freevars, [cell.cell_contents for cell in function.__closure__]))
    names = {**function.__globals__, **cells}
    fixed = {name: value for name, value in names.items() if name not in code.co_varnames}
    definition, = [node for node in ast.walk(ast.parse(source))
                   if isinstance(node, ast.FunctionDef) and node.name == code.co_name
                   and node.lineno == code.co_firstlineno]
    module = ast.Module([_Folder(fixed).visit(definition)], [])
    exec(compile(ast.fix_missing_locations(module), code.co_filename, 'exec'), names)
    return names[code.co_name]


class _Folder(ast.NodeTransformer):
    """Writes numbers for names, and leaves out what does nothing."""

    def __init__(self, names):
        self._names = names
        self._numbers = {name: value for name, value in names.items()
                         if value.__class__ in (bool, float)}

    def visit_Name(self, node):
        value = self._numbers.get(node.id)
        if isinstance(node.ctx, ast.Load) and value is not None:
            return ast.copy_location(ast.Constant(value), node)
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Mult):
            if left == 1.0:
                return node.right
            if left == -1.0:
                return ast.copy_location(ast.UnaryOp(ast.USub(), node.right), node)
        elif isinstance(node.op, _ZERO_LESS):
            if right == 0.0:
                return node.left
            if left == 0.0 and isinstance(node.op, ast.Add):
                return node.right
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        nothing = isinstance(node.op, _ZERO_LESS) and _value(node.value) == 0.0
        return None if nothing else node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        first = node.values[0]
        settled = isinstance(node.op, ast.And) and isinstance(first, ast.Constant)
        return first if settled and not first.value else node

    def visit_Compare(self, node):
        if _is_none(node.comparators[0]) and getattr(node.left, 'id', None) in self._names:
            is_none = self._names[node.left.id] is None
            return ast.copy_location(
                ast.Constant(is_none == isinstance(node.ops[0], ast.Is)), node)
        return self.generic_visit(node)

    def visit_If(self, node):
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return (node.body if node.test.value else node.orelse) or None
        return node


def _value(node):
    """Return the number a node stands for; ``None`` if it isn't one."""
    return node.value if isinstance(node, ast.Constant) else None


def _is_none(node):
    return isinstance(node, ast.Constant) and node.value is None
