"""Is a data file safe to hand to LMDB? Answered from outside, without mapping it.

LMDB maps its file and trusts it: a file shorter than its meta page claims ends the process with
SIGBUS, and a damaged page can end it with SIGSEGV. So the file is looked at first.

- Always: both meta pages are of this format, and the file reaches the last page they claim.
- Before the first open, and unless the last writer closed cleanly: every page, with the offline
  verifier that comes with the `lmdb` package.

A clean close leaves the file `clean`, which names size, time and last transaction of the data
file. Anything else than an exact match (a killed writer, a copy, an edit) is a reason to look.
"""

from __future__ import annotations

import contextlib
import os
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from cache.errors import CorruptionError, StoreError, StoreFormatError

DATA_FILE: Final = "data.mdb"
LOCK_FILE: Final = "lock.mdb"
CLEAN_FILE: Final = "clean"

_META = struct.Struct("=8xHHHH II 8xQ 48x48x QQ")
"""A meta page of LMDB 0.9 on a 64-bit machine, in the machine's own byte order."""

_PAGE_SIZE_AT: Final = 40
_MAGIC: Final = 0xBEEFC0DE
_DATA_VERSION: Final = 1
_META_FLAG: Final = 0x08


class Claim(NamedTuple):
    """What the newest meta page says about the file."""

    page_bytes: int
    last_page: int
    transaction: int

    @property
    def file_bytes(self) -> int:
        """The least size of a file that holds every page."""
        return (self.last_page + 1) * self.page_bytes


class CleanMark(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The state of the data file when a writer closed it, or a check found it whole."""

    file_bytes: int
    modified_ns: int
    transaction: int


def read_claim(data_file: Path) -> Claim:
    """Read both meta pages and return the newest.

    Raises
    ------
    StoreFormatError
        When the file is not an LMDB 0.9 data file of this kind of machine.
    CorruptionError
        When a meta page is damaged or missing.
    """
    if not data_file.is_file():  # a pipe would be waited for
        raise StoreError("the store cannot be read: this is no plain file", where=str(data_file))
    with data_file.open("rb") as file:
        head = file.read(_META.size)
        if len(head) < _META.size:
            raise CorruptionError("the data file is cut short", where=str(data_file), hint=_RESTORE)
        page_bytes = int.from_bytes(head[_PAGE_SIZE_AT : _PAGE_SIZE_AT + 4], sys.byteorder)
        if not (512 <= page_bytes <= 65536 and page_bytes & (page_bytes - 1) == 0):
            raise StoreFormatError(
                "not a store of this format, or one from another kind of machine",
                where=str(data_file),
                hint="move stores between machines with `dgf store export` and `import`",
            )
        file.seek(page_bytes)
        claims = [_parse(page, page_bytes, data_file) for page in (head, file.read(_META.size))]
    return max(claims, key=lambda claim: claim.transaction)


def _parse(page: bytes, page_bytes: int, data_file: Path) -> Claim:
    if len(page) < _META.size:
        raise CorruptionError("the data file is cut short", where=str(data_file), hint=_RESTORE)
    _, flags, _, _, magic, version, _, last_page, transaction = _META.unpack(page)
    if magic != _MAGIC or not flags & _META_FLAG:
        raise CorruptionError("a meta page is damaged", where=str(data_file), hint=_RESTORE)
    if version != _DATA_VERSION:
        raise StoreFormatError(f"LMDB data format {version}, not 1", where=str(data_file))
    return Claim(page_bytes, last_page, transaction)


_RESTORE: Final = "restore the store from a copy, or import what an archive holds"


def reaches_last_page(data_file: Path) -> bool:
    """Whether the file is as long as its newest meta page says."""
    claim = read_claim(data_file)  # before the size: a writer extends the file, then the meta page
    return data_file.stat().st_size >= claim.file_bytes


def cover_last_page(data_file: Path) -> None:
    """Make the file as long as its meta page says; for a writer, between transactions.

    Pages that a transaction took at the end of the file and gave back are never written, so that
    the file may be a little shorter than claimed.
    """
    least = read_claim(data_file).file_bytes
    if data_file.stat().st_size < least:
        with data_file.open("r+b") as file:
            file.truncate(least)


def find_damage(data_file: Path) -> list[str]:
    """Walk every page without LMDB; an empty list means the structure is whole.

    Of a value that spans pages only the first is looked at: the rest may be missing at the end of
    the file, where `cover_last_page` makes it zeros and the hash notices.
    """
    from lmdb.verify import VerifyError, verify

    try:
        return list(verify(str(data_file), subdir=False))  # type: ignore[no-untyped-call]  # no stubs
    except (VerifyError, struct.error, IndexError, OverflowError) as error:
        return [str(error)]


def ensure_sound(folder: Path, writer_lives: Callable[[], bool], *, writing: bool) -> bool:
    """Return only when LMDB may open the store; True when that took a walk over every page.

    Parameters
    ----------
    folder
        The store.
    writer_lives
        Whether another process holds the writer's lock. A living writer has checked the file and
        is changing it, so that only its size can be judged from outside.
    writing
        Whether this process holds the lock itself, and may mend the length of the file.

    Raises
    ------
    CorruptionError
        When a page is damaged or missing.
    """
    data_file = folder / DATA_FILE
    for _ in range(5):
        if writer_lives():
            if reaches_last_page(data_file):
                return False
            time.sleep(0.02)  # the writer is between two commits and may be extending the file
            continue
        mark, before = read_mark(folder), current_mark(folder)
        if mark == before and reaches_last_page(data_file):
            return False
        if mark is not None and before.transaction < mark.transaction:
            raise CorruptionError(
                f"the newest state is gone: {before.transaction} commits, not {mark.transaction}",
                where=str(data_file),
                hint=f"{_RESTORE}; to accept an older copy, remove the file {CLEAN_FILE!r}",
            )
        damage = find_damage(data_file)
        if writer_lives() or current_mark(folder) != before:
            continue  # a writer began meanwhile: what was seen was not one state
        if not damage and writing:
            cover_last_page(data_file)
            before = current_mark(folder)
        if not damage and reaches_last_page(data_file):
            with contextlib.suppress(OSError):  # a reader may have no right to write here
                leave_mark(folder, before)
            return True
        if damage:
            more = f" (and {len(damage) - 1} more)" if len(damage) > 1 else ""
            raise CorruptionError(
                f"the structure of the store is damaged: {damage[0]}{more}",
                where=str(data_file),
                hint=_RESTORE,
            )
        break
    raise CorruptionError(
        "the data file is shorter than it claims",
        where=str(data_file),
        hint="open it for writing to mend what a killed writer left, or restore it from a copy",
    )


def current_mark(folder: Path) -> CleanMark:
    """The state of the data file now."""
    data_file = folder / DATA_FILE
    claim = read_claim(data_file)
    status = data_file.stat()
    return CleanMark(
        file_bytes=status.st_size,
        modified_ns=status.st_mtime_ns,
        transaction=claim.transaction,
    )


def read_mark(folder: Path) -> CleanMark | None:
    """What the last clean close left, if anything readable."""
    try:
        return msgspec.json.decode((folder / CLEAN_FILE).read_bytes(), type=CleanMark)
    except (OSError, msgspec.MsgspecError):
        return None


def leave_mark(folder: Path, mark: CleanMark | None = None) -> None:
    """Say that the data file is whole in the state of `mark`, or in which it is now."""
    draft = folder / f"{CLEAN_FILE}.{os.getpid()}"
    try:
        draft.write_bytes(msgspec.json.encode(mark or current_mark(folder)))
        draft.replace(folder / CLEAN_FILE)
    finally:
        draft.unlink(missing_ok=True)


def remove_mark(folder: Path) -> None:
    """Take the mark away, durably, before the first write."""
    (folder / CLEAN_FILE).unlink(missing_ok=True)
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Make names that were created, renamed or removed in a folder survive a power loss."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
