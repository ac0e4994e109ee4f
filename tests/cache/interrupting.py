"""Kills maintenance with SIGKILL at random moments and looks at what is left.

    python -m tests.cache.interrupting import|gc|compact FOLDER POINTS SEED

A process of its own: it forks its victims from a state in which no store is open. Whatever is left
has to verify, has to hold everything that was named before, and has to become what it should have
become when the same is done again. It prints what is not so, and how many victims were killed
before they had finished.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from cache import archive, merge
from cache import collect as collecting
from cache.collect import collect
from cache.compact import compact
from cache.contents import contents
from cache.store import Store
from cache.verify import verify
from tests.cache.samples import Picture, add, picture

ARCHIVE = "other.dgfa"


def grow(folder: Path, seed: int, commits: int) -> None:
    """A store in which half of what was put is named."""
    chance = random.Random(seed)
    with Store.open(folder, "create", sync=False) as store:
        for number in range(commits):
            batch = store.batch()
            blobs = [batch.put("blob", chance.randbytes(chance.choice([30, 6000]))) for _ in "123"]
            node = add(batch, number, blobs)
            if number % 2:
                batch.index("nodes", [seed, number], node)
                batch.ref(f"latest/{seed}", node)
            batch.append("lines", b"%d" % number)
            store.commit(batch)


def take(folder: Path) -> None:
    """Import the archive."""
    with (
        archive.open_file(folder.parent / ARCHIVE) as source,
        Store.open(folder, "write") as store,
    ):
        merge.merge(store, source)


def remove(folder: Path) -> None:
    """Remove the orphans."""
    with Store.open(folder, "write") as store:
        collect(store, grace=timedelta(0), delete=True)


def shrink(folder: Path) -> None:
    """Compact."""
    compact(folder, patience=0)


WORK: dict[str, Callable[[Path], None]] = {"import": take, "gc": remove, "compact": shrink}


class Expected(NamedTuple):
    """What is in the store before, and when the work is done."""

    before: Picture
    after: Picture
    seconds: float
    """How long the work took."""


def prepare(how: str, folder: Path) -> Expected:
    """Make the store to work on; do the work once, and see what comes of it."""
    whole, done = folder / "whole", folder / "done"
    grow(whole, 1, 20)
    if how == "import":
        grow(folder / "other", 2, 20)
        with Store.open(folder / "other") as other, other.view() as view:
            archive.write_file(contents(view), folder / ARCHIVE)
    with Store.open(whole) as store:
        before = picture(store)
    shutil.copytree(whole, done)
    began = time.monotonic()
    WORK[how](done)
    seconds = time.monotonic() - began
    with Store.open(done) as store:
        return Expected(before, picture(store), seconds)


def kill_one(how: str, folder: Path, after: float) -> bool:
    """Do the work in a child and kill it; whether it was killed before it had finished."""
    child = os.fork()
    if child == 0:
        try:
            WORK[how](folder)
        except BaseException:  # noqa: BLE001  # the exit status tells
            os._exit(1)
        os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        sys.exit(f"{how} failed by itself")
    return os.WIFSIGNALED(status)


def wrong(how: str, folder: Path, expected: Expected) -> list[str]:
    """What is not as it should be in a store that the work was killed in."""
    found = [f"{f.what} [{f.where}]" for f in verify(folder).findings if not f.harmless]
    with Store.open(folder) as store:
        left = picture(store)
    kept = expected.before.objects.keys() & expected.after.objects.keys()
    if not kept <= left.objects.keys():
        found.append("an object is gone")
    if not left.objects.items() <= expected.before.objects.items() | expected.after.objects.items():
        found.append("an object that should not be there")
    if not (
        expected.before.refs.items() <= left.refs.items()
        and expected.before.entries.items() <= left.entries.items()
        and expected.before.logs.keys() <= left.logs.keys()
    ):
        found.append("a name is gone")
    if how == "compact" and left != expected.before:
        found.append("not the same store")
    WORK[how](folder)
    with Store.open(folder) as store:
        if picture(store) != expected.after:
            found.append("doing it again does not complete it")
    return found


def main(how: str, folder: Path, points: int, seed: int) -> int:
    """Kill as often as asked."""
    merge.BATCH_ITEMS = collecting.BATCH_OBJECTS = 10  # type: ignore[misc]  # more commits to be killed between
    expected = prepare(how, folder)
    chance = random.Random(seed)
    problems: list[str] = []
    killed = 0
    for number in range(points):
        scratch = folder / "scratch"
        shutil.copytree(folder / "whole", scratch)
        killed += kill_one(how, scratch, chance.random() * 1.1 * expected.seconds)
        problems += [f"point {number}: {text}" for text in wrong(how, scratch, expected)]
        if (scratch / "compacting").exists():
            problems.append(f"point {number}: the next compaction has not cleaned up")
        shutil.rmtree(scratch)
    sys.stdout.write("".join(f"{line}\n" for line in problems))
    sys.stdout.write(f"{killed}\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
