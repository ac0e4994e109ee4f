"""One write transaction: each batch is checked, and only then written.

A check writes nothing, so a batch that fails it is left out and the rest of its group is not
touched. Checks see what the batches before have written in the same transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from cache import keys
from cache.batch import ANY, Batch, IndexChange, Receipt, RefChange
from cache.environment import Databases, Transaction
from cache.errors import DgfError, MissingObjectError, StoreConflictError
from cache.ids import ObjectId
from cache.layout import join_ids, journal_key, pack_object, seal, unpack_object
from cache.sealed import SealedTable
from cache.secrets import Secrets
from cache.view import View, index_value

Outcome: TypeAlias = Receipt | DgfError


def write_batches(
    transaction: Transaction,
    databases: Databases,
    batches: Sequence[Batch],
    *,
    secrets: Secrets,
    clock: Callable[[], int],
) -> list[Outcome]:
    """Write the batches that may be written; for each its receipt, or why it was left out."""
    writing = _Writing(transaction, databases)
    outcomes: list[Outcome] = []
    written: list[ObjectId] = []
    for batch in batches:
        try:
            _check_secrets(batch, secrets)
            new = writing.check(batch)
        except DgfError as error:
            outcomes.append(error)
            continue
        outcomes.append(writing.apply(batch, new))
        written.extend(batch.objects)
    if written:
        writing.set("times", journal_key(clock(), transaction.id()), join_ids(written))
    return outcomes


class _Writing:
    """What a write transaction is asked and told."""

    __slots__ = ("_databases", "_transaction")

    def __init__(self, transaction: Transaction, databases: Databases) -> None:
        self._transaction = transaction
        self._databases = databases

    def check(self, batch: Batch) -> list[ObjectId]:
        """Refuse a batch that may not be written; return the objects that are new."""
        new: list[ObjectId] = []
        for oid in batch.objects:
            stored = self._transaction.get(oid, db=self._databases["objects"])
            if stored is None:
                new.append(oid)
            else:
                unpack_object(oid, stored)  # other bytes under an id are an error
        with self._transaction.cursor(self._databases["objects"]) as objects:
            for target, by in batch.targets():
                if target not in batch.objects and not objects.set_key(target):
                    raise MissingObjectError(
                        "no such object in this store",
                        where=target.hex(),
                        hint=f"{by} names it: put the object in the same batch, or before",
                    )
        for ref in batch.refs.values():
            self._check_ref(ref)
        for entry in batch.index_entries.values():
            self._check_index_entry(entry)
        return new

    def apply(self, batch: Batch, new: list[ObjectId]) -> Receipt:
        """Write a batch that was checked."""
        for oid in new:
            value = pack_object(*batch.objects[oid])
            self._transaction.put(oid, value, db=self._databases["objects"])
        for ref in batch.refs.values():
            self.set("refs", ref.key, ref.target)
        for entry in batch.index_entries.values():
            value_or_none = entry.target and index_value(entry.target, entry.payload)
            self.set("index", entry.key, value_or_none)
        positions: dict[str, int] = {}
        for name, lines in batch.log_entries.items():
            start = View(self._transaction, self._databases).log_length(name)
            positions[name] = start
            for position, line in enumerate(lines, start):
                self.set("log", keys.log_key(name, position), line)
        return Receipt(added=len(new), log_positions=positions)

    def set(self, database: str, key: bytes, value: bytes | None) -> None:
        """Seal and store a value, or remove the key."""
        if value is None:
            self._transaction.delete(key, db=self._databases[database])
        else:
            self._transaction.put(key, seal(key, value), db=self._databases[database])

    def _get(self, database: str, key: bytes) -> bytes | None:
        return SealedTable(self._transaction, self._databases, database).get(key)

    def _check_ref(self, ref: RefChange) -> None:
        if ref.expected is ANY:
            return
        found = self._get("refs", ref.key)
        if found != ref.expected:
            raise StoreConflictError(
                "a ref is not what was expected",
                where=f"{ref.name!r} is {found.hex() if found else 'absent'}",
                hint="read it again and decide anew",
            )

    def _check_index_entry(self, entry: IndexChange) -> None:
        if entry.target is None or entry.replace:
            return
        found = self._get("index", entry.key)
        if found not in {None, index_value(entry.target, entry.payload)}:
            raise StoreConflictError(
                "an index entry already names something else",
                where=f"{entry.name} {entry.parts!r}",
                hint="entries are written once; use another key, or replace=True",
            )


def _check_secrets(batch: Batch, secrets: Secrets) -> None:
    for name in batch.refs.values():
        secrets.refuse(name.key, "the name of a ref")
    for key in batch.index_entries:
        secrets.refuse(key, "an index key")
    if batch.is_masked_by(secrets):
        return
    for _, data in batch.objects.values():
        secrets.refuse(data, "an object of an unmasked batch")
    for entry in batch.index_entries.values():
        secrets.refuse(entry.payload, "an index payload of an unmasked batch")
    for lines in batch.log_entries.values():
        for line in lines:
            secrets.refuse(line, "a log entry of an unmasked batch")
