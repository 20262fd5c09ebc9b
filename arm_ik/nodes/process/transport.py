# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How the nodes' messages travel: by UDP, on one host too, unless somebody says otherwise.

Fast DDS, ROS 2's usual middleware, passes messages between the processes of a host through shared
memory. A process that is killed leaves there locks that it held and ports that nobody reads. Who
sends there next waits for either, for 0.3 to 1 s, and keeps locks of its own meanwhile. A node
whose ``publish`` or whose wait for messages needs one of these stands still: no time-out runs
down, and an arm moves on. A node without shared memory has nothing to wait for, whatever the
others use: they send to it by UDP too.

There is a variable for that, but where discovery is for this host only, ROS names the transports
itself, shared memory among them. So it is told there that Fast DDS's own settings hold, and these
are given: the same, but for the shared memory, and quicker. Were they not heeded, the whole
network could find the node; then shared memory would be used, which tells, and the node is not
started.
"""

from contextlib import contextmanager
from pathlib import Path

from .discovery import VARIABLE as RANGE
from ...errors import InvalidInputError

#: Fast DDS's own variable for what a process sends and receives by.
TRANSPORTS = 'FASTDDS_BUILTIN_TRANSPORTS'

#: The libraries of Fast DDS before version 3 and since, and what names a file of settings to them.
PROFILES = {'libfastrtps.so': 'FASTRTPS_DEFAULT_PROFILES_FILE',
            'libfastdds.so': 'FASTDDS_DEFAULT_PROFILES_FILE'}

#: Variables and files by which users say themselves how messages travel, or to whom.
_OWN = (TRANSPORTS, *PROFILES.values(), 'ROS_DISCOVERY_SERVER')
_OWN_HERE = ('ROS_STATIC_PEERS', 'ROS_LOCALHOST_ONLY')
_OWN_FILES = ('DEFAULT_FASTRTPS_PROFILES.xml', 'DEFAULT_FASTDDS_PROFILES.xml')

# Their settings for this host; they are the same, but Fast DDS 3 calls one of them otherwise.
_THIS_HOST = {library: Path(__file__).with_name(name) for library, name in zip(
    PROFILES, ('this_host_2.xml', 'this_host_3.xml'))}
_MAPS = Path('/proc/self/maps')


@contextmanager
def by_udp(environment):
    """
    Have the ROS that is started within the context use UDP.

    :param environment: that of the process; as it was at the end of the context.
    :raises InvalidInputError: if the middleware does not heed what it is told.
    """
    changed = variables(environment, _mapped)
    before = {name: environment[name] for name in changed if name in environment}
    environment.update(changed)
    try:
        yield
    finally:
        for name in changed:
            del environment[name]
        environment.update(before)
    if RANGE in changed and '/dev/shm/fast' in _mapped():
        _, settings = changed.values()
        raise InvalidInputError('middleware', f'Fast DDS without the settings of {settings}',
                                f'one that heeds them; or set {TRANSPORTS}=DEFAULT')


def variables(environment, mapped):
    """
    Return the environment variables to set while ROS starts.

    :param environment: mapping with the variables that are set already.
    :param mapped: returns the names of the files that this process has in its memory, as text.
    """
    if any(map(environment.get, _OWN)) or any(Path(name).exists() for name in _OWN_FILES):
        return {}
    if environment.get(RANGE) != 'LOCALHOST':
        return {TRANSPORTS: 'UDPv4'}
    libraries = [library for library in PROFILES if library in mapped()]
    if not libraries or any(map(environment.get, _OWN_HERE)):
        return {}
    library = libraries[0]
    return {RANGE: 'SYSTEM_DEFAULT', PROFILES[library]: str(_THIS_HOST[library])}


def _mapped():
    """Return the names of the files in this process's memory, if Fast DDS is its middleware."""
    from rclpy.utilities import get_rmw_implementation_identifier
    if not get_rmw_implementation_identifier().startswith('rmw_fastrtps'):  # has it loaded
        return ''
    try:
        return _MAPS.read_text(encoding='utf-8')
    except OSError:
        return ''  # not Linux
