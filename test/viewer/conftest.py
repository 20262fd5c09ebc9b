# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A real browser without a window: Debian's chromium, driven by playwright."""

import fcntl
import shutil

import pytest

CHROMIUM = shutil.which('chromium') or shutil.which('google-chrome')


@pytest.fixture(scope='module')
def chromium():
    """Return the browser."""
    api = pytest.importorskip('playwright.sync_api', reason="pip install '.[browser]'")
    if CHROMIUM is None:
        pytest.skip('needs chromium: apt-get install it')
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[
            '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'])
        yield browser
        browser.close()


#: The reflections of a room in the arm, which viser draws once, by the shape of their pictures:
#: without a graphics card they take four seconds of a core, and no test looks at them.
NO_REFLECTIONS = """
const gl = WebGL2RenderingContext.prototype;
let isReflection = false;
const viewport = gl.viewport;
gl.viewport = function (x, y, width, height) {
  isReflection = 2 * width === 3 * height;
  viewport.call(this, x, y, width, height);
};
for (const name of ['drawArrays', 'drawElements']) {
  const draw = gl[name];
  gl[name] = function (...all) { if (!isReflection) draw.apply(this, all); };
}
"""


@pytest.fixture
def alone(tmp_path_factory):
    """Wait until no other test has a window: without a graphics card one takes both cores."""
    with open(tmp_path_factory.getbasetemp().parent / 'window', 'w') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture
def open_page(alone, chromium):
    """
    Return a function that opens an address in a window of its own, with a size and scripts.

    The scene has a hundredth of the window's pixels.
    """
    pages = []

    def open_page(url, size=(1280, 800), *scripts):
        pages.append(chromium.new_page(viewport=dict(zip(('width', 'height'), size))))
        pages[-1].set_default_timeout(60_000.0)
        for script in (NO_REFLECTIONS, *scripts):
            pages[-1].add_init_script(script)
        pages[-1].goto(f'{url}{"&" if "?" in url else "?"}fixedDpr=0.1')
        return pages[-1]
    yield open_page
    for page in pages:
        page.close()


@pytest.fixture(scope='session')
def shows():
    """Return a function that waits until a page shows words, or shows them no more."""
    def shows(page, words, still=True):
        try:
            page.wait_for_function(
                '([words, still]) => document.body.innerText.includes(words) == still',
                arg=[words, still], polling=50.0)
        except Exception as error:   # noqa: BLE001, playwright's, without the page's words
            raise AssertionError(f'{error}; {words!r} {"is missing in" if still else "still in"} '
                                 + page.evaluate('document.body.innerText')) from None
    return shows
