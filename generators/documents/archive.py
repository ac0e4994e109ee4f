"""Zip archives of which all members but one never change.

Members are stored, not deflated: two builds of zlib deflate differently, and the store compresses
anyway. Everything else that a zip writer would take from its machine is fixed, so equal members
give equal bytes. The constant members are laid out once; an archive then costs one checksum.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from typing import Final

_LOCAL: Final = struct.Struct("<4s5H3I2H")
_CENTRAL: Final = struct.Struct("<4s6H3I5H2I")
_END: Final = struct.Struct("<4s4H2IH")
_VERSION: Final = 10  # of the format: stored members need no later one, and host system 0
_TIME: Final = 0
_DATE: Final = 1 << 5 | 1  # 1 January 1980, the first day a zip archive can name


class StoredArchive:
    """An archive of constant `members`, to which each call adds one more at the end."""

    __slots__ = ("_central", "_count", "_locals")

    def __init__(self, members: Mapping[str, bytes]) -> None:
        self._locals = b""
        self._central = b""
        for name, content in members.items():
            local, central = _member(name, content, offset=len(self._locals))
            self._locals += local
            self._central += central
        self._count = len(members)

    def with_member(self, name: str, content: bytes) -> bytes:
        """The whole archive with `content` as its last member."""
        local, central = _member(name, content, offset=len(self._locals))
        directory = self._central + central
        count = self._count + 1
        start = len(self._locals) + len(local)
        end = _END.pack(b"PK\5\6", 0, 0, count, count, len(directory), start, 0)
        return b"".join((self._locals, local, directory, end))


def _member(name: str, content: bytes, *, offset: int) -> tuple[bytes, bytes]:
    """Local part and central directory entry of one member at `offset`."""
    encoded = name.encode("ascii")
    checksum, size = zlib.crc32(content), len(content)
    local = _LOCAL.pack(
        b"PK\3\4", _VERSION, 0, 0, _TIME, _DATE, checksum, size, size, len(encoded), 0
    )
    central = _CENTRAL.pack(
        b"PK\1\2", _VERSION, _VERSION, 0, 0, _TIME, _DATE, checksum, size, size,
        len(encoded), 0, 0, 0, 0, 0, offset,
    )  # fmt: skip
    return local + encoded + content, central + encoded
