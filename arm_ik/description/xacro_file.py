# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Expand a xacro file where xacro is installed; a ROS 2 workspace is not needed."""

from collections.abc import Mapping
from pathlib import Path
import re

from ..errors import InvalidArmError

_FIND = re.compile(r'\$\(find\s+([^\s()]+)\s*\)')


class _Arguments(dict[str, str]):
    """Values by name; one that is missing is refused by its name."""

    def __missing__(self, name: str) -> str:
        raise InvalidArmError('the file', f'its argument {name} without a value',
                              f'{name}:=VALUE behind the name of the file')


def expanded(path: Path | str, given: Mapping[str, object]) -> bytes:
    """
    Return the XML that a xacro file expands to.

    ``$(find PKG)`` is looked up in the ROS 2 environment, then above the file.

    :param path: the file.
    :param given: values of its arguments, by name.
    :raises InvalidArmError: if it cannot be expanded.
    """
    try:
        from xacro import process_file, substitution_args
    except ImportError:
        raise InvalidArmError('the file', 'a xacro file, but xacro is not installed',
                              'it once xacro is there: pip install xacro') from None
    resolve = substitution_args.resolve_args

    def find(match: re.Match[str]) -> str:
        try:
            return str(resolve(match[0]))
        except (ImportError, LookupError, OSError, ValueError):
            return _above(Path(path).resolve(), match[1])

    arguments = _Arguments({name: str(value) for name, value in given.items()})
    substitution_args.resolve_args = lambda text, *more, **named: resolve(
        _FIND.sub(find, text), *more, **named)
    try:
        return process_file(str(path), mappings=arguments).toxml().encode()
    except Exception as error:  # noqa: BLE001, whatever the file's own expressions raise
        cause: object = error
        while cause and not isinstance(cause, InvalidArmError):
            cause = getattr(cause, 'exc', None)    # in which xacro wraps what has been raised
        if cause:
            raise cause from None    # type: ignore[misc]
        raise InvalidArmError('the file', f'{type(error).__name__}: {error}',
                              'what xacro can expand') from None
    finally:
        substitution_args.resolve_args = resolve


def _above(file: Path, package: str) -> str:
    """Return the folder of a package: above a file, or beside a folder above it."""
    for folder in file.parents:
        for place in (folder, folder / package):
            described = place / 'package.xml'
            if place.name == package and place.is_dir() or described.is_file() and \
                    f'<name>{package}</name>' in described.read_text('utf-8', 'replace'):
                return str(place)
    raise InvalidArmError('the file', f'$(find {package}), and no such package above the file',
                          'the file in its package, or a sourced workspace that has it')
