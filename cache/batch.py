"""A batch: what one commit writes, all of it or nothing.

Ids are known the moment something is added, so that a batch can be built bottom-up (blobs, then
the tree that names them, then the index entry that names the tree) before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from cache import codec, keys
from cache.errors import RecordError, SecretError, StoreConflictError, UsageError
from cache.ids import ObjectId, hash_object, is_record
from cache.secrets import Secrets

MAX_PAYLOAD_BYTES: Final = 1024
"""The most an index entry carries besides its target."""


class Unspecified(Enum):
    """The one value that stands for "whatever the ref was before"."""

    ANY = "any"


ANY: Final = Unspecified.ANY
Expected: TypeAlias = ObjectId | Literal[Unspecified.ANY] | None


class RefChange(NamedTuple):
    """Point a ref somewhere, or remove it."""

    name: str
    key: bytes
    target: ObjectId | None
    expected: Expected


class IndexChange(NamedTuple):
    """Add an index entry, or remove it."""

    name: str
    parts: keys.Key
    key: bytes
    target: ObjectId | None
    payload: bytes
    replace: bool


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What a commit did; it is given only after the commit is durable."""

    added: int
    """Objects that were not in the store before."""
    log_positions: dict[str, int]
    """For each log appended to: the position of the first new entry."""


class Batch:
    """Objects, refs, index entries and log entries that are committed together.

    State: grows while it is not sealed; it is sealed only while a commit runs.
    """

    def __init__(self, secrets: Secrets | None = None) -> None:
        self._secrets = secrets
        self._masks = 0 if secrets is None else len(secrets)
        self.objects: dict[ObjectId, tuple[str, bytes]] = {}
        self.references: dict[ObjectId, ObjectId] = {}
        """Each id that a new record names → the record that names it."""
        self.refs: dict[str, RefChange] = {}
        self.index_entries: dict[bytes, IndexChange] = {}
        self.log_entries: dict[str, list[bytes]] = {}
        self.size = 0
        self._sealed = False

    def __repr__(self) -> str:
        return (
            f"<Batch: {len(self.objects)} objects, {len(self.refs)} refs, "
            f"{len(self.index_entries)} index entries, {self.size} bytes>"
        )

    def put(self, kind: str, data: bytes) -> ObjectId:
        """Add an object; adding it twice is adding it once."""
        data = self._mask(data)
        if is_record(kind):
            codec.check_canonical(kind, data)
        return self._put(kind, data)

    def put_record(self, record: codec.Record) -> ObjectId:
        """Add a record, which may name objects of this batch or of the store."""
        data = codec.encode(record)
        masked = self._mask(data)
        if masked != data:
            try:
                codec.check_canonical(record.kind, masked)
            except RecordError as error:
                raise SecretError(
                    "the form of a record depends on a forbidden secret",
                    where=record.kind,
                    hint="leave credentials out of names and keys",
                ) from error
        return self._put(record.kind, masked)

    def put_records(self, records: Iterable[codec.Record]) -> None:
        """Add several records, such as the trees of `trees.build`."""
        for record in records:
            self.put_record(record)

    def ref(self, name: str, target: ObjectId | None, *, expected: Expected = ANY) -> None:
        """Point `name` at `target`, or remove it with None.

        With `expected` the commit fails unless the ref is that before (None: is absent).
        """
        key = keys.encode_ref(name)
        self._grow(len(key) + 32)
        self.refs[name] = RefChange(name, key, target, expected)

    def index(
        self,
        name: str,
        parts: Iterable[keys.Part],
        target: ObjectId,
        *,
        payload: bytes = b"",
        replace: bool = False,
    ) -> None:
        """Add an entry to an index.

        An entry is written once: the same again is nothing new, and another target or payload
        under the same key makes the commit fail unless `replace` is set.
        """
        if len(payload) > MAX_PAYLOAD_BYTES:
            raise UsageError(
                f"an index payload of {len(payload)} bytes is too large",
                where=name,
                hint=f"keep it to {MAX_PAYLOAD_BYTES} bytes, or put the data in the object",
            )
        parts = tuple(parts)
        key = keys.encode_key(name, parts)
        change = IndexChange(name, parts, key, target, self._mask(payload), replace)
        earlier = self.index_entries.get(key)
        if earlier is not None and not replace and earlier[:5] != change[:5]:
            raise StoreConflictError(
                "one batch gives an index entry two values", where=f"{name} {parts!r}"
            )
        self._grow(len(key) + len(payload) + 32)
        self.index_entries[key] = change

    def unindex(self, name: str, parts: Iterable[keys.Part]) -> None:
        """Remove an entry from an index, if it is there."""
        parts = tuple(parts)
        key = keys.encode_key(name, parts)
        self._grow(len(key))
        self.index_entries[key] = IndexChange(name, parts, key, None, b"", replace=True)

    def append(self, log: str, entry: bytes) -> None:
        """Add an entry at the end of a log. Logs name nothing: index what must be kept."""
        keys.check_name(log)
        self._grow(len(entry) + len(log) + 8)
        self.log_entries.setdefault(log, []).append(self._mask(entry))

    def seal(self) -> None:
        """Refuse additions while the batch is being committed."""
        self._sealed = True

    def unseal(self) -> None:
        """Accept additions again, after a commit."""
        self._sealed = False

    def is_masked_by(self, secrets: Secrets) -> bool:
        """Whether all of `secrets` were masked in everything that was added."""
        return not secrets or (self._secrets is secrets and self._masks == len(secrets))

    def targets(self) -> Iterable[tuple[ObjectId, str]]:
        """Every id that must be in the store after the commit, with what names it."""
        for reference, record in self.references.items():
            yield reference, f"record {record.hex()}"
        for ref in self.refs.values():
            if ref.target is not None:
                yield ref.target, f"ref {ref.name!r}"
        for entry in self.index_entries.values():
            if entry.target is not None:
                yield entry.target, f"index {entry.name!r} {entry.parts!r}"

    def _put(self, kind: str, data: bytes) -> ObjectId:
        oid = hash_object(kind, data)
        if oid not in self.objects:
            self._grow(len(data) + 64)
            self.objects[oid] = (kind, data)
            for reference in codec.references(kind, data):
                self.references.setdefault(reference, oid)
        return oid

    def _grow(self, size: int) -> None:
        if self._sealed:
            raise UsageError("this batch is being committed", hint="start a new batch")
        self.size += size

    def _mask(self, data: bytes) -> bytes:
        return data if self._secrets is None else self._secrets.mask(data)
