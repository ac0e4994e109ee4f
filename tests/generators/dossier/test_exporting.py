"""Folders out of a store: complete, in the protocol's layout, public copies without any answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cache import Store
from cache.errors import UsageError
from generators.dossier.errors import FolderError, PictureError
from generators.dossier.exporting import (
    export_dataset,
    export_dossier,
    export_public,
    read_messages,
    reworded_truth,
)
from generators.dossier.generation import make_dataset
from generators.dossier.storing import StoredDossier
from generators.governance import UnknownIdError, builtin_rules
from generators.sampling import make_plan
from tests.generators.dossier.samples import SPEC, read, sample
from tests.generators.dossier.stores import PICTURE, keep, new_store

TRUTH = "99_hidden_ground_truth.json"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with new_store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def stored(store: Store) -> StoredDossier:
    """A dossier whose picture has been drawn (to something short)."""
    return keep(store, sample(), pictures={PICTURE: b"png"})


def nodes(folder: Path) -> list[dict[str, Any]]:
    """The nodes of a folder's graph."""
    found: list[dict[str, Any]] = json.loads((folder / "02_evidence_graph.json").read_bytes())[
        "nodes"
    ]
    return found


def test_a_folder_has_every_file(stored: StoredDossier, tmp_path: Path) -> None:
    """Files with their bytes, and the picture beside its diagram."""
    dossier = sample()
    count = export_dossier(stored, tmp_path / "out")
    assert read(tmp_path / "out") == {**dossier.files, PICTURE: b"png"}
    assert count == len(dossier.files) + 1


def test_pictures_can_be_left_out(store: Store, tmp_path: Path) -> None:
    """Then nothing needs to have been drawn."""
    undrawn = keep(store, sample())
    export_dossier(undrawn, tmp_path / "out", pictures=False)
    assert read(tmp_path / "out") == sample().files
    with pytest.raises(PictureError):
        export_dossier(undrawn, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_an_existing_folder_is_refused(stored: StoredDossier, tmp_path: Path) -> None:
    """Nothing is overwritten, not even an empty folder."""
    (tmp_path / "out").mkdir()
    with pytest.raises(FolderError, match="already exists"):
        export_dossier(stored, tmp_path / "out")


def test_a_public_copy_gives_nothing_away(stored: StoredDossier, tmp_path: Path) -> None:
    """Root files and available evidence; no truth, snapshots, cover documents or index."""
    export_public(stored, tmp_path / "out")
    found = read(tmp_path / "out")
    graph = json.loads(sample().files["02_evidence_graph.json"])["nodes"]
    evidence = {
        node["path"]
        for node in graph
        if node["public_status"] == "AVAILABLE"
        and not node["evidence_id"].startswith("REVIEW_FACTS")
    }
    root = {name for name in sample().files if "/" not in name} - {TRUTH}
    assert set(found) == root | evidence | {PICTURE}
    assert not any(b"_hidden_mode" in data for data in found.values())
    assert not any("review_facts" in path or "99_" in path for path in found)


def test_a_public_copy_does_not_list_what_it_lacks(stored: StoredDossier, tmp_path: Path) -> None:
    """Snapshots are neither nodes, edges, inputs nor visible; everything else stays listed."""
    export_public(stored, tmp_path / "out")
    for name in ("02_evidence_graph.json", "05_phase_visibility.json"):
        assert b"REVIEW_FACTS" not in (tmp_path / "out" / name).read_bytes()
    contracts = json.loads((tmp_path / "out" / "04_gate_contracts.json").read_bytes())
    for contract in contracts.values():
        assert not [i for i in contract["admissible_inputs"] if i.startswith("REVIEW_FACTS")]
    assert len(nodes(tmp_path / "out")) == 74


def test_a_public_copy_can_be_cut_to_a_phase(stored: StoredDossier, tmp_path: Path) -> None:
    """Only what is visible by then has a file, and PHASE.txt names the phase."""
    export_public(stored, tmp_path / "out", phase="framing")
    visible = json.loads(sample().files["05_phase_visibility.json"])["framing"]
    there = {
        node["evidence_id"]
        for node in nodes(tmp_path / "out")
        if (tmp_path / "out" / node["path"]).exists()
    }
    assert there
    assert there <= set(visible)
    assert (tmp_path / "out" / "PHASE.txt").read_text("utf-8").strip() == "framing"
    assert (tmp_path / "out" / PICTURE).exists()


def test_a_picture_is_cut_with_its_diagram(stored: StoredDossier, tmp_path: Path) -> None:
    """Before the diagram is visible its picture is not there either."""
    export_public(stored, tmp_path / "out", phase="opportunity")
    assert not (tmp_path / "out" / PICTURE).exists()
    with pytest.raises(UnknownIdError, match="phase"):
        export_public(stored, tmp_path / "other", phase="never")


def test_findings_can_be_worded_by_another_table(stored: StoredDossier, tmp_path: Path) -> None:
    """Messages change in the evaluator's file and nowhere else; a counted number is filled in."""
    rules = builtin_rules()
    table = rules.with_messages(
        {
            name: f"says {name}" + (" {count}" if rule.count else "")
            for name, rule in rules.rules.items()
        }
    )
    export_dossier(stored, tmp_path / "out", rules=table)
    found, before = read(tmp_path / "out"), sample().files
    assert [p for p in found if p in before and found[p] != before[p]] == [TRUTH]
    old, new = json.loads(before[TRUTH]), json.loads(found[TRUTH])
    findings = [f for d in new["reference_decisions"] for f in d["findings"]]
    assert findings
    for finding in findings:
        assert re.fullmatch(rf"says {finding['id']}( \d+)?", finding["message"])
    for content in (old, new):
        for decision in content["reference_decisions"]:
            for finding in decision["findings"]:
                del finding["message"]
    assert old == new


def test_the_own_table_changes_nothing(stored: StoredDossier) -> None:
    """Reference decisions are a function of the facts and the table."""
    truth = stored.load(TRUTH)
    assert reworded_truth(truth, builtin_rules()) == truth


def test_messages_come_from_a_json_file(tmp_path: Path) -> None:
    """A rule that is not named keeps its words; what is no table of messages is refused."""
    place = tmp_path / "messages.json"
    place.write_text('{"IT-LICENSE-001": "no licence"}', encoding="utf-8")
    table = read_messages(place)
    assert table.rule("IT-LICENSE-001").message == "no licence"
    own = builtin_rules().rule("LEGAL-IP-001").message
    assert table.rule("LEGAL-IP-001").message == own
    place.write_text('{"IT-NONE-001": "x"}', encoding="utf-8")
    with pytest.raises(UnknownIdError):
        read_messages(place)
    for content in ("[]", "{", '{"IT-LICENSE-001": 3}'):
        place.write_text(content, encoding="utf-8")
        with pytest.raises(UsageError, match="not a table of messages"):
            read_messages(place)
    with pytest.raises(UsageError, match="cannot be read"):
        read_messages(tmp_path / "none.json")


def test_a_dataset_is_its_dossiers_and_five_files(store: Store, tmp_path: Path) -> None:
    """One folder a dossier, named after it, and plan, manifest and reports beside them."""
    plan = make_plan(
        policy="natural", seed=SPEC.seed, cases_per_route=2, difficulty=3, routes=("buy",)
    )
    made, dataset = make_dataset(store, plan, workers=0)
    assert dataset is not None
    export_dataset(store, dataset, tmp_path / "out", pictures=False)
    names = {place.name for place in (tmp_path / "out").iterdir()}
    assert names == {
        "DGF-BUY-031007_buy",
        "DGF-BUY-031008_buy",
        "sampling_plan.json",
        "dataset_manifest.json",
        "dataset_uniqueness_report.json",
        "dataset_diversity_report.json",
        "dataset_diversity_report.md",
    }
    for dossier in made.stored:
        assert read(tmp_path / "out" / dossier.name) == dossier.files()
