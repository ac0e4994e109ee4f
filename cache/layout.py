"""The bytes inside a store: databases, object headers, seals.

| database | key | value |
|---|---|---|
| `meta` | a word | text, sealed |
| `objects` | the 32 bytes of the id | header, then the content, plain or compressed |
| `times` | commit time in ns and transaction (8 + 8 bytes, big-endian) | ids written then, sealed |
| `refs` | the name in UTF-8 | an id, sealed |
| `index` | index name and key parts (`cache.keys`) | an id and a small payload, sealed |
| `log` | log name and position (8 bytes, big-endian) | the entry, sealed |

An object proves itself by its hash. Everything else ends in a seal, the CRC-32 of key and value,
so that a flipped bit is an error there too and never another answer.

`times` is a journal and not a time per id: one row per commit is written at the end of a tree,
where a time per id would touch as many pages again as the objects themselves.
"""

from __future__ import annotations

import hashlib
import struct
import threading
import zlib
from typing import Final, NamedTuple

import zstandard

from cache.errors import CorruptionError, StoreError
from cache.ids import MAX_KIND_BYTES, ObjectId

FORMAT: Final = "1"
"""The version of everything on this page; a store of another version is refused."""

DATABASES: Final = ("meta", "objects", "times", "refs", "index", "log")

COMPRESS_FROM: Final = 192
"""Content below this size (bytes) is stored as it is."""

MAX_CONTENT: Final = (4 << 30) - 4096
"""LMDB's limit for one value, less the header."""

_COMPRESSED: Final = 0x01
_HEADER: Final = struct.Struct(">BBQ")  # flags, length of the kind, length of the plain content
MAX_HEADER: Final = _HEADER.size + MAX_KIND_BYTES
_SEAL: Final = struct.Struct(">I")
_JOURNAL_KEY: Final = struct.Struct(">QQ")


class _Zstandard(threading.local):
    """One compressor and one decompressor per thread: they are not shared safely."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=3, write_checksum=False).compress
        self.decompress = zstandard.ZstdDecompressor().decompress


_zstandard = _Zstandard()


class Header(NamedTuple):
    """What is known of an object without reading its content."""

    kind: str
    length: int
    """Bytes of the plain content."""
    compressed: bool
    offset: int
    """Where in the stored value the content begins."""


def pack_object(kind: str, data: bytes) -> bytes:
    """The stored value of an object: compressed only where that saves an eighth or more."""
    if len(data) > MAX_CONTENT:
        raise StoreError(f"an object of {len(data)} bytes is too large", hint="split the content")
    name = kind.encode("ascii")
    if len(data) >= COMPRESS_FROM:
        packed = _zstandard.compress(data)
        if len(packed) <= len(data) - len(data) // 8:
            return _HEADER.pack(_COMPRESSED, len(name), len(data)) + name + packed
    return _HEADER.pack(0, len(name), len(data)) + name + data


def read_header(oid: ObjectId, value: bytes) -> Header:
    """Read the header of a stored value; its truth is proved only by `unpack_object`."""
    return Header(*_read_header(oid, value))


def _read_header(oid: ObjectId, value: bytes) -> tuple[str, int, bool, int]:
    try:
        flags, name_length, length = _HEADER.unpack_from(value)
        offset = _HEADER.size + name_length
        kind = value[_HEADER.size : offset].decode("ascii")
    except (struct.error, UnicodeDecodeError):
        raise damaged(oid, "its header cannot be read") from None
    if flags & ~_COMPRESSED or offset > len(value):
        raise damaged(oid, "its header cannot be read")
    return kind, length, flags == _COMPRESSED, offset


def unpack_object(oid: ObjectId, value: bytes) -> tuple[str, bytes]:
    """The kind and the content of a stored value, proved to be what `oid` names."""
    kind, length, compressed, offset = _read_header(oid, value)
    data = value[offset:]
    if compressed:
        try:
            # The size in the frame is compared first, so that damage cannot ask for any amount.
            if zstandard.frame_content_size(data) != length:
                raise damaged(oid, "its length does not match its content")
            data = _zstandard.decompress(data)
        except (zstandard.ZstdError, MemoryError):
            raise damaged(oid, "it cannot be decompressed") from None
    # What `hash_object` computes; a kind needs no other check when the hash is right.
    digest = hashlib.sha256(value[_HEADER.size : offset] + b"\0")
    digest.update(data)
    if digest.digest() != oid or len(data) != length:
        raise damaged(oid, "its content does not match its id")
    return kind, data


def damaged(oid: ObjectId, how: str) -> CorruptionError:
    """The error for a stored object that is not what its id says."""
    return CorruptionError(
        f"a stored object is damaged: {how}", where=oid.hex(), hint="run `dgf store verify`"
    )


def seal(key: bytes, value: bytes) -> bytes:
    """`value` with the check that `unseal` proves."""
    return value + _SEAL.pack(zlib.crc32(value, zlib.crc32(key)))


def unseal(key: bytes, sealed: bytes, database: str) -> bytes:
    """The value of a sealed entry, proved to be what was stored under `key`."""
    value, check = sealed[:-4], sealed[-4:]
    if check != _SEAL.pack(zlib.crc32(value, zlib.crc32(key))):
        raise CorruptionError(
            f"an entry of {database!r} is damaged",
            where=repr(key),
            hint="run `dgf store verify`",
        )
    return value


def journal_key(time_ns: int, transaction: int) -> bytes:
    """The key of the journal row of one commit."""
    return _JOURNAL_KEY.pack(time_ns, transaction)


def journal_time(key: bytes) -> int:
    """The commit time (ns since the epoch) in a journal key."""
    if len(key) != _JOURNAL_KEY.size:
        raise CorruptionError("a journal key cannot be read", where=key.hex())
    time_ns: int = _JOURNAL_KEY.unpack(key)[0]
    return time_ns


def join_ids(ids: list[ObjectId]) -> bytes:
    """Ids as one value."""
    return b"".join(ids)


def split_ids(value: bytes) -> list[ObjectId]:
    """The ids that `join_ids` put into one value."""
    return [ObjectId(value[at : at + 32]) for at in range(0, len(value), 32)]
