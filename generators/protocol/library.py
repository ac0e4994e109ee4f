"""Finding and reading the text families of a protocol."""

from __future__ import annotations

import functools
import re
import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final, TypeVar

import msgspec

from cache.errors import DgfError, UsageError

T = TypeVar("T")

DEFAULT_PROTOCOL: Final = "2026.12"
"""The protocol of new runs."""

_PROTOCOL_NAME: Final = re.compile(r"\d{4}\.\d{2}(?:\.\d+)?")
_PLACE: Final = re.compile(r"\{([a-z][a-z_]*)\}")


class ProtocolError(DgfError):
    """Raised when a text family is not what its reader expects: file and key are in `where`."""


def shipped() -> Traversable:
    """The folder that holds one folder per protocol, and the digests."""
    return files("generators.protocol")


def protocols() -> tuple[str, ...]:
    """Names of the protocols that can be run, oldest first."""
    folders = (item.name for item in shipped().iterdir() if item.is_dir())
    return tuple(sorted(filter(_PROTOCOL_NAME.fullmatch, folders)))


def families(protocol: str) -> tuple[str, ...]:
    """Names of the text families of `protocol`, in alphabetical order."""
    names = (item.name for item in _folder(protocol).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@functools.cache
def texts(family: str, kind: type[T], *, protocol: str = DEFAULT_PROTOCOL) -> T:
    """The texts of `family`, as a record of type `kind`.

    Raises
    ------
    UsageError
        If there is no such protocol.
    ProtocolError
        If the protocol has no such family, or its file does not fit `kind`.
    """
    where = f"{protocol}/{family}.toml"
    try:
        return msgspec.convert(read_family(protocol, family), kind)
    except msgspec.ValidationError as error:
        raise ProtocolError(f"texts of the wrong form: {error}", where=where) from error


def read_family(protocol: str, family: str) -> dict[str, Any]:
    """The parsed file of `family`."""
    where = f"{protocol}/{family}.toml"
    try:
        return tomllib.loads((_folder(protocol) / f"{family}.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        known = ", ".join(families(protocol))
        raise ProtocolError(
            "no such text family", where=where, hint=f"the protocol has {known}"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"not TOML: {error}", where=where) from error


def fill(text: str, **values: str) -> str:
    """`text` with each `{name}` replaced by its value; values are inserted as they are.

    Braces around anything but a lower-case name stay, so texts may show JSON.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name not in values:
            raise ProtocolError(f"nothing to put in the place of {match[0]}", where=repr(text[:60]))
        return values[name]

    return _PLACE.sub(value, text)


def _folder(protocol: str) -> Traversable:
    if protocol not in protocols():
        raise UsageError(f"unknown protocol {protocol!r}", hint=f"one of {', '.join(protocols())}")
    return shipped() / protocol
