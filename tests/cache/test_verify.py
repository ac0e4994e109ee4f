"""Verification: every kind of damage is found and placed, harmless things are called harmless."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from cache import keys, layout, structure
from cache.collect import collect
from cache.errors import StoreError, StoreMissingError
from cache.ids import ObjectId, hash_object
from cache.store import Store
from cache.verify import Finding, Level, Verdict, verify
from tests.cache.samples import Graph, add, fill, fresh, tamper

GRAPH = Graph([[], [], [0, 1], [2]], {"top": 3}, {("x", 1): 2}, {"l": [b"a", b"b", b"c"]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small whole store."""
    with fresh(tmp_path / "store") as store:
        fill(store, GRAPH)
    return tmp_path / "store"


@pytest.fixture
def oids(tmp_path: Path) -> list[ObjectId]:
    """The ids of its objects."""
    with fresh(tmp_path / "same") as store:
        return fill(store, GRAPH)


def damage(verdict: Verdict) -> list[Finding]:
    """The findings that are not harmless."""
    return [finding for finding in verdict.findings if not finding.harmless]


def test_a_whole_store_is_whole(folder: Path) -> None:
    """All three levels are checked to the end, and say how much they have seen."""
    verdict = verify(folder)
    assert verdict.whole
    assert verdict.findings == ()
    assert [level.level for level in verdict.levels] == ["pages", "hashes", "connectivity"]
    pages, hashes, connectivity = verdict.levels
    assert pages.total == (folder / "data.mdb").stat().st_size // 4096
    assert pages.checked == pages.total - verdict.free_pages
    # 4 objects; 2 facts about the store, 1 commit, 1 ref, 1 index entry, 3 lines
    assert hashes.checked == hashes.total == 4 + 2 + 1 + 1 + 1 + 3
    assert connectivity.checked == connectivity.total == 4


@pytest.mark.parametrize(("deepest", "levels"), [("pages", 1), ("hashes", 2), ("connectivity", 3)])
def test_a_check_can_be_shallow(folder: Path, deepest: Level, levels: int) -> None:
    """No level is entered below the deepest that was asked for."""
    assert len(verify(folder, deepest=deepest).levels) == levels


def test_orphans_are_harmless(folder: Path, oids: list[ObjectId]) -> None:
    """Objects that nothing names are counted and listed; those they name are among them."""
    with Store.open(folder, "write") as store:
        batch = store.batch()
        orphan = batch.put("blob", b"orphan")
        above = add(batch, 9, [orphan, oids[0]])
        store.commit(batch)
    verdict = verify(folder)
    assert verdict.whole
    assert verdict.orphans == 2
    [finding] = verdict.findings
    assert finding.harmless
    assert orphan.hex()[:12] in finding.where
    assert above.hex()[:12] in finding.where


# -- one damage at a time

OTHER = hash_object("blob", b"never put")
TOP = keys.encode_ref("top")
ENTRY = keys.encode_key("x", [1])


def sealed(key: bytes, value: bytes) -> tuple[bytes, bytes]:
    """An entry whose seal is right."""
    return key, layout.seal(key, value)


Change = Callable[[list[ObjectId]], tuple[bytes, bytes | None]]

DAMAGES: dict[str, tuple[Level, str, str, Change]] = {
    "object overwritten": (
        "hashes", "objects", "damaged", lambda oids: (oids[0], b"wrong")),
    "object of other content": (
        "hashes", "objects", "damaged", lambda oids: (oids[0], layout.pack_object("blob", b"x"))),
    "object of another kind": (
        "hashes", "objects", "damaged",
        lambda oids: (oids[0], layout.pack_object("text", b"blob 0 " * 50))),
    "object empty": (
        "hashes", "objects", "damaged", lambda oids: (oids[0], b"")),
    "record overwritten": (
        "hashes", "objects", "damaged", lambda oids: (oids[2], b"wrong")),
    "key that is no id": (
        "hashes", "objects", "not an id", lambda _: (b"short", b"value")),
    "blob gone": (
        "connectivity", "objects", "names an object that is not stored",
        lambda oids: (oids[0], None)),
    "record gone": (
        "connectivity", "objects", "names an object that is not stored",
        lambda oids: (oids[3], None)),
    "ref to nothing": (
        "connectivity", "refs", "ref 'top' names", lambda _: sealed(TOP, OTHER)),
    "index entry to nothing": (
        "connectivity", "index", "index 'x' (1,) names", lambda _: sealed(ENTRY, OTHER)),
    "ref without its seal": (
        "hashes", "refs", "'refs' is damaged", lambda oids: (TOP, oids[0] + b"....")),
    "ref that is no id": (
        "hashes", "refs", "'refs' is damaged", lambda _: sealed(TOP, b"short")),
    "ref cut": (
        "hashes", "refs", "'refs' is damaged", lambda _: (TOP, b"")),
    "name not UTF-8": (
        "hashes", "refs", "'refs' is damaged", lambda oids: sealed(b"\xff", oids[0])),
    "index entry damaged": (
        "hashes", "index", "'index' is damaged", lambda oids: (ENTRY, oids[2] + b"1....")),
    "index key damaged": (
        "hashes", "index", "'index' is damaged", lambda oids: sealed(b"\x7f", oids[2])),
    "line damaged": (
        "hashes", "log", "'log' is damaged", lambda _: (keys.log_key("l", 1), b"b....")),
    "line gone": (
        "hashes", "log", "gap", lambda _: (keys.log_key("l", 1), None)),
    "first line gone": (
        "hashes", "log", "gap", lambda _: (keys.log_key("l", 0), None)),
    "log without a name": (
        "hashes", "log", "'log' is damaged", lambda _: sealed(bytes(8), b"line")),
    "write time damaged": (
        "hashes", "times", "'times' is damaged", lambda _: (bytes(16), b"....")),
    "write time of no time": (
        "hashes", "times", "'times' is damaged", lambda _: sealed(b"soon", b"")),
    "write time of half an id": (
        "hashes", "times", "'times' is damaged", lambda _: sealed(bytes(16), b"half")),
    "fact damaged": (
        "hashes", "meta", "'meta' is damaged", lambda _: (b"created", b"never....")),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_each_damage_is_found_and_placed(folder: Path, oids: list[ObjectId], name: str) -> None:
    """Damage is found at its level, with a place and advice, and nothing else is blamed."""
    level, database, what, change = DAMAGES[name]
    tamper(folder, database, *change(oids))
    verdict = verify(folder)
    assert not verdict.whole
    found = damage(verdict)
    assert {finding.level for finding in found} == {level}
    assert all(what in finding.what for finding in found)
    assert all(finding.where and finding.advice for finding in found)
    assert [result.damaged for result in verdict.levels] == [
        len(found) if result.level == level else 0 for result in verdict.levels
    ]


def test_every_damage_is_listed(folder: Path, oids: list[ObjectId]) -> None:
    """The check goes on after the first finding."""
    for oid in oids[:3]:
        tamper(folder, "objects", oid, b"wrong")
    tamper(folder, "objects", oids[3], None)
    verdict = verify(folder)
    assert {f.where for f in damage(verdict) if f.level == "hashes"} == {o.hex() for o in oids[:3]}
    assert {f.where for f in damage(verdict) if f.level == "connectivity"} == {oids[3].hex()}


def test_an_unknown_format_is_a_finding(folder: Path) -> None:
    """A store that this release cannot read is not called whole, and does not raise."""
    tamper(folder, "meta", *sealed(b"format", b"999"))
    [finding] = damage(verify(folder))
    assert "999" in finding.what


@pytest.mark.parametrize("content", [b"", b"\0" * 9000, b"SQLite format 3\0" * 1000])
def test_a_foreign_file_is_a_finding(folder: Path, content: bytes) -> None:
    """Whatever stands in the place of the data file is judged from outside."""
    (folder / "data.mdb").write_bytes(content)
    verdict = verify(folder)
    assert not verdict.whole
    assert [result.level for result in verdict.levels] == ["pages"]
    assert damage(verdict)


def test_no_store_is_no_damage(tmp_path: Path) -> None:
    """Where there is no store, that is the answer."""
    with pytest.raises(StoreMissingError):
        verify(tmp_path)


# -- samples


def test_a_sample_is_as_large_as_asked_and_the_same_again(tmp_path: Path) -> None:
    """A seed chooses the sample; only what is in it is hashed."""
    with fresh(tmp_path) as store:
        oids = [store.put("blob", b"%d" % number) for number in range(40)]
    bad = set(oids[::2])
    for oid in bad:
        tamper(tmp_path, "objects", oid, b"wrong")

    def found(sample: float, seed: int) -> set[str]:
        verdict = verify(tmp_path, deepest="hashes", sample=sample, seed=seed)
        result = verdict.levels[1]
        size = min(40, sample) if isinstance(sample, int) else -(-40 * sample // 1)
        assert result.total - result.checked == 40 - size
        return {finding.where for finding in damage(verdict)}

    everything = {oid.hex() for oid in bad}
    assert found(1000, 1) == found(1.0, 1) == everything
    assert found(10, 1) == found(10, 1) == found(0.25, 1) < everything
    assert found(10, 1) != found(10, 2)
    assert found(1, 3) <= everything


# -- harmless


def test_flips_in_free_space_are_harmless(tmp_path: Path) -> None:
    """Pages that hold only what was collected are free: damage there is nobody's."""
    chance = random.Random(3)
    gone = [chance.randbytes(12_000) for _ in range(20)]
    with fresh(tmp_path) as store:
        fill(store, GRAPH)
        for data in gone:
            store.put("blob", data)
        collect(store, grace=timedelta(0), delete=True)
    data_file = tmp_path / "data.mdb"
    content = bytearray(data_file.read_bytes())
    free = [
        at
        for at in range(0, len(content), 4096)
        if any(content[at + 64 : at + 4096] in data for data in gone)
    ]
    assert len(free) >= 20
    for at in free:
        for byte in range(at, at + 4096, 61):
            content[byte] ^= 0xFF
    data_file.write_bytes(content)
    verdict = verify(tmp_path)
    assert verdict.whole
    assert verdict.findings == ()
    assert verdict.free_pages >= len(free)


def test_a_file_that_a_killed_writer_left_short_is_mended(folder: Path) -> None:
    """Pages at the end that were taken and given back may never have been written."""
    with Store.open(folder, "write", sync=False) as store:
        store.put("blob", random.Random(1).randbytes(200_000))
        collect(store, grace=timedelta(0), delete=True)
    data_file = folder / "data.mdb"
    claimed = structure.read_claim(data_file).file_bytes
    with data_file.open("r+b") as file:
        file.truncate(claimed - 8 * 4096)
    verdict = verify(folder)
    assert verdict.whole
    assert len(verdict.levels) == 3
    assert data_file.stat().st_size == claimed


# -- whatever happens


@pytest.mark.parametrize("how", ["flip", "truncate"])
def test_no_damage_ends_the_check_or_escapes_it(how: str, tmp_path: Path) -> None:
    """No exception, no signal; and what is called whole is read right, every byte of it."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.cache.verifying", how, str(tmp_path), "150", "7"],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    whole, pages, deeper = map(int, ran.stdout.split())
    assert pages > 10
    assert deeper > 10 if how == "flip" else whole + deeper < 100


def test_a_store_can_be_verified_while_it_is_written(tmp_path: Path) -> None:
    """A living writer is no damage, whenever the check looks."""
    folder = tmp_path / "store"
    Store.open(folder, "create").close()
    marks = tmp_path / "marks"
    writer = subprocess.Popen(
        [sys.executable, "-m", "tests.cache.workload", str(folder), str(marks), "1", "1000000"]
    )
    try:
        seen: set[int] = set()
        while len(seen) < 12:
            verdict = verify(folder)
            assert verdict.whole, verdict.findings
            assert not damage(verdict)
            seen.add(verdict.levels[-1].total)
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.wait()
    assert verify(folder).whole


def test_what_a_sample_passed_over_is_found_when_it_is_followed(
    folder: Path, oids: list[ObjectId]
) -> None:
    """A damaged record outside the sample is found by the level that has to read it."""
    tamper(folder, "objects", oids[2], b"wrong")
    seed = next(seed for seed in range(99) if not damage(_hashes(folder, seed)))
    [finding] = damage(verify(folder, sample=1, seed=seed))
    assert (finding.level, finding.where) == ("connectivity", oids[2].hex())


def _hashes(folder: Path, seed: int) -> Verdict:
    return verify(folder, deepest="hashes", sample=1, seed=seed)


def test_pages_that_change_all_the_time_are_not_called_damaged(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was seen across commits proves nothing; the deeper levels read one state."""
    right, commits = structure.read_claim, iter(range(10_000))

    def moving(data_file: Path) -> structure.Claim:
        return right(data_file)._replace(transaction=next(commits))

    with monkeypatch.context() as patch:
        patch.setattr(structure, "read_claim", moving)
        patch.setattr(structure, "find_damage", lambda _: ["a page of two states"])
        verdict = verify(folder, deepest="pages")
    assert verdict.whole
    [finding] = verdict.findings
    assert finding.harmless
    assert "not checked" in finding.what


def test_a_file_that_cannot_be_read_is_a_named_error(tmp_path: Path) -> None:
    """What the system refuses is neither damage nor a traceback."""
    (tmp_path / "data.mdb").mkdir()
    with pytest.raises(StoreError, match="cannot be read"):
        verify(tmp_path)
