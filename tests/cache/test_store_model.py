"""The store against a few dictionaries: whatever is done to both, both say the same."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    rule,
)

from cache import Batch, Key, ObjectId, Store, hash_object
from cache.errors import MissingObjectError, StoreConflictError

contents = st.binary(max_size=40) | st.integers(0, 20).map(lambda n: b"%d " % n * 400)
kinds = st.sampled_from(["blob", "svg"])
keys = st.lists(st.sampled_from(["a", "b"]) | st.integers(-300, 300), min_size=1, max_size=3)
names = st.sampled_from(["r", "runs/1", "runs/2"])
indexes = st.sampled_from(["cells", "draws"])
logs = st.sampled_from(["ledger", "notes"])


class Model(RuleBasedStateMachine):
    """Dictionaries beside a store; batches are filled on both sides and committed or dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="store-model-"))
        self.store = Store.open(self.folder, "create", map_bytes=1 << 16)
        self.objects: dict[ObjectId, tuple[str, bytes]] = {}
        self.refs: dict[str, ObjectId] = {}
        self.index: dict[tuple[str, Key], tuple[ObjectId, bytes]] = {}
        self.logs: dict[str, list[bytes]] = {"ledger": [], "notes": []}

    ids = Bundle("ids")

    def teardown(self) -> None:
        """Close and remove the store."""
        self.store.close()
        shutil.rmtree(self.folder)

    @rule(target=ids, kind=kinds, data=contents)
    def put(self, kind: str, data: bytes) -> ObjectId:
        """An object is stored under its hash."""
        oid = self.store.put(kind, data)
        assert oid == hash_object(kind, data)
        self.objects[oid] = (kind, data)
        return oid

    @rule(oid=ids, name=names, key=keys, index=indexes, log=logs, payload=st.binary(max_size=5))
    def commit(
        self, oid: ObjectId, name: str, key: list[str | int], index: str, log: str, payload: bytes
    ) -> None:
        """A batch is applied whole, or not at all when its index entry is taken."""
        batch = self.store.batch()
        batch.ref(name, oid)
        batch.index(index, key, oid, payload=payload)
        batch.append(log, payload)
        batch.append(log, oid)
        slot = (index, tuple(key))
        if self.index.get(slot, (oid, payload)) != (oid, payload):
            with pytest.raises(StoreConflictError):
                self.store.commit(batch)
            return
        positions = self.store.commit(batch).log_positions
        assert positions == {log: len(self.logs[log])}
        self.refs[name] = oid
        self.index[slot] = (oid, payload)
        self.logs[log] += [payload, oid]

    @rule(oid=ids, key=keys, index=indexes)
    def replace(self, oid: ObjectId, key: list[str | int], index: str) -> None:
        """An entry is replaced when that is asked for."""
        batch = self.store.batch()
        batch.index(index, key, oid, replace=True)
        self.store.commit(batch)
        self.index[index, tuple(key)] = (oid, b"")

    @rule(key=keys, index=indexes)
    def unindex(self, key: list[str | int], index: str) -> None:
        """An entry is removed."""
        batch = self.store.batch()
        batch.unindex(index, key)
        self.store.commit(batch)
        self.index.pop((index, tuple(key)), None)

    @rule(oid=ids, name=names, expected=ids | st.none())
    def move(self, oid: ObjectId, name: str, expected: ObjectId | None) -> None:
        """A ref moves only from where it is expected."""
        batch = self.store.batch()
        batch.ref(name, oid, expected=expected)
        if self.refs.get(name) == expected:
            self.store.commit(batch)
            self.refs[name] = oid
        else:
            with pytest.raises(StoreConflictError):
                self.store.commit(batch)

    @rule(name=names)
    def unref(self, name: str) -> None:
        """A ref is removed."""
        batch = self.store.batch()
        batch.ref(name, None)
        self.store.commit(batch)
        self.refs.pop(name, None)

    @rule(data=contents, name=names)
    def dangle(self, data: bytes, name: str) -> None:
        """A batch that names what nobody has stored changes nothing."""
        absent = hash_object("absent", data)
        batch = self.store.batch()
        batch.append("ledger", data)
        batch.ref(name, absent)
        with pytest.raises(MissingObjectError):
            self.store.commit(batch)

    @rule(oids=st.lists(contents.map(lambda data: hash_object("blob", data)), max_size=3))
    def group(self, oids: list[ObjectId]) -> None:
        """In a group each batch is judged alone."""
        batches: list[Batch] = []
        for oid in oids:
            batch = self.store.batch()
            batch.append("notes", oid)
            batch.ref("r", oid)
            batches.append(batch)
        for oid, outcome in zip(oids, self.store.commit_group(batches), strict=True):
            if oid in self.objects:
                self.logs["notes"].append(oid)
                self.refs["r"] = oid
            else:
                assert isinstance(outcome, MissingObjectError)

    @rule()
    def reopen(self) -> None:
        """Closing and opening changes nothing."""
        self.store.close()
        self.store = Store.open(self.folder, "write", map_bytes=1 << 16)
        assert not self.store.checked

    @invariant()
    def objects_agree(self) -> None:
        """Every object is there with its bytes, and no other."""
        with self.store.view() as view:
            assert list(view.ids()) == sorted(self.objects)
            for oid, value in self.objects.items():
                assert view.get_object(oid) == value

    @invariant()
    def names_agree(self) -> None:
        """Refs, indexes and logs say what the dictionaries say."""
        assert self.store.refs() == sorted(self.refs.items())
        assert self.store.refs("runs/") == sorted(
            (name, oid) for name, oid in self.refs.items() if name.startswith("runs/")
        )
        for log, lines in self.logs.items():
            assert self.store.log_read(log) == list(enumerate(lines))
            assert self.store.log_length(log) == len(lines)
        for (index, key), value in self.index.items():
            assert self.store.index_get(index, key) == (key, *value)

    @rule(index=indexes, prefix=keys.map(lambda key: key[:1]) | st.just([]), reverse=st.booleans())
    def scan(self, index: str, prefix: list[str | int], reverse: bool) -> None:
        """A scan by prefix gives the entries in order, in one go or page by page."""
        wanted = sorted(
            (
                (key, *value)
                for (name, key), value in self.index.items()
                if name == index and list(key[: len(prefix)]) == prefix
            ),
            key=lambda entry: [(isinstance(part, int), part) for part in entry[0]],
            reverse=reverse,
        )
        assert self.store.index_scan(index, prefix, reverse=reverse) == wanted
        paged: list[tuple[Key, ObjectId, bytes]] = []
        while page := self.store.index_scan(
            index, prefix, after=paged[-1][0] if paged else None, reverse=reverse, limit=2
        ):
            paged += page
        assert paged == wanted


TestModel = Model.TestCase
TestModel.settings = settings(max_examples=20, stateful_step_count=30, deadline=None)
