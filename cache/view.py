"""One state of a store, read: objects, refs, indexes and logs inside one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple, TypeVar

from cache import codec, keys
from cache.environment import Databases, Transaction
from cache.errors import CorruptionError, MissingObjectError
from cache.ids import ObjectId
from cache.layout import (
    Header,
    journal_time,
    read_header,
    split_ids,
    unpack_object,
)
from cache.sealed import SealedTable, end_of

R = TypeVar("R", bound=codec.Record)


class StoredObject(NamedTuple):
    """An object as it was put."""

    kind: str
    data: bytes


class IndexEntry(NamedTuple):
    """An entry of an index: enough for a list, without the body it names."""

    key: keys.Key
    target: ObjectId
    payload: bytes


class View:
    """What a read transaction sees. Iterators are valid as long as the view is."""

    __slots__ = ("_databases", "_transaction")

    def __init__(self, transaction: Transaction, databases: Databases) -> None:
        self._transaction = transaction
        self._databases = databases

    # -- objects

    def get_object(self, oid: ObjectId, *, named_by: str | None = None) -> StoredObject:
        """An object's kind and content, proved by its hash.

        Raises
        ------
        MissingObjectError
            When the store has never heard of `oid`.
        CorruptionError
            When what is stored is not what `oid` names, or when it is absent although `named_by`
            (a tree, a ref, an index entry, a record) names it.
        """
        value = self._transaction.get(oid, db=self._databases["objects"])
        if value is None:
            raise absent(oid, named_by)
        return StoredObject(*unpack_object(oid, value))

    def get_record(self, oid: ObjectId, wanted: type[R], *, named_by: str | None = None) -> R:
        """An object as a record of type `wanted`, upgraded when an older release has put it."""
        kind, data = self.get_object(oid, named_by=named_by)
        return codec.decode(kind, data, wanted)

    def contains(self, oid: ObjectId) -> bool:
        """Whether an object is stored, without reading it."""
        with self._transaction.cursor(self._databases["objects"]) as cursor:
            return cursor.set_key(oid)

    def header(self, oid: ObjectId, *, named_by: str | None = None) -> Header:
        """What is stored about an object besides its content; not proved by the hash."""
        value = self._transaction.get(oid, db=self._databases["objects"])
        if value is None:
            raise absent(oid, named_by)
        return read_header(oid, value)

    def raw_objects(self) -> Iterator[tuple[ObjectId, bytes]]:
        """Every id with its stored value (`layout.unpack_object` proves one), in order of id."""
        with self._transaction.cursor(self._databases["objects"]) as cursor:
            for key, value in cursor:
                if len(key) != 32:
                    raise CorruptionError("an object's key is not an id", where=key.hex())
                yield ObjectId(key), value

    def ids(self) -> Iterator[ObjectId]:
        """Every stored id, in order."""
        with self._transaction.cursor(self._databases["objects"]) as cursor:
            for key in cursor.iternext(keys=True, values=False):
                if len(key) != 32:
                    raise CorruptionError("an object's key is not an id", where=key.hex())
                yield ObjectId(key)

    def written_since(self, time_ns: int) -> set[ObjectId]:
        """The ids that were put (again or for the first time) at `time_ns` or later."""
        return {oid for when, ids in self.journal() if when >= time_ns for oid in ids}

    def journal(self) -> Iterator[tuple[int, list[ObjectId]]]:
        """Commit times (ns since the epoch) and the ids put then, oldest first."""
        for key, value in self._table("times").scan():
            yield journal_time(key), split_ids(value)

    # -- names

    def ref(self, name: str) -> ObjectId | None:
        """What a ref points at, or None when there is no such ref."""
        value = self._table("refs").get(keys.encode_ref(name))
        return None if value is None else ObjectId(value)

    def refs(self, prefix: str = "") -> Iterator[tuple[str, ObjectId]]:
        """Every ref whose name begins with `prefix`, by name."""
        start = keys.encode_ref(prefix) if prefix else b""
        for key, value in self._table("refs").scan(start):
            yield key.decode(), ObjectId(value)

    def index_get(self, name: str, parts: Iterable[keys.Part]) -> IndexEntry | None:
        """One entry of an index, or None."""
        key = keys.encode_key(name, tuple(parts))
        value = self._table("index").get(key)
        return None if value is None else _entry(key, value)

    def index_scan(
        self,
        name: str,
        prefix: Iterable[keys.Part] = (),
        *,
        after: Iterable[keys.Part] | None = None,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[IndexEntry]:
        """The entries of an index whose keys begin with `prefix`, in order.

        Parameters
        ----------
        after
            Begin behind this key (before it, in reverse): the last key of the page before.
        reverse
            From the last entry to the first.
        limit
            At most so many entries.
        """
        start = keys.encode_key(name, tuple(prefix))
        resume = None if after is None else keys.encode_key(name, tuple(after))
        entries = self._table("index").scan(start, after=resume, reverse=reverse)
        for key, value in islice(entries, limit):
            yield _entry(key, value)

    def index_names(self) -> list[str]:
        """The names of all indexes that have entries."""
        table = self._table("index")
        names: list[str] = []
        key = table.first_from(b"")
        while key is not None:
            names.append(keys.decode_key(key)[0])
            key = table.first_from(end_of(keys.encode_key(names[-1], ())))
        return names

    # -- logs

    def log_read(
        self, name: str, start: int = 0, *, limit: int | None = None
    ) -> Iterator[tuple[int, bytes]]:
        """The entries of a log from position `start` on, each with its position."""
        after = keys.log_key(name, start - 1) if start else None
        entries = islice(self._table("log").scan(keys.log_prefix(name), after=after), limit)
        for position, (key, value) in enumerate(entries, start):
            if key != keys.log_key(name, position):
                raise CorruptionError("a log has a gap", where=f"{name}, entry {position}")
            yield position, value

    def log_length(self, name: str) -> int:
        """How many entries a log has; 0 for a log nobody has written to."""
        last = next(self._table("log").scan(keys.log_prefix(name), reverse=True), None)
        return 0 if last is None else int.from_bytes(last[0][-8:], "big") + 1

    def log_names(self) -> list[str]:
        """The names of all logs that have entries."""
        table = self._table("log")
        names: list[str] = []
        key = table.first_from(b"")
        while key is not None:
            names.append(keys.decode_key(key[:-8])[0])
            key = table.first_from(end_of(keys.log_prefix(names[-1])))
        return names

    def roots(self) -> Iterator[tuple[ObjectId, str]]:
        """Every id that a ref or an index entry names, with what names it."""
        for name, target in self.refs():
            yield target, f"ref {name!r}"
        for key, value in self._table("index").scan():
            name, parts = keys.decode_key(key)
            yield _entry(key, value).target, f"index {name!r} {parts!r}"

    def _table(self, name: str) -> SealedTable:
        return SealedTable(self._transaction, self._databases, name)


def absent(oid: ObjectId, named_by: str | None) -> MissingObjectError | CorruptionError:
    """The error for an id that is not stored."""
    if named_by is None:
        return MissingObjectError("no such object in this store", where=oid.hex())
    return CorruptionError(
        f"{named_by} names an object that is not stored",
        where=oid.hex(),
        hint="run `dgf store verify`, then import the object from another store",
    )


def index_value(target: ObjectId, payload: bytes) -> bytes:
    """What is stored (and sealed) for an index entry."""
    return target + payload


def _entry(key: bytes, value: bytes) -> IndexEntry:
    return IndexEntry(keys.decode_key(key)[1], ObjectId(value[:32]), value[32:])
