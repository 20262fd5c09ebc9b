# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The page's styles, and what it does in the browser before viser does."""

from html import escape
from pathlib import Path


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding='utf-8')


def script(name: str) -> str:
    """Return HTML that runs a script of this folder in the browser."""
    return f'<style onload="{escape(_read(f"{name}.js"))}"></style>'


STYLE = f'{script("page")}<style>{_read("page.css")}</style>'

#: Sent each second: what a browser shows 3 s after it got it last. viser fades what is around it.
SILENT = ('<div data-beat="{}">'
          'The viewer is missing: nothing here is live, and Stop does not work.</div>')
