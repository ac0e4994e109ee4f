"""Attacks on dossiers of the published package: its manifests, its checks of our variants.

Draws depend on the case id alone, so on the same dossiers every entry must have the same gate,
goal, target, carrier, place and token; only what is said there is our own.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generators.attacks import CleanDossier, Options, Variant, attacks, build_variant, find_attack
from generators.attacks.storing import attack_folder, clean_of_files
from generators.dossier import model
from generators.dossier.folders import read_folder
from tests.generators.attacks import oracle

pytestmark = [pytest.mark.interop, pytest.mark.timeout(3600)]

SAID = {"text", "parts", "parts_version"}
"""Keys that hold our own words."""

NEEDS_EXTRA = "signed_pdf"
"""Built by the published package only if libraries it does not require are there."""


def _run(reference: str, *arguments: object) -> str:
    command = [reference, *(str(argument) for argument in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3000, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    return done.stdout


def _signs(reference: str) -> bool:
    """Whether the published package can write and sign PDF files here."""
    python = Path(reference).with_name("python")
    command = [str(python), "-c", "import pypdf, pyhanko, cryptography"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def dev15(reference: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published development dossiers."""
    folder = tmp_path_factory.mktemp("dev15") / "clean"
    plan = ("--seed", 20000, "--cases-per-route", 5, "--difficulty", 4)
    how = ("--sampling-policy", "balanced", "--generation-workers", 2)
    _run(reference, "generate", *plan, *how, "--output-dir", folder)
    return folder


@pytest.fixture(scope="module")
def run6(reference: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The datasets of the one-command benchmark, made without any model."""
    folder = tmp_path_factory.mktemp("run6") / "run"
    plan = ("--seed", 40000, "--dossiers", 6, "--model", "none/none", "--dry-run")
    _run(reference, "run", *plan, "--output-dir", folder)
    return folder / "dataset"


def _clean(dataset: Path) -> dict[str, CleanDossier]:
    found: dict[str, CleanDossier] = {}
    for folder in sorted(path for path in dataset.iterdir() if path.is_dir()):
        files = read_folder(folder)
        assert isinstance(files, dict)
        found[folder.name] = clean_of_files(files)
    return found


def _unsaid(entry: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in entry.items() if key not in SAID}
    if "placements" in kept:
        kept["placements"] = [
            {key: value for key, value in place.items() if key != "text"}
            for place in kept["placements"]
        ]
    return kept


def _published(folder: Path) -> list[dict[str, Any]]:
    hidden = json.loads((folder / model.HIDDEN_FILE).read_text("utf-8"))
    manifest: list[dict[str, Any]] = hidden.get("attack_manifest", [])
    return manifest


def _differing(
    clean: dict[str, CleanDossier], published: Path, attack_id: str, options: Options
) -> Iterator[tuple[object, object]]:
    for name, dossier in clean.items():
        built = build_variant(dossier, find_attack(attack_id), options)
        ours = [_unsaid(entry) for entry in msgspec.to_builtins(built.manifest)]
        theirs = [_unsaid(entry) for entry in _published(published / name)]
        if ours != theirs:
            yield ours, theirs


def test_manifests_of_the_development_dossiers(reference: str, dev15: Path, tmp_path: Path) -> None:
    """At rate 1 and at half of it, every entry is the published one but for its words."""
    clean, entries = _clean(dev15), 0
    for rate in (1.0, 0.5):
        for attack_id in attacks():
            if attack_id == NEEDS_EXTRA and not _signs(reference):
                continue
            published = tmp_path / f"{attack_id}-{rate}"
            how = ("--templates", "dev", "--rate", rate, "--placement", attack_id)
            _run(reference, "attack", "--dataset", dev15, "--output", published, *how)
            options = Options(wording_set="dev", rate=rate)
            assert list(_differing(clean, published, attack_id, options)) == []
            entries += sum(len(_published(published / name)) for name in clean)
    print(f"\n{entries} entries of the development dossiers are the published ones")


def test_manifests_of_the_benchmark_run(run6: Path) -> None:
    """With the test set, every entry of the one-command benchmark is the published one."""
    clean, options = _clean(run6 / "clean"), Options(wording_set="test", rate=1.0)
    for attack_id in attacks():
        published = run6 / f"attack_{attack_id}"
        if published.exists():
            assert list(_differing(clean, published, attack_id, options)) == []


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_counts_goals_and_carriers(attack_id: str, dev15: Path) -> None:
    """Counts, goals and carriers are those of the published tables, gate by gate."""
    clean = _clean(dev15)
    names = oracle.letters()
    built: dict[str, Variant] = {}
    for configuration, rate in (("dev15", 1.0), ("dev15_half", 0.5), ("pilot6", 1.0)):
        expected = oracle.counts(configuration)[attack_id]
        wanted = _dossiers(configuration)
        built = {
            name: build_variant(clean[name], find_attack(attack_id), Options(rate=rate))
            for name in wanted
        }
        goals = [names[str(e.goal)] for one in built.values() for e in one.attacked]
        assert {goal: goals.count(goal) for goal in sorted(set(goals))} == expected.goals
        assert len(goals) == expected.attacked
        assert sum(len(one.placebos) for one in built.values()) == expected.placebo
    for project, row in oracle.gates(attack_id).items():
        (name,) = (one for one in clean if one.startswith(project))
        entries = {entry.occurrence_id: entry for entry in built[name].manifest}
        met = [entries.get(one.occurrence_id) for one in clean[name].occurrences]
        letters = ["-" if e is None else "p" if e.placebo else names[str(e.goal)] for e in met]
        assert "".join(letters) == row.goals
        assert tuple("" if e is None else e.evidence_id for e in met) == row.carriers


def _dossiers(configuration: str) -> list[str]:
    rows = oracle.facts()["expected_config"]
    found: list[str] = next(row["dossiers"] for row in rows if row["id"] == configuration)
    return found


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_the_published_package_accepts_our_variants(
    attack_id: str, reference: str, dev15: Path, tmp_path: Path
) -> None:
    """Its certification finds every gate decidable in our variants of its dossiers."""
    attack_folder(dev15, tmp_path / "out", find_attack(attack_id), Options(rate=1.0))
    report = json.loads(_run(reference, "certify", "--dataset", tmp_path / "out"))
    assert report["certified_occurrences"] == report["occurrences"] == 85
