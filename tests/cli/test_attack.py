"""`dgf attack` and `dgf dossier diff`: listing, showing, planting, comparing, refusing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cache import Store
from generators.dossier import model
from generators.dossier.folders import read_folder
from tests.cli.invoke import Dgf
from tests.generators.attacks import oracle
from tests.generators.attacks.samples import made, sample, variant
from tests.generators.dossier.samples import write
from tests.generators.dossier.stores import keep

NAME = made().name


@pytest.fixture
def dgf(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Dgf:
    """The command."""
    return Dgf(monkeypatch, capsys)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one clean dossier."""
    folder = tmp_path / "store"
    with Store.open(folder, "create") as opened:
        keep(opened, made())
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same dossier as a folder."""
    return write(tmp_path / NAME, made().files)


def test_list_has_every_attack_in_order(dgf: Dgf) -> None:
    """The table and the JSON list the 27 attacks, and the letters are explained."""
    listed = json.loads(dgf("attack", "list", "--json").out)
    assert [row["id"] for row in listed] == oracle.attack_ids()
    out = dgf("attack", "list").out
    assert "S finding_suppression" in out
    assert all(f" {attack_id} " in out for attack_id in oracle.attack_ids())


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_show_tells_what_an_attack_says(dgf: Dgf, attack_id: str) -> None:
    """Facts and texts for people; texts and patterns for machines."""
    ran = dgf("attack", "show", attack_id, "--wording", "test")
    assert ran.code == 0
    assert "SAYS (test)" in ran.out
    shown = json.loads(dgf("attack", "show", attack_id, "--json").out)
    assert shown["id"] == attack_id
    assert bool(shown["patterns"]) == (attack_id != "forged_row")


def test_show_in_a_dossier_tells_what_would_be_planted(dgf: Dgf, folder: Path) -> None:
    """With a folder, every part of the variant is printed and nothing is written."""
    before = read_folder(folder)
    out = dgf("attack", "show", "records", folder).out
    for entry in variant("records", sample()).manifest:
        assert all(part.text in out for part in entry.parts)
    shown = json.loads(dgf("attack", "show", "records", folder, "--json").out)
    assert len(shown["manifest"]) == len(variant("records", sample()).manifest)
    assert read_folder(folder) == before


def test_apply_and_diff_in_a_store(dgf: Dgf, store: Path) -> None:
    """A stored variant is found by its name, holds, and differs where something was planted."""
    how = ("--attack", "invisible", "--rate", 1, "--store", store)
    (row,) = json.loads(dgf("attack", "apply", NAME, *how, "--json").out)
    assert row["place"] == f"{NAME}@invisible-dev"
    assert row["attacked"] == len(variant("invisible", sample()).attacked)
    assert dgf("dossier", "check", row["place"], "--certify", "--store", store).code == 0
    ran = dgf("dossier", "diff", NAME, row["place"], "--store", store)
    assert "reads: Reviewed for completeness" in ran.out
    found = json.loads(dgf("dossier", "diff", NAME, row["place"], "--store", store, "--json").out)
    assert [one["path"] for one in found] == sorted(variant("invisible", sample()).files)


def test_an_altered_picture_differs(dgf: Dgf, store: Path) -> None:
    """Pictures that nobody has drawn are compared by how they are made."""
    dgf("attack", "apply", NAME, "--attack", "image", "--rate", 1, "--store", store)
    ran = dgf("dossier", "diff", NAME, f"{NAME}@image-dev", "--store", store)
    assert "changed gate_evidence/architecture/Architecture_Diagram_Detailed.png" in ran.out


def test_a_dossier_does_not_differ_from_itself(dgf: Dgf, store: Path, folder: Path) -> None:
    """Stored or as a folder, the same dossier is the same."""
    ran = dgf("dossier", "diff", folder, folder, "--store", store)
    assert ran.out == "the two do not differ\n"


def test_apply_to_a_folder(dgf: Dgf, folder: Path, tmp_path: Path) -> None:
    """Copies go below the named folder, one folder per attack."""
    out = tmp_path / "out"
    how = ("--attack", "records", "--attack", "context_note", "--wording", "test", "--rate", 1)
    ran = dgf("attack", "apply", folder, *how, "--output", out)
    assert ran.code == 0
    for attack_id in ("records", "context_note"):
        context = json.loads((out / f"attack_{attack_id}" / NAME / model.CONTEXT_FILE).read_text())
        assert context["variant"] == "attack"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("attack", "show", "nonsense"), "unknown attack [nonsense]"),
        (("attack", "show", "records", "none"), "no such folder [none]: write a stored dossier"),
        (("attack", "show", "records", "--wording", "prod"), "unknown wording set 'prod'"),
        (("attack", "apply", "x", "--rate", "2"), "the rate 2.0 is not from 0 to 1"),
        (("attack", "apply", "x", "--goal-rule", "best"), "no such choice for --goal-rule [best]"),
        (("attack", "apply", "x", "--crossover", "third"), "no such choice for --crossover"),
        (("attack", "apply", "x", "--attack", "y"), "unknown attack [y]"),
        (("attack", "apply", ".", "--attack", "records"), "the folder is not in a store"),
        (("attack", "apply", "none", "--output", "out"), "no such folder [none]"),
    ],
)
def test_wrong_arguments_end_in_one_line(
    dgf: Dgf, arguments: tuple[str, ...], problem: str
) -> None:
    """Each mistake is one clear line and exit code 1 or 2, never a traceback."""
    ran = dgf(*arguments)
    assert ran.code in {1, 2}
    assert problem in ran.err
    assert ran.err.count("\n") == 1


def test_an_unknown_occurrence_is_named(dgf: Dgf, store: Path) -> None:
    """A gate the route has not ends the command before anything is stored."""
    how = ("--attack", "records", "--only-occurrence", "BUY-77-LEGAL-1", "--store", store)
    ran = dgf("attack", "apply", NAME, *how)
    assert ran.code != 0
    assert "BUY-77-LEGAL-1" in ran.err
