# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Long batches: chunks, threads, word of progress, and memory that does not grow with them."""

import threading
from time import sleep
import tracemalloc

from arm_ik import Arm, InvalidInputError
from arm_ik.kinematics.batch import columns
from arm_ik.kinematics.batch.columns import run_chunks
from judged_arms import KINDS, random_arm
import numpy as np
import pytest


def poses(arm, count, seed=1):
    rng = np.random.default_rng(seed)
    q = rng.uniform(arm.lower, arm.upper, (count, len(arm.home)))
    return q, arm.forward(q)


@pytest.mark.parametrize('kind', KINDS)
def test_any_number_of_threads_gives_the_same_to_the_last_bit(kind):
    arm = random_arm(kind, 1)
    q, pose = poses(arm, 150)
    pose.position[::31] += 0.2
    answers = [arm.solve_batch(pose.position, pose.up, near=0.9 * q, chunk_size=16,
                               threads=threads) for threads in (1, 2, 4)]
    for answer in answers[1:]:
        for field, expected in zip(answer, answers[0]):
            assert (field == expected).all()


def test_several_chunks_are_worked_on_at_the_same_time():
    both = threading.Barrier(2)
    # Alone, either would wait for the other until the barrier breaks.
    run_chunks(lambda start, stop: both.wait(timeout=60.0), 4, 1, 2, lambda done: None)
    assert not both.broken


@pytest.mark.parametrize('threads', [1, 3])
def test_progress_is_told_from_the_calling_thread_after_each_chunk(threads):
    arm, told = Arm.preset('simple'), []
    _, pose = poses(arm, 45)
    arm.solve_batch(pose.position, pose.up, chunk_size=10, threads=threads, progress=lambda *at:
                    told.append((*at, threading.current_thread())))
    here = threading.current_thread()
    assert told == [(done, 45, here) for done in (10, 20, 30, 40, 45)]


@pytest.mark.parametrize('threads', [1, 2])
def test_what_progress_raises_ends_the_work(threads):
    worked = []

    def work(start, _):
        worked.append(start)
        sleep(1e-3)

    def stop(done):
        if done >= 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_chunks(work, 10_000, 10, threads, stop)
    assert len(worked) < 100
    # Nobody is left working.
    assert not [thread for thread in threading.enumerate() if 'ThreadPool' in thread.name]


@pytest.mark.parametrize('threads', [1, 2])
def test_what_a_chunk_raises_comes_out(threads):
    def work(start, stop):
        if start == 20:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_chunks(work, 100, 10, threads, lambda done: None)


def test_few_targets_are_not_worth_a_second_thread(monkeypatch):
    assert columns.threads_for(100) == 1
    monkeypatch.setattr(columns.os, 'sched_getaffinity', lambda _: range(2), raising=False)
    assert columns.threads_for(10 ** 6) == 2
    monkeypatch.setattr(columns.os, 'sched_getaffinity', lambda _: range(64))
    assert columns.threads_for(10 ** 6) == columns.MOST_THREADS
    monkeypatch.delattr(columns.os, 'sched_getaffinity')        # as on macOS and Windows
    monkeypatch.setattr(columns.os, 'cpu_count', lambda: 3)
    assert columns.threads_for(10 ** 6) == 3


@pytest.mark.parametrize('bad, named', [
    ({'threads': 0}, 'threads'), ({'threads': 1.5}, 'threads'), ({'chunk_size': 0}, 'chunk_size'),
    ({'chunk_size': None}, 'chunk_size'), ({'threads': np.array([1, 2])}, 'threads'),
    ({'progress': True}, 'progress')])
def test_bad_options_are_refused_by_name(bad, named):
    with pytest.raises(InvalidInputError) as refused:
        Arm.preset('simple').solve_batch([[0.1, 0.0, 0.1]], **bad)
    assert refused.value.what == named


def peak_besides_answer(arm, arguments, **options):
    """Return the most memory a batch took besides its answer and what was there before [bytes]."""
    tracemalloc.start()
    found = arm.solve_batch(*arguments, **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak - sum([field.nbytes for field in found])


@pytest.mark.parametrize('threads', [1, 2])
@pytest.mark.parametrize('layout', ['plain', 'one up', 'float32', 'strided'])
def test_memory_is_bounded_by_the_chunk_whatever_the_number_of_targets(layout, threads):
    arm = Arm.preset('so101')

    def peak(count, threads):
        _, pose = poses(arm, 1000)
        position, up = [np.tile(a, (count // 1000, 1)) for a in (pose.position, pose.up)]
        near = np.array(arm.home)
        if layout == 'one up':
            position, up = np.broadcast_to(position[0], position.shape), up[0]
        elif layout == 'float32':
            position, up = position.astype(np.float32), up.astype(np.float32)
        elif layout == 'strided':
            position, up = np.repeat(position, 2, axis=0)[::2], np.asfortranarray(up)
        options = {'position_tolerance': 1e-6, 'up_tolerance': 1e-5, 'chunk_size': 1000}
        return peak_besides_answer(
            arm, (position, up, None, near), threads=threads, **options)

    peak(2000, 1)
    few, many = peak(4000, 1), peak(40_000, threads)
    assert many < (threads + 0.5) * few


def test_no_input_is_copied_as_a_whole():
    arm = Arm.preset('simple')
    _, pose = poses(arm, 40_000)
    near = np.broadcast_to(arm.home, (40_000, 4))
    peak = peak_besides_answer(arm, (pose.position, pose.up, None, near), chunk_size=500)
    assert peak < pose.position.nbytes / 2


def test_arrays_mapped_from_a_file_are_read_from_there(tmp_path):
    arm = Arm.preset('simple')
    _, pose = poses(arm, 50)
    np.save(tmp_path / 'positions.npy', pose.position)
    mapped = np.load(tmp_path / 'positions.npy', mmap_mode='r')
    assert (arm.solve_batch(mapped, pose.up).q == arm.solve_batch(pose.position, pose.up).q).all()
