"""Compaction: the same store in a smaller file, or the old file untouched."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import lmdb
import pytest

from cache.collect import collect
from cache.compact import compact
from cache.environment import Environment, Transaction
from cache.errors import (
    CorruptionError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreMissingError,
)
from cache.store import Store
from cache.verify import verify
from tests.cache import disk
from tests.cache.reading import Reader, reader
from tests.cache.samples import Graph, fill, fresh, picture, tamper


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store of which most is free."""
    chance = random.Random(1)
    with fresh(tmp_path / "store") as store:
        fill(store, Graph([[], [], [0, 1]], {"top": 2}, {("x", 1): 1}, {"l": [b"a", b"b"]}))
        for _ in range(50):
            store.put("blob", chance.randbytes(8000))
        collect(store, grace=timedelta(0), delete=True)
    return tmp_path / "store"


def test_the_copy_is_the_same_store_and_smaller(folder: Path) -> None:
    """Objects, names and logs are as before, and the space is given back."""
    with Store.open(folder) as store:
        before = picture(store)
    done = compact(folder)
    assert done.bytes_after == (folder / "data.mdb").stat().st_size < done.bytes_before / 5
    assert done.objects == len(before.objects)
    assert verify(folder).whole
    with Store.open(folder, "write") as store:
        assert picture(store) == before
        oid = store.put("blob", b"goes on")
    with Store.open(folder) as store:
        assert store.get(oid) == b"goes on"
    compact(folder)
    assert not (folder / "compacting").exists()


def test_the_next_open_trusts_the_copy(folder: Path) -> None:
    """The copy was proved, so opening it looks at no page again."""
    compact(folder)
    with Store.open(folder) as store:
        assert not store.checked


class Unchanged(NamedTuple):
    """A data file as it was."""

    folder: Path
    content: bytes

    def check(self) -> None:
        """Nothing was done to it, and nothing is left beside it."""
        assert (self.folder / "data.mdb").read_bytes() == self.content
        assert not (self.folder / "compacting").exists()


@pytest.fixture
def unchanged(folder: Path) -> Unchanged:
    """The store before."""
    return Unchanged(folder, (folder / "data.mdb").read_bytes())


def test_a_process_that_reads_makes_it_give_up(folder: Path, unchanged: Unchanged) -> None:
    """As long as another process has the store open, its file is not replaced."""
    with reader(folder) as other:
        with pytest.raises(StoreLockedError, match="other processes"):
            compact(folder, patience=0)
        unchanged.check()
        assert other.finish() == 3
    compact(folder, patience=5)


def test_a_writer_makes_it_give_up(folder: Path) -> None:
    """The writer's lock is needed from the beginning."""
    with Store.open(folder, "write"), pytest.raises(StoreLockedError, match="writing"):
        compact(folder)


def test_others_may_read_while_the_copy_is_made(folder: Path) -> None:
    """A reader that comes and goes during the copy neither waits nor is in the way."""
    read: list[int] = []

    def look(doing: str, done: int, total: int | None) -> None:
        if doing == "copying":
            with reader(folder) as other:
                read.append(other.finish())

    compact(folder, patience=5, progress=look)
    assert read == [3]


def test_a_reader_that_stays_is_noticed_after_the_copy_too(
    folder: Path, unchanged: Unchanged
) -> None:
    """The rename itself needs the store closed, not only the beginning."""
    with ExitStack() as stay:
        others: list[Reader] = []

        def look(doing: str, done: int, total: int | None) -> None:
            if doing == "copying":
                others.append(stay.enter_context(reader(folder)))

        with pytest.raises(StoreLockedError, match="other processes"):
            compact(folder, patience=0, progress=look)
        unchanged.check()
        assert others[0].finish() == 3


def test_a_full_disk_is_noticed_before(
    folder: Path, unchanged: Unchanged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without room for the copy nothing is begun."""
    usage = shutil.disk_usage(folder)._replace(free=10_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(StoreFullError, match="bytes"):
        compact(folder)
    unchanged.check()


@pytest.mark.parametrize(("database", "key"), [("objects", None), ("refs", b"top")])
def test_a_damaged_store_is_left_as_it_is(folder: Path, database: str, key: bytes | None) -> None:
    """A copy of damage is no copy."""
    with Store.open(folder) as store, store.view() as view:
        key = key or next(view.ids())
    tamper(folder, database, key, b"wrong")
    unchanged = Unchanged(folder, (folder / "data.mdb").read_bytes())
    with pytest.raises(CorruptionError):
        compact(folder)
    unchanged.check()


def test_damaged_pages_are_refused(folder: Path) -> None:
    """LMDB is not asked to copy what it cannot read."""
    data_file = folder / "data.mdb"
    content = bytearray(data_file.read_bytes())
    for at in range(2 * 4096, len(content), 4096):
        content[at + 10] ^= 0xFF
    data_file.write_bytes(content)
    with pytest.raises(CorruptionError):
        compact(folder)
    Unchanged(folder, bytes(content)).check()


def _lose_an_entry(copy: Path) -> None:
    with lmdb.open(str(copy), max_dbs=8, map_size=1 << 20, lib_version=0) as environment:
        db = environment.open_db(b"log", create=False)
        with environment.begin(db=db, write=True) as transaction, transaction.cursor() as cursor:
            cursor.last()
            cursor.delete()


def _flip_a_bit(copy: Path) -> None:
    content = bytearray((copy / "data.mdb").read_bytes())
    content[content.index(b"blob 1")] ^= 1
    (copy / "data.mdb").write_bytes(content)


@pytest.mark.parametrize("spoil", [_lose_an_entry, _flip_a_bit])
def test_a_copy_that_differs_is_thrown_away(
    folder: Path,
    unchanged: Unchanged,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path], None],
) -> None:
    """A copy counts only when it is whole and holds entry for entry the same."""
    right = Environment.copy

    def wrong(self: Environment, target: Path, transaction: Transaction) -> None:
        right(self, target, transaction)
        spoil(target)

    monkeypatch.setattr(Environment, "copy", wrong)
    with pytest.raises(CorruptionError):
        compact(folder)
    unchanged.check()


def test_what_the_system_refuses_is_a_named_error(folder: Path, unchanged: Unchanged) -> None:
    """An error of the system is said as any other error of the store."""
    (folder / "compacting").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be compacted"):
        compact(folder)
    (folder / "compacting").unlink()
    unchanged.check()


def test_there_has_to_be_a_store(tmp_path: Path) -> None:
    """No store, no compaction, and no folder made for it."""
    with pytest.raises(StoreMissingError):
        compact(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def interrupt(how: str, folder: Path, points: int) -> int:
    """Kill maintenance at random points in a process of its own; how often it was unfinished."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.cache.interrupting", how, str(folder), str(points), "5"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    return int(ran.stdout)


@pytest.mark.parametrize("how", ["import", "gc", "compact"])
def test_killed_maintenance_leaves_a_whole_store(how: str, tmp_path: Path) -> None:
    """SIGKILL at any moment: the store verifies, nothing named is lost, a repeat completes it."""
    assert interrupt(how, tmp_path, 12) > 0


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("how", ["import", "gc", "compact"])
def test_killed_maintenance_at_many_points(how: str, tmp_path: Path) -> None:
    """The same at 200 points."""
    assert interrupt(how, tmp_path, 200) > 20


def test_the_copy_is_on_the_disk_before_it_has_its_name(tmp_path: Path) -> None:
    """A power loss after the rename finds all of the copy: nothing of it is still on its way."""
    if disk.shim() is None:
        pytest.skip("needs Linux and a C compiler")
    folder = tmp_path / "store"
    with Store.open(folder, "create") as store:
        store.put("blob", random.Random(1).randbytes(200_000))
    script = "import sys\nfrom cache.compact import compact\ncompact(sys.argv[1])\n"
    environment = disk.environment(folder / "compacting", tmp_path)
    subprocess.run(
        [sys.executable, "-c", script, str(folder)], check=True, timeout=60, env=environment
    )
    model = disk.Disk(b"")
    for event in disk.read_trace((tmp_path / "trace").read_bytes()):
        model.replay(event)
    assert model.pending == []
    assert bytes(model.safe) == (folder / "data.mdb").read_bytes()
