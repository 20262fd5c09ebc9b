# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How much Python something takes: calls of functions of the package.

They are counted, for times differ from one machine to the next. The core of ``ik_node`` once
became eight times slower within a day, and no test noticed. The bounds are a quarter above what
was counted when they were set. Whoever raises one says what the calls are for.
"""

from contextlib import contextmanager
import os
import sys

import arm_ik
import pytest

_PACKAGE = os.path.dirname(arm_ik.__file__) + os.sep

#: For tests with a bound, for other versions count other calls.
on_3_11 = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason='counts are those of 3.11')


@contextmanager
def counted(calls):
    """Append how many functions of the package are called meanwhile."""
    calls.append(0)

    def take(frame, event, _):
        calls[-1] += event == 'call' and frame.f_code.co_filename.startswith(_PACKAGE)
    sys.setprofile(take)
    try:
        yield
    finally:
        sys.setprofile(None)
