"""Damages a store in many ways and verifies it; a signal shows as the exit status.

    python -m tests.cache.verifying flip|truncate FOLDER COUNT SEED

What is called whole is read: a wrong answer or an error is printed. The last line counts the stores
called whole, those whose pages are damaged, and those damaged deeper.
"""

from __future__ import annotations

import collections
import random
import shutil
import sys
from pathlib import Path

from cache.store import Store
from cache.verify import Verdict, verify
from tests.cache import damaging, workload


def fate(verdict: Verdict) -> str:
    """What was said of a store."""
    if verdict.whole:
        return "whole"
    return "pages" if verdict.levels[0].damaged else "deeper"


def main(how: str, folder: Path, *, count: int, seed: int) -> int:
    """Damage and verify as often as asked."""
    damage = {"flip": damaging.flip, "truncate": damaging.truncate}[how]
    whole, scratch = folder / "whole", folder / "scratch"
    with Store.open(whole, "create", sync=False) as store:
        for number in range(damaging.COMMITS):
            store.commit(workload.fill(store.batch(), 0, number))
    (whole / "clean").unlink(missing_ok=True)
    chance = random.Random(seed)
    content = (whole / "data.mdb").read_bytes()
    fates: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    for number in range(count):
        shutil.copytree(whole, scratch)
        (scratch / "data.mdb").write_bytes(damage(content, chance))
        verdict = verify(scratch)
        fates[fate(verdict)] += 1
        if verdict.whole:
            seen: collections.Counter[str] = collections.Counter()
            wrong += [
                f"damage {number}: {text}" for text in damaging.examine(scratch, "read", seen)
            ]
            if seen["errors"] or seen["refused"]:
                wrong.append(f"damage {number}: {seen}")
        shutil.rmtree(scratch)
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    sys.stdout.write(f"{fates['whole']} {fates['pages']} {fates['deeper']}\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), count=int(sys.argv[3]), seed=int(sys.argv[4])))
