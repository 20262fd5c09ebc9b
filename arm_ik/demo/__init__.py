# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The demo: a simulated arm follows files of target poses, and is judged.

``stream`` sends them and checks where the arm came to rest, ``picture`` draws it; ``cli`` is the
command, and prints the table. ``physics`` picks up a cube instead.
"""
