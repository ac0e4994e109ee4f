"""Opening an Office package (a zip archive) that may be a trap."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import Final

from generators.readers.content import Unreadable

MAX_MEMBERS: Final = 512
MAX_MEMBER_BYTES: Final = 4 * 1024 * 1024
MAX_TOTAL_BYTES: Final = 64 * 1024 * 1024
MAX_RATIO: Final = 200
RATIO_FLOOR_BYTES: Final = 1024 * 1024
"""Members smaller than this may compress as well as they like."""

_ENCRYPTED_FLAG = 0x1
_CENTRAL_ENTRY = b"PK\x01\x02"

# What `zipfile` and `zlib` raise on damaged archives.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,
)


class Package:
    """The members of one archive, checked before any of them is unpacked."""

    __slots__ = ("_archive", "_members")

    def __init__(self, data: bytes) -> None:
        # Counted before the directory is parsed: each entry costs ten times its size in memory.
        if data.count(_CENTRAL_ENTRY) > MAX_MEMBERS:
            raise Unreadable("zip_bomb", f"the archive has more than {MAX_MEMBERS} members")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGE as error:
            raise Unreadable("not_zip", f"the archive cannot be opened: {error}") from None
        entries = self._archive.infolist()
        for entry in entries:
            _refuse_hostile(entry)
        if sum(entry.file_size for entry in entries) > MAX_TOTAL_BYTES:
            raise Unreadable("zip_bomb", f"the members unpack to more than {MAX_TOTAL_BYTES} bytes")
        self._members = {entry.filename: entry for entry in entries}
        if len(self._members) != len(entries):
            raise Unreadable("ambiguous_member", "two members have the same name")

    def read(self, name: str) -> bytes:
        """The bytes of one member."""
        entry = self._members.get(name)
        if entry is None:
            raise Unreadable("missing_part", f"the archive has no member {name[:200]!r}")
        if entry.file_size > MAX_MEMBER_BYTES:
            raise Unreadable("too_large", f"member {name!r} unpacks to {entry.file_size} bytes")
        try:
            with self._archive.open(entry) as stream:
                return stream.read(MAX_MEMBER_BYTES)
        except _DAMAGE as error:
            raise Unreadable("not_zip", f"member {name!r} cannot be unpacked: {error}") from None


def _refuse_hostile(entry: zipfile.ZipInfo) -> None:
    name = entry.filename
    steps = name.replace("\\", "/").split("/")
    if not steps[0] or ".." in steps or ":" in name:
        raise Unreadable("path_traversal", f"member {name[:200]!r} points outside the archive")
    if entry.flag_bits & _ENCRYPTED_FLAG:
        raise Unreadable("encrypted", f"member {name[:200]!r} is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Unreadable("not_zip", f"member {name[:200]!r} uses an unusual compression")
    if entry.file_size > max(RATIO_FLOOR_BYTES, entry.compress_size * MAX_RATIO):
        raise Unreadable("zip_bomb", f"member {name[:200]!r} unpacks to {entry.file_size} bytes")
