"""A second process that reads a store, for the tests of what happens beside it.

    python -m tests.cache.reading FOLDER

It opens the store, holds one state of it, writes `ready`, waits for a line, reads every object of
that state, and writes how many were right.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cache.store import Store


class Reader:
    """A process that reads when told to."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def finish(self) -> int:
        """Let it read everything and end; how many objects it read."""
        out, _ = self._process.communicate("go\n", timeout=60)
        assert self._process.returncode == 0
        return int(out)


@contextmanager
def reader(folder: Path) -> Iterator[Reader]:
    """Another process that has `folder` open and looks at its state of this moment."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.cache.reading", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        yield Reader(process)
    finally:
        process.kill()
        process.communicate()


def main(folder: Path) -> None:
    """Be the second process."""
    with Store.open(folder) as store, store.view() as view:
        count = sum(1 for _ in view.ids())
        print("ready", flush=True)  # the other process waits for it
        sys.stdin.readline()
        for oid in view.ids():
            view.get_object(oid)
            count -= 1
        assert count == 0
        print(sum(1 for _ in view.ids()), flush=True)  # the answer


if __name__ == "__main__":
    main(Path(sys.argv[1]))
