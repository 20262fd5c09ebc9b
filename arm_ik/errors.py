# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Every error this package raises on purpose.

All of them are :class:`ArmIkError`; each also inherits the builtin that a caller would expect.
Constructors take facts and write the message: what was found, and what is allowed.
An unreachable target is never an error: it is a status of the solution.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any


class ArmIkError(Exception):
    """Base class of all errors raised by this package; its arguments are facts, its text words."""


class InvalidInputError(ArmIkError, ValueError):
    """
    An argument (number, vector or name) is not valid.

    :param what: the argument, e.g. ``'target position'``.
    :param found: what was given.
    :param allowed: what would have been accepted.
    """

    def __init__(self, what: str, found: object, allowed: str) -> None:
        super().__init__(what, found, allowed)
        self.what, self.found, self.allowed = what, found, allowed

    def __str__(self) -> str:
        return f'{self.what} is {_short(self.found)}; allowed: {self.allowed}'


class InvalidArmError(ArmIkError, ValueError):
    """
    A rule of the arm description is broken.

    :param key: the YAML key, e.g. ``'arm.links.forearm'``.
    :param found: what is there.
    :param allowed: what may be there.
    :param source: the file it is in, where known.
    """

    def __init__(self, key: str, found: object, allowed: str, source: str | None = None) -> None:
        super().__init__(key, found, allowed, source)
        self.key, self.found, self.allowed, self.source = key, found, allowed, source

    def __str__(self) -> str:
        where = f'{self.source}: ' if self.source else ''
        return f'{where}{self.key}: found {_short(self.found)}; allowed: {self.allowed}'


def require(holds: object, key: str, found: Any, allowed: str) -> Any:
    """Return what was found at a key; raise :class:`InvalidArmError` unless something holds."""
    if not holds:
        raise InvalidArmError(key, found, allowed)
    return found


def require_one_of(key: str, found: Any, known: Collection[str], more: str = '') -> Any:
    """Return what was found at a key; raise :class:`InvalidArmError` if it is no known word."""
    if found not in known:
        raise InvalidArmError(key, found, one_of(found, known) + more)
    return found


@contextmanager
def in_file(source: str | None) -> Iterator[None]:
    """Have an :class:`InvalidArmError` that is raised in this context name the file it is in."""
    try:
        yield
    except InvalidArmError as error:
        raise InvalidArmError(error.key, error.found, error.allowed, source) from None


class ArmFileWarning(UserWarning):
    """An arm's description breaks no rule, but is probably not what was meant."""


class UnknownPresetError(ArmIkError, LookupError):
    """
    No arm of that name comes with the package.

    :param name: the name asked for.
    :param known: the names there are.
    """

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name, self.known = name, tuple(known)
        super().__init__(name, self.known)

    def __str__(self) -> str:
        return (f'no arm named {self.name!r}; {did_you_mean(self.name, self.known)}'
                f'there are: {", ".join(self.known)}')


class DriverError(ArmIkError, RuntimeError):
    """
    A servo bus, simulated or real, did not carry out a request.

    :param backend: name of the back end, e.g. ``'simulated'``.
    :param what: what went wrong, in words a user can act on.
    """

    def __init__(self, backend: str, what: str) -> None:
        super().__init__(backend, what)
        self.backend, self.what = backend, what

    def __str__(self) -> str:
        return f'{self.backend}: {self.what}'


def did_you_mean(word: object, known: Iterable[str], cutoff: float = 0.6,
                 written: Callable[[str], str] = repr) -> str:
    """
    Return a question that suggests the most similar known word; ``''`` if none is similar.

    Capitals do not count.

    :param word: the word that is not known.
    :param known: the words that are.
    :param cutoff: how similar they have to be, from 0 to 1.
    :param written: function of a known word that returns what to write for it.
    """
    from difflib import get_close_matches  # imported only in case of a mistake
    lowered = {each.lower(): each for each in known}
    return ''.join(f'did you mean {written(lowered[near])}? ' for near in get_close_matches(
        str(word).lower(), lowered, n=1, cutoff=cutoff))


def one_of(word: object, known: Iterable[str]) -> str:
    """
    Return the allowed words, first the one that was probably meant.

    :param word: what was found.
    :param known: the words allowed.
    """
    known = tuple(known)
    return f'{did_you_mean(word, known)}one of {", ".join(known)}' if known else 'no key here'


def missing_module(error: ModuleNotFoundError) -> str:
    """Return the message for a user who has not installed or sourced what is imported."""
    extra = {'viser': 'viewer', 'websockets': 'viewer', 'serial': 'servos',
             'smbus2': 'servos', 'matplotlib': 'plot', 'mujoco': 'physics', 'mcap': 'record',
             'mcap_ros2': 'record'}.get((error.name or '').partition('.')[0])
    if extra:
        return f"no Python module {error.name!r}; in the clone pip install '.[{extra}]' brings it"
    return (f'no Python module {error.name!r}; is ROS 2 sourced, or arm_ik installed with the '
            'extra jazzy or kilted?')


def _short(value: object, limit: int = 120) -> str:
    # On one line, because messages go to logs.
    text = ' '.join(repr(value).split())
    return text if len(text) <= limit else text[:limit - 3] + '...'
