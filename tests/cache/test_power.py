"""Power loss: unsynced writes are lost at random, acknowledged commits are not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cache.errors import StoreError
from cache.store import Store
from tests.cache import disk, workload

POINTS = 200
COMMITS = 60
SEED = 7

pytestmark = pytest.mark.skipif(disk.shim() is None, reason="needs Linux and a C compiler")


def losses(tmp_path: Path, *how: str) -> list[str]:
    """Cut the power at many points of one run; what acknowledged commits lost at each."""
    folder, scratch = tmp_path / "store", tmp_path / "scratch"
    scratch.mkdir()
    Store.open(folder, "create").close()
    disk_before = (folder / "data.mdb").read_bytes()
    script = ["-m", "tests.cache.workload", str(folder), str(scratch / "marks"), str(SEED)]
    script += [str(COMMITS), *how]
    events = disk.record(folder, scratch, script)
    assert sum(event.letter == "A" for event in events) == COMMITS
    chance = random.Random(SEED)
    cuts = sorted(chance.sample(range(len(events)), POINTS))
    found: list[str] = []
    model, at = disk.Disk(disk_before), 0
    acknowledged: list[int] = []
    for cut in cuts:
        for event in events[at:cut]:
            model.replay(event)
            acknowledged += map(int, event.data.split()) if event.letter == "A" else ()
        at = cut
        rest = tmp_path / f"cut-{cut}"
        rest.mkdir()
        (rest / "data.mdb").write_bytes(model.cut(events[cut], chance))
        found += [f"cut {cut}: {text}" for text in examine(rest, acknowledged)]
    return found


def examine(folder: Path, acknowledged: list[int]) -> list[str]:
    """Open what a power loss left and write to it; what is missing or wrong."""
    try:
        with Store.open(folder, "write") as store:
            missing = workload.lost(store, SEED, acknowledged)
            store.put("blob", b"after the power came back")
            return missing
    except StoreError as error:
        return [str(error)]


@pytest.mark.parametrize("how", [(), ("--async",)])
def test_acknowledged_commits_survive_a_power_loss(tmp_path: Path, how: tuple[str, ...]) -> None:
    """After any loss of unsynced writes the store opens and every acknowledged commit is whole."""
    assert losses(tmp_path, *how) == []


def test_the_model_notices_a_missing_sync(tmp_path: Path) -> None:
    """The same run without syncs loses acknowledged commits: the model can tell."""
    found = losses(tmp_path, "--no-sync")
    assert len({text.split(":")[0] for text in found}) > POINTS // 2
