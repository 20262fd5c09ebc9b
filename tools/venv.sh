# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

# Shell functions that make a virtual environment with ROS 2 in it; for run_demo and run_tests.
# Nothing outside the clone is written but apt packages of Python itself, where those are missing.

say() { printf '%s\n' "$*" >&2; }

# The newest Python from 3.10 to 3.13 that runs and can make virtual environments. A version manager's
# stand-in for a version that is not selected exists and fails; so does Debian's Python without venv.
find_python() {
    local name
    for name in python3.13 python3.12 python3.11 python3.10 python3; do
        if "$name" -c '
import ensurepip, sys, venv
sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

# apt_install PACKAGE: install it where that is allowed; otherwise say what to type.
apt_install() {
    local sudo='' command="apt-get update && apt-get install -y $1"
    if ! command -v apt-get >/dev/null; then
        say "This needs $1, or what your system calls it: install that, and run this again."
        return 1
    fi
    if [ "$(id -u)" != 0 ] && ! sudo=$(command -v sudo); then
        say "This needs $1. As root, type:  $command"
        return 1
    fi
    say "Installing $1 with apt-get ..."
    if ! { $sudo apt-get update -qq &&
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1"; } >/dev/null; then
        say "That failed. As root, type:  $command"
        return 1
    fi
}

# A sourced ROS 2 would lend its own packages to the environment's Python.
leave_sourced_ros() {
    if [ -n "${AMENT_PREFIX_PATH:-}" ]; then
        unset AMENT_PREFIX_PATH COLCON_PREFIX_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH
        unset ROS_DISTRO ROS_VERSION ROS_PYTHON_VERSION RMW_IMPLEMENTATION
    fi
    unset PYTHONPATH PYTHONHOME
}

# make_venv FOLDER EXTRAS: make the virtual environment FOLDER in the clone and install the clone
# into it with EXTRAS, unless that has been done. Sources stay where they are (an editable install).
make_venv() {
    local venv=$1 extras=$2 python wanted
    leave_sourced_ros
    if [ "$(uname -m)" != x86_64 ]; then
        say "ROS 2 from pip is for x86-64, and this is $(uname -m). Use ROS 2 from apt: see README.md, Install."
        return 1
    fi
    if ! python=$(find_python); then
        apt_install python3-venv || return 1
        python=$(find_python) || {
            say 'This needs Python 3.10 to 3.13, which ROS 2 from pip is made for.'
            return 1
        }
    fi
    wanted="$("$python" -VV) $(cksum <setup.py)"
    if [ "$(cat "$venv/.installed-$extras" 2>/dev/null)" = "$wanted" ] &&
        "$venv/bin/python" -c 'import arm_ik' >/dev/null 2>&1; then
        return 0
    fi
    say "Installing arm_ik[$extras] into $venv with $("$python" -V); this takes a minute or two ..."
    if [ "$("$venv/bin/python" -VV 2>/dev/null)" != "$("$python" -VV)" ]; then
        "$python" -m venv --clear "$venv" || return 1
    fi
    if ! "$venv/bin/python" -m pip install --disable-pip-version-check --no-input -e ".[$extras]" \
        >"$venv/pip.log" 2>&1; then
        tail -n 15 "$venv/pip.log" >&2
        say "pip could not install arm_ik[$extras]; all it said is in $venv/pip.log"
        return 1
    fi
    printf '%s\n' "$wanted" >"$venv/.installed-$extras"
}
