"""Names and keys inside a store.

Index keys are tuples of text, integers and object ids, encoded so that the order of the bytes is
the order of the tuples: text by code point, integers by value, and a shorter tuple before the
longer ones it begins. A prefix of parts is a prefix of bytes and of nothing else, so a range of an
index is one walk over neighbouring keys.

Each part opens with a tag. Text is UTF-8 with 00 written `01 01` and 01 written `01 02`, so that
the `00` at its end stands nowhere inside it (else "a" would begin like "a" and a NUL); an integer
is tag `14` plus or minus its length in bytes, then its big-endian digits (a negative one counted
up from the smallest of its length); an object id is its 32 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

from cache.errors import CorruptionError, UsageError
from cache.ids import DIGEST_BYTES, ObjectId

Part: TypeAlias = str | int | ObjectId
Key: TypeAlias = tuple[Part, ...]

MAX_KEY_BYTES: Final = 510
"""LMDB takes keys shorter than 512 bytes; one is kept spare."""

_TEXT: Final = 0x02
_ZERO: Final = 0x14
_ID: Final = 0x30
_MAX_INT_BYTES: Final = 8

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*(?:/[a-z0-9][a-z0-9._-]*)*", re.ASCII)
_CONTROL: Final = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_REF = re.compile(rf"[^\s/{_CONTROL}][^{_CONTROL}]*")


def check_name(name: str) -> str:
    """The name of an index or a log: lower-case words with `.`, `_`, `-`, in folders by `/`."""
    if not _NAME.fullmatch(name) or len(name) > 120:
        raise UsageError(
            "not a name for an index or a log",
            where=repr(name[:150]),
            hint="use up to 120 of a-z 0-9 . _ - and / between words",
        )
    return name


def encode_ref(name: str) -> bytes:
    """The key of a ref: any text on one line without control characters, up to 510 bytes."""
    if not _REF.fullmatch(name):
        raise UsageError(
            "not a name for a ref", where=repr(name[:150]), hint="use text on one line"
        )
    return _bounded(_utf8(name), name)


def encode_key(name: str, parts: Iterable[Part]) -> bytes:
    """The bytes of an index key, or of a prefix of keys."""
    key = bytearray()
    for part in (check_name(name), *parts):
        _append(key, part)
    return _bounded(bytes(key), f"{name}{tuple(parts)}")


def decode_key(key: bytes) -> tuple[str, Key]:
    """The index name and the parts that `encode_key` wrote."""
    parts: list[Part] = []
    at = 0
    try:
        while at < len(key):
            part, at = _take(key, at)
            parts.append(part)
        name = parts.pop(0)
    except (IndexError, ValueError) as error:
        raise CorruptionError("an index key cannot be read", where=key.hex()) from error
    if not isinstance(name, str):
        raise CorruptionError("an index key has no index name", where=key.hex())
    return name, tuple(parts)


def log_prefix(name: str) -> bytes:
    """What the keys of a log's entries begin with."""
    return encode_key(name, ())


def log_key(name: str, position: int) -> bytes:
    """The key of entry number `position` (from 0) of a log."""
    return log_prefix(name) + position.to_bytes(8, "big")


def _append(key: bytearray, part: Part) -> None:
    if isinstance(part, ObjectId):
        key.append(_ID)
        key += part
    elif isinstance(part, str):
        key.append(_TEXT)
        key += _utf8(part).replace(b"\1", b"\1\2").replace(b"\0", b"\1\1")
        key.append(0)
    elif type(part) is int:  # a bool is no number here
        length = (abs(part).bit_length() + 7) // 8
        if length > _MAX_INT_BYTES:
            raise UsageError("an integer in a key has at most 64 bits", where=str(part))
        key.append(_ZERO + length if part >= 0 else _ZERO - length)
        key += (part if part >= 0 else part + (1 << 8 * length) - 1).to_bytes(length, "big")
    else:
        raise UsageError(
            f"a {type(part).__name__} cannot be part of a key",
            where=repr(part)[:80],
            hint="keys are made of str, int and ObjectId",
        )


def _take(key: bytes, at: int) -> tuple[Part, int]:
    tag = key[at]
    at += 1
    if tag == _ID:
        end = at + DIGEST_BYTES
        if end > len(key):
            raise ValueError("cut short")
        return ObjectId(key[at:end]), end
    if tag == _TEXT:
        end = key.index(0, at)
        return key[at:end].replace(b"\1\1", b"\0").replace(b"\1\2", b"\1").decode(), end + 1
    length = abs(tag - _ZERO)
    end = at + length
    if length > _MAX_INT_BYTES or end > len(key):
        raise ValueError("no such tag")
    digits = int.from_bytes(key[at:end], "big")
    return (digits if tag >= _ZERO else digits - (1 << 8 * length) + 1), end


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"not valid Unicode text: {error.reason}", where=ascii(text)[:80]
        ) from None


def _bounded(key: bytes, shown: str) -> bytes:
    if len(key) > MAX_KEY_BYTES:
        raise UsageError(
            f"a key of {len(key)} bytes is too long",
            where=shown[:80],
            hint=f"keep keys to {MAX_KEY_BYTES} bytes, or put a hash of the long part in the key",
        )
    return key
