"""Is a store whole? Three levels, each deeper and slower than the one before.

| level | question | read |
|---|---|---|
| pages | may LMDB open the file at all? | every page in use, without LMDB |
| hashes | is every object what its id says, every entry what its seal says? | all, or a sample |
| connectivity | is everything there that something names? | names and records |

Whatever the bytes are, the answer is a `Verdict`: a level is entered only when the one before has
shown that it can be. Free pages are not looked at by any level, for nothing ever reads them;
objects that nothing names are counted and do no harm either.
"""

from __future__ import annotations

import functools
import math
import os
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from cache import codec, keys, structure
from cache.environment import Databases, Transaction
from cache.errors import (
    CorruptionError,
    DgfError,
    StoreError,
    StoreFormatError,
    StoreMissingError,
)
from cache.ids import DIGEST_BYTES, ObjectId, is_record
from cache.layout import journal_time, split_ids, unpack_object, unseal
from cache.progress import Progress, silent
from cache.reach import postorder
from cache.store import Store
from cache.view import View

Level: TypeAlias = Literal["pages", "hashes", "connectivity"]
LEVELS: Final[tuple[Level, ...]] = ("pages", "hashes", "connectivity")

SHOWN_ORPHANS: Final = 20


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not as it should be, or that looks so and is harmless."""

    level: Level
    harmless: bool
    what: str
    where: str
    advice: str


class LevelResult(msgspec.Struct, frozen=True, kw_only=True):
    """How far one level came."""

    level: Level
    checked: int
    """Pages in use; objects and entries; objects that were followed."""
    total: int
    """Of how many: less is checked when a sample was asked for, or the level broke off."""
    damaged: int
    """Findings of this level that are not harmless."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What `verify` found."""

    folder: str
    whole: bool
    """No damage, as far as the levels reach that were checked."""
    levels: tuple[LevelResult, ...]
    """The levels that were checked, in order."""
    findings: tuple[Finding, ...]
    free_pages: int
    """Pages that hold nothing (0 if only pages were checked); damage there is harmless."""
    orphans: int
    """Objects that nothing names."""


def verify(
    folder: str | os.PathLike[str],
    *,
    deepest: Level = "connectivity",
    sample: int | float | None = None,
    seed: int = 0,
    allow_network: bool = False,
    progress: Progress = silent,
) -> Verdict:
    """Check the store in `folder`.

    Parameters
    ----------
    folder
        The store. It may be in use by other processes, but not by this one.
    deepest
        The last level to check.
    sample
        Hash only so many objects (an `int`), or this part of them (a `float` up to 1.0).
    seed
        Chooses the sample.
    allow_network
        As for `Store.open`.
    progress
        Told how far the check is.

    Raises
    ------
    StoreError
        When there is nothing to check, or this process may not. Damage is never raised.
    """
    folder = Path(folder)
    if not (folder / structure.DATA_FILE).exists():
        raise StoreMissingError("no store here", where=str(folder), hint="check the path")
    check = _Check(progress)
    try:
        check.pages(folder)
    except OSError as error:
        raise StoreError(
            f"the store cannot be read: {error.strerror}", where=str(error.filename or folder)
        ) from error
    if deepest != "pages" and not check.damaged():
        try:
            with _open(folder, allow_network) as store, store.environment.view() as transaction:
                databases = store.environment.databases
                check.hashes(transaction, databases, sample=sample, seed=seed)
                if deepest == "connectivity":
                    check.connectivity(transaction, databases)
        except (CorruptionError, StoreFormatError) as error:
            check.note(error)
    return check.verdict(folder)


def _open(folder: Path, allow_network: bool) -> Store:
    # A killed writer may leave the file a little short of what it claims; a writer mends that.
    whole = structure.reaches_last_page(folder / structure.DATA_FILE)
    return Store.open(folder, "read" if whole else "write", allow_network=allow_network)


class _Check:
    """One run over a store.

    State: findings and counts so far; the ids that are stored, and those found damaged.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._findings: list[Finding] = []
        self._counts: dict[Level, tuple[int, int]] = {}
        self._level: Level = "pages"
        self._stored: list[ObjectId] = []
        self._bad: set[ObjectId] = set()
        self._free_pages = 0
        self._orphans = 0

    def damaged(self) -> bool:
        return any(not finding.harmless for finding in self._findings)

    def verdict(self, folder: Path) -> Verdict:
        return Verdict(
            folder=str(folder),
            whole=not self.damaged(),
            levels=tuple(
                LevelResult(
                    level=level,
                    checked=checked,
                    total=total,
                    damaged=sum(f.level == level and not f.harmless for f in self._findings),
                )
                for level, (checked, total) in self._counts.items()
            ),
            findings=tuple(self._findings),
            free_pages=self._free_pages,
            orphans=self._orphans,
        )

    def note(self, error: DgfError) -> None:
        self._find(error.problem, error.where or "", error.hint or _RESTORE)

    def _find(self, what: str, where: str, advice: str, *, harmless: bool = False) -> None:
        self._findings.append(
            Finding(level=self._level, harmless=harmless, what=what, where=where, advice=advice)
        )

    # -- pages

    def pages(self, folder: Path) -> None:
        """Walk the pages from outside, without LMDB."""
        data_file = folder / structure.DATA_FILE
        self._counts["pages"] = (0, 0)
        try:
            claim, damage = _walk_pages(data_file)
        except (CorruptionError, StoreFormatError) as error:
            self.note(error)
            return
        if claim is None:
            self._find(
                "the pages were not checked: a writer is committing all the time",
                str(data_file),
                "verify again when it has ended",
                harmless=True,
            )
            return
        for what in damage:
            self._find(what, str(data_file), _RESTORE)
        self._counts["pages"] = (claim.last_page + 1, claim.last_page + 1)

    # -- hashes

    def hashes(
        self,
        transaction: Transaction,
        databases: Databases,
        *,
        sample: int | float | None,
        seed: int,
    ) -> None:
        """Prove objects by their hash and everything else by its seal."""
        self._level = "hashes"
        self._counts["hashes"] = (0, 0)
        self._count_free_pages(transaction, databases)
        entries = 0
        for name, read in _READERS.items():
            for key, value in transaction.cursor(databases[name]):
                entries += 1
                try:
                    read(key, unseal(key, value, name))
                except (DgfError, ValueError, struct.error):
                    self._find(f"an entry of {name!r} is damaged", repr(key), _REPLACE_NAME)
        self._check_logs(transaction, databases)
        self._stored = self._read_ids(transaction, databases)
        chosen = _choose(self._stored, sample, seed)
        for done, oid in enumerate(chosen, 1):
            try:
                unpack_object(oid, transaction.get(oid, b"", db=databases["objects"]))
            except CorruptionError as error:
                self._bad.add(oid)
                self._find(error.problem, oid.hex(), _REPLACE)
            self._progress("hashing", done, len(chosen))
        self._counts["hashes"] = (len(chosen) + entries, len(self._stored) + entries)

    def _count_free_pages(self, transaction: Transaction, databases: Databases) -> None:
        _, total = self._counts["pages"]
        self._free_pages = total - used_pages(transaction, databases)
        self._counts["pages"] = (total - self._free_pages, total)

    def _read_ids(self, transaction: Transaction, databases: Databases) -> list[ObjectId]:
        stored = []
        for key in transaction.cursor(databases["objects"]).iternext(keys=True, values=False):
            if len(key) == DIGEST_BYTES:
                stored.append(ObjectId(key))
            else:
                self._find("an object's key is not an id", key.hex(), _RESTORE)
        return stored

    def _check_logs(self, transaction: Transaction, databases: Databases) -> None:
        """A log has every position from 0 on, or an entry is gone."""
        log, length = b"", 0
        for key in transaction.cursor(databases["log"]).iternext(keys=True, values=False):
            if key[:-8] != log:
                log, length = key[:-8], 0
            if key != log + length.to_bytes(8, "big"):
                self._find("a log has a gap", f"{log!r}, entry {length}", _REPLACE_NAME)
                length = int.from_bytes(key[-8:], "big")
            length += 1

    # -- connectivity

    def connectivity(self, transaction: Transaction, databases: Databases) -> None:
        """Follow every name; what nothing reaches is counted."""
        self._level = "connectivity"
        view = View(transaction, databases)
        stored = set(self._stored)
        self._counts["connectivity"] = (0, len(stored))
        seen: set[ObjectId] = set()
        follow = functools.partial(self._named_by, view, stored)
        roots = list(self._roots(transaction, databases, stored))
        for done, _ in enumerate(postorder(roots, follow, seen), 1):
            self._progress("following names", done, len(stored))
        orphans = sorted(stored - seen)
        for _ in postorder(orphans, follow, seen):
            pass
        self._counts["connectivity"] = (len(seen), len(stored))
        self._orphans = len(orphans)
        if orphans:
            shown = ", ".join(oid.hex()[:12] for oid in orphans[:SHOWN_ORPHANS])
            self._find(
                f"objects that nothing names: {len(orphans)}",
                shown + (", …" if len(orphans) > SHOWN_ORPHANS else ""),
                "`dgf store gc` removes them when they are old enough",
                harmless=True,
            )

    def _roots(
        self, transaction: Transaction, databases: Databases, stored: set[ObjectId]
    ) -> Iterator[ObjectId]:
        for name, read in _NAMES.items():
            for key, value in transaction.cursor(databases[name]):
                try:
                    shown, target = read(key, unseal(key, value, name))
                except (DgfError, ValueError):
                    continue  # the level before has said so
                if target in stored:
                    yield target
                else:
                    self._miss(shown, target)

    def _named_by(self, view: View, stored: set[ObjectId], oid: ObjectId) -> list[ObjectId]:
        try:
            if not is_record(view.header(oid).kind):
                return []
            kind, data = view.get_object(oid)
            named = list(codec.references(kind, data))
        except StoreError as error:
            if oid not in self._bad:  # a sample may have passed it over
                self._bad.add(oid)
                self._find(error.problem, oid.hex(), _REPLACE)
            return []
        for target in named:
            if target not in stored:
                self._miss(f"{kind} {oid.hex()}", target)
        return [target for target in named if target in stored]

    def _miss(self, by: str, target: ObjectId) -> None:
        self._find(f"{by} names an object that is not stored", target.hex(), _REPLACE)


def _walk_pages(data_file: Path) -> tuple[structure.Claim | None, list[str]]:
    """The state that was seen and its damage; no state when commits always came between."""
    for _ in range(5):
        before = structure.read_claim(data_file)
        damage = structure.find_damage(data_file)
        if not damage or structure.read_claim(data_file) == before:
            return before, damage
    return None, []


def used_pages(transaction: Transaction, databases: Databases) -> int:
    """Pages that hold something, the two meta pages included; LMDB's own free list is not."""
    trees = [transaction.stat(), *(transaction.stat(db) for db in databases.values())]
    return 2 + sum(
        tree["branch_pages"] + tree["leaf_pages"] + tree["overflow_pages"] for tree in trees
    )


def _choose(stored: list[ObjectId], sample: int | float | None, seed: int) -> list[ObjectId]:
    if sample is None:
        return stored
    wanted = sample if isinstance(sample, int) else math.ceil(sample * len(stored))
    return sorted(random.Random(seed).sample(stored, min(wanted, len(stored))))


_RESTORE: Final = "restore the store from a copy, or import an archive of it into a new one"
_REPLACE: Final = "`dgf store merge` takes the object from another store or an archive"
_REPLACE_NAME: Final = "export what is whole, or restore the store from a copy"


def _read_ref(key: bytes, value: bytes) -> tuple[str, ObjectId]:
    return f"ref {key.decode()!r}", ObjectId(value)


def _read_index(key: bytes, value: bytes) -> tuple[str, ObjectId]:
    name, parts = keys.decode_key(key)
    return f"index {name!r} {parts!r}", ObjectId(value[:DIGEST_BYTES])


_NAMES: Final = {"refs": _read_ref, "index": _read_index}

_READERS: Final[dict[str, Callable[[bytes, bytes], object]]] = {
    "meta": lambda key, value: (key.decode(), value.decode()),
    "times": lambda key, value: (journal_time(key), split_ids(value)),
    **_NAMES,
    "log": lambda key, value: keys.decode_key(key[:-8]),
}
"""How the value of a sealed entry is read, by database."""
