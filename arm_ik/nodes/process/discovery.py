# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Who can find the nodes: programs on this host only, unless the user opens them.

ROS 2 by itself finds nodes on the whole local network, and whoever finds these can move the arm.
On one host it passes messages through shared memory, where a process that is killed leaves locks
behind: a node that waits for one stands still for up to a second, its command watchdog too.

So the nodes have a Fast DDS profile of their own, ``this_host.xml``: UDP on 127.0.0.1 and nothing
else. Where the environment has settings of its own, these are left alone; an argument wins over
both. Free of ROS, for the launch files too.
"""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

#: What may be asked for; the last three are ROS 2's own ranges.
CHOICES = ('host', 'default', 'subnet', 'localhost', 'system_default')

#: What the argument means, for everybody who offers it.
DESCRIPTION = (
    'Who can find the nodes, and move the arm: host, this machine only, by a Fast DDS profile of '
    'arm_ik; subnet, the local network too; localhost or system_default, as these ranges of '
    'ROS 2; default, as the environment and the middleware say. Without it: host, or default '
    'where the environment has settings for discovery.')

#: The Fast DDS profile of ``host``.
PROFILE = Path(__file__).with_name('this_host.xml')

_RANGE, _LOCALHOST_ONLY = 'ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_LOCALHOST_ONLY'
_TRANSPORTS = 'FASTDDS_BUILTIN_TRANSPORTS'
_OLD_PROFILES, _PROFILES = 'FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE'

#: Settings of the user: those that any middleware heeds, and those of Fast DDS.
_ROS_VARIABLES = (_RANGE, _LOCALHOST_ONLY, 'ROS_STATIC_PEERS')
_FAST_DDS_VARIABLES = ('ROS_DISCOVERY_SERVER', _TRANSPORTS, _OLD_PROFILES, _PROFILES)
_FAST_DDS_FILES = ('DEFAULT_FASTRTPS_PROFILES.xml', 'DEFAULT_FASTDDS_PROFILES.xml')


def settings(asked: str, environment: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """
    Return the environment variables to set before ROS starts, and a line for the log.

    :param asked: one of :data:`CHOICES`, or empty for the default.
    :param environment: mapping with the variables that are set already.
    """
    middleware = environment.get('RMW_IMPLEMENTATION') or 'rmw_fastrtps_cpp'
    fast_dds = middleware.startswith('rmw_fastrtps')
    host = {_profile_variable(): str(PROFILE)} if fast_dds else {_RANGE: 'LOCALHOST'}
    variables, files = _settings_of_user(environment, fast_dds)
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


def _settings_of_user(environment: Mapping[str, str], fast_dds: bool
                      ) -> tuple[dict[str, str], list[str]]:
    """Return the user's own settings: variables with their values, and names of files."""
    names = (*_ROS_VARIABLES, *_FAST_DDS_VARIABLES) if fast_dds else _ROS_VARIABLES
    variables = {name: environment[name] for name in names
                 if environment.get(name, '') not in ('', str(PROFILE))}
    files = [name for name in _FAST_DDS_FILES if fast_dds and Path(name).exists()]
    return variables, files


def _profile_variable() -> str:
    """Return what names a profile to Fast DDS 2, or to version 3, of Kilted and later."""
    # Not both: Kilted warns where the old one is set.
    return _OLD_PROFILES if int(version('rclpy').split('.')[0]) < 9 else _PROFILES
