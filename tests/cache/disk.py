"""A disk that loses power: what it was asked to do, and what may be left of it.

`record` runs a writer under `disk_trace.c` and returns every write, sync and acknowledgement in
order. `Disk` replays a beginning of them: a sync makes the writes before it safe, and of the
others any subset of sectors may have reached the disk when the power went.
"""

from __future__ import annotations

import functools
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

SECTOR: Final = 512
HERE: Final = Path(__file__).parent


class Event(NamedTuple):
    """One call: `W`rite, `T`runcate, `S`ync or `A`cknowledge."""

    letter: str
    offset: int
    synchronous: bool
    data: bytes


@functools.cache
def shim() -> Path | None:
    """The compiled tracer, or None where it cannot be built (no C compiler, not Linux)."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return None
    library = Path(tempfile.mkdtemp(prefix="disk-trace-")) / "disk_trace.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-w", "-o", library, HERE / "disk_trace.c", "-ldl"],
        check=True,
    )
    return library


def environment(folder: Path, scratch: Path) -> dict[str, str]:
    """The variables under which a writer of the store in `folder` is traced."""
    library = shim()
    assert library is not None
    return {
        **os.environ,
        "LD_PRELOAD": str(library),
        "DISK_TRACE_DATA": str(folder / "data.mdb"),
        "DISK_TRACE_MARKS": str(scratch / "marks"),
        "DISK_TRACE_LOG": str(scratch / "trace"),
        "DISK_TRACE_FAIL": str(scratch / "fail"),
    }


def record(folder: Path, scratch: Path, script: list[str]) -> list[Event]:
    """Run a writer and return what it asked of the disk."""
    subprocess.run(
        [sys.executable, *script], check=True, timeout=100, env=environment(folder, scratch)
    )
    return read_trace((scratch / "trace").read_bytes())


def read_trace(trace: bytes) -> list[Event]:
    """Parse what `disk_trace.c` has written."""
    head = struct.Struct("=cQQQ")
    events: list[Event] = []
    at = 0
    while at < len(trace):
        letter, offset, length, synchronous = head.unpack_from(trace, at)
        at += head.size
        events.append(Event(letter.decode(), offset, bool(synchronous), trace[at : at + length]))
        at += length
    return events


class Disk:
    """The file as it is safely on the disk, and the writes that are still on their way."""

    def __init__(self, content: bytes) -> None:
        self.safe = bytearray(content)
        self.pending: list[Event] = []

    def replay(self, event: Event) -> None:
        """Take one event that has ended."""
        if event.letter == "S":
            for waiting in self.pending:
                _apply(self.safe, waiting)
            self.pending.clear()
        elif event.letter in "WT":
            if event.synchronous:
                # It waits for itself alone: it may overtake what was written before.
                _apply(self.safe, event)
            else:
                self.pending.append(event)

    def cut(self, running: Event | None, chance: random.Random) -> bytes:
        """What is left when the power goes while `running` is under way."""
        content = bytearray(self.safe)
        keep = chance.random()
        for event in [*self.pending, *([running] if running else [])]:
            if event.letter == "T":
                if chance.random() < keep:
                    _apply(content, event)
                continue
            for start in range(0, len(event.data), SECTOR):
                if event.letter == "W" and chance.random() < keep:
                    part = event.data[start : start + SECTOR]
                    _apply(content, event._replace(offset=event.offset + start, data=part))
        return bytes(content)


def _apply(content: bytearray, event: Event) -> None:
    if event.letter == "T":
        del content[event.offset :]
        content.extend(bytes(event.offset - len(content)))
    else:
        content.extend(bytes(max(0, event.offset - len(content))))
        content[event.offset : event.offset + len(event.data)] = event.data
