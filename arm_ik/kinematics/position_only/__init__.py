# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Targets without an up vector (approach vector): any direction of the last link will do.

* :mod:`.planes`: the arm planes through a target, each with the elevation nearest to the wanted.
* :mod:`.up_range`: all elevations with which a position is reached.
"""
