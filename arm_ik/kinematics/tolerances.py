# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What counts as equal, as zero, as inside: every tolerance of the kinematics, with its reason."""

from math import radians

#: Largest error of the tip [m], and of the up and forward vectors [rad], that counts as reached.
#: Both decide the status and the reason of an answer, never which pose is chosen.
POSITION_TOLERANCE, UP_TOLERANCE = 1e-4, 1e-3

#: How much worse than the best pose the present branch may be and still be kept [m, rad].
BRANCH_TOLERANCE = (0.001, radians(2.0))

#: Costs nearer than this [m, rad] are equal, so that rounding does not choose between poses.
TIE = 1e-9

#: Tips [m] and poses [rad] nearer to each other than this are one: clamping an angle that is just
#: past a limit moves them by less.
SAME = 1e-6

#: Positions past a limit by no more than this [rad] are clamped to it, and at it up to here.
#: Straight and folded arms are at the edge of reach, where a rounding error of 1e-16 in the target
#: moves the elbow by 1e-8: nearer to straight it is bent to neither side.
LIMIT_SLACK = 1e-7

#: The same in the searches [rad]: clamping moves the tip by less than a tie.
SEARCH_SLACK = 3e-10

#: What rounding makes of lengths in parts of the arm's, and of angles [rad].
ROUNDING = 1e-12

#: Below this length [m] or sine a direction is undefined. The whole family of planes is then
#: within 1e-10 m (or rad) of the target, a tenth of a tie.
DEGENERATE = 1e-10

#: A target nearer to the yaw axis or the shoulder than this [m], or with a unit vector that has a
#: shorter part in the plane, is left to the general solver, which knows the degenerate cases.
ORDINARY = 1e-5

#: So are squared sines of the triangle's angles below this: straight and folded arms.
BENT = 1e-9

#: With the target nearer to the yaw axis than this [m] other yaws may be as near.
NEAR_AXIS = 1e-4

#: An arm plane nearer to the yaw axis than this share of the target's distance is turned towards
#: the target step by step; otherwise it takes a search.
SLIGHTLY_ASIDE = 0.05

#: The same for the arm planes of a tip whose roll is held, of which several are tried.
HELD_ASIDE = 1.0

#: A joint bent by less than this [rad] is straightened where the distance grows by less [m].
IN_LINE, NO_GAIN = 1e-5, 1e-11

#: Explanations: planes whose up vectors miss by up to this [rad] more than the least are equal.
AS_GOOD = 0.02

#: Pictures: an arm with no joint farther than this from its command [rad] is there.
SHOWN_APART = 0.01

#: A target farther away than this [m] is solved at this distance, in the same direction.
FAR = 1e6

#: A squared distance below this part of the largest length squared is the origin: its reciprocal
#: overflows.
ORIGIN = 1e-290
