# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A real browser without a window: Debian's chromium, driven by playwright."""

import shutil

import pytest

CHROMIUM = shutil.which('chromium') or shutil.which('google-chrome')


@pytest.fixture(scope='module')
def open_page():
    """Return a function that opens an address in a window of its own, of a size [pixels]."""
    api = pytest.importorskip('playwright.sync_api', reason="pip install 'arm_ik[browser]'")
    if CHROMIUM is None:
        pytest.skip('needs chromium: apt-get install it')
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[
            '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'])

        def open_page(url, size=(1280, 800)):
            page = browser.new_page(viewport=dict(zip(('width', 'height'), size)))
            page.set_default_timeout(60_000.0)
            page.goto(url)
            return page
        yield open_page
        browser.close()


@pytest.fixture(scope='session')
def shows():
    """Return a function that waits until a page shows words, or shows them no more."""
    def shows(page, words, still=True):
        page.wait_for_function(
            '([words, still]) => document.body.innerText.includes(words) == still',
            arg=[words, still])
    return shows
