"""Damage: named errors or right answers; never a signal, never wrong bytes."""

from __future__ import annotations

import collections
import functools
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest

from cache import layout, structure
from cache.compact import compact
from cache.errors import (
    CorruptionError,
    MissingObjectError,
    StoreError,
    StoreFormatError,
    StoreMissingError,
)
from cache.ids import ObjectId, hash_object
from cache.store import Mode, Store
from cache.verify import verify
from tests.cache import damaging, workload


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store to damage copies of."""
    folder = tmp_path_factory.mktemp("whole")
    with Store.open(folder, "create") as store:
        for number in range(damaging.COMMITS):
            store.commit(workload.fill(store.batch(), 0, number))
    return folder


def damage(how: str, count: int, whole: Path, scratch: Path, mode: Mode) -> tuple[int, int, int]:
    """Damage copies in a process of its own: stores refused, reads refused, right answers."""
    arguments = [how, str(whole), str(scratch), str(count), "5", mode]
    ran = subprocess.run(
        [sys.executable, "-m", "tests.cache.damaging", *arguments],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    refused, errors, answers = map(int, ran.stdout.split())
    return refused, errors, answers


def test_flipped_bits_are_errors_or_harmless(whole: Path, tmp_path: Path) -> None:
    """Wherever bits are flipped: no signal, no wrong answer."""
    refused, errors, answers = damage("flip", 200, whole, tmp_path / "scratch", "read")
    assert refused > 20  # damage to the structure
    assert errors > 20  # damage to what is stored
    assert answers > errors


@pytest.mark.parametrize("mode", ["read", "write"])
def test_a_cut_file_is_an_error_and_no_signal(mode: Mode, whole: Path, tmp_path: Path) -> None:
    """Wherever the file ends: no SIGBUS, no wrong answer; a reader never opens it."""
    refused, errors, _ = damage("truncate", 100, whole, tmp_path / "scratch", mode)
    assert refused == 100 if mode == "read" else refused > 50
    assert errors > 0 if mode == "write" else errors == 0


def test_a_missing_page_is_found_although_the_mark_says_clean(whole: Path, tmp_path: Path) -> None:
    """The size is compared with the meta page at every open, whatever else says it is whole."""
    copy = tmp_path / "copy"
    copy.mkdir()
    content = (whole / "data.mdb").read_bytes()
    (copy / "data.mdb").write_bytes(content)
    Store.open(copy).close()  # leaves a mark
    mark = (copy / "clean").read_bytes()
    (copy / "data.mdb").write_bytes(content[:-4096])
    status = (copy / "data.mdb").stat()
    forged = mark.replace(b"%d" % len(content), b"%d" % (len(content) - 4096))
    before = int(mark.split(b'"modified_ns":')[1].split(b",")[0])
    os.utime(copy / "data.mdb", ns=(status.st_atime_ns, before))
    (copy / "clean").write_bytes(forged)
    with pytest.raises(CorruptionError):
        Store.open(copy)


def edit(folder: Path, database: bytes, key: bytes, value: bytes | None) -> None:
    """Change one entry behind the store's back, with LMDB itself."""
    with lmdb.open(str(folder), max_dbs=8) as handle:
        db = handle.open_db(database, create=False)
        with handle.begin(write=True) as transaction:
            if value is None:
                assert transaction.delete(key, db=db)
            else:
                assert transaction.put(key, value, db=db)


def test_an_absent_object_that_is_named_is_corruption(tmp_path: Path) -> None:
    """A miss is absence only for an id that nothing names."""
    with Store.open(tmp_path, "create") as store:
        oid = store.put("blob", b"content")
    edit(tmp_path, b"objects", oid, None)
    with Store.open(tmp_path) as store:
        with pytest.raises(MissingObjectError):
            store.get(oid)
        with pytest.raises(CorruptionError, match="ref 'x' names an object that is not stored"):
            store.get(oid, named_by="ref 'x'")


def test_other_bytes_under_an_id_are_an_error(tmp_path: Path) -> None:
    """Neither reading nor putting the same again accepts other bytes under an id."""
    with Store.open(tmp_path, "create") as store:
        oid = store.put("blob", b"content")
    edit(tmp_path, b"objects", oid, layout.pack_object("blob", b"another"))
    with Store.open(tmp_path, "write") as store:
        with pytest.raises(CorruptionError, match="does not match its id"):
            store.get(oid)
        with pytest.raises(CorruptionError, match="does not match its id"):
            store.put("blob", b"content")


@pytest.mark.parametrize("plain", [b"content", b"content" * 1000])
def test_every_changed_byte_of_an_object_is_noticed(plain: bytes) -> None:
    """Each byte of a stored value counts: header, content, compressed or not."""
    oid = hash_object("blob", plain)
    stored = layout.pack_object("blob", plain)
    assert layout.unpack_object(oid, stored) == ("blob", plain)
    for at in range(len(stored)):
        for bit in range(8):
            damaged = bytearray(stored)
            damaged[at] ^= 1 << bit
            try:
                answer = layout.unpack_object(oid, bytes(damaged))
            except CorruptionError:
                continue
            # A bit of a compressed frame that the decompressor does not use.
            assert answer == ("blob", plain)
        with pytest.raises(CorruptionError):
            layout.unpack_object(oid, stored[:at])


def test_damage_cannot_ask_for_memory() -> None:
    """A frame that claims three gigabytes is refused by its size, before any of it is unpacked."""
    plain = b"content" * 1000
    oid = hash_object("blob", plain)
    stored = layout.pack_object("blob", plain)
    offset = layout.read_header(oid, stored).offset
    # Magic number, a descriptor (one segment, size in 8 bytes), the size, and no block.
    frame = b"\x28\xb5\x2f\xfd\xe0" + (3 << 30).to_bytes(8, "little")
    with pytest.raises(CorruptionError, match="length does not match"):
        layout.unpack_object(oid, stored[:offset] + frame)


def test_every_changed_bit_of_a_sealed_entry_is_noticed() -> None:
    """A seal covers the value, itself and the key it belongs to."""
    sealed = layout.seal(b"key", b"value")
    assert layout.unseal(b"key", sealed, "refs") == b"value"
    for at in range(8 * len(sealed)):
        damaged = bytearray(sealed)
        damaged[at // 8] ^= 1 << at % 8
        with pytest.raises(CorruptionError, match="'refs' is damaged"):
            layout.unseal(b"key", bytes(damaged), "refs")
    with pytest.raises(CorruptionError):
        layout.unseal(b"kez", sealed, "refs")


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_damaged_key_is_noticed_where_it_is_missed(which: int, tmp_path: Path) -> None:
    """An entry whose key is damaged is corruption to whoever looks for it, not absent."""
    whole, copy = tmp_path / "whole", tmp_path / "copy"
    names = ["aaaaaaaa", "gggggggg", "mmmmmmmm"]
    with Store.open(whole, "create") as store:
        batch = store.batch()
        oid = batch.put("blob", b"x")
        for name in names:
            batch.ref(name, oid)
            batch.index(name, [1], oid)
            batch.append(name, b"line")
        store.commit(batch)
    content = (whole / "data.mdb").read_bytes()
    name = names[which]
    seen: collections.Counter[str] = collections.Counter()
    reads: list[tuple[Callable[[Store], object], object]] = [
        (lambda store: store.ref(name), oid),
        (lambda store: len(store.refs()), 3),
        (lambda store: store.index_get(name, [1]), ((1,), oid, b"")),
        (lambda store: len(store.index_scan(name)), 1),
        (lambda store: len(store.index_scan(name, reverse=True)), 1),
        (lambda store: store.log_read(name), [(0, b"line")]),
        (lambda store: store.log_length(name), 1),
    ]
    copy.mkdir()
    for at in [match.start() for match in re.finditer(name.encode(), content)]:
        for offset, flip in [(0, 1), (0, 2), (7, 1), (7, 2), (7, 16)]:
            damaged = bytearray(content)
            damaged[at + offset] ^= flip
            (copy / "data.mdb").write_bytes(damaged)
            with Store.open(copy) as store:
                for read, right in reads:
                    try:
                        answer = read(store)
                    except CorruptionError:
                        seen["errors"] += 1
                    else:
                        assert answer == right
    assert seen["errors"] >= 3 * 5


def test_a_gap_in_a_log_is_corruption(tmp_path: Path) -> None:
    """A log entry that has gone is noticed, not skipped."""
    with Store.open(tmp_path, "create") as store:
        batch = store.batch()
        for line in (b"a", b"b", b"c"):
            batch.append("ledger", line)
        store.commit(batch)
    edit(tmp_path, b"log", b"\x02ledger\0" + (1).to_bytes(8, "big"), None)
    with Store.open(tmp_path) as store, pytest.raises(CorruptionError, match="gap"):
        store.log_read("ledger")


def test_a_store_of_another_format_is_refused(tmp_path: Path) -> None:
    """The format has a version, and an unknown one is named and refused."""
    Store.open(tmp_path, "create").close()
    edit(tmp_path, b"meta", b"format", layout.seal(b"format", b"99"))
    with pytest.raises(StoreFormatError, match="store format 99; this release reads format 1"):
        Store.open(tmp_path)


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    """A missing folder, a foreign file and a foreign LMDB file each get their own error."""
    with pytest.raises(StoreMissingError, match="no store here"):
        Store.open(tmp_path / "nowhere")
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "data.mdb").write_bytes(b"this is not a database\n" * 1000)
    with pytest.raises(StoreError):
        Store.open(tmp_path / "text", "create")
    lmdb.open(str(tmp_path / "foreign")).close()
    with pytest.raises(StoreFormatError, match="not a store"):
        Store.open(tmp_path / "foreign")


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """What the system refuses is an error of the store, with the path."""
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreError, match="file"):
            Store.open(path, "create")


def test_a_clean_store_is_opened_without_a_walk(tmp_path: Path) -> None:
    """Pages are walked before the first open and after any change from outside, not otherwise."""
    with Store.open(tmp_path, "create") as store:
        assert store.checked
        oid = store.put("blob", b"x")
    with Store.open(tmp_path) as store:
        assert not store.checked
    (tmp_path / "data.mdb").touch()
    with Store.open(tmp_path) as store:
        assert store.checked
        assert store.get(oid) == b"x"
    with Store.open(tmp_path, "write") as store:
        assert not store.checked
        assert not (tmp_path / "clean").exists()


def test_an_id_is_looked_up_by_all_its_bytes(tmp_path: Path) -> None:
    """An id that was never stored is missing, and the error names it."""
    with Store.open(tmp_path, "create") as store:
        with pytest.raises(MissingObjectError) as caught:
            store.get(ObjectId(bytes(32)))
        assert "0" * 64 in str(caught.value)


def test_a_database_whose_name_is_damaged_is_not_made_anew(whole: Path, tmp_path: Path) -> None:
    """A writer that finds no `index` refuses the store; it does not begin an empty one."""
    content = (whole / "data.mdb").read_bytes()
    (tmp_path / "data.mdb").write_bytes(content.replace(b"index", b"indez"))
    with pytest.raises(StoreFormatError, match="not a store"):
        Store.open(tmp_path, "write")


def test_an_older_state_than_the_last_close_is_corruption(whole: Path, tmp_path: Path) -> None:
    """Damage that makes LMDB take its other meta page is noticed: a commit would be gone."""
    content = bytearray((whole / "data.mdb").read_bytes())
    number_at = {page: page * 4096 + 144 for page in (0, 1)}  # where a meta page has its number
    newest = max(number_at.values(), key=lambda at: int.from_bytes(content[at : at + 8], "little"))
    number = int.from_bytes(content[newest : newest + 8], "little")
    content[newest : newest + 8] = (number - 2).to_bytes(8, "little")
    (tmp_path / "data.mdb").write_bytes(content)
    (tmp_path / "clean").write_bytes((whole / "clean").read_bytes())
    with pytest.raises(CorruptionError, match="the newest state is gone"):
        Store.open(tmp_path)


@pytest.mark.parametrize("mode", ["read", "write", "create"])
def test_a_pipe_in_place_of_the_data_is_refused(tmp_path: Path, mode: Mode) -> None:
    """Nobody will ever write into it: waiting for it would be for ever."""
    os.mkfifo(tmp_path / "data.mdb")
    for use in functools.partial(Store.open, mode=mode), compact, verify:
        with pytest.raises(StoreError, match="no plain file"):
            use(tmp_path)


def test_no_mark_survives_the_first_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mark of a clean close is gone from the disk before a writer has its store."""
    Store.open(tmp_path, "create").close()
    seen: list[bool] = []

    def sync(folder: Path) -> None:
        seen.append((folder / "clean").exists())

    monkeypatch.setattr(structure, "sync_folder", sync)
    with Store.open(tmp_path, "write"):
        assert seen == [False]
