# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Who can find the nodes: programs on this host only, unless the user allows more.

By default ROS 2 finds nodes on the whole local network, and everybody who finds these nodes can
move the arm. On one host it uses shared memory, where a killed process leaves locks behind. A node
that waits for such a lock does nothing for up to a second, and so does its command watchdog.

So the nodes have a Fast DDS profile of their own, ``this_host.xml``: only UDP on 127.0.0.1. If the
environment has settings for discovery, they are kept; the argument ``--discovery`` wins over both.
This module does not import ROS, so that launch files can use it.
"""

from collections.abc import Callable, Mapping
from importlib.metadata import version
import os
from pathlib import Path
from time import monotonic, sleep

#: Values of the argument; the last three are ranges of ROS 2.
CHOICES = ('host', 'default', 'subnet', 'localhost', 'system_default')

#: Help text of the argument, for everything that offers it.
DESCRIPTION = (
    'Who can find the nodes and move the arm. host: this machine only, by a Fast DDS profile of '
    'arm_ik. subnet: the local network too. localhost, system_default: these ranges of ROS 2. '
    'default: as the environment and the middleware say. Without this argument: host, or '
    'default if the environment has settings for discovery.')

#: The Fast DDS profile of ``host``.
PROFILE = Path(__file__).with_name('this_host.xml')

#: Longest time in which a running arm is found, and its model, once there are joint states [s];
#: and how often it is looked for [s].
ARM_TIME, MODEL_TIME, PERIOD = 1.0, 10.0, 0.05

_RANGE, _LOCALHOST_ONLY = 'ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_LOCALHOST_ONLY'
_TRANSPORTS = 'FASTDDS_BUILTIN_TRANSPORTS'
_OLD_PROFILES, _PROFILES = 'FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE'

#: Environment variables of the user: those of any middleware, and those of Fast DDS.
_ROS_VARIABLES = (_RANGE, _LOCALHOST_ONLY, 'ROS_STATIC_PEERS')
_FAST_DDS_VARIABLES = ('ROS_DISCOVERY_SERVER', _TRANSPORTS, _OLD_PROFILES, _PROFILES)
_FAST_DDS_FILES = ('DEFAULT_FASTRTPS_PROFILES.xml', 'DEFAULT_FASTDDS_PROFILES.xml')


def settings(asked: str, environment: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """
    Return the environment variables to set before ROS starts, and a line for the log.

    :param asked: one of :data:`CHOICES`, or empty for the default.
    :param environment: mapping with the variables that are set already.
    """
    fast_dds = (environment.get('RMW_IMPLEMENTATION') or 'rmw_fastrtps').startswith('rmw_fastrtps')
    # Of Fast DDS 2, or of 3 from Kilted on. Not both: Kilted warns where the old one is set.
    profiles = _OLD_PROFILES if int(version('rclpy').split('.')[0]) < 9 else _PROFILES
    host = {profiles: str(PROFILE)} if fast_dds else {_RANGE: 'LOCALHOST'}
    # Of the user: variables with their values, and names of files.
    names = (*_ROS_VARIABLES, *_FAST_DDS_VARIABLES) if fast_dds else _ROS_VARIABLES
    variables = {name: environment[name] for name in names
                 if environment.get(name, '') not in ('', str(PROFILE))}
    files = [name for name in _FAST_DDS_FILES if fast_dds and Path(name).exists()]
    if not asked:
        set_by_launch = host.items() <= environment.items()
        asked = 'default' if (variables or files) and not set_by_launch else 'host'
    if asked == 'default':
        found = ', '.join([*map('='.join, variables.items()), *files])
        return {}, f'discovery as the environment says: {found or "no settings there"}'
    if asked == 'host':
        return {**dict.fromkeys(variables, ''), **host, 'SKIP_DEFAULT_XML_FILE': '1'}, (
            'found on this host only (--discovery subnet: on the local network too)')
    changes = {**{name: variables.get(name, '') for name in host},
               _LOCALHOST_ONLY: '', _RANGE: asked.upper()}
    if not files and not variables.keys() & set(_FAST_DDS_VARIABLES):
        changes[_TRANSPORTS] = 'UDPv4'
    return changes, f'found as far as {_RANGE}={asked.upper()} reaches'


def adopt(asked: str) -> str:
    """Set in this process's environment what :func:`settings` returns; return its line."""
    variables, line = settings(asked, os.environ)
    os.environ.update(variables)
    return line


def search(look: Callable[[], tuple[bool, bool]], now: Callable[[], float] = monotonic,
           pause: Callable[[float], object] = sleep) -> tuple[bool, bool]:
    """
    Return whether a running arm publishes a model, and whether anybody publishes joint states.

    :param look: returns both, as far as they are found by now.
    :param now: returns the time [s].
    :param pause: waits for a time [s].
    """
    begin, found = now(), look()
    while not all(found) and now() - begin < (MODEL_TIME if found[1] else ARM_TIME):
        pause(PERIOD)
        found = look()
    return found
