"""A writer for the tests that stop one: small and large batches, acknowledged after each commit.

    python -m tests.cache.workload FOLDER MARKS SEED COMMITS [--no-sync] [--async]

Everything it writes follows from the seed and the number of the commit, so that what must be there
after commit N is known without asking. An acknowledgement is the number of a commit on a line.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from pathlib import Path

from cache.batch import Batch
from cache.ids import ObjectId, hash_object
from cache.store import Store
from cache.writer import AsyncStore

LOG = "ledger"
INDEX = "by-number"


def blobs(seed: int, number: int) -> list[bytes]:
    """The objects of one commit: some tiny, some of many pages, some that compress."""
    chance = random.Random(f"{seed}/{number}")
    sizes = [chance.choice([10, 300, 3_000, 20_000]) for _ in range(chance.randint(1, 4))]
    return [
        chance.randbytes(size) if chance.random() < 0.5 else b"%d " % number * (size // 4)
        for size in sizes
    ]


def ids(seed: int, number: int) -> list[ObjectId]:
    """The ids of one commit's objects."""
    return [hash_object("blob", data) for data in blobs(seed, number)]


def fill(batch: Batch, seed: int, number: int) -> Batch:
    """Add what one commit writes."""
    oid = [batch.put("blob", data) for data in blobs(seed, number)][-1]
    batch.index(INDEX, [seed, number], oid)
    batch.ref(f"latest/{seed}", oid)
    batch.append(LOG, b"%d/%d" % (seed, number))
    return batch


def lost(store: Store, seed: int, numbers: list[int]) -> list[str]:
    """What acknowledged commits wrote and the store does not have, or not right."""
    missing: list[str] = []
    log = [line for _, line in store.log_read(LOG)]
    for number in numbers:
        objects = list(zip(blobs(seed, number), ids(seed, number), strict=True))
        for data, oid in objects:
            if not store.contains(oid) or store.get(oid) != data:
                missing.append(f"object {oid.hex()} of commit {number}")
        entry = store.index_get(INDEX, [seed, number])
        if entry is None or entry.target != objects[-1][1]:
            missing.append(f"index entry of commit {number}")
        if log.count(b"%d/%d" % (seed, number)) != 1:
            missing.append(f"log entry of commit {number}")
    if numbers and store.ref(f"latest/{seed}") is None:
        missing.append("ref")
    return missing


def run(folder: Path, seed: int, commits: int, *, marks: int, sync: bool = True) -> None:
    """Commit, and acknowledge each commit on the descriptor `marks`."""
    with Store.open(folder, "write", sync=sync, map_bytes=1 << 20) as store:
        for number in range(commits):
            store.commit(fill(store.batch(), seed, number))
            os.write(marks, b"%d\n" % number)


async def run_async(folder: Path, seed: int, commits: int, *, marks: int) -> None:
    """The same through the async store, from four tasks; acknowledged as each one is told."""
    numbers = iter(range(commits))

    async def work(store: AsyncStore) -> None:
        for number in numbers:
            await store.commit(fill(store.batch(), seed, number))
            os.write(marks, b"%d\n" % number)

    async with AsyncStore.open(folder, "write") as store, asyncio.TaskGroup() as tasks:
        for _ in range(4):
            tasks.create_task(work(store))


if __name__ == "__main__":
    place, seed, commits = Path(sys.argv[1]), int(sys.argv[3]), int(sys.argv[4])
    marks = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if "--async" in sys.argv:
        asyncio.run(run_async(place, seed, commits, marks=marks))
    else:
        run(place, seed, commits, marks=marks, sync="--no-sync" not in sys.argv)
