"""Garbage collection: what nothing reaches any more, and is old enough, goes.

Roots are all refs and all index entries; logs name nothing (index what a log's entries need). What
was put within the grace time stays, for whoever put it may be about to name it, and so does
everything that it names in turn. The dry run is the same work without the last step.

Objects are removed in batches, each before what it names, so that a collection that is stopped
leaves a store in which nothing is missing. Readers see the state they began with. If anything was
committed since the objects were chosen, they are chosen again inside the transaction that removes
them. A damaged store is refused: what a damaged object names cannot be known.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import timedelta
from typing import Final, NamedTuple

import msgspec

from cache import codec
from cache.environment import Transaction
from cache.errors import CorruptionError, UsageError
from cache.ids import ObjectId
from cache.layout import journal_time, read_header, split_ids, unseal
from cache.progress import Progress, silent
from cache.reach import postorder
from cache.store import Store
from cache.view import View

GRACE: Final = timedelta(days=1)
BATCH_OBJECTS: Final = 1000


class Sum(msgspec.Struct, frozen=True, kw_only=True):
    """Some objects, and the bytes they take in the store."""

    objects: int = 0
    bytes: int = 0


class KindReport(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of the objects of one kind."""

    kind: str
    kept: Sum
    """Reached from a ref or an index entry."""
    young: Sum
    """Not reached, but put within the grace time, or named by what was."""
    removable: Sum


class Collection(msgspec.Struct, frozen=True, kw_only=True):
    """What a collection has found, and what it has done."""

    deleted: bool
    """False after a dry run."""
    kinds: tuple[KindReport, ...]
    kept: Sum
    young: Sum
    removable: Sum
    removed: int
    """Objects removed: fewer than `removable` if some were named or put again meanwhile."""


class _Marks(NamedTuple):
    kept: set[ObjectId]
    young: set[ObjectId]
    removable: set[ObjectId]


def collect(
    store: Store,
    *,
    grace: timedelta = GRACE,
    delete: bool = False,
    now_ns: int | None = None,
    progress: Progress = silent,
) -> Collection:
    """Find what nothing reaches, and with `delete` remove it.

    Parameters
    ----------
    store
        Open for writing if anything is to be removed.
    grace
        What was put within this time stays.
    delete
        Remove what is removable.
    now_ns
        Now, in nanoseconds since the epoch; read from the system's clock if not given.
    progress
        Told how far the collection is.

    Raises
    ------
    CorruptionError
        When an object that is reached is damaged or missing; nothing is removed.
    """
    if delete and not store.writable:
        raise UsageError("the store is open for reading", hint="open it with mode 'write'")
    now_ns = time.time_ns() if now_ns is None else now_ns
    oldest = now_ns - int(grace.total_seconds() * 1e9)
    with store.environment.view() as transaction:
        view = View(transaction, store.environment.databases)
        marks = _mark(view, oldest, progress)
        kinds = _report(view, marks)
        doomed = _parents_first(view, marks.removable) if delete else []
        seen = transaction.id()
    removed = 0
    if delete:
        removed = _remove(store, doomed, oldest=oldest, seen=seen, progress=progress)
        _forget_times(store, oldest)
    return Collection(
        deleted=delete,
        kinds=kinds,
        kept=_total(report.kept for report in kinds),
        young=_total(report.young for report in kinds),
        removable=_total(report.removable for report in kinds),
        removed=removed,
    )


def _mark(view: View, oldest: int, progress: Progress = silent) -> _Marks:
    # Every object that is kept is proved by its hash on the way, blobs too: a flipped bit in a
    # kind would hide what the object names.
    def named_by(oid: ObjectId) -> Iterable[ObjectId]:
        progress("following names", len(seen), None)
        return codec.references(*view.get_object(oid, named_by="something in the store"))

    seen: set[ObjectId] = set()
    kept = set(postorder((target for target, _ in view.roots()), named_by, seen))
    recent = sorted(oid for oid in view.written_since(oldest) if view.contains(oid))
    young = set(postorder(recent, named_by, seen))
    return _Marks(kept, young, {oid for oid in view.ids() if oid not in seen})


def _parents_first(view: View, removable: set[ObjectId]) -> list[ObjectId]:
    def named_by(oid: ObjectId) -> Iterable[ObjectId]:
        try:
            named = codec.references(*view.get_object(oid))
        except CorruptionError:  # nothing names it: it can go, whatever it named
            return []
        return [target for target in named if target in removable]

    return list(postorder(sorted(removable), named_by))[::-1]


def _remove(
    store: Store, doomed: list[ObjectId], *, oldest: int, seen: int, progress: Progress
) -> int:
    """Remove the doomed, chosen in the state after transaction `seen`, as far as they still are."""

    def remove_some(transaction: Transaction) -> tuple[list[ObjectId], int, int]:
        databases = store.environment.databases
        still = doomed
        if transaction.id() != seen + 1:  # somebody has committed since
            removable = _mark(View(transaction, databases), oldest).removable
            still = [oid for oid in doomed if oid in removable]
        for oid in still[:BATCH_OBJECTS]:
            transaction.delete(oid, db=databases["objects"])
        return still[BATCH_OBJECTS:], len(still[:BATCH_OBJECTS]), transaction.id()

    total, removed = len(doomed), 0
    while doomed:
        doomed, count, seen = store.environment.write(remove_some)
        removed += count
        progress("removing", total - len(doomed), total)
    return removed


def _forget_times(store: Store, oldest: int) -> None:
    """Remove the write times before `oldest` of commits of which no object is left."""
    past = []
    with store.environment.view() as transaction:
        databases = store.environment.databases
        view = View(transaction, databases)
        for key, value in transaction.cursor(databases["times"]):
            if journal_time(key) >= oldest:
                break
            if not any(map(view.contains, split_ids(unseal(key, value, "times")))):
                past.append(key)

    def forget(transaction: Transaction) -> None:
        for key in past:
            transaction.delete(key, db=store.environment.databases["times"])

    store.environment.write(forget)


def _report(view: View, marks: _Marks) -> tuple[KindReport, ...]:
    sums: dict[str, dict[str, list[int]]] = {}
    for oid, value in view.raw_objects():
        fate = "kept" if oid in marks.kept else "young" if oid in marks.young else "removable"
        of_kind = sums.setdefault(_kind(oid, value), {name: [0, 0] for name in _FATES})
        of_kind[fate][0] += 1
        of_kind[fate][1] += len(value)
    return tuple(
        KindReport(
            kind=kind,
            **{fate: Sum(objects=objects, bytes=size) for fate, (objects, size) in fates.items()},
        )
        for kind, fates in sorted(sums.items())
    )


_FATES: Final = ("kept", "young", "removable")


def _kind(oid: ObjectId, value: bytes) -> str:
    try:
        return read_header(oid, value).kind
    except CorruptionError:
        return "(damaged)"


def _total(sums: Iterable[Sum]) -> Sum:
    every = list(sums)
    return Sum(objects=sum(s.objects for s in every), bytes=sum(s.bytes for s in every))
