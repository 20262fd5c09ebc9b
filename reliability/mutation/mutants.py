# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The mutants of a file: its text with one small fault, made by cosmic-ray's operators.

Of cosmic-ray's 204 operators those are taken that change what a reader might have got wrong: a
comparison moved by its boundary or negated, an arithmetic sign, a number by one, ``and`` for
``or``, a condition negated, an exception not caught, a loop not run, a decorator left out. (The
others make ten variants of every sign, all killed by the same test.) Two of our own stand beside
them: membership negated, and a statement left out.
"""

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator
import parso

from .mutant_run import Spoiled

_CORE = (
    *(f'ReplaceComparisonOperator_{pair}' for pair in (
        'Lt_LtE', 'Lt_GtE', 'LtE_Lt', 'LtE_Gt', 'Gt_GtE', 'Gt_LtE', 'GtE_Gt', 'GtE_Lt',
        'Eq_NotEq', 'NotEq_Eq', 'Is_IsNot', 'IsNot_Is')),
    *(f'ReplaceBinaryOperator_{pair}' for pair in (
        'Add_Sub', 'Sub_Add', 'Mul_Div', 'Div_Mul', 'FloorDiv_Mul', 'Mod_Mul', 'Pow_Mul',
        'BitAnd_BitOr', 'BitOr_BitAnd')),
    'ReplaceUnaryOperator_Delete_USub', 'ReplaceUnaryOperator_Delete_Not',
    'ReplaceUnaryOperator_Delete_Invert',
    'AddNot', 'ReplaceTrueWithFalse', 'ReplaceFalseWithTrue', 'ReplaceAndWithOr',
    'ReplaceOrWithAnd', 'ReplaceBreakWithContinue', 'ReplaceContinueWithBreak',
    'ExceptionReplacer', 'NumberReplacer', 'RemoveDecorator', 'ZeroIterationForLoop')


class NegateMembership(Operator):
    """Puts ``not in`` for ``in``, and the other way round."""

    def mutation_positions(self, node):
        """See cosmic-ray's Operator."""
        for operator in self._operators(node):
            yield operator.start_pos, operator.end_pos

    def mutate(self, node, index):
        """See cosmic-ray's Operator."""
        old = self._operators(node)[index]
        new = ' in' if 'not' in old.get_code() else ' not in'
        node.children[node.children.index(old)] = parso.parse(new)
        return node

    @classmethod
    def examples(cls):
        """See cosmic-ray's Operator."""
        return ()

    @staticmethod
    def _operators(node):
        if node.type != 'comparison':
            return []
        return [child for child in node.children[1::2]
                if child.get_code().split() in (['in'], ['not', 'in'])]


class LeaveOutStatement(Operator):
    """
    Puts ``pass`` for a statement inside a function.

    Names that are assigned are left alone: without them the rest could not even run.
    """

    def mutation_positions(self, node):
        """See cosmic-ray's Operator."""
        if self._counts(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node, index):
        """See cosmic-ray's Operator."""
        statement = node.children[0]
        node.children[0] = parso.parse(statement.get_first_leaf().prefix + 'pass')
        return node

    @classmethod
    def examples(cls):
        """See cosmic-ray's Operator."""
        return ()

    @staticmethod
    def _counts(node):
        if node.type != 'simple_stmt' or node.get_first_leaf().type == 'string':
            return False
        if parso.tree.search_ancestor(node, 'funcdef') is None:
            return False
        statement = node.children[0]
        if statement.type == 'expr_stmt':
            target = statement.children[0]
            return target.type == 'atom_expr' or not statement.children[1].value == '='
        return statement.type in ('atom_expr', 'raise_stmt', 'return_stmt', 'keyword')


def _operators():
    for name in _CORE:
        yield get_operator(f'core/{name}')()
    yield NegateMembership()
    yield LeaveOutStatement()


def mutants_of(path, text):
    """
    Return every mutant of a file.

    :param path: of the file, from the project's root.
    :param text: what stands in it.
    :returns: list of :class:`~.mutant_run.Spoiled`, each with another text.
    """
    found = {}
    module = get_ast(text)
    nodes = list(ast_nodes(module))
    for operator in _operators():
        for node in nodes:
            for index in range(len(list(operator.mutation_positions(node)))):
                mutated = _mutated(module, node, operator, index)
                if mutated != text and mutated not in found and _is_python(mutated):
                    found[mutated] = _spoiled(path, text, mutated)
    return sorted(found.values(), key=lambda mutant: (mutant.line, mutant.after))


def _mutated(module, node, operator, index):
    """Return the module's text with one mutation; the module is left as it was."""
    # cosmic-ray parses the file anew for each; this is twenty times as fast.
    parts = list(ast_nodes(node))
    kept = [list(part.children) if hasattr(part, 'children') else part.value for part in parts]
    siblings = node.parent.children if node.parent else []
    before = list(siblings)
    mutated = operator.mutate(node, index)  # None: nothing is to stand there
    siblings[:] = [mutated if sibling is node else sibling for sibling in before
                   if sibling is not node or mutated is not None]
    text = module.get_code()
    siblings[:] = before
    for part, value in zip(parts, kept):
        setattr(part, 'children' if hasattr(part, 'children') else 'value', value)
    return text


def _is_python(text):
    try:
        compile(text, 'mutant', 'exec')
    except SyntaxError:  # ** for * in front of an argument
        return False
    return True


def _spoiled(path, text, mutated):
    pairs = zip(text.splitlines(), mutated.splitlines())
    number, (before, after) = next(
        (number, pair) for number, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    return Spoiled(path, number, before.strip(), after.strip(), mutated)
