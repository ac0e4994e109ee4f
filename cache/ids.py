"""Names of objects: SHA-256 over a kind and canonical bytes.

An object is a kind and its bytes, and its id is a function of both and of nothing else, so equal
content has one name on every machine and in every store. A kind is written `name` for raw bytes
(`blob`) or `name/N` for version N of a record (`tree/1`).
"""

from __future__ import annotations

import functools
import hashlib
import re
from typing import Final, Self

from cache.errors import RecordError, UsageError

BLOB: Final = "blob"
"""The kind of plain file content."""

DIGEST_BYTES: Final = 32
MAX_KIND_BYTES: Final = 64

_KIND = re.compile(r"[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*(?:/[1-9][0-9]{0,8})?", re.ASCII)
_HEX_ID = re.compile(r"[0-9a-f]{64}", re.ASCII)


class ObjectId(bytes):
    """The address of an object: 32 bytes, ordered and hashable like any bytes.

    Inside a record an `ObjectId` is a reference: a promise that the object is in the store. A
    digest that names no object (a draw key, a file checksum) is stored as plain bytes instead.
    """

    __slots__ = ()

    def __new__(cls, digest: bytes) -> Self:
        """Take the 32 bytes of a digest."""
        if len(digest) != DIGEST_BYTES:
            raise UsageError(
                f"an object id has {DIGEST_BYTES} bytes, not {len(digest)}",
                hint="ObjectId.parse reads the hexadecimal form",
            )
        return super().__new__(cls, digest)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the form that `hex()` writes: 64 lower-case hexadecimal digits."""
        if not _HEX_ID.fullmatch(text):
            raise UsageError(
                "not an object id",
                where=repr(text[:80]),
                hint=f"an id is 64 lower-case hexadecimal digits; this has {len(text)} characters",
            )
        return cls(bytes.fromhex(text))

    def __repr__(self) -> str:
        return f"<ObjectId {self.hex()[:12]}…>"

    def __str__(self) -> str:
        return self.hex()


@functools.lru_cache(maxsize=256)
def check_kind(kind: str) -> bytes:
    """The bytes of a well-formed kind.

    Raises
    ------
    RecordError
        When `kind` is neither `name` nor `name/N`, or is longer than 64 bytes.
    """
    if not _KIND.fullmatch(kind) or len(kind) > MAX_KIND_BYTES:
        raise RecordError(
            "not a kind of object",
            where=repr(kind[:80]),
            hint="write `name` for raw bytes or `name/N` for a record, in lower case",
        )
    return kind.encode("ascii")


def is_record(kind: str) -> bool:
    """Whether objects of this kind are records (with references inside) rather than raw bytes."""
    return "/" in kind


def hash_object(kind: str, data: bytes) -> ObjectId:
    """The id of `data` as an object of `kind`."""
    digest = hashlib.sha256(check_kind(kind) + b"\0")
    digest.update(data)
    return ObjectId(digest.digest())
