# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The package's shape: who imports whom, what it declares to need, which version it is.

The import rule, each group free to import itself and those before it::

    errors <- kinematics <- description <- motion <- arm, bus
    arm, bus <- drivers, workspace, solve, tool_rotation
    drivers <- servos, nodes, replay <- viewer, testing, lerobot <- teleop, teach, demo
    <- __main__
"""

import ast
from functools import cache
from graphlib import TopologicalSorter
import os
from pathlib import Path
import re
import runpy
import subprocess
import sys
from types import ModuleType
from xml.etree import ElementTree

from arm_ik.__main__ import COMMANDS
import pytest
import tiers

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / 'arm_ik'

#: How far up each group stands; groups of one height don't know each other.
HEIGHT = {'errors': 0, 'kinematics': 1, 'description': 2, 'collision': 3, 'motion': 3, 'arm': 4,
          '__init__': 4, 'bus': 4, 'drivers': 5, 'workspace': 5, 'solve': 5, 'mjcf': 5,
          'tool_rotation': 5,
          'servos': 6, 'nodes': 6, 'replay': 6, 'viewer': 7, 'testing': 7, 'teleop': 8,
          'lerobot': 7, 'teach': 8, 'demo': 8,
          '__main__': 9}

#: What each group may import from outside, besides the standard library.
OUTSIDE = {'errors': set(), 'kinematics': {'numpy'},
           'description': {'numpy', 'yaml', 'xacro'},
           'arm': {'numpy', 'matplotlib'}, '__init__': set(), 'motion': {'numpy'},
           'bus': {'serial', 'smbus2', 'mujoco', 'numpy'}, 'mjcf': set(), 'drivers': set(),
           'tool_rotation': {'numpy'},
           'collision': {'numpy'},
           'workspace': {'numpy', 'matplotlib'}, 'servos': {'numpy', 'yaml'}, 'solve': set(),
           'lerobot': {'numpy'}, 'replay': {'numpy', 'mcap', 'mcap_ros2', 'yaml'},
           '__main__': set()}

#: The only groups that may import ROS.
ROS_GROUPS = {'nodes', 'viewer', 'testing', 'teleop', 'teach', 'demo'}

#: Where the key of package.xml is not the imported name.
ROSDEP_KEY = {'numpy': 'python3-numpy', 'yaml': 'python3-yaml', 'matplotlib': 'python3-matplotlib',
              'serial': 'python3-serial', 'smbus2': 'python3-smbus2', 'pytest': 'python3-pytest',
              'hypothesis': 'python3-hypothesis', 'tf2_ros': 'tf2_ros_py'}

#: Python modules that pip brings with ros-rclpy.
WITH_RCLPY = {'rclpy', 'rcl_interfaces', 'builtin_interfaces', 'rosgraph_msgs',
              'ament_index_python', 'action_msgs', 'lifecycle_msgs'}

#: Imported where installed, with an answer where not: pip has none of them.
OPTIONAL = {'control_msgs', 'tf2_msgs', 'tf2_ros', 'interactive_markers', 'launch', 'launch_ros',
            'launch_testing', 'launch_testing_ros'}

#: Of the extras ``viewer``, ``record``, ``plot`` and ``physics``, which pip brings and rosdep does
#: not; xacro is the user's own.
VIEWER = {'PIL', 'mujoco', 'xacro', 'viser', 'websockets', 'msgspec', 'zstandard', 'trimesh',
          'mcap', 'mcap_ros2', 'rosbags'}

#: Public names, for all their underscore.
PUBLIC = {'_asdict', '_exit', '_fields', '_make', '_replace'}

#: Of Python files.
FOLDERS = ('arm_ik', 'launch', 'examples', 'test', 'benchmark', 'reliability')

HEADER = """\
# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""


def python_files(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob('*.py'))]


def group_of(module):
    """Return the group a module such as ``arm_ik.kinematics.target`` belongs to."""
    return (module.split('.') + ['__init__'])[1]


def is_ros(name):
    return name == 'rclpy' or name.endswith(('_msgs', '_srvs', '_interfaces', '_py')) or \
        name.startswith(('tf2_', 'launch', 'ament_', 'diagnostic_updater', 'interactive_markers'))


@cache
def imported(module, source, is_package=False):
    """Return the full names of what a module imports at any level, and what for types alone."""
    here, found = module.split('.') if is_package else module.split('.')[:-1], (set(), set())

    def look(node, for_types):
        if isinstance(node, ast.Import):
            found[for_types].update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[:len(here) - node.level + 1] if node.level else []
            base = '.'.join(base + [node.module] * bool(node.module))
            found[for_types].update(name if is_module(name := f'{base}.{alias.name}') else base
                                    for alias in node.names)
        for child in ast.iter_child_nodes(node):
            look(child, for_types or isinstance(node, ast.If) and child in node.body
                 and ast.unparse(node.test) == 'TYPE_CHECKING')

    look(ast.parse(source), False)
    return found


def violations(module, source, is_package=False):
    """Return in words what a module imports against the rule."""
    group, found = group_of(module), []
    for name in sorted(set.union(*imported(module, source, is_package))):
        top = name.split('.')[0]
        if top == 'arm_ik':
            other = group_of(name)
            if other != group and (other not in HEIGHT or HEIGHT[other] >= HEIGHT[group]) \
                    and not (group == '__init__' and HEIGHT.get(other, 9) <= HEIGHT['arm']):
                found.append(f'{module} imports {name}, which stands above or beside it')
        elif is_ros(top) and group not in ROS_GROUPS and top not in OUTSIDE[group]:
            found.append(f'{module} imports {top}, which is ROS')
        elif top not in sys.stdlib_module_names and top not in OUTSIDE.get(group, {top}):
            found.append(f'{module} imports {top}; allowed besides the standard library: '
                         f'{", ".join(sorted(OUTSIDE[group])) or "nothing"}')
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not getattr(node, 'level', 0):
            names = [getattr(node, 'module', None)] + [alias.name for alias in node.names]
            if any((name or '').split('.')[0] == 'arm_ik' for name in names):
                found.append(f'{module} line {node.lineno} imports arm_ik by its name; '
                             'inside the package imports are relative')
    return found


def private_names(source):
    """Return the private names of others that a source uses: all but those of ``self``."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr.startswith('_'):
            is_own = ast.unparse(node.value) in ('self', 'cls', 'super()')
            if not (is_own or node.attr.endswith('__') or node.attr in PUBLIC):
                found.append(f'line {node.lineno}: {ast.unparse(node)}')
        elif isinstance(node, ast.ImportFrom):
            parts = [*(node.module or '').split('.'), *(alias.name for alias in node.names)]
            if any(part.startswith('_') and not part.endswith('__') for part in parts) \
                    or node.module == 'rclpy.impl':
                found.append(f'line {node.lineno}: {ast.unparse(node)}')
        elif isinstance(node, ast.Assign):
            found += [f'line {node.lineno}: {ast.unparse(target)} =' for target in node.targets
                      if re.search(r'__signature__|sys\.modules\[', ast.unparse(target))]
    return found


def is_module(name):
    there = ROOT.joinpath(*name.split('.'))
    return name.startswith('arm_ik.') and (there.is_dir() or there.with_suffix('.py').is_file())


def module_name(path):
    parts = list(path.relative_to(ROOT).with_suffix('').parts)
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


def dependencies(*kinds):
    package = ElementTree.parse(ROOT / 'package.xml').getroot()
    return {element.text for kind in kinds for element in package.findall(kind)}


def setup_arguments(path=ROOT / 'setup.py'):
    """Return what setup.py hands to setuptools, without setuptools."""
    given = {}
    stand_in = ModuleType('setuptools')
    stand_in.setup = lambda **arguments: given.update(arguments)
    stand_in.find_packages = lambda **arguments: []
    real = sys.modules.get('setuptools')
    sys.modules['setuptools'] = stand_in
    try:
        exec(compile(path.read_text(), 'setup.py', 'exec'), {'__file__': str(path)})
    finally:
        if real is None:
            del sys.modules['setuptools']
        else:
            sys.modules['setuptools'] = real
    return given


def test_a_module_imports_only_what_stands_below_it():
    assert [words for path in python_files('arm_ik') for words in violations(
        module_name(path), path.read_text(), path.name == '__init__.py')] == []


def test_no_modules_import_each_other_in_a_circle():
    imports = {name: imported(name, path.read_text(), path.name == '__init__.py')[0] - {name}
               for path in python_files('arm_ik') for name in [module_name(path)]}
    TopologicalSorter(imports).prepare()    # which raises an error with the circle


def test_a_file_uses_no_private_name_of_others():
    assert [f'{path} {words}' for path in python_files(*FOLDERS)
            if path != Path(__file__).resolve() for words in private_names(path.read_text())] == []


def test_a_file_starts_with_the_licence_header():
    assert [path for path in [*python_files(*FOLDERS), ROOT / 'setup.py'] if not re.match(
        rf'(#!.*\n+)?{re.escape(HEADER)}|\Z', path.read_text())] == []


@pytest.mark.parametrize('code, absent', [
    ('import arm_ik.testing.servos.serial_buses', 'rclpy'), ('import arm_ik.lerobot', 'lerobot'),
    ('import arm_ik.__main__; from arm_ik.drivers import make_backend; '
     'make_backend("simulated", arm_ik.Arm.preset("so101").model)', 'mujoco')])
def test_what_is_not_used_is_not_imported(code, absent):
    code += f'; import sys; assert {absent!r} not in sys.modules'
    subprocess.run([sys.executable, '-c', code], cwd=ROOT, check=True)


def test_test_files_have_names_of_their_own():
    # Without packages below test/, pytest tells modules apart by their file names alone.
    names = [path.name for path in python_files('test') if path.name != 'conftest.py']
    assert sorted(names) == sorted(set(names))


def test_what_run_tests_names_is_there():
    named = re.findall(r'\btest/[\w/{},.]+', (ROOT / 'run_tests').read_text())
    listed = subprocess.run(['bash', '-c', f'printf "%s\\n" {" ".join(named)}'],
                            stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    assert len(listed) > 20
    assert [path for path in listed if not (ROOT / path).exists()] == []


def test_all_files_say_the_same_version():
    versions = runpy.run_path(str(ROOT / 'tools' / 'versions.py'))['versions']()
    assert len(versions) == 4 and len(set(versions.values())) == 1


def test_what_the_table_of_thorough_tests_names_is_there():
    assert tiers.MISSING == []


def outside_imports(*folders):
    """Return every top-level name imported that is neither ours nor the standard library's."""
    local = {path.stem for path in python_files(*folders)} | {'arm_ik', 'reliability'}
    names = {name.split('.')[0] for path in python_files(*folders)
             for name in set.union(*imported(
                 module_name(path), path.read_text(), path.name == '__init__.py'))}
    return names - set(sys.stdlib_module_names) - local - VIEWER


def test_package_xml_names_everything_the_installed_files_import():
    keys = dependencies('depend', 'exec_depend')
    needed = outside_imports('arm_ik', 'launch') - {'pytest'}  # for users of the fixture only
    assert {ROSDEP_KEY.get(name, name) for name in needed} - keys == set()


def test_package_xml_names_everything_the_tests_import():
    keys = dependencies('depend', 'exec_depend', 'test_depend')
    needed = outside_imports('arm_ik', 'launch', 'examples', 'test')
    assert {ROSDEP_KEY.get(name, name) for name in needed} - keys == set()


@pytest.mark.parametrize('distro', ['jazzy', 'kilted'])
def test_the_pip_extras_bring_every_ros_package_imported(distro):
    extras = ' '.join(setup_arguments()['extras_require'][distro])
    needed = {name for name in outside_imports('arm_ik') if is_ros(name)} - WITH_RCLPY - OPTIONAL
    assert {name for name in needed if f'ros-{distro}-{name.replace("_", "-")}' not in extras} \
        == set()
    assert 'ros-rclpy[fastrtps]==' in extras


def test_pip_and_package_xml_bring_the_same_python_libraries():
    keys = dependencies('exec_depend')
    for name in outside_imports('arm_ik'):
        if not is_ros(name) and name not in (
                'pytest', 'PIL', 'matplotlib', 'mujoco', 'serial', 'smbus2'):
            assert ROSDEP_KEY[name] in keys
            assert re.search(rf'(?i)\b{re.sub("^yaml$", "pyyaml", name)}\b',
                             ' '.join(setup_arguments()['install_requires']))


def test_pips_bin_gets_only_names_that_say_whose_they_are():
    names = {line.split(' = ')[0]
             for line in setup_arguments()['entry_points']['console_scripts']}
    assert names == {'arm_ik', 'ik_node', 'driver_node'}


def test_every_executable_and_command_is_a_function_that_exists():
    in_setup = setup_arguments()['entry_points']['console_scripts']
    for where in [line.split(' = ')[1] for line in in_setup] + [
            f'arm_ik.{function}' for _, function in COMMANDS.values()]:
        module, function = where.split(':')
        base = ROOT.joinpath(*module.split('.'))
        path = base / '__init__.py' if base.is_dir() else base.with_suffix('.py')
        body = ast.parse(path.read_text()).body
        assert function in {getattr(node, 'name', None) for node in body} | {
            alias.asname or alias.name for node in body
            if isinstance(node, ast.ImportFrom) for alias in node.names}, where


def test_ros2_run_gets_every_command(monkeypatch):
    monkeypatch.chdir(ROOT)
    given = dict(setup_arguments()['data_files'])['lib/arm_ik']
    in_bin = {line.split(' = ')[0]
              for line in setup_arguments()['entry_points']['console_scripts']}
    # One that lacks: ln -s ../tools/ros2_run executables/NAME
    assert given == [f'executables/{name}' for name in sorted(set(COMMANDS) - in_bin)]
    for path in given:
        assert Path(path).resolve() == ROOT / 'tools' / 'ros2_run' and os.access(path, os.X_OK)


def test_the_package_index_shows_the_readme(tmp_path):
    # colcon build --symlink-install runs setup.py by a link to it.
    (tmp_path / 'setup.py').symlink_to(ROOT / 'setup.py')
    given = setup_arguments(tmp_path / 'setup.py')
    assert given['long_description'] == (ROOT / 'README.md').read_text(encoding='utf-8')
    assert given['long_description_content_type'] == 'text/markdown'


def test_every_file_beside_the_code_is_installed_with_it():
    patterns = setup_arguments()['package_data']['']
    there = [path for path in PACKAGE.rglob('*')
             if path.is_file() and path.suffix not in ('.py', '.pyc')]
    assert PACKAGE / 'py.typed' in there
    assert [path for path in there if not any(map(path.match, patterns))] == []


def test_share_gets_every_folder_that_launch_and_ros2_read(monkeypatch):
    monkeypatch.chdir(ROOT)
    shared = dict(setup_arguments()['data_files'])
    assert shared['share/ament_index/resource_index/packages'] == ['resource/arm_ik']
    assert shared['share/arm_ik'] == ['package.xml']
    for folder, suffix in (('launch', '.launch.py'), ('config', '.yaml'), ('rviz', '.rviz'),
                           ('examples', '.py')):
        there = sorted(f'{folder}/{path.name}' for path in (ROOT / folder).iterdir()
                       if path.name.endswith(suffix))
        assert there and shared[f'share/arm_ik/{folder}'] == there


#: Words that CONTRIBUTING.md does not want: one verb for one meaning, and plain English.
UNWANTED = re.compile(r'(?:\b|_)(ways?|stands?|standing|told|tells|gone|let[_ ]go)(?:\b|_)', re.I)


def test_the_words_of_the_package_are_plain():
    assert UNWANTED.search('where it stands') and UNWANTED.search('_told')
    assert not UNWANTED.search('always standard')
    found = [f'{path.relative_to(ROOT)}:{number}: {line.strip()}'
             for path in python_files('arm_ik')
             for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1)
             if UNWANTED.search(line)]
    assert found == []
