# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Actions whose goals the driver has futures for, of an Outcome each."""

from time import monotonic, sleep

from rclpy.action import ActionServer, CancelResponse, GoalResponse

from ...errors import InvalidInputError

#: Longest time that results take to be sent at the end, and then until they are there [s].
_LAST_WORDS, _DELIVERY = 0.5, 0.2


class GoalServer:
    """
    An action of a node; ``goals`` has the outcomes of those it carries out, by handle.

    :param node: the rclpy node.
    :param driver: its :class:`~arm_ik.drivers.ServoDriver`.
    :param end_of: function of a :class:`concurrent.futures.Future` that returns a future of rclpy,
        which is done when that is.
    :param changed: function to call when the driver's condition may have changed.
    :param kind: the action's type.
    :param name: the action's name.
    :param begin: function of a goal that returns the future of its
        :class:`~arm_ik.drivers.following.Outcome`.
    :param result_of: function of an outcome that returns a result.
    :param feedback_of: function that returns feedback, or ``None``.
    """

    def __init__(self, node, driver, end_of, changed, kind, name, begin, result_of, feedback_of):
        self._node, self._driver, self._end_of, self._changed = node, driver, end_of, changed
        self._begin, self._result_of, self._feedback_of = begin, result_of, feedback_of
        self._outcome = None        # of the goal that has just been accepted
        self.goals = {}             # until their results have been sent
        self._server = ActionServer(
            node, kind, name, self._execute, goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted, cancel_callback=self._on_cancel)

    def publish_feedback(self):
        """Report to whoever sent a goal how far it is."""
        handles = [handle for handle, outcome in self.goals.items() if not outcome.done()]
        feedback = self._feedback_of() if handles else None
        if feedback is not None:
            for handle in handles:
                handle.publish_feedback(feedback)

    def destroy(self):
        """End the action."""
        self._server.destroy()

    def _on_goal(self, goal):
        try:
            self._outcome = self._begin(goal)
        except InvalidInputError:
            return GoalResponse.REJECT
        finally:
            self._changed()
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle):
        self.goals[handle] = self._outcome
        handle.execute()

    async def _execute(self, handle):
        outcome = self.goals[handle]
        await self._end_of(outcome)
        self._node.executor.create_task(self.goals.pop, handle)  # when all has been sent
        self._changed()
        end(handle, outcome.result().code)
        return self._result_of(outcome.result())

    def _on_cancel(self, handle):
        if handle in self.goals:
            self._driver.cancel(self.goals[handle])
        return CancelResponse.ACCEPT


def end_all(servers, executor):
    """Report how goals ended, now that the driver has, and end the actions."""
    if executor is not None and any(server.goals for server in servers):
        deadline = monotonic() + _LAST_WORDS
        while any(server.goals for server in servers) and monotonic() < deadline:
            executor.spin_once(timeout_sec=0.01)
        sleep(_DELIVERY)  # the middleware drops what a client has not taken by then
    for server in servers:
        server.destroy()


def end(handle, code):
    """Let a goal end as the code of an :class:`~arm_ik.drivers.following.Outcome` says."""
    ends = {'CANCELED': handle.canceled, 'SUCCESSFUL': handle.succeed, 'STALLED': handle.succeed}
    ends.get(code, handle.abort)()
