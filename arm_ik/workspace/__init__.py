# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A picture of the arm's workspace: where it reaches, and what limits it elsewhere.

``cells`` divides a vertical slice through the arm into cells, ``region`` finds for each of them
what stops the arm, ``picture`` draws it.
"""
