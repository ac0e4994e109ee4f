"""Merging: the union of what two stores hold, and the list of what they disagree about.

A source is read twice. First everything is checked: hashes, canonical form, that nothing names what
is not there, that keys and names are well-formed. Only then is it written: objects, each
after what it names, then index entries, log entries and refs. So a source that is damaged,
hostile or ends too early changes nothing, and a merge that is killed leaves objects that nothing
names; run again, it completes.

What is already there stays. A ref or an index entry that names something else here is listed as
a conflict. A log that begins as ours does is continued; one that differs, even in its last entry,
is listed and left as it is, for entries of a ledger can be added up but not interleaved.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable
from typing import Final, Literal, TypeAlias

import msgspec

from cache.batch import Batch
from cache.contents import IndexItem, Item, LogItem, ObjectItem, RefItem
from cache.errors import ArchiveError, CorruptionError, DgfError, MissingObjectError
from cache.ids import ObjectId
from cache.progress import Progress, silent
from cache.store import Store

Source: TypeAlias = Callable[[], Iterable[Item]]
"""Gives the items of a store or an archive from the first on, each time it is called."""

BATCH_ITEMS: Final = 2000
BATCH_BYTES: Final = 16 << 20


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """Something both sides have under one name, and not the same."""

    what: Literal["ref", "index", "log"]
    name: str
    """The ref; the index and its key; the log and the position of the first difference."""
    ours: str
    """What stays: an id, with the payload of an index entry, or the entry of a log."""
    theirs: str


class MergeReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a merge has added, and what it has left out."""

    objects: int
    """Objects in the source."""
    objects_added: int
    objects_repaired: int
    """Objects that were damaged here and are whole again."""
    index_entries_added: int
    log_entries_added: int
    refs_added: int
    conflicts: tuple[Conflict, ...]


def merge(store: Store, source: Source, *, progress: Progress = silent) -> MergeReport:
    """Take everything of a source into `store`, except where they disagree.

    Raises
    ------
    ArchiveError, CorruptionError
        When something in the source is not what it claims to be; the store is unchanged.
    """
    total = check(source(), progress=progress)
    writer = _Writer(store)
    for done, item in enumerate(source()):
        writer.take(item)
        progress("merging", done, total)
    return writer.finish()


def check(items: Iterable[Item], *, progress: Progress = silent) -> int:
    """Prove that items are what they claim and name nothing but each other; how many there are.

    Raises
    ------
    ArchiveError
        When an item may not be stored, or names what did not come before it.
    """
    seen: set[ObjectId] = set()
    lengths: collections.Counter[str] = collections.Counter()
    count = 0
    for count, item in enumerate(items, 1):
        alone = Batch()
        try:
            _add(alone, item)
        except ArchiveError:
            raise
        except DgfError as error:
            raise ArchiveError(
                f"it holds what no store does: {error.problem}", where=error.where, hint=_DISTRUST
            ) from error
        for target, by in alone.targets():
            if target not in seen:
                raise ArchiveError(
                    f"{by} names an object that does not come with it",
                    where=target.hex(),
                    hint=_DISTRUST,
                )
        if isinstance(item, ObjectItem):
            if item.oid in seen:
                raise ArchiveError("an object comes twice", where=item.oid.hex(), hint=_DISTRUST)
            seen.add(item.oid)
        elif isinstance(item, LogItem):
            if item.position != lengths[item.name]:
                raise ArchiveError(f"the log {item.name!r} has a gap", hint=_DISTRUST)
            lengths[item.name] += 1
        progress("checking", count, None)
    return count


_DISTRUST: Final = "no export writes this; do not trust where it came from"


def _add(batch: Batch, item: Item) -> None:
    match item:
        case ObjectItem():
            if batch.put(item.kind, item.data) != item.oid:
                raise ArchiveError(
                    "the content of an object does not match its id",
                    where=item.oid.hex(),
                    hint=_DISTRUST,
                )
        case IndexItem():
            batch.index(item.name, item.parts, item.target, payload=item.payload)
        case LogItem():
            batch.append(item.name, item.data)
        case RefItem():
            batch.ref(item.name, item.target, expected=None)


class _Writer:
    """Writes checked items in bounded batches.

    State: the batch in the making, what has been added, and the log that is being read.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._batch = Batch()
        self._waiting = 0
        self._counts: collections.Counter[str] = collections.Counter()
        self._conflicts: list[Conflict] = []
        self._log = ""
        self._log_length = 0
        self._log_differs = False

    def take(self, item: Item) -> None:
        match item:
            case ObjectItem():
                self._counts["objects"] += 1
                self._drop_damaged(item.oid)
                self._write(item)
            case IndexItem():
                self._take_index_entry(item)
            case LogItem():
                self._take_log_entry(item)
            case RefItem():
                ours = self._store.ref(item.name)
                if ours is None:
                    self._counts["refs_added"] += 1
                    self._write(item)
                elif ours != item.target:
                    self._disagree("ref", item.name, ours.hex(), item.target.hex())

    def finish(self) -> MergeReport:
        self._flush()
        return MergeReport(
            objects=self._counts["objects"],
            objects_added=self._counts["written"] - self._counts["objects_repaired"],
            objects_repaired=self._counts["objects_repaired"],
            index_entries_added=self._counts["index_entries_added"],
            log_entries_added=self._counts["log_entries_added"],
            refs_added=self._counts["refs_added"],
            conflicts=tuple(self._conflicts),
        )

    def _take_index_entry(self, item: IndexItem) -> None:
        ours = self._store.index_get(item.name, item.parts)
        if ours is None:
            self._counts["index_entries_added"] += 1
            self._write(item)
        elif (ours.target, ours.payload) != (item.target, item.payload):
            self._disagree(
                "index",
                f"{item.name} {item.parts!r}",
                _entry(ours.target, ours.payload),
                _entry(item.target, item.payload),
            )

    def _take_log_entry(self, item: LogItem) -> None:
        if item.name != self._log:
            self._log = item.name
            self._log_length = self._store.log_length(item.name)
            self._log_differs = False
        if self._log_differs:
            return
        if item.position >= self._log_length:
            self._counts["log_entries_added"] += 1
            self._write(item)
            return
        [(_, ours)] = self._store.log_read(item.name, item.position, limit=1)
        if ours != item.data:
            self._log_differs = True
            where = f"{item.name}, entry {item.position}"
            self._disagree("log", where, _text(ours), _text(item.data))

    def _drop_damaged(self, oid: ObjectId) -> None:
        """Make room for a proved object where ours is damaged; it is gone for an instant only."""
        try:
            self._store.get_object(oid)
        except MissingObjectError:
            return
        except CorruptionError:
            self._counts["objects_repaired"] += self._store.discard(oid)

    def _disagree(
        self, what: Literal["ref", "index", "log"], name: str, ours: str, theirs: str
    ) -> None:
        self._conflicts.append(Conflict(what=what, name=name, ours=ours, theirs=theirs))

    def _write(self, item: Item) -> None:
        _add(self._batch, item)
        self._waiting += 1
        if self._waiting >= BATCH_ITEMS or self._batch.size >= BATCH_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            receipt = self._store.commit(self._batch)
            self._counts["written"] += receipt.added
            self._batch, self._waiting = Batch(), 0


def _entry(target: ObjectId, payload: bytes) -> str:
    return f"{target.hex()} {_text(payload)}" if payload else target.hex()


def _text(data: bytes) -> str:
    return data[:200].decode("utf-8", "backslashreplace")
