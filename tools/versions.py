#!/usr/bin/env python3
# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Tell whether all files say the same version, and the one given: ``python tools/versions.py 0.2.0``.

The changelog's is that of its newest release; ``Forthcoming`` has to be empty of it by then.
"""

from pathlib import Path
import re
import sys

ROOT = Path(__file__).resolve().parents[1]

#: Where the version is, by file.
PLACES = {
    'arm_ik/__init__.py': r"__version__ = '([\d.]+)'",
    'package.xml': r'<version>([\d.]+)</version>',
    'CITATION.cff': r'(?m)^version: ([\d.]+)$',
    'CHANGELOG.rst': r'(?m)^([\d.]+) \(\d{4}-\d\d-\d\d\)$',
}


def versions():
    """Return the version that each file names."""
    return {name: re.search(pattern, (ROOT / name).read_text(encoding='utf-8'))[1]
            for name, pattern in PLACES.items()}


if __name__ == '__main__':
    found = versions()
    print(*(f'{name}: {version}' for name, version in found.items()), sep='\n')
    sys.exit(len({*found.values(), *sys.argv[1:]}) > 1)
