# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Links in the documents: every one to a file or a heading of this repository leads there."""

from pathlib import Path
import re

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted((ROOT / 'docs').rglob('*.md'))]


def without_code(text):
    return re.sub(r'^```.*?^```', '', text, flags=re.DOTALL | re.MULTILINE)


def anchors(text):
    """Return the anchors that GitHub and the site give the headings of a page."""
    headings = re.findall(r'^#+ (.+)$', without_code(text), re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-') for heading in headings}


@pytest.mark.parametrize('page', PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):      # but those to other sites
    text, broken = page.read_text('utf-8'), []
    for link in re.findall(r'\]\(([^)\s]+)\)', without_code(text)):
        path, _, anchor = link.partition('#')
        there = (page.parent / path).resolve() if path else page
        if '://' in link:
            continue
        if not there.exists():
            broken.append(link)
        elif anchor and anchor not in anchors(there.read_text('utf-8')):
            broken.append(link)
    assert broken == []


def test_every_page_is_in_the_index():
    index = (ROOT / 'docs' / 'index.md').read_text('utf-8')
    linked = set(re.findall(r'\]\(([^)#]+)\)', without_code(index)))
    pages = {str(path.relative_to(ROOT / 'docs')) for path in (ROOT / 'docs').rglob('*.md')}
    assert pages - linked == {'index.md'}
