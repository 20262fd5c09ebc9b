# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Launch a file, as ``ros2 launch`` does where it is installed: ``FILE [NAME:=VALUE ...]``."""

import sys

from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def main():
    """Run until everything has ended; return the exit code."""
    path, *arguments = sys.argv[1:]
    service = LaunchService(argv=arguments)
    service.include_launch_description(LaunchDescription([IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path),
        launch_arguments=[tuple(argument.split(':=', 1)) for argument in arguments])]))
    return service.run()


if __name__ == '__main__':
    sys.exit(main())
