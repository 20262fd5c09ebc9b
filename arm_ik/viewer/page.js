// Stop, the only red button, stays in the corner of the window, with Reset, the only orange one,
// above it, however the panel is scrolled; that cannot be folded or moved away, because Stop would
// go with it, and is low on a phone. The space bar clicks it
// wherever the focus is. Of clicks and inputs viser sends the newest of each 50 ms alone, so that
// one may be lost while another is held or dragged. Its commands are all sent: a click on Stop
// first releases what is held, and then triggers the command, by the event of its key. What is
// typed into the box of a slider counts when it is complete, by Enter or when the focus goes, and
// only inside the slider's limits.
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
}
