// Sends the pad 30 times a second, and zeros as soon as the page or the pad is not there.
if (!window.armIkPad) {
  let socket, count = 0, sent = false;
  const say = words => document.querySelectorAll('[data-pad]').forEach(
    it => { if (it.textContent !== words) it.textContent = words; });
  const send = (axes, buttons) => {
    const client = Number(document.querySelector('[data-pad]')?.dataset.pad);
    if (socket?.readyState === 1)
      socket.send(JSON.stringify({n: ++count, client, axes, buttons}));
  };
  const tick = window.armIkPad = () => {
    if (!window.isSecureContext || !navigator.getGamepads) return say(
      'No gamepad here: browsers give pads to secure pages only. Open http://127.0.0.1:9000 ' +
      'after ssh -L 9000:127.0.0.1:' + (location.port || 80) + ' on this computer, or put a proxy ' +
      'with https in front and keep the token.');
    const pads = [...navigator.getGamepads()].filter(it => it?.connected);
    const pad = pads.find(it => it.mapping === 'standard');
    const live = pad && document.hasFocus() && !document.hidden;
    if (live) {
      if (!socket || socket.readyState > 1)
        socket = new WebSocket(location.origin.replace(/^http/, 'ws') + '/gamepad');
      send([...pad.axes].slice(0, 4), pad.buttons.map(it => it.value));
    } else if (sent) send([0, 0, 0, 0], Array(16).fill(0));
    sent = Boolean(live);
    say(live ? pad.id + ': hold LB to move; B stops.' :
      pad ? 'Gamepad: click on the page.' :
      pads.length ? pads[0].id + ' has no standard layout in this browser: switch it to X-input.' :
      'Gamepad: plug one in, and press a button on it.');
  };
  setInterval(tick, 33);
  ['blur', 'visibilitychange', 'gamepaddisconnected'].forEach(
    kind => window.addEventListener(kind, tick, true));
}
