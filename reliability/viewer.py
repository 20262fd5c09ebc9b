# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The page in the browser, beside a simulated arm and its two nodes.

*Drops*: in headless Chromium the target's arrows are dragged by mouse, in and out of reach, and
each time *Go* is clicked. ``ik_node`` has to answer, the arm to arrive, and the page to say what
``~/status`` says. *Stop*: while a browser streams, the space bar is pressed; no command may follow
until *Reset*. *Killed*: a browser that streams is cut off; the arm has to come to rest.
*Drag to command*: from the browser's message to the ``joint_commands`` that it leads to. *Ten
browsers*: for a minute each drags 20 times a second, one of them with *Follow*; commands and joint
states have to go on, and memory may not grow. These browsers are websockets without a picture.
Without Chromium, and in the short form, the drops are left out.
"""

from collections import Counter
from contextlib import ExitStack
from math import ceil, cos, pi, sin
from random import Random
import sys
from time import monotonic, time

from arm_ik.kinematics.model import START_TIME
from diagnostic_msgs.msg import DiagnosticStatus
import numpy as np

from .figures import every, Figure, NotPossibleHere, spread, within
from .load import vitals
from .running_arm import distance, DRIVER, motions, RunningArm, states_since
from .side_to_side import slow

#: How often, and for how long [s]: full and short.
DROPS, TIMES, DRAGS, CROWD_S, CPU_S = (40, 0), (20, 2), (500, 40), (60.0, 3.0), (10.0, 1.0)

#: Browsers at once, and drags of each per second.
BROWSERS, RATE = 10, 20.0

#: From the space bar to the last command [s]; from the loss of a browser until the arm is at rest:
#: it brakes, and both nodes are scheduled.
STOPPED, AT_REST = 0.1, START_TIME + 0.17

#: From a drag to its command, median and p99 [s]; from the address to the page [s].
MEDIAN, P99, PAGE = 0.030, 0.060, 2.0

#: Commands and joint states in each second, and how much memory may grow [KiB].
COMMANDS, STATES, GROWTH_KIB = 50, 90, 4096


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    try:
        from .browser import port_of
    except ModuleNotFoundError as error:
        raise NotPossibleHere(f'{error}; the extra viewer brings it') from error
    figures, random, ended = [], Random(seed), ''
    # On PincherX 100 the target's x and z stay in the arm plane, so that up vectors can be met.
    for name, experiments in (('px100', (_drops,)), ('so101', (_stops, _kills, _drags, _crowd))):
        with ExitStack() as stack:
            arm = stack.enter_context(RunningArm(
                name, {'both': slow(name), DRIVER: {'state_rate': 100.0}}))
            process = arm.module('viewer', 'arm_ik', 'viewer', '--arm', name, '--port', '0')
            stack.callback(process.stop)
            port = port_of(process)
            for experiment in experiments:
                found = experiment(arm, process, port, short, random)
                say(f'{experiment.__name__[1:]}: {found[0].seen}')
                figures += found
            ended += arm.ended() or ('' if process.exit_code is None else process.describe())
    return [*figures, Figure('processes that end by themselves', 'none', ended or 'none',
                             not ended)]


def _drops(arm, process, port, short, random):
    from .chromium import Chromium, CHROMIUM
    times, words = DROPS[short], []
    if CHROMIUM is None or not times:
        return [Figure('drops by mouse', '', 'not tried')]
    listening = arm.node.create_subscription(
        DiagnosticStatus, 'ik_node/status', lambda message: words.append(message.message), 10)
    with Chromium(f'http://127.0.0.1:{port}/') as page:
        page.wait(lambda: 'You have control' in page.text(), 'the page')
        loaded = monotonic() - page.navigated
        page.wait(lambda: 'OK connected' in page.text(), 'the arm')
        with _browser(port, 'You watch') as watcher:
            size = watcher.received + page.value(
                'performance.getEntriesByType("navigation")[0].encodedBodySize')
            fates = [_drop(arm, page, watcher, random, words, number) for number in range(times)]
    arm.node.destroy_subscription(listening)
    *counts, statuses = zip(*fates)
    answered, arrived, told = map(sum, counts)
    return [every('drops by mouse: answered', answered, times),
            every('drops by mouse: the arm arrives', arrived, times),
            every('drops by mouse: the words on the page are those of `~/status`', told, times),
            Figure('drops by mouse: what the solver says', '', ', '.join(
                f'{count} {name}' for name, count in Counter(statuses).most_common())),
            Figure('page: from its address to its words', f'<= {PAGE:g} s', f'{loaded:.1f} s',
                   loaded <= PAGE),
            Figure('page: bytes', '', f'{size / 1e6:.1f} MB')]


def _drop(arm, page, watcher, random, words, number):
    """Drag the target, click Go; return whether it was answered, met and told, and the status."""
    seq, reach = arm.statuses[-1][1].seq, arm.arm.model.reach
    for _ in range(1000):
        target = dict(watcher.nodes['/target'])
        far = np.linalg.norm(target['position']) > 1.1 * reach
        along = random.uniform(-0.4, 0.4) * reach
        axis = random.randrange(3) if number > 30 else random.choice((0, 2))
        if page.drag(arm.arm.model, target, axis, along, back=far):
            break
    page.click('Go')
    answered = arm.waited(lambda: arm.statuses[-1][1].seq > seq, 10.0)
    arrived = arm.waited(lambda: arm.statuses[-1][1].state == 'arrived', 10.0)
    told = arm.waited(lambda: f'Arm: {words[-1]}' in page.text(), 10.0)
    if not told:
        print(f'~/status: {words[-1]!r}; the page: {page.text()!r}', file=sys.stderr)
    return answered, arrived, told, arm.statuses[-1][1].status


def _stops(arm, process, port, short, random):
    last = []
    for _ in range(TIMES[short]):
        with _browser(port) as browser:
            browser.set('Follow', True)
            _stream(arm, browser, random.uniform(0.5, 1.0))
            now = time()
            browser.press('Stop')
            _stream(arm, browser, 0.7)
            last.append(max((when for when, _ in arm.commands), default=now) - now)
            browser.reset()
            arm.wait(lambda: 'enabled' in arm.statuses[-1][1].reason, 'the reset')
    return [within('Stop while streaming: the last command comes after', last, STOPPED, 's')]


def _kills(arm, process, port, short, random):
    rests, lefts = [], []
    for _ in range(TIMES[short]):
        browser = _browser(port)
        browser.set('Follow', True)
        _stream(arm, browser, random.uniform(0.5, 1.0))
        side = 1.0 if arm.states[-1][1][0] < 0.0 else -1.0   # of the base's yaw
        browser.drag((0.0, 0.25 * side, 0.15), browser.nodes['/target']['wxyz'])
        arm.wait(lambda: distance(arm.states[-1][1], arm.commands[-1][1].position) > 0.8,
                 'a way to go')
        goal, now = arm.commands[-1][1].position, time()
        browser.close()
        arm.spin(1.0)
        rests.append(max(motions(states_since(arm, now)), default=now) - now)
        lefts.append(distance(arm.states[-1][1], goal))
    what = 'browser killed while streaming: the arm'
    return [within(f'{what} is at rest after', rests, AT_REST + (1.0 if short else 0.0), 's'),
            every(f'{what} stops before its goal', sum(left > 0.02 for left in lefts), len(lefts))]


def _drags(arm, process, port, short, random):
    times = []
    with _browser(port) as browser:
        idle = _load(process, arm, CPU_S[short], lambda: arm.spin(0.1))
        browser.set('Follow', True)
        _stream(arm, browser, 0.5)
        arm.spin(0.5)
        for number in range(DRAGS[short]):
            before, now = arm.commands[-1][1].position, time()
            browser.drag(_circle(number / RATE), browser.nodes['/target']['wxyz'])
            arm.wait(lambda: arm.commands[-1][1].position != before, 'a command')
            times.append(next(when for when, message in arm.commands
                              if when > now and message.position != before) - now)
        busy = _load(process, arm, CPU_S[short], lambda: _stream(arm, browser, 0.5))
    median, high = (sorted(times)[ceil(part * len(times)) - 1] for part in (0.5, 0.99))
    return [Figure('drag to command', f'median <= {MEDIAN:g}, p99 <= {P99:g} s',
                   spread(times, 's'), short or (median <= MEDIAN and high <= P99)),
            Figure('processor time of the viewer, one browser', '',
                   f'{idle:.0%} of a core idle, {busy:.0%} at {RATE:g} drags a second')]


def _crowd(arm, process, port, short, random):
    with ExitStack() as stack:
        holder = stack.enter_context(_browser(port))
        browsers = [holder, *(stack.enter_context(_browser(port, 'You watch'))
                              for _ in range(BROWSERS - 1))]
        holder.set('Follow', True)
        for _ in range(2 if short else 10):
            _stream(arm, holder, 0.5, browsers)
        before = {name: vitals(one.pid).resident
                  for name, one in {**arm.nodes, 'viewer': process}.items()}
        begin, states = time(), []
        while time() < begin + CROWD_S[short]:
            _stream(arm, holder, 0.5, browsers)
            states += [stamp for stamp in dict(arm.states) if stamp > begin and (
                not states or stamp > states[-1])]
        end = time()
        growth = {name: vitals(one.pid).resident - before[name]
                  for name, one in {**arm.nodes, 'viewer': process}.items()}
    commands = [when for when, _ in arm.commands if begin < when < end]
    what = f'{BROWSERS} browsers, {RATE:g} drags a second each'
    wanted = (1, 1) if short else (COMMANDS, STATES)
    return [_rate(f'{what}: commands in each second', commands, begin, end, wanted[0]),
            _rate(f'{what}: joint states in each second', states, begin, end, wanted[1]),
            *(Figure(f'{what}: memory of {name} grows by', f'<= {GROWTH_KIB} KiB',
                     f'{kib} KiB', kib <= GROWTH_KIB) for name, kib in growth.items())]


def _browser(port, words='You have control'):
    """Return a browser that has been told whether it has control."""
    from .browser import Browser
    browser = Browser(port)
    browser.wait_until(lambda: any(words in text for text in browser.words()), words)
    browser.wait_until(lambda: browser.nodes.get('/target', {}).get('position'), 'the target')
    return browser


def _circle(seconds):
    """Return a position that goes round in front of the arm [m]."""
    angle = pi * seconds
    return 0.22, 0.08 * cos(angle), 0.15 + 0.06 * sin(angle)


def _stream(arm, browser, seconds, crowd=()):
    """Drag the target for some time, and that of a crowd too."""
    wxyz, end = browser.nodes['/target']['wxyz'], monotonic() + seconds
    while monotonic() < end:
        for one in crowd or [browser]:
            one.drag(_circle(monotonic()), wxyz)
        arm.spin(1.0 / RATE)


def _load(process, arm, seconds, act):
    """Return which part of a core a process takes meanwhile."""
    begin, before = monotonic(), vitals(process.pid).cpu
    while monotonic() < begin + seconds:
        act()
    return (vitals(process.pid).cpu - before) / (monotonic() - begin)


def _rate(what, times, begin, end, wanted):
    counts = np.histogram(times, int(end - begin), (begin, begin + int(end - begin)))[0]
    return Figure(what, f'>= {wanted}', f'{counts.min()} at least', bool(counts.min() >= wanted))
