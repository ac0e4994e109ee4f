"""The one codec of records at rest.

A record is a frozen `Record` subclass with a versioned kind. Its canonical form is MessagePack:
a map of all fields in the order they are declared, dictionaries sorted by key, floats as 64 bit,
and every `ObjectId` as extension type 1. The last rule makes references visible in bytes of any
kind, known to this release or not, so that reachability never needs a schema.

Only canonical bytes are ever stored: what decodes to a value that would be written differently
(a wide integer, an unknown field, an integer in a float's place, a NaN) is refused on the way in.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final, TypeVar

import msgspec

from cache.errors import RecordError
from cache.ids import ObjectId, check_kind, is_record

REFERENCE: Final = 1
"""The MessagePack extension type of an `ObjectId`."""

_DECODE_ERRORS: Final = (msgspec.DecodeError, UnicodeError, RecursionError, OverflowError)
_ENCODE_ERRORS: Final = (
    msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError,
)  # fmt: skip

# A float64 whose exponent is all ones starts like this. The bytes may also stand inside a string,
# so a hit only means that the slow walk has to decide.
_MAYBE_NOT_FINITE: Final = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]", re.DOTALL)


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of everything that is stored with structure.

    A subclass names its `kind` (`name/N`) and is declared `frozen=True, kw_only=True`. Its fields
    never change once records of it may be stored: another shape is another version, and the old
    class stays with an `upgrade` that reads it as the new one.
    """

    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        kind = cls.__dict__.get("kind")
        if kind is None:
            return
        if not is_record(kind):
            raise RecordError("a record's kind has a version", where=f"{cls.__name__}.kind")
        check_kind(kind)
        known = _RECORDS.setdefault(kind, cls)
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise RecordError(f"{known.__name__} already is {kind}", where=cls.__name__)
        _RECORDS[kind] = cls

    def upgrade(self) -> Record:
        """Read this version as the next one; the newest version has none."""
        raise RecordError(
            f"a {self.kind} record is not of the wanted type", hint="ask for the type it was put as"
        )


_RECORDS: Final[dict[str, type[Record]]] = {}

R = TypeVar("R", bound=Record)


def _encode_special(value: object) -> msgspec.msgpack.Ext:
    if isinstance(value, ObjectId):
        return msgspec.msgpack.Ext(REFERENCE, bytes(value))
    raise TypeError(f"no canonical form for {type(value).__name__}")


def _decode_extension(code: int, data: memoryview) -> ObjectId:
    if code != REFERENCE or len(data) != 32:
        raise ValueError(f"extension type {code} of {len(data)} bytes is not a reference")
    return ObjectId(bytes(data))


def _decode_special(wanted: type, value: object) -> object:
    if wanted is ObjectId and isinstance(value, ObjectId):
        return value
    raise ValueError(f"expected {wanted.__name__}")


_encoder = msgspec.msgpack.Encoder(enc_hook=_encode_special, order="deterministic")
_encoder_as_read = msgspec.msgpack.Encoder(enc_hook=_encode_special)
_decoder = msgspec.msgpack.Decoder(ext_hook=_decode_extension)


@functools.cache
def _decoder_of(cls: type[Record]) -> msgspec.msgpack.Decoder[Record]:
    if not cls.__struct_config__.frozen:
        raise RecordError("a record type is declared frozen=True", where=cls.__name__)
    return msgspec.msgpack.Decoder(cls, dec_hook=_decode_special, ext_hook=_decode_extension)


def encode(record: Record) -> bytes:
    """The canonical bytes of `record`.

    Raises
    ------
    RecordError
        When a value has no canonical form (a NaN, an infinity, a lone surrogate) or does not fit
        the declared type of its field.
    """
    try:
        data = _encoder.encode(record)
    except _ENCODE_ERRORS as error:
        raise RecordError(f"no canonical form: {error}", where=record.kind) from error
    check_canonical(record.kind, data)
    return data


def decode(kind: str, data: bytes, wanted: type[R]) -> R:
    """Read the bytes of a record of `kind` as the type `wanted`, upgrading older versions."""
    cls = _RECORDS.get(kind)
    if cls is None:
        raise RecordError("this release has no record of that kind", where=kind)
    record = _read(kind, data, _decoder_of(cls))
    while not isinstance(record, wanted):
        record = record.upgrade()
    return record


def check_canonical(kind: str, data: bytes) -> None:
    """Refuse bytes that are not the canonical form of a record of `kind`.

    A kind this release does not know is held to the rules that need no schema.
    """
    cls = _RECORDS.get(kind)
    again: bytes
    if cls is None:
        again = _encoder_as_read.encode(_read(kind, data, _decoder))
    else:
        again = _encoder.encode(_read(kind, data, _decoder_of(cls)))
    if again != data:
        offset = next(
            (at for at, (a, b) in enumerate(zip(data, again, strict=False)) if a != b),
            min(len(data), len(again)),
        )
        raise RecordError(
            f"not in canonical form from byte {offset} on",
            where=kind,
            hint="check that each value has the declared type of its field",
        )
    try:
        finite = not _MAYBE_NOT_FINITE.search(data) or _all_finite(_read(kind, data, _decoder))
    except RecursionError:
        raise RecordError("nested too deeply", where=kind) from None
    if not finite:
        raise RecordError("NaN and infinity have no canonical form", where=kind)


def references(kind: str, data: bytes) -> Iterator[ObjectId]:
    """The objects that an object names, in the order they stand in it; raw bytes name none."""
    if not is_record(kind):
        return iter(())
    found: list[ObjectId] = []

    def note(code: int, value: memoryview) -> ObjectId:
        reference = _decode_extension(code, value)
        found.append(reference)
        return reference

    _read(kind, data, msgspec.msgpack.Decoder(ext_hook=note))
    return iter(found)


T = TypeVar("T")


def _read(kind: str, data: bytes, decoder: msgspec.msgpack.Decoder[T]) -> T:
    try:
        return decoder.decode(data)
    except (*_DECODE_ERRORS, ValueError, TypeError) as error:
        raise RecordError(f"cannot be read: {error}", where=kind) from error


def _all_finite(value: Any) -> bool:  # any MessagePack value
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(_all_finite(key) and _all_finite(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(_all_finite, value))
    return True
