"""Reading a database whose entries are sealed: what is returned is proved, and so is what is not.

A damaged key is not found under its old name, and a lookup would call it absent. But the entry is
still where it was, between the same neighbours (their order was checked when the store was opened),
so every lookup that finds nothing proves the entries on both sides of the gap, and every scan the
ones on both sides of its range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import lmdb

from cache.environment import Databases, Transaction
from cache.layout import unseal


class SealedTable:
    """One database of sealed entries in a transaction."""

    __slots__ = ("_database", "_name", "_transaction")

    def __init__(self, transaction: Transaction, databases: Databases, name: str) -> None:
        self._transaction = transaction
        self._database = databases[name]
        self._name = name

    def get(self, key: bytes) -> bytes | None:
        """The value under `key`, or None where nothing is and nothing damaged could have been."""
        sealed = self._transaction.get(key, db=self._database)
        if sealed is not None:
            return unseal(key, sealed, self._name)
        with self._cursor() as cursor:
            self._enter(cursor, key, after=None, reverse=False)
        return None

    def first_from(self, edge: bytes) -> bytes | None:
        """The first key at or behind `edge`."""
        with self._cursor() as cursor:
            return cursor.key() if self._enter(cursor, edge, after=None, reverse=False) else None

    def scan(
        self, prefix: bytes = b"", *, after: bytes | None = None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Keys that begin with `prefix`, and their values, from behind `after` when it is given."""
        with self._cursor() as cursor:
            step: Callable[[], bool] = cursor.prev if reverse else cursor.next
            edge = end_of(prefix) if reverse else prefix
            there = self._enter(cursor, edge, after=after, reverse=reverse)
            while there:
                key, value = self._proved(cursor)
                if not key.startswith(prefix):
                    return
                yield key, value
                there = step()

    def _enter(
        self, cursor: lmdb.Cursor[bytes], edge: bytes, *, after: bytes | None, reverse: bool
    ) -> bool:
        """Move to the first entry of a range, and prove the entries on both sides of its edge."""
        edge = edge if after is None else after
        beyond = cursor.set_range(edge)
        if beyond:
            self._proved(cursor)
        before = cursor.prev() if beyond else cursor.last()
        if before:
            self._proved(cursor)
        if reverse:
            return before
        return cursor.set_range(edge) and (cursor.key() != after or cursor.next())

    def _proved(self, cursor: lmdb.Cursor[bytes]) -> tuple[bytes, bytes]:
        key, sealed = cursor.item()
        return key, unseal(key, sealed, self._name)

    def _cursor(self) -> lmdb.Cursor[bytes]:
        return self._transaction.cursor(self._database)


def end_of(prefix: bytes) -> bytes:
    """The first key behind all that begin with `prefix`."""
    # A log's keys end in 8 bytes of a position, and nothing else has a byte as high as 0xff.
    return prefix + b"\xff" * 9
