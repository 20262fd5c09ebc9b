# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The machinery of mutation testing: what a fault touches, and the page of those that live."""

import pytest
from reliability.mutation import survivors
from reliability.mutation.importers import Importers
from reliability.mutation.mutation_scope import SCOPES


@pytest.fixture(scope='module')
def importers():
    return Importers(survivors.ROOT)


def test_a_fault_touches_the_module_and_all_that_import_it(importers):
    touched = importers.of('arm_ik.nodes.ik.ramp')
    assert {'arm_ik.nodes.ik.ramp', 'arm_ik.nodes.ik.motion', 'arm_ik.nodes.ik.core',
            'arm_ik.nodes.ik.ik_node', 'arm_ik'} <= touched
    assert not {'arm_ik.nodes.ik.stuck', 'arm_ik.kinematics.limits', 'arm_ik.errors'} & touched


def test_an_import_inside_a_function_counts(importers):
    # arm_ik.nodes.process.parameter_check imports it when a name is in question.
    assert 'arm_ik.nodes.process.parameter_check' in importers.of('arm_ik.nodes.driver.parameters')


def test_every_file_that_is_mutated_is_there_and_so_are_its_tests():
    for path, stages in SCOPES:
        assert (survivors.ROOT / path).is_file()
        for word in ' '.join(stages).split():
            assert (survivors.ROOT / word).is_file() or word.startswith('--deselect='), word


def test_every_survivor_still_stands_in_its_file():
    for path, found in survivors.SURVIVORS.items():
        lines = [line.strip() for line in (survivors.ROOT / path).read_text().splitlines()]
        for before, after, why in found:
            assert before in lines, f'{path}: {before}'
            assert before != after and why


def test_the_page_of_survivors_is_made_from_their_list():
    assert survivors.PAGE.read_text() == survivors.page(), \
        'run: python -m reliability.mutation.survivors'
