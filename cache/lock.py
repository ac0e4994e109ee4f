"""Who may write, and where a store may live.

The lock is the kernel's (`flock`), so that a killed process leaves nothing locked; the file beside
it only says who holds it. Both are kept on a local disk: LMDB shares memory between processes
through its map, and a network file system does not.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import re
import time
from pathlib import Path
from typing import Final, Self

import msgspec

from cache.errors import StoreError, StoreLockedError, StorePlacementError

LOCK_FILE: Final = "writer.lock"
PRESENCE_FILE: Final = "presence.lock"

NETWORK_FILE_SYSTEMS: Final = frozenset({
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.glusterfs",
    "fuse.goofys", "fuse.juicefs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "gfs2", "gpfs",
    "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs", "pvfs2", "smb3", "smbfs",
    "wekafs",
})  # fmt: skip

_MOUNTS: Final = Path("/proc/self/mountinfo")
_OCTAL: Final = re.compile(r"\\([0-7]{3})")
"""How blanks and backslashes are written there."""
_ATTEMPTS: Final = 5
_PAUSE: Final = 0.02


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds a writer's lock."""

    host: str
    pid: int
    started: int | None
    """Start of the process in clock ticks since boot, which tells a reused pid apart."""
    since: str
    """When the lock was taken, UTC."""

    @property
    def gone(self) -> bool:
        """Whether that process is known to have ended: same host, and no such process."""
        return self.host == platform.node() and (
            not _exists(self.pid) or (self.started is not None and self.started != _start(self.pid))
        )

    def __str__(self) -> str:
        state = " (ended; a child of it still runs)" if self.gone else ""
        return f"process {self.pid} on {self.host} since {self.since}{state}"


class FileLock:
    """A `flock` on a file of a store.

    State: the descriptor that holds it. A forked child closes its copy, so that a child that
    outlives a killed parent keeps nothing locked.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor
        _held.add(self)

    def release(self) -> None:
        """Give the lock back; doing so twice is harmless."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        _held.discard(self)


class WriterLock(FileLock):
    """The right of one process to write to the store in a folder."""

    @classmethod
    def acquire(cls, folder: Path) -> Self:
        """Take the lock, or raise `StoreLockedError` naming its holder."""
        descriptor = _open(folder / LOCK_FILE)
        for attempt in range(_ATTEMPTS):
            if _try_lock(descriptor, fcntl.LOCK_EX):
                _write_holder(descriptor)
                return cls(descriptor)
            if attempt + 1 < _ATTEMPTS:
                time.sleep(_PAUSE)  # a process that only looks holds the lock for an instant
        os.close(descriptor)
        raise StoreLockedError(
            "another process is writing to the store",
            where=str(read_holder(folder) or folder),
            hint="wait for it to end, or stop it; reading needs no lock",
        )


class PresenceLock(FileLock):
    """Held by every process that has a store open, so that its files are not replaced under it."""

    @classmethod
    def share(cls, folder: Path) -> Self:
        """Be one of the processes that have the store open."""
        descriptor = _open(folder / PRESENCE_FILE)
        fcntl.flock(descriptor, fcntl.LOCK_SH)  # waits for the moment in which files are replaced
        return cls(descriptor)

    @classmethod
    def alone(cls, folder: Path) -> Self:
        """Be the only process that has the store open, or raise `StoreLockedError`."""
        descriptor = _open(folder / PRESENCE_FILE)
        if not _try_lock(descriptor, fcntl.LOCK_EX):
            os.close(descriptor)
            raise StoreLockedError(
                "other processes have the store open", where=str(folder), hint="end them first"
            )
        return cls(descriptor)


_held: Final[set[FileLock]] = set()


def _release_in_child() -> None:
    for lock in list(_held):
        lock.release()


os.register_at_fork(after_in_child=_release_in_child)


def writer_lives(folder: Path) -> bool:
    """Whether some process holds the writer's lock now."""
    try:
        descriptor = os.open(folder / LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not _try_lock(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def read_holder(folder: Path) -> Holder | None:
    """Who holds the writer's lock, as far as the lock file says."""
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode((folder / LOCK_FILE).read_bytes(), type=Holder)
    return None


def check_placement(folder: Path) -> None:
    """Refuse a folder on a network file system.

    Raises
    ------
    StorePlacementError
        When the mount that holds `folder` is known to be remote.
    """
    try:
        mounts = os.fsdecode(_MOUNTS.read_bytes())
    except OSError:
        return  # not Linux: nothing to ask
    file_system = file_system_of(folder, mounts)
    if file_system in NETWORK_FILE_SYSTEMS:
        raise StorePlacementError(
            f"a store cannot live on a network file system ({file_system})",
            where=str(folder),
            hint=(
                "keep a store on each node's own disk, then bring them together with "
                "`dgf store export` and `dgf store merge`; allow_network=True overrides this"
            ),
        )


def file_system_of(folder: Path, mounts: str) -> str:
    """The type of the file system under `folder`, from the text of a `mountinfo` file."""
    place = Path(os.path.realpath(folder))
    best, found = -1, "unknown"
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) < 5 or not right:
            continue
        mount_point = Path(_OCTAL.sub(lambda found: chr(int(found[1], 8)), fields[4]))
        depth = len(mount_point.parts)
        if depth >= best and place.is_relative_to(mount_point):  # a later mount hides an earlier
            best, found = depth, right.split(" ", 1)[0]
    return found


def _open(file: Path) -> int:
    try:
        return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(
            f"a lock cannot be opened: {error.strerror}",
            where=str(file),
            hint="even reading needs the right to write in the folder; copy the store elsewhere",
        ) from error


def _try_lock(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write_holder(descriptor: int) -> None:
    holder = Holder(
        host=platform.node(),
        pid=os.getpid(),
        started=_start(os.getpid()),
        since=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )
    with contextlib.suppress(OSError):  # on a full disk the lock has no name, but it locks
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, msgspec.json.encode(holder), 0)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _start(pid: int) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        # The name in field 2 may hold blanks and brackets; the numbers begin after the last one.
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    return None
