# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Who can find the nodes: this host only, unless somebody says otherwise.

ROS 2 by itself finds nodes on the whole subnet, and whoever finds these can move the arm. An
argument wins over the environment, the environment over the default. Free of ROS, for the launch
files too.
"""

#: ROS 2's own variable for how far discovery goes.
VARIABLE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'

#: What may be asked for; in upper case, the values of the variable.
RANGES = ('localhost', 'subnet', 'system_default')

#: What the argument means, for everybody who offers it.
DESCRIPTION = (
    'Who can find the nodes, and move the arm: localhost, this machine only; subnet, the local '
    'network too; system_default, as the settings of the middleware say. '
    f'Without it, as {VARIABLE} says, else localhost.')


def variables(asked, environment):
    """
    Return the environment variables to set before ROS starts.

    :param asked: one of :data:`RANGES`, or empty where nobody asks.
    :param environment: mapping with the variables that are set already.
    """
    if asked:
        return {VARIABLE: asked.upper()}
    return {} if environment.get(VARIABLE) else {VARIABLE: 'LOCALHOST'}


def words(environment):
    """Return what the environment comes to."""
    given = environment[VARIABLE]
    if given == 'LOCALHOST':
        return 'found on this host only (--discovery subnet: on the local network too)'
    return f'found as far as {VARIABLE}={given} reaches'
