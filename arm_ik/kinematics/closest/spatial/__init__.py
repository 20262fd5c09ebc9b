# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest pose where one angle of the arm plane, or two, have to be searched for.

* :mod:`.spatial`: which search serves which arm and target: begin here.
* :mod:`.rolling_base`, :mod:`.tilting_wrist`, :mod:`.beside_axis`: a position out of reach, by
  kind of arm.
* :mod:`.position_first`: position exact, up vector as near as possible; :mod:`.up_first`: the
  other way round.
* :mod:`.distance_search`: branch and bound over families of poses; :mod:`.curve_search`: the least
  value of a function of one angle.
* :mod:`.bases`: the arm planes that contain a vector; :mod:`.planar_arrays`: what the links reach
  in many of them.
* :mod:`.polish`: Newton's method for the last micrometres.
"""
