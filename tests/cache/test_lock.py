"""One writer, many readers, no forks, no network: who may open a store, and where."""

from __future__ import annotations

import contextlib
import os
import platform
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cache import lock
from cache.errors import StoreLockedError, StorePlacementError
from cache.ids import ObjectId
from cache.store import Store

WRITER = """
import random, sys
from cache.store import Store
store = Store.open(sys.argv[1], "create")
oid = store.put("blob", b"from the child")
print(oid.hex(), flush=True)
for line in sys.stdin:
    print(store.put("blob", random.Random(line).randbytes(100_000)).hex(), flush=True)
store.close()
"""


@contextmanager
def writer(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the store open for writing; each line it is sent is a seed."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert len(process.stdout.readline()) == 65
        try:
            yield process
        finally:
            process.kill()


def test_a_second_writer_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    """The error names process, host and start of the holder; readers are welcome meanwhile."""
    with writer(tmp_path) as process:
        with pytest.raises(StoreLockedError) as caught:
            Store.open(tmp_path, "write")
        assert f"process {process.pid} on {platform.node()} since 20" in str(caught.value)
        holder = lock.read_holder(tmp_path)
        assert holder is not None
        assert not holder.gone
        with Store.open(tmp_path) as store, store.view() as view:
            assert len(list(view.ids())) == 1


def test_a_killed_writer_leaves_nothing_locked(tmp_path: Path) -> None:
    """After kill -9 the next writer simply opens; the name the dead one left is known as stale."""
    with writer(tmp_path) as process:
        process.kill()
        process.wait()
        holder = lock.read_holder(tmp_path)
        assert holder is not None
        assert (holder.pid, holder.gone) == (process.pid, True)
        with Store.open(tmp_path, "write") as store:
            assert store.checked
            store.put("blob", b"next")
        ours = lock.read_holder(tmp_path)
        assert ours is not None
        assert ours.pid == os.getpid()


def test_a_reused_pid_is_not_taken_for_the_holder(tmp_path: Path) -> None:
    """A living process with the holder's number, started at another time, is not the holder."""
    with Store.open(tmp_path, "create"):
        holder = lock.read_holder(tmp_path)
    assert holder is not None
    assert not holder.gone
    if holder.started is not None:
        other = lock.Holder(
            host=holder.host, pid=holder.pid, started=holder.started - 1, since=holder.since
        )
        assert other.gone
        assert "ended" in str(other)


def test_readers_follow_a_writer(tmp_path: Path) -> None:
    """An open reader sees each commit of another process at once, beyond its first map as well."""
    with writer(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with Store.open(tmp_path, map_bytes=1 << 16) as store:
            for number in range(20):
                line = f"{number}\n"
                process.stdin.write(line)
                process.stdin.flush()
                oid = ObjectId.parse(process.stdout.readline().strip())
                assert store.get(oid) == random.Random(line).randbytes(100_000)
            assert store.environment.map_bytes > 20 * 100_000


def test_dead_readers_are_cleared(tmp_path: Path) -> None:
    """The next process that opens frees the slot of a killed one, which held old pages back."""
    Store.open(tmp_path, "create").close()
    script = (
        "import sys, time\nfrom cache.store import Store\n"
        "store = Store.open(sys.argv[1])\nview = store.view()\nview.__enter__()\n"
        "print('ready', flush=True)\ntime.sleep(60)\n"
    )
    with contextlib.ExitStack() as ended:
        dying, living = (
            ended.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True
                )
            )
            for _ in range(2)
        )
        for reader in dying, living:
            ended.callback(reader.kill)
            assert reader.stdout is not None
            assert reader.stdout.readline() == "ready\n"
        dying.kill()
        dying.wait()
        with Store.open(tmp_path, "write") as store:
            slots = store.environment._lmdb().readers()
        assert str(living.pid) in slots
        assert str(dying.pid) not in slots


def test_a_fork_cannot_use_the_store(tmp_path: Path) -> None:
    """In a forked child every use is a named error, and the parent's store stays whole."""
    script = """
import gc, os, sys
from cache.errors import StorePlacementError
from cache.ids import hash_object
from cache.store import Store
store = Store.open(sys.argv[1], "create")
oid = store.put("blob", b"x")
assert store.get(oid) == b"x"
held = store.view()
view = held.__enter__()
assert store.get(oid) == b"x"  # leaves a second reader slot, to be used again
child = os.fork()
if child == 0:
    refused = 0
    for use in (lambda: store.get(oid), lambda: store.put("blob", b"y"),
                lambda: store.view().__enter__(), lambda: store.index_scan("i")):
        try:
            use()
        except StorePlacementError as error:
            refused += "does not cross a fork" in str(error)
    store.close()
    del store, view, held, use
    gc.collect()
    sys.exit(refused)  # an ordinary end, which takes every object apart
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
for number in range(100):  # were its slot free, the pages of the view would be used again
    store.put("blob", b"%d" % number)
assert view.contains(oid) and not view.contains(hash_object("blob", b"1"))
assert view.get_object(oid).data == b"x"
held.__exit__(None, None, None)
assert store.get(oid) == b"x"
store.put("blob", b"z")
store.close()
assert not Store.open(sys.argv[1]).checked  # the child's close left no mark of its own
"""
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, timeout=60)


def test_a_child_that_outlives_the_writer_holds_nothing(tmp_path: Path) -> None:
    """The lock goes with the process that took it, not with the last child that inherited it."""
    script = """
import os, sys, time
from cache.store import Store
store = Store.open(sys.argv[1], "create")
child = os.fork()
if child == 0:
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        try:
            process.send_signal(signal.SIGKILL)
            process.wait()
            Store.open(tmp_path, "write").close()
        finally:
            os.kill(child, signal.SIGKILL)


def test_a_look_at_the_lock_does_not_keep_a_writer_out(tmp_path: Path) -> None:
    """A process that asks whether a writer lives holds the lock for an instant; writers wait."""
    Store.open(tmp_path, "create").close()
    script = (
        "import fcntl, sys, time\n"
        "fcntl.flock(open(sys.argv[1]), fcntl.LOCK_SH)\nprint(flush=True)\ntime.sleep(0.03)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / lock.LOCK_FILE)],
        stdout=subprocess.PIPE,
        text=True,
    ) as looker:
        assert looker.stdout is not None
        looker.stdout.readline()
        Store.open(tmp_path, "write").close()


MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 22 0:35 / /home rw,relatime - nfs4 server:/home rw,vers=4.2
41 40 254:1 / /home/me/local\\040disk rw - xfs /dev/vdb rw
44 22 0:42 / /größe rw - cifs //server/x rw
42 22 0:40 / /data rw - tmpfs tmpfs rw
43 22 0:41 / /data rw - lustre mds@tcp:/scratch rw
damaged line
"""


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("/", "ext4"),
        ("/homework", "ext4"),
        ("/home", "nfs4"),
        ("/home/me/new/store", "nfs4"),
        ("/home/me/local disk/store", "xfs"),
        ("/data/x", "lustre"),
        ("/größe/store", "cifs"),
    ],
)
def test_the_file_system_under_a_folder(folder: str, expected: str) -> None:
    """The longest mount point that holds the folder counts, and of two the later."""
    assert lock.file_system_of(Path(folder), MOUNTS) == expected


def test_network_file_systems_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store on a network file system needs to be asked for; the error has the recipe."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"22 1 0:35 / {tmp_path} rw - nfs4 server:/x rw\n")
    monkeypatch.setattr(lock, "_MOUNTS", mounts)
    with pytest.raises(StorePlacementError, match="network file system") as caught:
        Store.open(tmp_path / "store", "create")
    assert "dgf store export" in str(caught.value)
    assert "dgf store merge" in str(caught.value)
    assert not (tmp_path / "store").exists()
    Store.open(tmp_path / "store", "create", allow_network=True).close()
    mounts.write_bytes(b"22 1 0:35 / /m\xff rw - ext4 /dev/x rw\n")  # a name that is no text
    Store.open(tmp_path / "store").close()
    monkeypatch.setattr(lock, "_MOUNTS", tmp_path / "no such file")
    Store.open(tmp_path / "store").close()


def test_files_are_replaced_only_when_nobody_has_them_open(tmp_path: Path) -> None:
    """The presence lock is exclusive exactly while no process has the store open."""
    with Store.open(tmp_path, "create"), pytest.raises(StoreLockedError, match="other processes"):
        lock.PresenceLock.alone(tmp_path)
    alone = lock.PresenceLock.alone(tmp_path)
    alone.release()
    alone.release()
    Store.open(tmp_path).close()
