"""Compiled evidence: each distinct blob is read once, then kept in memory and in the store.

Attack variants share almost all files of their clean dossier, and scoring and replay read what the
run has read, so the same bytes would otherwise be parsed many times over.
"""

from __future__ import annotations

import functools
import json
from collections import OrderedDict
from collections.abc import Callable
from typing import ClassVar, Final, Protocol

import msgspec

from cache import Record, Store
from generators.readers.content import Format, Json, Mode, ReadError, Reading, canonical_json
from generators.readers.reader import READER_VERSION, read_bytes

MAX_KEPT: Final = 4096
"""Readings held in memory: about 40 dossiers with all their attack variants."""

EVIDENCE: Final = "evidence"
"""Index: blob, format, mode, reader version → the reading of that blob."""


class EvidenceKey(msgspec.Struct, frozen=True, kw_only=True):
    """What a reading depends on: the bytes, how they are read, for which condition, by what."""

    blob: str
    format: Format
    mode: Mode
    reader_version: int = READER_VERSION


class KeptEvidence(Record, frozen=True, kw_only=True):
    """A reading at rest.

    Attributes
    ----------
    content
        The content as JSON text in the file's key order; None if the file is unreadable.
    title
        The core title of a Word file.
    error
        Why there is no content.
    """

    kind: ClassVar[str] = "evidence/1"

    content: str | None = None
    title: str | None = None
    error: ReadError | None = None


class EvidenceStore(Protocol):
    """Where compiled evidence outlives the process; `StoredEvidence` is one."""

    def find(self, key: EvidenceKey) -> KeptEvidence | None:
        """The reading kept under `key`, if any."""
        ...

    def keep(self, key: EvidenceKey, evidence: KeptEvidence) -> None:
        """Keep a reading for later processes."""
        ...


class StoredEvidence:
    """Evidence in a store, under its key. New readings wait for `commit`: each commit is a sync."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: dict[EvidenceKey, KeptEvidence] = {}

    def __repr__(self) -> str:
        return f"<StoredEvidence {len(self._waiting)} waiting>"

    def find(self, key: EvidenceKey) -> KeptEvidence | None:
        """The reading kept under `key`, if any."""
        entry = self._store.index_get(EVIDENCE, _parts(key))
        if entry is None:
            return self._waiting.get(key)
        return self._store.get_record(entry.target, KeptEvidence, named_by=EVIDENCE)

    def keep(self, key: EvidenceKey, evidence: KeptEvidence) -> None:
        """Keep a reading with the next commit."""
        self._waiting[key] = evidence

    def commit(self) -> None:
        """Write what waits, in one batch; without anything new the store is left alone."""
        if not self._waiting:
            return
        batch = self._store.batch()
        for key, evidence in self._waiting.items():
            batch.index(EVIDENCE, _parts(key), batch.put_record(evidence))
        self._store.commit(batch)
        self._waiting.clear()


def _parts(key: EvidenceKey) -> tuple[str | int, ...]:
    return (key.blob, key.format, key.mode, key.reader_version)


class Evidence:
    """One reading in memory, shared by every dossier that has the file.

    Its content is shared too: nobody may change it.
    """

    __slots__ = ("__dict__", "content", "error", "title")

    def __init__(self, outcome: Reading | ReadError) -> None:
        self.content: Json = None
        self.title: str | None = None
        self.error: ReadError | None = None
        if isinstance(outcome, ReadError):
            self.error = outcome
        else:
            self.content, self.title = outcome.content, outcome.title

    @functools.cached_property
    def canonical(self) -> bytes:
        """The canonical bytes of the content, of which observation ids are made."""
        return canonical_json(self.content)


class EvidenceLibrary:
    """Reads blobs, each once.

    Parameters
    ----------
    store
        Consulted before a blob is read, and told of every new reading.
    """

    def __init__(self, store: EvidenceStore | None = None) -> None:
        self._store = store
        self._recent: OrderedDict[EvidenceKey, Evidence] = OrderedDict()

    def read(self, key: EvidenceKey, load: Callable[[], bytes]) -> Evidence:
        """The reading for `key`; `load` gives the bytes if nobody has read them yet."""
        known = self._recent.get(key)
        if known is None:
            known = self._recent[key] = self._from_store(key) or self._compile(key, load())
            if len(self._recent) > MAX_KEPT:
                self._recent.popitem(last=False)
        else:
            self._recent.move_to_end(key)
        return known

    def _from_store(self, key: EvidenceKey) -> Evidence | None:
        kept = self._store.find(key) if self._store else None
        if kept is None:
            return None
        if kept.error is not None:
            return Evidence(kept.error)
        return Evidence(Reading(content=json.loads(kept.content or "null"), title=kept.title))

    def _compile(self, key: EvidenceKey, data: bytes) -> Evidence:
        outcome = read_bytes(key.format, data, key.mode)
        if self._store:
            self._store.keep(key, _at_rest(outcome))
        return Evidence(outcome)


def _at_rest(outcome: Reading | ReadError) -> KeptEvidence:
    if isinstance(outcome, ReadError):
        return KeptEvidence(error=outcome)
    text = json.dumps(outcome.content, ensure_ascii=False)
    return KeptEvidence(content=text, title=outcome.title)
