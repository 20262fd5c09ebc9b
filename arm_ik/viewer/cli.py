# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The command ``viewer``: from its arguments to the page, until a signal ends it."""

import argparse
from collections.abc import Sequence
from contextlib import closing
import os
from pathlib import Path
import sys
import threading
from typing import Any

from ..arm import Arm, arm_of
from ..nodes.startup import discovery
from ..nodes.startup.command_line import add_options, split
from ..nodes.startup.start import handle_signals

#: After so long it is reported that there is no arm [s].
_FOUND = 3.0


def main(args: Sequence[str]) -> int:
    """
    Run the viewer until a signal ends it.

    :param args: the command line behind the command's name.
    :returns: the exit code.
    """
    own, ros = split(args)
    options = _parser().parse_args(own)
    stop = threading.Event()
    handle_signals(lambda *_: stop.set())
    try:
        arm = arm_of(options.preset or options.arm, options.tip)
        from .guarded_server import address_of, GuardedServer
        from .page import Page
        from .makers_urdf import disagreement, makers_links
        solid = makers_links(options.urdf, arm) if options.urdf else []
        if solid and (off := disagreement(solid, arm)):
            print(f'viewer: at home {options.urdf} is not where the arm is: {off}; '
                  'base.urdf_rpy of the arm file may be missing', file=sys.stderr)
        with closing(_source(arm, options, ros)) as source:
            server = GuardedServer(options.host, options.port, options.token)
            page = Page(server, source, solid, options.explain,
                        f'{options.preset or options.arm!r}, {options.tip!r}', options.poses)
            query = f'?token={options.token}' if options.token else ''
            print(f'viewer: {address_of(options.host, server.bound_port)}{query}', flush=True)
            if not stop.wait(_FOUND) and (found := source.status).startswith('no ik_node: '):
                print(f'viewer: {found}', file=sys.stderr)
            stop.wait()
            page.close()
            server.stop()
    except RuntimeError as error:
        print(f'arm_ik viewer: {error}', file=sys.stderr)
        return 1
    return 0


def _source(arm: Arm, options: argparse.Namespace, ros: list[str]) -> Any:
    if options.no_ros:
        from .simulated import ArmWithoutRos
        return ArmWithoutRos(arm)
    discovery.adopt(options.discovery)
    from .ros_arm import RosArm
    return RosArm(arm, ['--ros-args', *ros] if ros else [])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='viewer', description='Show an arm in the browser, and drag its target.')
    add = parser.add_argument
    add('preset', nargs='?', metavar='ARM', help='the same as --arm')
    add_options(parser, 'so101')
    add('--host', default='127.0.0.1',
        help='address to listen on; another than this host needs --token')
    add('--port', type=int, default=8080, help='port to listen on (8080)')
    add('--token', default=os.environ.get('ARM_IK_VIEWER_TOKEN', ''), help='what browsers have to '
        'bring once, in the address; better in the environment, as ARM_IK_VIEWER_TOKEN')
    add('--urdf', metavar='FILE', help="maker's URDF, whose meshes are shown as the measured arm")
    add('--poses', metavar='FILE', type=Path,
        help='target file in which the page stores poses, and which it plays')
    add('--no-ros', action='store_true', help='an arm of the Python API alone, without ROS')
    add('--explain', action='store_true', help='show how targets are solved')
    return parser
