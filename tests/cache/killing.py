"""Kills a writing process with SIGKILL at random moments and looks at what is left.

    python -m tests.cache.killing FOLDER POINTS SEED

A process of its own: it forks its victims from a state in which no store is open, so that a kill
costs milliseconds and not the start of an interpreter. It prints what was lost, if anything.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from cache.store import Store
from tests.cache import workload

FRESH_EVERY = 8


def victim(folder: Path, seed: int, marks: int) -> None:
    """Write until killed."""
    try:
        if seed % 2:
            asyncio.run(workload.run_async(folder, seed, 1_000_000, marks=marks))
        else:
            workload.run(folder, seed, 1_000_000, marks=marks)
    finally:
        os._exit(1)


def kill_one(folder: Path, seed: int, chance: random.Random) -> tuple[list[int], int]:
    """Start a writer and kill it; the commits it acknowledged, and its exit status."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        victim(folder, seed, writer)
    os.close(writer)
    writing = chance.random() < 0.8  # else somewhere in opening the store
    first = os.read(reader, 100) if writing else b""
    time.sleep(chance.random() * 0.02)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    text = first
    while data := os.read(reader, 65536):
        text += data
    os.close(reader)
    return [int(line) for line in text.split()], status


def main(folder: Path, points: int, seed: int) -> list[str]:
    """Kill as often as asked; everything that was lost."""
    chance = random.Random(seed)
    found: list[str] = []
    acknowledged: dict[int, list[int]] = {}
    for point in range(points):
        if point % FRESH_EVERY == 0:
            shutil.rmtree(folder, ignore_errors=True)
            acknowledged.clear()
            Store.open(folder, "create").close()
        numbers, status = kill_one(folder, point, chance)
        if status != signal.SIGKILL:
            found.append(f"point {point}: the writer ended by itself ({status})")
        acknowledged[point] = numbers
        with Store.open(folder) as store:
            for earlier, commits in acknowledged.items():
                found += [
                    f"point {point}: {text}" for text in workload.lost(store, earlier, commits)
                ]
    return found


if __name__ == "__main__":
    lost = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write("".join(f"{line}\n" for line in lost))
    sys.exit(bool(lost))
