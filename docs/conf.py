# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The documentation site: the Markdown of this folder and of the root, and the docstrings.

Build it where the extra ``docs`` is installed; of ROS 2 it needs nothing::

    sphinx-build -W docs site
"""

from pathlib import Path
import re
import sys
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

project = 'arm_ik'
copyright = '2026, The arm_ik authors'  # noqa: A001, as Sphinx calls it
release = ElementTree.parse(ROOT / 'package.xml').findtext('version')

extensions = ['myst_parser', 'sphinx.ext.autodoc', 'sphinx.ext.viewcode']
html_theme = 'furo'
html_theme_options = {'top_of_page_buttons': []}
html_title = f'{project} {release}'
html_copy_source = False
smartquotes_action = 'De'  # dashes; what is quoted may be code
highlight_language = 'text'

# Links such as arms.md#agreement, as GitHub makes them.
myst_heading_anchors = 4

autodoc_default_options = {'members': True, 'member-order': 'bysource'}
autodoc_typehints = 'description'
autodoc_type_aliases = {'ArrayLike': 'ArrayLike'}
autodoc_typehints_description_target = 'documented'

try:
    import rclpy    # noqa: F401
except ImportError:     # then what arm_ik.testing imports of ROS 2 is stood in for
    autodoc_mock_imports = [
        'rclpy', 'rcl_interfaces', 'diagnostic_msgs', 'geometry_msgs', 'nav_msgs', 'sensor_msgs',
        'std_msgs', 'std_srvs', 'visualization_msgs']

#: Pages of the root that the site shows in place of the pages here that only lead there.
ROOT_PAGES = {'readme': 'README.md', 'contributing': 'CONTRIBUTING.md'}


def setup(app):
    """Say where pages come from; Sphinx calls this."""
    app.connect('source-read', read_page)


def read_page(app, name, source):
    """Put a page of the root where it belongs, and let links to those pages lead there."""
    if name in ROOT_PAGES:
        text = (ROOT / ROOT_PAGES[name]).read_text(encoding='utf-8')
        source[0] = re.sub(r'\]\((?![a-z]+:|#)', '](../', text).replace('](../docs/', '](')
    for page, path in ROOT_PAGES.items():
        source[0] = source[0].replace(f'](../{path}', f']({page}.md')
