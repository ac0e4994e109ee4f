"""Archives: the same store on another machine, and nothing from one that is torn or forged."""

from __future__ import annotations

import errno
import hashlib
import io
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from cache import archive, keys
from cache.contents import Item, ObjectItem, contents
from cache.errors import ArchiveError, CorruptionError, UsageError
from cache.ids import hash_object
from cache.merge import merge
from cache.store import Store
from tests.cache.samples import Graph, Node, fill, fresh, graphs, picture, reached, tamper

SMALL = Graph([[], [], [0, 1], [2]], {"top": 3}, {("x", 1): 2}, {"l": [b"one", b"two"]})


def exported(store: Store, refs: list[str] | None = None) -> bytes:
    """An archive of a store."""
    sink = io.BytesIO()
    with store.view() as view:
        archive.write(contents(view, refs), sink)
    return sink.getvalue()


def take(store: Store, content: bytes) -> None:
    """Import an archive."""
    with archive.open_stream(io.BytesIO(content), store.folder) as source:
        merge(store, source)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with fresh(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def small(tmp_path: Path) -> bytes:
    """A small archive."""
    with fresh(tmp_path / "origin") as origin:
        fill(origin, SMALL)
        return exported(origin)


@settings(deadline=None, max_examples=40)
@given(graphs())
def test_import_gives_what_was_exported(
    tmp_path_factory: pytest.TempPathFactory, graph: Graph
) -> None:
    """Objects with their ids, refs, index entries and logs are the same in the other store."""
    folder = tmp_path_factory.mktemp("round")
    with fresh(folder / "a") as here, fresh(folder / "b") as there:
        fill(here, graph)
        take(there, exported(here))
        assert picture(there) == picture(here)
        assert exported(there) == exported(here)


def test_equal_content_gives_equal_bytes(tmp_path: Path) -> None:
    """In whatever order and batches a store was filled, its archive is the same."""
    graph = Graph([[], [], [], [0, 2], [3, 1], []], {"a": 4, "b": 3}, {("x", 0): 5}, {})
    archives = []
    for order in ([0, 1, 2, 3, 4, 5], [5, 2, 0, 3, 1, 4]):
        with fresh(tmp_path / str(order)) as store:
            oids = fill(store, graph)
        with fresh(tmp_path / f"again {order}") as again:
            with Store.open(tmp_path / str(order)) as first:
                objects = picture(first).objects
            for number in order:
                again.put(*objects[oids[number]])
            batch = again.batch()
            batch.index("x", [0], oids[5], payload=b"0")
            batch.ref("b", oids[3])
            batch.ref("a", oids[4])
            again.commit(batch)
            archives.append(exported(again))
    assert archives[0] == archives[1]


@settings(deadline=None, max_examples=30)
@given(graphs(), st.data())
def test_an_export_of_refs_is_what_they_reach(
    tmp_path_factory: pytest.TempPathFactory, graph: Graph, data: st.DataObject
) -> None:
    """With refs come what they reach and the index entries that name it, but no logs."""
    if not graph.refs:
        return
    chosen = data.draw(st.lists(st.sampled_from(sorted(graph.refs)), min_size=1, unique=True))
    folder = tmp_path_factory.mktemp("part")
    with fresh(folder / "a") as here, fresh(folder / "b") as there:
        oids = fill(here, graph)
        take(there, exported(here, chosen))
        found = picture(there)
    wanted = {oids[at] for at in reached(graph.edges, {graph.refs[name] for name in chosen})}
    assert found.objects.keys() == wanted
    assert found.refs == {name: oids[graph.refs[name]] for name in chosen}
    assert {target for target, _ in found.entries.values()} <= wanted
    assert len(found.entries) == sum(oids[at] in wanted for at in graph.entries.values())
    assert found.logs == {}


def test_refs_can_be_chosen_by_folder(store: Store) -> None:
    """A name with a slash at the end stands for the refs below it; an unknown one is refused."""
    fill(store, Graph([[], []], {"c/d": 0, "c/ü": 1, "ca": 0}, {}, {}))
    with store.view() as view:
        assert list(contents(view, ["c/"]))[2:] == list(contents(view, ["c/ü", "c/d"]))[2:]
        for unknown in ("c", "d/"):
            with pytest.raises(UsageError, match="no such ref"):
                list(contents(view, [unknown]))


def test_a_damaged_object_is_not_exported(tmp_path: Path) -> None:
    """An archive is never written from wrong bytes."""
    with fresh(tmp_path / "store") as store:
        oid = store.put("blob", b"right" * 100)
    tamper(tmp_path / "store", "objects", oid, b"wrong")
    with (
        Store.open(tmp_path / "store") as store,
        store.view() as view,
        pytest.raises(CorruptionError),
    ):
        archive.write_file(contents(view), tmp_path / "out.dgfa")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


# -- torn and foreign files


def refused(store: Store, content: bytes) -> ArchiveError:
    """The error for an archive, and the proof that the store is as it was."""
    before = picture(store)
    with pytest.raises(ArchiveError) as caught:
        take(store, content)
    assert picture(store) == before
    assert caught.value.hint
    return caught.value


def test_an_archive_cut_anywhere_is_refused(store: Store, small: bytes) -> None:
    """At every byte: one named error, and the store is unchanged."""
    for length in range(len(small)):
        refused(store, small[:length])


def test_an_archive_changed_anywhere_is_refused(store: Store, small: bytes) -> None:
    """At every byte a flipped bit, and anything behind the end, is noticed."""
    for at in range(len(small)):
        refused(store, small[:at] + bytes([small[at] ^ 1 << at % 8]) + small[at + 1 :])
    refused(store, small + b"\n")
    refused(store, small + small)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04" * 100, b"dgf", b"\0" * 1000])
def test_a_foreign_file_is_refused(store: Store, content: bytes) -> None:
    """What is not an archive is said to be none."""
    assert refused(store, content).problem in {
        "the archive is empty", "not an archive of a store",
    }  # fmt: skip


def test_an_archive_of_another_version_is_refused(store: Store, small: bytes) -> None:
    """A later format is named as such, and not taken for damage."""
    error = refused(store, small.replace(b"dgf-archive 1", b"dgf-archive 2"))
    assert "version" in error.problem
    assert error.where == "2"


# -- forged files: the digest is right and the content is not

BLOB = b"content"
BLOB_ID = hash_object("blob", BLOB)
NODE = Node(label=1, names=[BLOB_ID])


def frame(tag: bytes, head: bytes, body: bytes) -> bytes:
    """An entry as the format has it."""
    return tag + len(head).to_bytes(2, "big") + len(body).to_bytes(8, "big") + head + body


def object_frame(kind: bytes, body: bytes) -> bytes:
    """An object whose id is right, whatever its kind is."""
    return frame(b"O", hashlib.sha256(kind + b"\0" + body).digest() + kind, body)


def sealed(body: bytes, **options: int) -> bytes:
    """An archive with any body and the right digest."""
    packed = zstandard.ZstdCompressor(**options).compress(body)  # type: ignore[arg-type]  # any option
    content = b"dgf-archive 1\n" + packed
    return content + hashlib.sha256(content).digest()


END = frame(b"Z", b"", b"")
GOOD = object_frame(b"blob", BLOB)


def line_frame(position: int) -> bytes:
    """An entry of a log."""
    return frame(b"L", keys.log_key("l", position), b"line")


FORGED: dict[str, bytes] = {
    "wrong id": frame(b"O", BLOB_ID + b"blob", b"another") + END,
    "object twice": GOOD * 2 + END,
    "no such kind": object_frame(b"Blob!", BLOB) + END,
    "kind not ASCII": object_frame("blöb".encode(), BLOB) + END,
    "no kind": frame(b"O", BLOB_ID[:30], BLOB) + END,
    "a record that is none": object_frame(b"node/1", b"\xc1") + END,
    "a record in a wide form": object_frame(b"node/1", b"\xcd\x00\x01") + END,
    "a record behind a record": object_frame(b"node/1", b"\x01\x01") + END,
    "a name that does not come along": object_frame(b"node/1", b"\xc7\x20\x01" + BLOB_ID) + END,
    "named before it comes": object_frame(b"node/1", b"\xc7\x20\x01" + BLOB_ID) + GOOD + END,
    "ref to nothing": frame(b"R", b"a", BLOB_ID) + END,
    "ref to less than an id": GOOD + frame(b"R", b"a", BLOB_ID[:31]) + END,
    "ref with a control character": GOOD + frame(b"R", b"a\x1b[2J", BLOB_ID) + END,
    "ref not UTF-8": GOOD + frame(b"R", b"\xff", BLOB_ID) + END,
    "ref twice": GOOD + frame(b"R", b"a", BLOB_ID) * 2 + END,
    "refs not in order": GOOD + frame(b"R", b"b", BLOB_ID) + frame(b"R", b"a", BLOB_ID) + END,
    "object after a ref": GOOD + frame(b"R", b"a", BLOB_ID) + GOOD + END,
    "index key that is none": GOOD + frame(b"X", b"\x7f", BLOB_ID) + END,
    "index key in a wide form": GOOD + frame(b"X", b"\x02x\0\x16\0\x01", BLOB_ID) + END,
    "index without a target": GOOD + frame(b"X", keys.encode_key("x", [1]), b"") + END,
    "index with a payload too large": (
        GOOD + frame(b"X", keys.encode_key("x", [1]), BLOB_ID + b"x" * 2000) + END
    ),
    "log that begins late": line_frame(1) + END,
    "log with a gap": line_frame(0) + line_frame(2) + END,
    "log without a name": frame(b"L", bytes(8), b"") + END,
    "unknown tag": frame(b"?", b"", b"") + END,
    "no end": GOOD,
    "an end with content": GOOD + frame(b"Z", b"", b"x"),
    "two ends": GOOD + END + END,
    "something after the end": GOOD + END + b"x",
    "cut entry": GOOD[:-1],
    "head too long": frame(b"R", b"a" * 60_000, BLOB_ID) + END,
    "nothing": b"",
}  # fmt: skip


@pytest.mark.parametrize("body", FORGED.values(), ids=FORGED.keys())
def test_a_forged_archive_is_refused(store: Store, body: bytes) -> None:
    """Whatever it holds that no export writes: a named error, and nothing of it is stored."""
    store.put("blob", b"here before")
    assert "malformed" in str(refused(store, sealed(body))) or "it" in str(
        refused(store, sealed(body))
    )


def test_the_forger_can_forge() -> None:
    """The frames used for the forgeries above are right where they are not meant to be wrong."""
    body = (
        GOOD
        + object_frame(Node.kind.encode(), b"\x82\xa5label\x01\xa5names\x91\xc7\x20\x01" + BLOB_ID)
        + frame(b"X", keys.encode_key("x", [1]), BLOB_ID + b"payload")
        + line_frame(0)
        + frame(b"R", b"a", BLOB_ID)
        + END
    )
    source = io.BytesIO(sealed(body))
    archive.check_whole(source)
    assert [type(item).__name__ for item in archive.read(source)] == [
        "ObjectItem", "ObjectItem", "IndexItem", "LogItem", "RefItem",
    ]  # fmt: skip


def test_a_forged_body_cut_anywhere_is_refused(store: Store, small: bytes) -> None:
    """Also when the digest at the end belongs to the part that is left."""
    inner = small[:-32]
    for length in range(len(b"dgf-archive 1\n"), len(inner)):
        content = inner[:length]
        refused(store, content + hashlib.sha256(content).digest())


# -- limits


def test_what_an_entry_promises_is_not_allocated(store: Store) -> None:
    """An entry that claims the largest size, or more, costs nothing before its bytes come."""
    for claimed in (archive.MAX_BODY, archive.MAX_BODY + 1, 2**64 - 1):
        head = BLOB_ID + b"blob"
        body = b"O" + len(head).to_bytes(2, "big") + claimed.to_bytes(8, "big") + head + b"x" * 100
        tracemalloc.start()
        refused(store, sealed(body))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 << 20


def test_an_entry_beyond_the_limits_is_refused_before_its_bytes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when everything that it claims is there."""
    monkeypatch.setattr(archive, "MAX_BODY", 1000)
    for size in 1000, 1001:
        data = b"x" * size
        body = sealed(frame(b"O", hash_object("blob", data) + b"blob", data) + END)
        if size > 1000:
            assert "1001 bytes" in str(refused(store, body))
        else:
            take(store, body)
    long_head = keys.encode_key("x", ["y" * 400]) + b"z" * 200
    assert "bytes" in str(refused(store, sealed(frame(b"X", long_head, BLOB_ID) + END)))


def test_a_window_that_needs_much_memory_is_refused(store: Store) -> None:
    """How much the decompressor may hold does not depend on the archive."""
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    packed = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    content = b"dgf-archive 1\n" + packed.compress(GOOD + END) + packed.flush()
    assert "decompress" in str(refused(store, content + hashlib.sha256(content).digest()))


def test_memory_stays_flat(tmp_path: Path) -> None:
    """Export and import of many objects need the memory of a few."""
    chance = random.Random(1)

    def many() -> Iterator[Item]:
        for _ in range(60):
            data = chance.randbytes(1 << 20)
            yield ObjectItem(hash_object("blob", data), "blob", data)

    with fresh(tmp_path / "store") as store:
        tracemalloc.start()
        archive.write_file(many(), tmp_path / "many.dgfa")
        with archive.open_file(tmp_path / "many.dgfa") as source:
            assert merge(store, source).objects_added == 60
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 40 << 20


def test_an_object_too_large_for_an_archive_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not be imported is not exported."""
    monkeypatch.setattr(archive, "MAX_BODY", 1000)
    store.put("blob", b"x" * 1000)
    exported(store)
    store.put("blob", b"x" * 1001)
    with pytest.raises(ArchiveError, match="1001 bytes"):
        exported(store)


# -- files


def test_a_file_is_written_whole_or_not_at_all(store: Store, tmp_path: Path) -> None:
    """A failed export leaves no file, and an existing file is never replaced."""

    def failing() -> Iterator[Item]:
        yield ObjectItem(BLOB_ID, "blob", BLOB)
        raise CorruptionError("stop")

    out = tmp_path / "out.dgfa"
    with pytest.raises(CorruptionError, match="stop"):
        archive.write_file(failing(), out)
    assert not list(tmp_path.glob("out*"))

    out.write_bytes(b"precious")
    with pytest.raises(UsageError, match="exists"):
        archive.write_file([], out)
    assert out.read_bytes() == b"precious"
    with pytest.raises(UsageError, match="cannot be written"):
        archive.write_file([], tmp_path / "no such folder" / "out.dgfa")
    with pytest.raises(UsageError, match="cannot be read"), archive.open_file(tmp_path / "none"):
        pass


def test_the_summary_counts_what_is_in_the_file(tmp_path: Path) -> None:
    """Counts, size and digest are those of the file."""
    with fresh(tmp_path / "store") as store:
        fill(store, SMALL)
        with store.view() as view:
            summary = archive.write_file(contents(view), tmp_path / "out.dgfa")
    content = (tmp_path / "out.dgfa").read_bytes()
    assert (summary.objects, summary.index_entries, summary.log_entries, summary.refs) == (
        4,
        1,
        2,
        1,
    )
    assert summary.bytes == len(content)
    assert summary.digest == hashlib.sha256(content[:-32]).hexdigest() == content[-32:].hex()


def test_an_export_touches_no_other_file(store: Store, tmp_path: Path) -> None:
    """A file that happens to be called like a draft stays, and no draft does."""
    other = tmp_path / "out.dgfa.part"
    other.write_text("half of a download")
    with store.view() as view:
        archive.write_file(contents(view), tmp_path / "out.dgfa")
    assert other.read_text() == "half of a download"
    assert {file.name for file in tmp_path.glob("out*")} == {"out.dgfa", "out.dgfa.part"}


def test_a_folder_without_room_for_a_piped_archive_is_named(
    small: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The error says which folder was to keep the archive while it is checked."""

    def full(**place: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with (
        pytest.raises(UsageError, match="No space left") as caught,
        archive.open_stream(io.BytesIO(small), tmp_path),
    ):
        pass
    assert str(tmp_path) in str(caught.value)
