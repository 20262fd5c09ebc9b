# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest pose where it takes a search; :class:`~arm_ik.kinematics.solver.Solver` holds them.

* :mod:`.distance_search`: the nearest tips of any arm, above a floor too, in numbers.
* :mod:`.position_first`: position exact, up vector as near as possible; :mod:`.up_first`: the
  other way round; :mod:`.curve_search`: the least value of a function of one angle, for both.
* :mod:`.bases`: the arm planes that contain a vector; :mod:`.planar_arrays`: what the links reach
  in many of them.
"""
