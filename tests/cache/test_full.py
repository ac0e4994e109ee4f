"""No room: the map grows, a full disk loses nothing that was acknowledged."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cache import lock
from cache.errors import StoreError, StoreFullError
from cache.store import Mode, Store
from tests.cache import disk

FILL = """
import random, resource, signal, sys
from cache.errors import StoreFullError
from cache.store import Store

assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN  # Python's own default
folder = sys.argv[1]
stored = []
with Store.open(folder, "create", map_bytes=1 << 20) as store:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, hard))
    try:
        while True:
            batch = store.batch()
            oid = batch.put("blob", random.Random(len(stored)).randbytes(60_000))
            batch.index("i", [len(stored)], oid)
            batch.append("ledger", oid)
            store.commit(batch)
            stored.append(oid)
    except StoreFullError as error:
        assert "no room left" in str(error), error
    assert len(stored) > 10
    for whole in stored:
        store.get(whole)
    assert store.log_read("ledger") == list(enumerate(stored))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not store.contains(oid)
    store.commit(batch)  # the very batch that did not fit
    stored.append(oid)
with Store.open(folder) as store:
    assert [entry.target for entry in store.index_scan("i")] == stored
    assert store.log_read("ledger") == list(enumerate(stored))
    for oid in stored:
        store.get(oid)
"""


def test_a_full_disk_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    """At the limit commits fail with a name, reads go on, and with room the same batch fits."""
    subprocess.run([sys.executable, "-c", FILL, str(tmp_path / "store")], check=True, timeout=60)


FAIL = """
import sys
from pathlib import Path
from cache.errors import StoreError
from cache.store import Store

folder, switch, code, full = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4] == "full"
with Store.open(folder, "write", map_bytes=1 << 20) as store:
    before = store.put("blob", b"before")
    switch.write_text(code)
    batch = store.batch()
    lost = batch.put("blob", b"x" * 3000 + b"y" * 3000)
    for _ in range(3):
        try:
            store.commit(batch)
        except StoreError as error:
            assert (type(error).__name__ == "StoreFullError") == full, repr(error)
        else:
            sys.exit("a commit went through although nothing could be written")
        assert store.get(before) == b"before"
        assert not store.contains(lost)
    switch.unlink()
    store.commit(batch)
    store.get(lost)
with Store.open(folder) as store:
    assert not store.checked
    store.get(lost)
"""


@pytest.mark.skipif(disk.shim() is None, reason="needs Linux and a C compiler")
@pytest.mark.parametrize("which", ["", " meta"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO])
def test_a_failing_disk_is_named_and_survived(tmp_path: Path, code: int, which: str) -> None:
    """Whichever write fails, of pages or of the meta page: the store works when the disk does."""
    folder = tmp_path / "store"
    Store.open(folder, "create").close()
    arguments = [str(folder), str(tmp_path / "fail"), f"{code}{which}"]
    arguments.append("other" if code == errno.EIO else "full")
    subprocess.run(
        [sys.executable, "-c", FAIL, *arguments],
        check=True,
        timeout=60,
        env=disk.environment(folder, tmp_path),
    )


def test_the_map_grows_with_what_is_written(tmp_path: Path) -> None:
    """From a map of 64 KiB on, content of any size is taken, and reads go on in other threads."""
    with Store.open(tmp_path, "create", map_bytes=1 << 16) as store:
        first = store.put("blob", b"first")
        stop = threading.Event()
        failures: list[BaseException] = []

        def read() -> None:
            while not stop.is_set():
                try:
                    assert store.get(first) == b"first"
                except BaseException as error:  # noqa: BLE001  # reported by the main thread
                    failures.append(error)
                    return

        threads = [threading.Thread(target=read) for _ in range(2)]
        for thread in threads:
            thread.start()
        ids = [store.put("blob", os.urandom(300_000 * number)) for number in range(1, 12)]
        stop.set()
        for thread in threads:
            thread.join()
        assert failures == []
        assert store.environment.map_bytes > 11 * 12 // 2 * 300_000
        assert all(store.contains(oid) for oid in ids)


def test_a_map_does_not_grow_under_a_view(tmp_path: Path) -> None:
    """Growth waits for a view of another thread, and is refused to the thread that holds one."""
    with Store.open(tmp_path, "create", map_bytes=1 << 20) as store:
        oid = store.put("blob", b"x")
        with store.view() as view:
            with pytest.raises(StoreError, match="close the view before writing"):
                store.put("blob", os.urandom(2 << 20))
            written = threading.Thread(target=store.put, args=("blob", os.urandom(2 << 20)))
            written.start()
            written.join(0.05)
            assert written.is_alive()
            assert view.get_object(oid).data == b"x"
        written.join()
        assert store.environment.map_bytes > 2 << 20


def test_a_map_that_cannot_grow_is_named(tmp_path: Path) -> None:
    """Without address space the error says which limit to raise."""
    script = """
import os, resource, sys
from cache.errors import StoreFullError
from cache.store import Store
with Store.open(sys.argv[1], "create", map_bytes=1 << 20) as store:
    oid = store.put("blob", b"x")
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (96 << 20), -1))
    try:
        for number in range(100):
            store.put("blob", os.urandom(1 << 20))
    except StoreFullError as error:
        assert "ulimit -v" in str(error), error
    else:
        sys.exit("the map grew beyond the limit")
    assert store.get(oid) == b"x"
"""
    if sys.platform != "linux":
        pytest.skip("reads /proc")
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, timeout=60)


def test_a_store_is_on_the_disk_before_it_has_its_name(tmp_path: Path) -> None:
    """Creating syncs the new file before it is moved to its place."""
    if disk.shim() is None:
        pytest.skip("needs Linux and a C compiler")
    folder = tmp_path / "store"
    script = "import sys\nfrom cache.store import Store\nStore.open(sys.argv[1], 'create')\n"
    environment = disk.environment(folder / "creating", tmp_path)
    subprocess.run(
        [sys.executable, "-c", script, str(folder)], check=True, timeout=60, env=environment
    )
    model = disk.Disk(b"")
    for event in disk.read_trace((tmp_path / "trace").read_bytes()):
        model.replay(event)
    assert model.safe
    assert model.pending == []
    assert bytes(model.safe) == (folder / "data.mdb").read_bytes()


def test_full_is_an_error_of_the_store() -> None:
    """Callers that handle store errors handle a full disk too."""
    assert issubclass(StoreFullError, StoreError)


def test_creating_removes_nothing_of_others(tmp_path: Path) -> None:
    """A folder that has the name of the draft, and files in it, is left as it was."""
    (tmp_path / "creating").mkdir()
    (tmp_path / "creating" / "novel.txt").write_text("chapter one")
    Store.open(tmp_path, "create").close()
    assert [file.name for file in (tmp_path / "creating").iterdir()] == ["novel.txt"]


def test_a_killed_creation_is_begun_again(tmp_path: Path) -> None:
    """What it has left, whole or not, is replaced."""
    (tmp_path / "creating").mkdir()
    (tmp_path / "creating" / "data.mdb").write_bytes(b"half a page")
    with Store.open(tmp_path, "create") as store:
        store.put("blob", b"x")
    assert not (tmp_path / "creating").exists()


@pytest.mark.parametrize("mode", ["read", "write"])
def test_a_full_disk_is_not_filled_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: Mode
) -> None:
    """Without room for the mark of a clean close a store opens and closes, and leaves no scraps."""
    with Store.open(tmp_path, "create") as store:
        oid = store.put("blob", b"x")
    (tmp_path / "clean").unlink()
    before = set(tmp_path.iterdir())

    def full(file: Path, data: bytes) -> int:
        file.touch()  # a name there is, but no room for what it stands for
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with Store.open(tmp_path, mode) as store:
        assert store.get(oid) == b"x"
    assert set(tmp_path.iterdir()) == before


def test_a_lock_without_room_for_its_name_still_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk does not keep a writer out: collecting garbage is how it gets room again."""
    Store.open(tmp_path, "create").close()

    def full(descriptor: int, data: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with Store.open(tmp_path, "write"):
        assert lock.writer_lives(tmp_path)
