# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Install arm_ik with colcon (``ament_python``) or with pip.

The extras ``jazzy`` and ``kilted`` bring ROS 2 itself from the package index; in a colcon
workspace the keys in ``package.xml`` do.

pip's ``bin`` only gets names that are not too general. ``ros2 run arm_ik demo`` finds
``executables/demo`` in ``lib/arm_ik``, where colcon also installs the scripts.
"""

from glob import glob
from pathlib import Path
import re

from setuptools import find_packages, setup

PACKAGE = 'arm_ik'
SHARE = f'share/{PACKAGE}'
VERSION = re.search(r"__version__ = '(.*)'", Path(__file__).resolve().with_name(
    PACKAGE).joinpath('__init__.py').read_text(encoding='utf-8'))[1]

#: Folders installed below share/arm_ik, with the files each one gives.
SHARED_FOLDERS = {
    'config': '*.yaml',
    'config/servos': '*.yaml',
    'config/targets': '*.yaml',
    'examples': '*.py',
    'launch': '*.launch.py',
    'rviz': '*.rviz',
}

MESSAGES = (
    'diagnostic-msgs', 'geometry-msgs', 'nav-msgs', 'sensor-msgs', 'std-msgs', 'std-srvs',
    'trajectory-msgs', 'visualization-msgs')


def ros(distro, rclpy_version):
    """
    Return the requirements that bring a ROS 2 distribution with Fast DDS.

    :param distro: name in lower case, e.g. ``'jazzy'``.
    :param rclpy_version: version of rclpy this package is tested with.
    """
    return [f'ros-rclpy[fastrtps]=={rclpy_version}',
            *(f'ros-{distro}-{name}' for name in MESSAGES)]


setup(
    name=PACKAGE,
    version=VERSION,
    description='Exact inverse kinematics for hobby servo arms, as a ROS 2 package',
    long_description=Path(__file__).resolve().with_name('README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    author='The arm_ik authors',
    maintainer='The arm_ik authors',
    maintainer_email='maintainers@users.noreply.a-seed-587a3749.example',
    license='MIT',
    keywords=['ROS', 'inverse kinematics', 'robot arm', 'servo'],
    classifiers=[
        'Development Status :: 4 - Beta',
        'Intended Audience :: Developers',
        'Intended Audience :: Education',
        'Intended Audience :: Science/Research',
        'Operating System :: POSIX :: Linux',
        *(f'Programming Language :: Python :: 3.{minor}' for minor in (10, 11, 12, 13)),
        'Topic :: Scientific/Engineering',
        'Typing :: Typed',
    ],
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    package_data={'': ['*.css', '*.csv', '*.js', '*.xml', '*.yaml', 'py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (SHARE, ['package.xml']),
        (f'lib/{PACKAGE}', sorted(glob('executables/*'))),
        *((f'{SHARE}/{folder}', sorted(glob(f'{folder}/{pattern}')))
          for folder, pattern in SHARED_FOLDERS.items()),
    ],
    zip_safe=False,
    python_requires='>=3.10',
    install_requires=['numpy>=1.21', 'PyYAML'],
    extras_require={
        'jazzy': ros('jazzy', '7.1.6'),
        'kilted': ros('kilted', '9.1.2'),
        'plot': ['matplotlib'],
        'servos': ['pyserial', 'smbus2>=0.4'],
        # backend: mujoco; Python 3.10 gets 3.x
        'physics': ['mujoco>=3.3'],
        # one version, because the viewer's guard wraps a part of it; test/viewer/ tests the wrap
        'viewer': ['viser==1.1.1', 'websockets>=15,<17', 'pycollada'],
        # drives the chromium that is installed; brings no browser of its own
        'browser': ['playwright'],
        'test': ['pytest', 'pytest-xdist', 'hypothesis', 'mypy', 'pin', 'ruckig',
                 'toppra', 'xacro', 'rosbags',
                 f'{PACKAGE}[browser,docs,physics,record,servos,viewer]'],
        # builds the site: sphinx-build -W docs site
        'docs': ['sphinx', 'myst-parser', 'furo'],
        # arm_ik record, and replay of recordings
        'record': ['mcap>=1.6', 'mcap-ros2-support'],
        'benchmark': ['EAIK==1.2.2'],
        # runs python -m reliability.mutants
        'mutation': ['cosmic-ray', 'pytest-cov'],
        # ament's own checks of style, and what they need
        'lint': ['ros-ament-flake8', 'ros-ament-pep257', 'flake8', 'flake8-builtins',
                 'flake8-comprehensions', 'flake8-docstrings', 'flake8-import-order',
                 'flake8-quotes', 'pre-commit', 'pydocstyle', 'ruff'],
    },
    entry_points={
        'console_scripts': [
            f'{PACKAGE} = {PACKAGE}.__main__:main',
            f'driver_node = {PACKAGE}.nodes.startup.start:driver_node',
            f'ik_node = {PACKAGE}.nodes.startup.start:ik_node',
        ],
    },
)
