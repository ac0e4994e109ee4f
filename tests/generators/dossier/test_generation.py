"""Making many dossiers: the same for any workers, resumed after a kill, failures kept apart."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cache import Store
from generators.dossier import DossierSpec, build_dossier, generation
from generators.dossier.generation import (
    MADE,
    Made,
    Progress,
    draw_missing,
    edition,
    make_dataset,
    make_dossiers,
    missing_pictures,
)
from generators.dossier.storing import list_dossiers
from generators.dossier.validation import validate
from generators.dossier.workers import Failure
from generators.sampling import Plan, make_plan
from tests.generators.dossier.stores import PICTURE, new_store

SPECS = [DossierSpec(seed=35_000 + n, route="integrate", difficulty=2) for n in range(5)]
BAD = DossierSpec(seed=35_002, route="integrate", difficulty=2, canonical_sha256="0" * 64)

MAKER = """
import sys
from cache import Store
from generators.dossier.generation import make_dataset
from tests.generators.dossier.test_generation import a_plan

if __name__ == "__main__":
    with Store.open(sys.argv[1], "create") as store:
        make_dataset(store, a_plan(), workers=int(sys.argv[2]), report=print)
"""


def a_plan() -> Plan:
    """A dozen cases of one route."""
    return make_plan(
        policy="natural", seed=35_100, cases_per_route=12, difficulty=1, routes=("build",)
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with new_store(tmp_path / "store") as opened:
        yield opened


def trees(made: Made) -> list[str]:
    """The ids of what was made."""
    assert not made.failures
    return [one.tree.hex() for one in made.stored]


def test_workers_change_nothing(store: Store, tmp_path: Path) -> None:
    """One process, two, or none: the same ids in the order of the specs."""
    alone = make_dossiers(store, SPECS, workers=0)
    assert [one.summary.seed for one in alone.stored] == [spec.seed for spec in SPECS]
    with new_store(tmp_path / "other") as other:
        assert trees(make_dossiers(other, SPECS, workers=2)) == trees(alone)


def test_what_is_there_is_not_made_again(store: Store) -> None:
    """The second call makes what is missing, and says how many there were."""
    first = make_dossiers(store, SPECS[1:3], workers=0)
    steps: list[Progress] = []
    again = make_dossiers(store, SPECS, workers=0, report=steps.append)
    assert (first.reused, again.reused) == (0, 2)
    assert trees(again)[1:3] == trees(first)
    assert [(one.done, one.total) for one in steps] == [(n, 5) for n in range(1, 6)]
    assert [one.name for one in steps[:2]] == [
        "seed 35001, route integrate",
        "seed 35002, route integrate",
    ]


def test_a_digest_is_no_part_of_what_is_made(store: Store) -> None:
    """The same dossier follows from a spec with and without the digest its plan states."""
    plan = make_plan(
        policy="natural", seed=35_000, cases_per_route=1, difficulty=2, routes=("integrate",)
    )
    make_dataset(store, plan, workers=0)
    assert make_dossiers(store, SPECS[:1], workers=0).reused == 1


def test_one_bad_spec_does_not_lose_the_others(store: Store) -> None:
    """Its place holds the reason; everything else is stored."""
    specs = [*SPECS[:2], BAD, *SPECS[3:]]
    made = make_dossiers(store, specs, workers=0)
    ((position, failure),) = made.failures
    assert position == 2
    assert "the facts are not those of the plan" in failure.text
    assert [one.summary.seed for one in made.stored] == [35_000, 35_001, 35_003, 35_004]
    assert len(list_dossiers(store)) == 4


def test_without_all_dossiers_there_is_no_dataset(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dataset with a gap is none; when the reason is gone the same call completes it."""

    def sometimes(spec: DossierSpec) -> object:
        if spec.seed == 35_105:
            raise OSError("no luck")
        return build_dossier(spec)

    monkeypatch.setattr(generation, "build_dossier", sometimes)
    made, dataset = make_dataset(store, a_plan(), workers=0)
    assert dataset is None
    assert [failure for _, failure in made.failures] == [Failure(text="OSError: no luck")]
    monkeypatch.undo()
    made, dataset = make_dataset(store, a_plan(), workers=0)
    assert (made.reused, len(made.stored)) == (11, 12)
    assert dataset is not None


def test_pictures_are_drawn_once(store: Store) -> None:
    """What has been drawn is kept and not drawn again; workers draw the same."""
    dossiers = make_dossiers(store, SPECS[:2], workers=0).stored
    assert len(missing_pictures(store, dossiers)) == 2
    steps: list[Progress] = []
    assert draw_missing(store, dossiers, workers=2, report=steps.append) == {}
    assert [(one.step, one.done, one.total) for one in steps] == [
        ("picture", 1, 2),
        ("picture", 2, 2),
    ]
    assert missing_pictures(store, dossiers) == {}
    assert dossiers[0].load(PICTURE).startswith(b"\x89PNG\r\n\x1a\n")
    assert draw_missing(store, dossiers, workers=0, report=steps.append) == {}
    assert len(steps) == 2


def test_pictures_that_cannot_be_drawn_are_named(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By dossier, with the reason; the dossiers stay."""

    def broken(*_: object, **__: object) -> bytes:
        raise OSError("no ink")

    monkeypatch.setattr(generation, "draw", broken)
    dossiers = make_dossiers(store, SPECS[:1], workers=0).stored
    failed = draw_missing(store, dossiers, workers=0)
    assert failed == {dossiers[0].name: Failure(text="OSError: no ink")}
    assert not validate(dossiers[0].files())


def test_another_release_makes_its_own(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reuse is bound to the code and texts; what another edition made stays beside."""
    make_dossiers(store, SPECS[:1], workers=0)
    monkeypatch.setattr(generation, "edition", lambda: "another")
    assert make_dossiers(store, SPECS[:1], workers=0).reused == 0
    assert {entry.key[1] for entry in store.index_scan(MADE)} == {edition(), "another"}
    assert len(list_dossiers(store)) == 1


@pytest.mark.parametrize(
    ("workers", "kills"),
    [
        (0, 3),
        pytest.param(0, 25, marks=pytest.mark.slow),
        pytest.param(2, 12, marks=pytest.mark.slow),
    ],
)
def test_a_killed_call_is_finished_by_the_same_call(
    tmp_path: Path, workers: int, kills: int
) -> None:
    """After every kill the store opens, all dossiers in it are sound, and the same call goes on."""
    script = tmp_path / "maker.py"
    script.write_text(MAKER, encoding="utf-8")
    folder = tmp_path / "store"
    there = 0
    for kill in range(kills):
        _run_and_kill(script, folder, workers, after_lines=1 + kill % 4)
        with Store.open(folder, "write") as store:
            found = list_dossiers(store)
            assert len(found) >= there
            there = len(found)
            for dossier in found:
                assert validate(dossier.files()) == ()
    with Store.open(folder, "create") as store, new_store(tmp_path / "other") as other:
        finished, dataset = make_dataset(store, a_plan(), workers=0)
        whole, expected = make_dataset(other, a_plan(), workers=0)
        assert finished.reused == there
        assert trees(finished) == trees(whole)
        assert dataset is not None
        assert expected is not None
        assert dataset.tree == expected.tree


def _run_and_kill(script: Path, folder: Path, workers: int, *, after_lines: int) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd()), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, str(script), str(folder), str(workers)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as maker:
        assert maker.stdout is not None
        for _ in range(after_lines):
            maker.stdout.readline()
        time.sleep(0.003 * after_lines)
        maker.send_signal(signal.SIGKILL)
