"""The store: one folder with one LMDB environment, used synchronously.

    with Store.open("runs.dgf", "create") as store:
        batch = store.batch()
        report = batch.put("blob", b"all green")
        batch.index("reports", ["gate-3", 1], report)
        store.commit(batch)

A call that writes returns after its commit is on the disk. A call that reads proves what it
returns by its hash or its seal. `cache.writer.AsyncStore` is the same for an event loop.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self, TypeAlias, TypeVar

from cache import codec, keys, structure
from cache.batch import Batch, Receipt
from cache.commit import Outcome, write_batches
from cache.environment import Environment, Transaction
from cache.errors import (
    DgfError,
    StoreError,
    StoreFormatError,
    StoreMissingError,
    UsageError,
)
from cache.ids import ObjectId
from cache.layout import (
    FORMAT,
    MAX_HEADER,
    Header,
    read_header,
    seal,
    unpack_object,
    unseal,
)
from cache.lock import PresenceLock, WriterLock, check_placement, writer_lives
from cache.secrets import Secrets
from cache.view import IndexEntry, StoredObject, View, absent

Mode: TypeAlias = Literal["read", "write", "create"]

MAP_BYTES: Final = 64 << 30
"""Address space, not disk: the file itself grows with what is written."""

R = TypeVar("R", bound=codec.Record)
T = TypeVar("T")


class Store:
    """A content-addressed store in a folder.

    State: the environment, and for a writer the lock. Any thread may use it; a forked child may
    not.
    """

    def __init__(
        self,
        environment: Environment,
        *,
        locks: Sequence[PresenceLock | WriterLock],
        clock: Callable[[], int],
        checked: bool,
    ) -> None:
        self.environment = environment
        self.folder = environment.folder
        self.secrets = Secrets()
        self.checked = checked
        """Whether opening walked over every page (a first open, or one after an unclean exit)."""
        self._locks = locks
        self._clock = clock
        self._pid = os.getpid()
        self._open = True

    def __repr__(self) -> str:
        how = ("writing" if self.writable else "reading") if self._open else "closed"
        return f"<Store {str(self.folder)!r}, {how}>"

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        mode: Mode = "read",
        *,
        map_bytes: int = MAP_BYTES,
        allow_network: bool = False,
        sync: bool = True,
        clock: Callable[[], int] = time.time_ns,
    ) -> Self:
        """Open the store in the folder `path`.

        Parameters
        ----------
        path
            A folder on a local disk.
        mode
            `read` shares the store with anybody; `write` takes the writer's lock; `create` makes
            the store first when there is none.
        map_bytes
            The first size of the map; it grows when it has to.
        allow_network
            Accept a network file system, at your own risk.
        sync
            False only in tests that show what a missing sync loses.
        clock
            Nanoseconds since the epoch, for the journal of write times.

        Raises
        ------
        StoreMissingError, StoreFormatError
            When there is no store, or one of another format.
        StoreLockedError
            When another process writes, or this one has the store open already.
        StorePlacementError
            When the folder is on a network file system.
        CorruptionError
            When the structure of the store is damaged.
        """
        try:
            return cls._open_folder(
                Path(path),
                mode,
                map_bytes=map_bytes,
                allow_network=allow_network,
                sync=sync,
                clock=clock,
            )
        except OSError as error:
            raise StoreError(
                f"the store cannot be opened: {error.strerror}", where=str(error.filename or path)
            ) from error

    @classmethod
    def _open_folder(
        cls,
        folder: Path,
        mode: Mode,
        *,
        map_bytes: int,
        allow_network: bool,
        sync: bool,
        clock: Callable[[], int],
    ) -> Self:
        if not allow_network:
            check_placement(folder)
        writing = mode != "read"
        if mode == "create":
            folder.mkdir(parents=True, exist_ok=True)
        elif not (folder / structure.DATA_FILE).exists():
            raise StoreMissingError(
                "no store here", where=str(folder), hint="check the path, or open it with 'create'"
            )
        with contextlib.ExitStack() as undo:
            locks: list[PresenceLock | WriterLock] = []
            if writing:
                locks.append(WriterLock.acquire(folder))
                undo.callback(locks[0].release)
            locks.append(PresenceLock.share(folder))
            undo.callback(locks[-1].release)
            if not (folder / structure.DATA_FILE).exists():
                _create(folder, sync=sync, clock=clock)
            alive = (lambda: False) if writing else functools.partial(writer_lives, folder)
            checked = structure.ensure_sound(folder, alive, writing=writing)
            environment = Environment(folder, write=writing, map_bytes=map_bytes, sync=sync)
            undo.callback(environment.close)
            _check_format(environment)
            if writing:
                structure.remove_mark(folder)
            undo.pop_all()
        return cls(environment, locks=locks, clock=clock, checked=checked)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def writable(self) -> bool:
        """Whether this store holds the writer's lock."""
        return any(isinstance(lock, WriterLock) for lock in self._locks)

    def close(self) -> None:
        """Close the store and give its locks back; doing so twice is harmless."""
        if not self._open:
            return
        self.environment.close()
        self._open = False
        if os.getpid() != self._pid:
            return
        if self.writable and self.environment.sync:
            with contextlib.suppress(OSError, DgfError):  # without a mark the next open looks
                structure.leave_mark(self.folder)
        for lock in self._locks:
            lock.release()

    # -- writing

    def batch(self) -> Batch:
        """A batch that masks the secrets of this store."""
        return Batch(self.secrets)

    def forbid(self, secret: str) -> None:
        """Mask a credential in everything written from now on."""
        self.secrets.forbid(secret)

    def put(self, kind: str, data: bytes) -> ObjectId:
        """Store an object durably; putting it twice is putting it once."""
        batch = self.batch()
        oid = batch.put(kind, data)
        self.commit(batch)
        return oid

    def put_record(self, record: codec.Record) -> ObjectId:
        """Store a record durably."""
        batch = self.batch()
        oid = batch.put_record(record)
        self.commit(batch)
        return oid

    def commit(self, batch: Batch) -> Receipt:
        """Write a batch in one durable transaction, all of it or nothing.

        Raises
        ------
        MissingObjectError
            When something in the batch names an object that is neither in it nor in the store.
        StoreConflictError
            When a ref is not what was expected, or an index entry is taken.
        StoreFullError
            When there is no room; nothing of the batch is stored, everything before it is.
        """
        outcome = self.commit_group([batch])[0]
        if isinstance(outcome, DgfError):
            raise outcome
        return outcome

    def commit_group(self, batches: Sequence[Batch]) -> list[Outcome]:
        """Write several batches with one sync: for each its receipt, or why it was left out.

        An error of the whole transaction (a full disk) is raised, and nothing is stored.
        """
        if not self.writable:
            raise UsageError("the store is open for reading", hint="open it with mode 'write'")
        for batch in batches:
            batch.seal()
        try:
            return self.environment.write(
                lambda transaction: write_batches(
                    transaction,
                    self.environment.databases,
                    batches,
                    secrets=self.secrets,
                    clock=self._clock,
                ),
                size=sum(batch.size for batch in batches),
            )
        finally:
            for batch in batches:
                batch.unseal()

    def discard(self, oid: ObjectId) -> bool:
        """Remove an object, whatever names it, to be put again; whether it was there."""

        def work(transaction: Transaction) -> bool:
            return transaction.delete(oid, db=self.environment.databases["objects"])

        return self.environment.write(work)

    # -- reading: each call sees the state of its own moment; `view` holds one state

    @contextmanager
    def view(self) -> Iterator[View]:
        """One state of the store for several reads. Keep it short: it holds old pages back."""
        with self.environment.view() as transaction:
            yield View(transaction, self.environment.databases)

    def get(self, oid: ObjectId, *, named_by: str | None = None) -> bytes:
        """The content of an object, proved by its hash. See `View.get_object`."""
        value = self.environment.get("objects", oid)
        if value is None:
            raise absent(oid, named_by)
        return unpack_object(oid, value)[1]

    def get_object(self, oid: ObjectId, *, named_by: str | None = None) -> StoredObject:
        """The kind and content of an object, proved by its hash. See `View.get_object`."""
        value = self.environment.get("objects", oid)
        if value is None:
            raise absent(oid, named_by)
        return StoredObject(*unpack_object(oid, value))

    def get_record(self, oid: ObjectId, wanted: type[R], *, named_by: str | None = None) -> R:
        """An object as a record. See `View.get_record`."""
        kind, data = self.get_object(oid, named_by=named_by)
        return codec.decode(kind, data, wanted)

    def contains(self, oid: ObjectId) -> bool:
        """Whether an object is stored."""
        return self._read(lambda view: view.contains(oid))

    def header(self, oid: ObjectId, *, named_by: str | None = None) -> Header:
        """What is stored about an object besides its content, which is not read."""
        value = self.environment.head("objects", oid, MAX_HEADER)
        if value is None:
            raise absent(oid, named_by)
        return read_header(oid, value)

    def ref(self, name: str) -> ObjectId | None:
        """What a ref points at, or None."""
        return self._read(lambda view: view.ref(name))

    def refs(self, prefix: str = "") -> list[tuple[str, ObjectId]]:
        """Every ref whose name begins with `prefix`, by name."""
        return self._read(lambda view: list(view.refs(prefix)))

    def index_get(self, name: str, parts: Iterable[keys.Part]) -> IndexEntry | None:
        """One entry of an index, or None."""
        wanted = tuple(parts)
        return self._read(lambda view: view.index_get(name, wanted))

    def index_scan(
        self,
        name: str,
        prefix: Iterable[keys.Part] = (),
        *,
        after: Iterable[keys.Part] | None = None,
        reverse: bool = False,
        limit: int | None = None,
    ) -> list[IndexEntry]:
        """A range of an index. See `View.index_scan`."""
        start = tuple(prefix)
        resume = None if after is None else tuple(after)
        return self._read(
            lambda view: list(
                view.index_scan(name, start, after=resume, reverse=reverse, limit=limit)
            )
        )

    def log_read(
        self, name: str, start: int = 0, *, limit: int | None = None
    ) -> list[tuple[int, bytes]]:
        """The entries of a log from position `start` on, each with its position."""
        return self._read(lambda view: list(view.log_read(name, start, limit=limit)))

    def log_length(self, name: str) -> int:
        """How many entries a log has."""
        return self._read(lambda view: view.log_length(name))

    def _read(self, work: Callable[[View], T]) -> T:
        environment = self.environment
        return environment.read(lambda txn: work(View(txn, environment.databases)))


def _create(folder: Path, *, sync: bool, clock: Callable[[], int]) -> None:
    """Make an empty store beside its place and move it there whole."""
    draft = folder / "creating"
    draft.mkdir(exist_ok=True)
    _clear(draft)  # what a killed creation has left, and nothing else
    environment = Environment(draft, write=True, map_bytes=1 << 20, sync=sync, create=True)
    facts = {b"format": FORMAT.encode(), b"created": str(clock()).encode()}

    def work(transaction: Transaction) -> None:
        for key, value in facts.items():
            transaction.put(key, seal(key, value), db=environment.databases["meta"])

    try:
        environment.write(work)
    finally:
        environment.close()
    (draft / structure.DATA_FILE).replace(folder / structure.DATA_FILE)
    _clear(draft)
    with contextlib.suppress(OSError):  # it was there before and holds something else
        draft.rmdir()
    structure.sync_folder(folder)


def _clear(draft: Path) -> None:
    for name in (structure.DATA_FILE, structure.LOCK_FILE):
        (draft / name).unlink(missing_ok=True)


def _check_format(environment: Environment) -> None:
    """Refuse a store whose format this release does not know."""
    value = environment.get("meta", b"format")
    found = None if value is None else unseal(b"format", value, "meta").decode()
    if found != FORMAT:
        raise StoreFormatError(
            f"store format {found or 'unknown'}; this release reads format {FORMAT}",
            where=str(environment.folder),
            hint="use the release that wrote it, and export an archive there",
        )
