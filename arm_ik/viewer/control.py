# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Who has control of the arm, and whether it is stopped.

One browser has control, the others watch; anybody may take it, and anybody may stop the arm. What
a watcher changes is set back, but for what is shown in its own window alone.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from math import inf
import threading
from time import monotonic
import traceback
from typing import Any

from .page_words import in_lines

#: What viser calls with an event of an element.
_Callback = Callable[[Any], Coroutine[Any, Any, None]]


class Control:
    """
    Calls what the browser in control asks for, in its order.

    ``lock`` is held while the page changes; ``stopped`` says whether somebody has pressed Stop
    here, and nobody Reset; ``holder`` is the browser in control.

    :param gui: of the server; gets the buttons *Stop* and *Reset*.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    :param end: called when the arm is stopped, and when another browser gets control.
    """

    def __init__(self, gui: Any, source: Any, end: Callable[[], object]) -> None:
        self.lock = threading.RLock()
        self.stopped = False
        self.holder: int | None = None
        self._source, self._end = source, end
        self._events = ThreadPoolExecutor(max_workers=1)
        self._turn = 0                       # how often control has changed hands
        self._browsers: dict[int, tuple[Any, Any]] = {}
        gui.add_button('Stop (space)', color='red').on_click(self.stop)
        gui.add_command('Stop', hotkey='space').on_trigger(self.stop)
        self._reset = gui.add_button('Reset', color='orange', disabled=True)
        self._reset.on_click(self.only(self._on_reset))

    def only(self, act: Callable[[Any], object],
             read: Callable[[Any], Any] = lambda event: event.target.value,
             set_back: Callable[[], object] = lambda: None) -> _Callback:
        """
        Return a callback that acts for the browser in control only.

        :param act: called with what was read.
        :param read: called with the event, at once.
        :param set_back: called to undo what a watcher has changed.
        """
        # As a coroutine it is called in the order of the events; one thread keeps the order.
        async def queued(event: Any) -> None:
            if event.client_id is not None:      # not set here
                # As it is now: all browsers share it, and by its turn a watcher may have set it.
                # Not before viser has informed the other browsers, or what is set back is lost.
                asyncio.get_running_loop().call_soon(
                    self._events.submit, self._handle, act, read(event), set_back,
                    (event.client_id, self._turn))
        return queued

    def unless_stopped(self, act: Callable[[Any], object]) -> _Callback:
        """Return the same for what does nothing between Stop and Reset."""
        return self.only(lambda value: self.stopped or act(value))

    def show(self) -> None:
        """Show whether there is a stop to be released."""
        self._reset.disabled = not (self.stopped or self._source.stopped)

    def add(self, client: Any) -> None:
        """Add a browser; the first one gets control."""
        words = client.gui.add_html('', order=-1.0)
        take = client.gui.add_button('Take control', order=-0.5)
        take.on_click(lambda _: self._hand_over(client.client_id))
        self._browsers[client.client_id] = words, take
        self._hand_over(client.client_id if self.holder is None else self.holder)

    def remove(self, client: Any) -> None:
        """Remove a browser that is closed."""
        self._browsers.pop(client.client_id, None)
        if client.client_id == self.holder:
            self._hand_over(next(iter(self._browsers), None))

    def close(self) -> None:
        """End."""
        self._events.shutdown()

    def _handle(self, act: Callable[[Any], object], value: Any, set_back: Callable[[], object],
                asked: tuple[int, int]) -> None:
        try:
            with self.lock:
                if asked == (self.holder, self._turn):
                    act(value)
                else:
                    set_back()
        except Exception:  # noqa: BLE001, or nobody would see it
            traceback.print_exc()

    def _hand_over(self, client_id: int | None) -> None:
        """Give control to a browser, or to none."""
        with self.lock:
            if client_id != self.holder:
                self._end()
                self._turn += 1   # what the last one has queued is not sent any more
            self.holder = client_id
            for number, (words, take) in self._browsers.items():
                take.disabled = number == client_id
                words.content = in_lines('line', ('You have control.', '') if take.disabled else (
                    '', f'You watch; browser {client_id} has control.'))

    async def stop(self, _: Any) -> None:
        """Stop the arm, whoever asks."""
        # Anybody may, and at once: in no queue, and not waiting for a picture that is being drawn.
        self.stopped = True
        self._source.stop()
        self._events.submit(self._after_stop)

    def _after_stop(self) -> None:
        with self.lock:
            self._end()
            self.show()

    def _on_reset(self, _: Any) -> None:
        if not self._reset.disabled:  # else the stop is not there yet
            self._source.reset()
            self.stopped = False


class Input:
    """
    An input of all browsers, as a :class:`Control` lets it be set.

    ``value`` is what the browser in control has set, or the page; ``touched`` is when that browser
    has changed it last, on the monotonic clock [s].

    :param control: the :class:`Control`.
    :param element: of viser.
    :param act: called with a new value.
    """

    def __init__(self, control: Control, element: Any,
                 act: Callable[[Any], object] = lambda value: None) -> None:
        self.value = self._asked = element.value
        self.touched = -inf
        self._control, self._element, self._act = control, element, act
        element.on_update(control.only(self._accept, self._read, self._set_back))

    def show(self, value: Any) -> None:
        """Show a value from now on."""
        if value != self.value:      # else somebody may be choosing
            self.value = self._element.value = value

    def show_near(self, value: float, steps: float = 0.0) -> None:
        """Show a number as near as the slider gets, if it is off by more than so many steps."""
        slider = self._element
        nearest = round(min(max(value, slider.min), slider.max), slider.precision)
        if abs(nearest - self.value) > steps * slider.step:
            self.show(nearest)

    def _read(self, event: Any) -> Any:
        if event.client_id == self._control.holder:
            self.touched, self._asked = monotonic(), event.target.value
        return event.target.value

    def _accept(self, value: Any) -> None:
        self.value = value
        if value == self._asked:     # the newest; a watcher's may have been set back since
            self._element.value = value
        self._act(value)

    def _set_back(self) -> None:
        self._element.value = self.value
