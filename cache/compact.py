"""Compaction: a copy without free pages takes the place of the data file.

The copy is made beside the store and proved before it counts: its pages, every hash, every name,
and that it holds entry for entry what the original holds. Then it is synced and renamed over the
data file. Until the rename the old file is the store, after it the new one is, and each is whole;
what a killed compaction leaves behind is a folder `compacting` that the next one removes.

The writer's lock is held all the time. Others may read while the copy is made, but LMDB shares
state between processes in `lock.mdb`, and a process that kept it from the old file would make
the next one misread the new. So the rename waits for the other processes to close the store, and
gives up when they do not.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Final

import msgspec

from cache import structure
from cache.environment import Databases, Environment, Transaction
from cache.errors import (
    CorruptionError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreMissingError,
)
from cache.layout import DATABASES
from cache.lock import PresenceLock, WriterLock, check_placement
from cache.progress import Progress, silent
from cache.store import Store
from cache.verify import used_pages, verify

DRAFT: Final = "compacting"
PATIENCE: Final = 10.0
"""How long (seconds) the rename waits for other processes to close the store."""

_SPARE: Final = 1 << 20


class Compaction(msgspec.Struct, frozen=True, kw_only=True):
    """What a compaction has done."""

    bytes_before: int
    bytes_after: int
    objects: int
    """Objects proved in the copy."""


def compact(
    folder: str | os.PathLike[str],
    *,
    patience: float = PATIENCE,
    allow_network: bool = False,
    progress: Progress = silent,
) -> Compaction:
    """Give the disk back what a store does not use any more.

    Raises
    ------
    StoreLockedError
        When another process writes, or keeps the store open longer than `patience`.
    StoreFullError
        When there is no room for the copy.
    CorruptionError
        When the store is damaged; it is left as it is.
    """
    folder = Path(folder)
    if not (folder / structure.DATA_FILE).exists():
        raise StoreMissingError("no store here", where=str(folder), hint="check the path")
    if not allow_network:
        check_placement(folder)
    try:
        return _compact(folder, patience, allow_network=allow_network, progress=progress)
    except OSError as error:
        raise StoreError(
            f"the store cannot be compacted: {error.strerror}", where=str(error.filename or folder)
        ) from error


def _compact(
    folder: Path, patience: float, *, allow_network: bool, progress: Progress
) -> Compaction:
    data_file = folder / structure.DATA_FILE
    writer = WriterLock.acquire(folder)
    draft = folder / DRAFT
    try:
        shutil.rmtree(draft, ignore_errors=True)
        structure.ensure_sound(folder, lambda: False, writing=True)
        before = data_file.stat().st_size
        with _alone(folder, patience):
            pass  # rather now than after the work
        objects = _make_copy(folder, draft, allow_network=allow_network, progress=progress)
        with _alone(folder, patience):
            _replace(folder, draft)
        return Compaction(
            bytes_before=before, bytes_after=data_file.stat().st_size, objects=objects
        )
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        writer.release()


@contextmanager
def _alone(folder: Path, patience: float) -> Iterator[None]:
    """Wait until no process has the store open, and keep others from opening it."""
    deadline = time.monotonic() + patience
    presence = None
    while presence is None:
        try:
            presence = PresenceLock.alone(folder)
        except StoreLockedError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.05)
    try:
        yield
    finally:
        presence.release()


def _make_copy(folder: Path, draft: Path, *, allow_network: bool, progress: Progress) -> int:
    """Copy the store to `draft`, durably, and prove the copy; how many objects there are."""
    with (
        Store.open(folder, allow_network=allow_network) as store,
        store.environment.view() as transaction,
    ):
        databases = store.environment.databases
        needed = used_pages(transaction, databases) * transaction.stat()["psize"] + _SPARE
        if shutil.disk_usage(folder).free < needed:
            raise StoreFullError(
                f"the copy needs {needed} bytes, more than the disk has left",
                where=str(folder),
                hint="free some space, or export the store to another disk",
            )
        draft.mkdir()
        progress("copying", 0, None)
        store.environment.copy(draft, transaction)
        _sync_file(draft / structure.DATA_FILE)
        verdict = verify(draft, allow_network=allow_network, progress=progress)
        if not verdict.whole:
            damage = next(finding for finding in verdict.findings if not finding.harmless)
            raise CorruptionError(damage.what, where=damage.where, hint=damage.advice)
        _compare(transaction, databases, draft)
        return int(transaction.stat(databases["objects"])["entries"])


def _compare(transaction: Transaction, databases: Databases, draft: Path) -> None:
    """Prove that a copy holds the same entries."""
    copy = Environment(draft, write=False, map_bytes=_SPARE, sync=True)
    try:
        with copy.view() as copied:
            for name in DATABASES:
                ours, theirs = databases[name], copy.databases[name]
                pairs = zip_longest(transaction.cursor(ours), copied.cursor(theirs))
                if any(entry != copied_entry for entry, copied_entry in pairs):
                    raise CorruptionError(
                        f"the copy differs in {name!r}",
                        where=str(draft),
                        hint="the store is as it was; check the disk",
                    )
    finally:
        copy.close()


def _replace(folder: Path, draft: Path) -> None:
    structure.remove_mark(folder)  # it describes the old file
    (folder / structure.LOCK_FILE).unlink(missing_ok=True)
    (draft / structure.DATA_FILE).replace(folder / structure.DATA_FILE)
    structure.sync_folder(folder)
    structure.leave_mark(folder)


def _sync_file(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
