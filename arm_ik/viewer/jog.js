// The only grey buttons, two in a row. viser would move its camera by some of these keys.
if (!window.armIkHeld) {
  const held = window.armIkHeld = new Map();
  const buttons = () => [...document.querySelectorAll('button[style*=gray-filled]')];
  const point = (button, kind) => button.dispatchEvent(new PointerEvent(kind, {bubbles: true}));
  const release = button => { point(button, 'pointerup'); button.click(); };
  const onKey = event => {
    const old = held.get(event.code), isDown = event.type == 'keydown';
    const types = event.ctrlKey || event.altKey || event.metaKey ||
      event.target.closest?.('input:not([type=checkbox]), textarea');
    const button = old || isDown && !event.repeat && !types && buttons().find(
      it => !it.disabled && it.innerText.startsWith(event.key.toUpperCase() + ': '));
    if (!button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!isDown) { held.delete(event.code); release(button); }
    else if (!old) { held.set(event.code, button); point(button, 'pointerdown'); }
  };
  ['keydown', 'keyup'].forEach(kind => window.addEventListener(kind, onKey, true));
  ['blur', 'visibilitychange'].forEach(kind => window.addEventListener(
    kind, () => { held.clear(); buttons().forEach(release); }, true));
}
