"""Damages a store in many ways and reads what is left; a signal shows as the exit status.

    python -m tests.cache.damaging flip|truncate WHOLE SCRATCH COUNT SEED read|write

`WHOLE` is a store of `tests.cache.workload` with seed 0 and `COMMITS` commits. After each damage
everything is read: right answers and named errors are fine, wrong answers are printed. The last
line counts stores refused when opened, reads refused, and right answers.
"""

from __future__ import annotations

import collections
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from cache.errors import StoreError
from cache.ids import ObjectId
from cache.store import Mode, Store
from tests.cache import workload

COMMITS: Final = 30

Question = tuple[Callable[[Store], object], object]


def get(oid: ObjectId) -> Callable[[Store], object]:
    """Ask for an object."""
    return lambda store: store.get(oid)


def entry(number: int) -> Callable[[Store], object]:
    """Ask for an index entry."""
    return lambda store: store.index_get(workload.INDEX, [0, number])


def journal(store: Store) -> object:
    """Ask what was put when, without the times."""
    with store.view() as view:
        return [written for _, written in view.journal()]


def roots(store: Store) -> object:
    """Ask for everything that is named."""
    with store.view() as view:
        return [target for target, _ in view.roots()]


def questions() -> Iterator[Question]:
    """Every read of the whole store, with the right answer."""
    ids = [workload.ids(0, number) for number in range(COMMITS)]
    entries = [((0, number), own[-1], b"") for number, own in enumerate(ids)]
    for number, own in enumerate(ids):
        for data, oid in zip(workload.blobs(0, number), own, strict=True):
            yield get(oid), data
        yield entry(number), entries[number]
    yield lambda store: store.index_scan(workload.INDEX), entries
    yield lambda store: store.ref("latest/0"), ids[-1][-1]
    yield lambda store: store.refs(), [("latest/0", ids[-1][-1])]
    yield journal, [list(dict.fromkeys(own)) for own in ids]
    yield roots, [ids[-1][-1], *(own[-1] for own in ids)]
    lines = [(number, b"0/%d" % number) for number in range(COMMITS)]
    yield lambda store: store.log_read(workload.LOG), lines


ALL: Final = list(questions())


def examine(folder: Path, mode: Mode, seen: collections.Counter[str]) -> list[str]:
    """Open a damaged store and read everything; the answers that are wrong."""
    wrong: list[str] = []
    try:
        store = Store.open(folder, mode)
    except StoreError:
        seen["refused"] += 1
        return wrong
    with store:
        for ask, right in ALL:
            try:
                answer = ask(store)
            except StoreError:
                seen["errors"] += 1
                continue
            seen["answers"] += 1
            if answer != right:
                wrong.append(f"{answer!r} for {right!r}"[:200])
    return wrong


def flip(content: bytes, chance: random.Random) -> bytes:
    """One to three bits are other than before, half of them where a page says what it holds."""
    damaged = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(damaged))
        if chance.random() < 0.5:
            at = at - at % 4096 + chance.randrange(64)
        damaged[at] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def truncate(content: bytes, chance: random.Random) -> bytes:
    """The end is missing, from one byte to all of it."""
    length = chance.randrange(len(content))
    return content[: length - length % 4096 if chance.random() < 0.3 else length]


def main(how: str, whole: Path, scratch: Path, *, count: int, seed: int, mode: Mode) -> int:
    """Damage the store as often as asked."""
    damage = {"flip": flip, "truncate": truncate}[how]
    chance = random.Random(seed)
    content = (whole / "data.mdb").read_bytes()
    seen: collections.Counter[str] = collections.Counter()
    found: list[str] = []
    for number in range(count):
        shutil.copytree(whole, scratch)
        (scratch / "data.mdb").write_bytes(damage(content, chance))
        found += [f"damage {number}: {text}" for text in examine(scratch, mode, seen)]
        shutil.rmtree(scratch)
    sys.stdout.write("".join(f"{line}\n" for line in found))
    sys.stdout.write(f"{seen['refused']} {seen['errors']} {seen['answers']}\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(
        main(
            sys.argv[1],
            Path(sys.argv[2]),
            Path(sys.argv[3]),
            count=int(sys.argv[4]),
            seed=int(sys.argv[5]),
            mode="write" if sys.argv[6] == "write" else "read",
        )
    )
