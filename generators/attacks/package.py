"""Changing a part of an Office package without touching the rest of it.

The other members are carried over as the compressed bytes they are: unpacking and packing them
again would cost most of the time and depend on the installed zlib. What is new is stored, with the
first date a zip archive can name, so that equal changes give equal bytes.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Final

from generators.attacks.errors import AttackError
from generators.readers.content import Unreadable
from generators.readers.package import Package

_LOCAL: Final = struct.Struct("<4s5H3I2H")
_CENTRAL: Final = struct.Struct("<4s6H3I5H2I")
_END: Final = struct.Struct("<4s4H2IH")
_DEFLATE_VERSION: Final = 20
_DATE: Final = 1 << 5 | 1  # 1 January 1980
_UTF8_FLAG: Final = 1 << 11


def read_member(data: bytes, name: str) -> bytes:
    """One part of a package.

    Raises
    ------
    AttackError
        If the package is damaged or a trap, or lacks the part.
    """
    try:
        return Package(data).read(name)
    except Unreadable as refusal:
        raise AttackError(
            f"not a Word file: {refusal.value.detail}", hint="make or import the dossier again"
        ) from None


def with_members(data: bytes, changes: Mapping[str, bytes]) -> bytes:
    """A package that `read_member` accepts, with some parts replaced; new ones come last."""
    writer = _Writer()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            if entry.filename in changes:
                writer.store(entry.filename, changes[entry.filename])
            else:
                writer.carry(entry, _packed(data, entry))
        present = set(archive.namelist())
    for name, content in changes.items():
        if name not in present:
            writer.store(name, content)
    return writer.finish()


def _packed(data: bytes, entry: zipfile.ZipInfo) -> bytes:
    """The compressed bytes of a member: they follow its local header, name and extra field."""
    header = _LOCAL.unpack_from(data, entry.header_offset)
    start = entry.header_offset + _LOCAL.size + header[-2] + header[-1]
    return data[start : start + entry.compress_size]


class _Writer:
    """An archive in the making."""

    def __init__(self) -> None:
        self._locals: list[bytes] = []
        self._central: list[bytes] = []
        self._offset = 0

    def store(self, name: str, content: bytes) -> None:
        """Add a member that is not compressed."""
        self._add(name, content, zipfile.ZIP_STORED, zlib.crc32(content), len(content))

    def carry(self, entry: zipfile.ZipInfo, packed: bytes) -> None:
        """Add a member of another archive as it is."""
        self._add(entry.filename, packed, entry.compress_type, entry.CRC, entry.file_size)

    def _add(self, name: str, packed: bytes, method: int, checksum: int, size: int) -> None:
        encoded = name.encode()
        flags = 0 if name.isascii() else _UTF8_FLAG
        facts = (flags, method, 0, _DATE, checksum, len(packed), size, len(encoded), 0)
        local = _LOCAL.pack(b"PK\3\4", _DEFLATE_VERSION, *facts) + encoded + packed
        version = (_DEFLATE_VERSION, _DEFLATE_VERSION)
        rest = (0, 0, 0, 0, self._offset)
        self._central.append(_CENTRAL.pack(b"PK\1\2", *version, *facts, *rest) + encoded)
        self._locals.append(local)
        self._offset += len(local)

    def finish(self) -> bytes:
        """The bytes of the archive."""
        directory, count = b"".join(self._central), len(self._central)
        end = _END.pack(b"PK\5\6", 0, 0, count, count, len(directory), self._offset, 0)
        return b"".join([*self._locals, directory, end])
