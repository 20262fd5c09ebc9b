# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What the two tiers of tests notice: planted faults, by cosmic-ray, spread over the whole package.

    python -m reliability.mutants [--count N] [--seed N] [--folder FOLDER] [--only PART ...]

Needs the extra ``mutation``. Faults are planted in a clone, not here. Which tests execute which
line is measured once, by coverage, of the default tier. A fault meets the tests of that tier that
execute its line, and if they pass the thorough ones of the same files; it is noticed if a test
fails twice, for one may fail once for want of time. The record is kept in the folder, and the
same command goes on there after a break; with another commit it begins anew.

Faults that change nothing are in ``equivalent.yaml``, with the reasons. With ``--only bus
drivers`` the faults are in these folders, and so are the tests.

Exits with 1 if the default tier notices less than 95 % of what all tests notice.
"""

from argparse import ArgumentParser
from collections import Counter, defaultdict
from itertools import chain, zip_longest
import os
from pathlib import Path
from random import Random
import re
import shutil
import subprocess
import sys

from cosmic_ray.commands.init import init
from cosmic_ray.modules import find_modules
from cosmic_ray.mutating import mutate_and_test, mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import use_db, WorkDB
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult
from coverage import CoverageData
import yaml

from .figures import ROOT

WANTED = 0.95

#: Faults that a person makes; others, such as ``<<`` instead of ``+``, any test notices.
_OPERATORS = re.compile(
    r'core/(ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul)|AddNot|NumberReplacer'
    r'|ReplaceComparisonOperator_(Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_GtE|GtE_Lt|Eq_NotEq|NotEq_Eq)'
    r'|ReplaceUnaryOperator_(USub_UAdd|Delete_Not)|Replace(True|False|And|Or|Break|Continue)With.*'
    r'|ZeroIterationForLoop)')

#: How long the tests of a fault may take [s]; if they take longer, it is noticed.
_TIMEOUT = 300.0

#: More tests than so many run on two cores.
_MANY = 40

_COVERAGE = """\
[run]
patch = subprocess
parallel = true
context = ${PYTEST_CURRENT_TEST-}
"""


def main(given=None):
    """Plant the faults that are left, print what was noticed, and return the exit code."""
    parser = ArgumentParser(prog='python -m reliability.mutants')
    parser.add_argument('--count', type=int, default=120, help='faults (default: %(default)s)')
    parser.add_argument('--seed', type=int, default=1, help='of their choice')
    parser.add_argument('--folder', type=Path, default=ROOT / 'reliability_output' / 'mutants',
                        help='where the record is kept (default: %(default)s)')
    parser.add_argument('--only', nargs='+', default=[], metavar='PART',
                        help='folders of arm_ik and of test; by default all')
    chosen = parser.parse_args(given)
    folder = chosen.folder.resolve() / '-'.join(chosen.only)
    os.chdir(_clone(folder))
    tests = Tests(folder, chosen.only)
    with use_db(str(folder / 'record.sqlite'), WorkDB.Mode.create) as record:
        if not record.num_work_items:
            modules = [path for path in find_modules([Path('arm_ik')])
                       if 'arm_ik/testing/servos' not in str(path)
                       and (not chosen.only or path.parts[1] in chosen.only)]
            init(modules, record, {})
        faults = spread(record.work_items, chosen.count, Random(chosen.seed))
        done = dict(record.results)
        for number, (fault, line) in enumerate(faults, 1):
            if fault.job_id not in done:
                done[fault.job_id] = tests.meet(fault.mutations[0])
                record.set_result(fault.job_id, done[fault.job_id])
            print(f'{number}/{len(faults)} {fault.mutations[0].module_path}: {line}: noticed by '
                  f'{done[fault.job_id].output}', file=sys.stderr, flush=True)
    return report([(fault.mutations[0], line, done[fault.job_id].output)
                   for fault, line in faults])


def _clone(folder):
    """Return a clone of the present commit in a folder; what is there of another one goes."""
    clone = folder / 'clone'
    head = [subprocess.run(['git', '-C', each, 'rev-parse', 'HEAD'], text=True,
                           capture_output=True).stdout for each in (ROOT, clone)]
    if not clone.exists() or head[0] != head[1]:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(['git', 'clone', '-q', ROOT, clone], check=True)
    # Who was killed has left a fault there.
    subprocess.run(['git', '-C', clone, 'checkout', '-q', '.'], check=True)
    return clone


class Tests:
    """
    Which tests of the default tier execute which line, and which of their files are thorough.

    It is measured once, in the present folder, which is a clone.
    """

    def __init__(self, folder, only):
        self._arguments = folder / 'arguments'
        data, config = folder / 'coverage', folder / 'coverage.ini'
        if not data.exists():
            config.write_text(_COVERAGE)
            ran = subprocess.run(
                [sys.executable, '-m', 'pytest', '-q', '-n', '4', '--dist', 'worksteal', '-m',
                 'not thorough', '--cov=arm_ik', f'--cov-config={config}', '--cov-context=test',
                 '--cov-report=', *(f'test/{part}' for part in only)],
                env={**os.environ, 'COVERAGE_FILE': str(folder / 'measured')})
            if ran.returncode not in (0, 1):
                sys.exit('The tests did not come to their end: nothing was measured.')
            (folder / 'measured').rename(data)
        self._data = CoverageData(str(data))
        self._data.read()
        listed = subprocess.run([sys.executable, '-m', 'pytest', '-q', '--collect-only', '-m',
                                 'thorough'], text=True, capture_output=True).stdout
        self._thorough = defaultdict(set)
        for line in listed.splitlines():
            self._thorough[line.partition('::')[0]].add(line)

    def of(self, mutation):
        """
        Return the tests that execute what is changed.

        What an import or another process executes says no test: then those of the file count, and
        those that have its name.
        """
        lines = self._data.contexts_by_lineno(str(mutation.module_path.resolve()))
        changed = range(mutation.start_pos[0], mutation.end_pos[0] + 1)
        found = set(chain.from_iterable(lines.get(line, ()) for line in changed))
        if found == {''}:
            part = mutation.module_path.parts[1].removesuffix('.py')
            found = {*chain.from_iterable(lines.values()), *map(str, Path('test').glob(part)),
                     *map(str, Path('test').rglob(f'test_{part}*.py'))}
        # Of a process that was started by a fixture, the first test that had it is known.
        return {context.partition('::')[0] if context.endswith(' (setup)') else
                re.sub(r'(\|(run|setup|teardown)| \((call|teardown)\))$', '', context)
                for context in found - {''}}

    def meet(self, mutation):
        """Plant a fault; return a result whose output is the tier that notices it, or nobody."""
        found, noticed = self.of(mutation), 'nobody'
        part = Path(*mutation.module_path.parts[1:2])
        files = tuple(each.partition('::')[0] for each in found)
        thorough = set().union(*(ids for file, ids in self._thorough.items()
                                 if file.startswith(files)))
        for tier, ids in (('default', found), ('thorough', thorough)):
            if not ids:
                continue
            near = sorted(ids, key=lambda each: (f'test/{part}' not in each, each))
            self._arguments.write_text('\n'.join(near))
            marker = '-m "not thorough"' if tier == 'default' else ''
            command = (f'{sys.executable} -m pytest -q -x -p no:cacheprovider {marker} '
                       f'{"-n 2" if len(near) > _MANY else ""} @{self._arguments}')
            if all(mutate_and_test([mutation], command, _TIMEOUT).test_outcome
                   != TestOutcome.SURVIVED for _ in range(2)):
                noticed = tier
                break
        return WorkResult(WorkerOutcome.NORMAL,
                          noticed if found else 'nobody: no test executes it',
                          TestOutcome.SURVIVED if noticed == 'nobody' else TestOutcome.KILLED)


def spread(faults, count, random):
    """Return so many faults and their lines, one of each folder in turn; no equivalent ones."""
    equivalent = yaml.safe_load(Path('reliability/equivalent.yaml').read_text()) or {}
    folders = defaultdict(list)
    for fault in sorted(faults, key=lambda each: _key(each.mutations[0])):
        if _OPERATORS.fullmatch(fault.mutations[0].operator_name):
            folders['/'.join(fault.mutations[0].module_path.parts[:2])].append(fault)
    for each in folders.values():
        random.shuffle(each)
    chosen = []
    for fault in filter(None, chain.from_iterable(zip_longest(*folders.values()))):
        mutation = fault.mutations[0]
        code = mutate_code(mutation.module_path.read_text(),
                           get_operator(mutation.operator_name)(), mutation.occurrence)
        line = code.splitlines()[mutation.start_pos[0] - 1].strip()
        if line not in equivalent.get(str(mutation.module_path), {}):
            chosen.append((fault, line))
        if len(chosen) == count:
            break
    return chosen


def _key(mutation):
    return str(mutation.module_path), mutation.operator_name, mutation.occurrence


def report(seen):
    """Print what the tiers notice, by folder, and what they do not; return the exit code."""
    table = defaultdict(Counter)
    for mutation, line, noticed in seen:
        for row in ('/'.join(mutation.module_path.parts[:2]), 'all'):
            table[row]['faults'] += 1
            table[row]['default'] += noticed == 'default'
            table[row]['both'] += noticed in ('default', 'thorough')
        if noticed != 'default':
            print(f'- {mutation.module_path}:{mutation.start_pos[0]}: `{line}`: {noticed}')
    print('\n| folder | faults | noticed by the default tier | by all tests |\n|---|---|---|---|')
    for row, counts in table.items():
        print(f'| {row} | {counts["faults"]} | {counts["default"]} | {counts["both"]} |')
    share = table['all']['default'] / max(1, table['all']['both'])
    print(f'\nOf what all tests notice, the default tier notices {100 * share:.0f} %.')
    return 0 if share >= WANTED else 1


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit('\nInterrupted. The same command goes on here.')
