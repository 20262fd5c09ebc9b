# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The page's styles, and what it does in the browser before viser does."""

#: Stop, the only red button, stays in the corner of the window, with Reset, the only orange one,
#: above it, however the panel is scrolled; that cannot be folded or moved away, because Stop would
#: go with it, and is low on a phone. The space bar clicks it
#: wherever the focus is. Of clicks and inputs viser sends the newest of each 50 ms alone, so that
#: one may be lost while another is held or dragged. Its commands are all sent: a click on Stop
#: first releases what is held, and then triggers the command, by the event of its key. What is
#: typed into the box of a slider counts when it is complete, by Enter or when the focus goes, and
#: only inside the slider's limits.
STYLE = """<style onload="
if (!window.armIkStop) {
  window.armIkStop = event => {
    if (event.code !== 'Space' && event.key !== ' ' || !event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === 'keydown' && !event.repeat)
      document.querySelector('button[style*=red-filled]')?.click();
  };
  ['keydown', 'keypress', 'keyup'].forEach(
    kind => window.addEventListener(kind, window.armIkStop, true));
  window.addEventListener('click', event => {
    if (!event.target.closest?.('button[style*=red-filled]')) return;
    window.dispatchEvent(new Event('blur'));
    document.body.dispatchEvent(new KeyboardEvent(
      'keydown', {code: 'Space', key: ' ', bubbles: true}));
  }, true);
  const typed = event => {
    const box = event.target, slider = event.isTrusted && box.matches('input[inputmode]') &&
      box.closest('.mantine-Flex-root')?.querySelector('[role=slider]');
    if (!slider) return;
    event.stopImmediatePropagation();
    if (event.type === 'input') return;
    const [low, high, now] = ['min', 'max', 'now'].map(
      name => Number(slider.getAttribute('aria-value' + name)));
    const at = box.value, set = Object.getOwnPropertyDescriptor(
      HTMLInputElement.prototype, 'value').set;
    for (const value of low <= at && at <= high ? ['', at] : [now]) {
      set.call(box, value);
      box.dispatchEvent(new Event('input', {bubbles: true}));
    }
  };
  ['input', 'change'].forEach(kind => window.addEventListener(kind, typed, true));
}">
button[style*="red-filled"], button[style*="orange-filled"] { position: fixed; left: 0.7em;
  bottom: 1em; z-index: 1000; width: min(9em, 26vw); height: 4em !important; padding: 0; }
button[style*="orange-filled"] { bottom: 6em; height: 2.5em !important; }
@media (orientation: portrait) { div[style*="max-height: 60%"] { max-height: 36% !important; } }
.mantine-NumberInput-section { display: none; }
.mantine-NumberInput-input { padding: 0 0.3em !important; }
[data-dock-region-handle] { display: none !important; }
[data-dock-header], div[style*="user-select: none"][style*="3.5em"] { pointer-events: none; }
[data-dock-header] button { pointer-events: auto; }
[class^=arm-ik] { margin: 0 1em; font-size: 0.85em; overflow-wrap: anywhere; }
.arm-ik-line, .arm-ik-note, .arm-ik-table { margin-bottom: 0.5em; }
.arm-ik-line, .arm-ik-table td { height: 1.5em; }
.arm-ik-line div { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
div:has(> .arm-ik-box) { height: 7em; overflow-y: auto; margin-bottom: 0.5em; }
.arm-ik-table { overflow-x: auto; white-space: pre; }
.arm-ik-table td + td { padding-left: 0.7em; text-align: right; }
.arm-ik-steps, .arm-ik-steps * { user-select: text; vertical-align: top; white-space: pre-wrap; }
</style>"""

#: Sent each second: what a browser shows 3 s after it got it last. viser fades what is around it.
SILENT = """<style>
@keyframes silent {{ to {{ visibility: visible; }} }}
div:has([data-beat]) {{ opacity: 1 !important; }}
[data-beat] {{ visibility: hidden; animation: silent 0s 3s forwards; position: fixed; inset: 0;
  z-index: 2000; pointer-events: none; background: #404040e0; color: #fff; padding: 30vh 1em 0;
  font-size: 1.5em; font-weight: bold; text-align: center; }}
</style>
<div data-beat="{}">The viewer is missing: nothing here is live, and Stop does not work.</div>"""
