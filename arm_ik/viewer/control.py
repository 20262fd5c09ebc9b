# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Who has control of the arm.

One browser has, the others watch; anybody may take it, and anybody may stop the arm. What a
watcher changes is set back, but for what is shown in its own window alone.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
import threading
import traceback
from typing import Any


class Control:
    """
    Calls what the browser in control asks for, in its order.

    ``lock`` is held while the page changes; ``stopped`` says whether somebody has pressed Stop
    here, and nobody Reset.

    :param at_once: called with an element that the browser in control changes, before its turn.
    :param first: called with the same element before what it does.
    :param set_back: called to undo what a watcher has changed.
    :param say: called with what a browser reads, its button *Take control* and whether it has it.
    :param end: called when another browser gets control.
    """

    def __init__(self, at_once: Callable[[Any], object], first: Callable[[Any], object],
                 set_back: Callable[[], object], end: Callable[[], object],
                 say: Callable[[Any, Any, bool, int | None], object]) -> None:
        self.lock = threading.RLock()
        self.stopped = False
        self._at_once, self._first, self._set_back = at_once, first, set_back
        self._end, self._say = end, say
        self._events = ThreadPoolExecutor(max_workers=1)
        self._holder: int | None = None      # the browser in control
        self._turn = 0                       # how often control has changed hands
        self._browsers: dict[int, tuple[Any, Any]] = {}

    def only(self, act: Callable[[Any], object],
             read: Callable[[Any], Any] = lambda element: element.value
             ) -> Callable[[Any], Coroutine[Any, Any, None]]:
        """Return a callback that acts on the new value for the browser in control only."""
        # As a coroutine it is called in the order of the events; one thread keeps the order.
        async def queued(event: Any) -> None:
            if event.client_id is not None:      # not set here
                if event.client_id == self._holder:
                    self._at_once(event.target)
                # As it is now: all browsers share it, and by its turn a watcher may have set it.
                self._events.submit(self._handle, act, read(event.target), event, self._turn)
        return queued

    def unless_stopped(self, act: Callable[[Any], object]
                       ) -> Callable[[Any], Coroutine[Any, Any, None]]:
        """Return the same for what does nothing between Stop and Reset."""
        return self.only(lambda value: self.stopped or act(value))

    def later(self, act: Callable[[], object]) -> None:
        """Call something after what is queued, with the lock held."""
        self._events.submit(self._locked, act)

    def _locked(self, act: Callable[[], object]) -> None:
        with self.lock:
            act()

    def _handle(self, act: Callable[[Any], object], value: Any, event: Any, turn: int) -> None:
        try:
            with self.lock:
                if (event.client_id, turn) == (self._holder, self._turn):
                    self._first(event.target)
                    act(value)
                else:
                    self._set_back()
        except Exception:  # noqa: BLE001, or nobody would see it
            traceback.print_exc()

    def add(self, client: Any) -> None:
        """Add a browser; the first one gets control."""
        words = client.gui.add_html('', order=-1.0)
        take = client.gui.add_button('Take control', order=-0.5)
        take.on_click(lambda _: self.hand_over(client.client_id))
        self._browsers[client.client_id] = words, take
        self.hand_over(client.client_id if self._holder is None else self._holder)

    def remove(self, client: Any, before: Callable[[], object]) -> None:
        """Remove a browser that is closed; if it had control, call something first."""
        self._browsers.pop(client.client_id, None)
        if client.client_id == self._holder:
            before()
            self.hand_over(next(iter(self._browsers), None))

    def hand_over(self, client_id: int | None) -> None:
        """Give control to a browser, or to none."""
        with self.lock:
            if client_id != self._holder:
                self._end()
                self._turn += 1   # what the last one has queued is not sent any more
            self._holder = client_id
            for number, (words, take) in self._browsers.items():
                self._say(words, take, number == client_id, client_id)

    def close(self) -> None:
        """End."""
        self._events.shutdown()
