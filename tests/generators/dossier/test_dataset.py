"""Datasets: a tree of dossiers with the files that say how they were chosen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cache import Store
from generators.dossier.dataset import (
    StoredDataset,
    find_dataset,
    find_stored,
    fingerprint,
    list_datasets,
)
from generators.dossier.errors import UnknownDossierError
from generators.dossier.generation import make_dataset
from generators.dossier.storing import StoredDossier, list_dossiers
from generators.sampling import Plan, make_plan
from tests.generators.dossier.stores import new_store

PLAN_ROW = [
    "seed",
    "route",
    "difficulty",
    "architecture_attempt",
    "architecture_signature",
    "fact_attempts",
    "canonical_sha256",
]
"""Keys of a case in the plan. Protocol, dossier section 10."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Two cases a route."""
    return make_plan(policy="natural", seed=33_000, cases_per_route=2, difficulty=2)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with the dataset of the plan in it."""
    with new_store(tmp_path_factory.mktemp("dataset") / "store") as opened:
        yield opened


@pytest.fixture(scope="module")
def dataset(store: Store, plan: Plan) -> StoredDataset:
    """The dataset of the plan."""
    _, made = make_dataset(store, plan, workers=0)
    assert made is not None
    return made


def content(dataset: StoredDataset, name: str) -> Any:
    """One of the dataset's JSON files."""
    return json.loads(dataset.files()[name])


def test_the_manifest_lists_the_dossiers(dataset: StoredDataset, store: Store) -> None:
    """Keys and values as the protocol says, rows in the order of the plan."""
    manifest = content(dataset, "dataset_manifest.json")
    assert list(manifest) == [
        "schema",
        "uniqueness_enforced",
        "architecture_signature_uniqueness",
        "uniqueness_report",
        "diversity_report",
        "sampling_policy",
        "sampling_version",
        "sampling_plan",
        "cases",
    ]
    assert manifest["schema"] == "DGF-Bench-OpenRouter-Dataset-v8"
    assert manifest["sampling_version"] == "natural-v1"
    dossiers = {one.name: one for one in list_dossiers(store)}
    assert [row["seed"] for row in manifest["cases"]] == list(range(33_000, 33_006))
    for row in manifest["cases"]:
        assert list(row) == [
            *PLAN_ROW,
            "case_dir",
            "case_id",
            "project_id",
            "project_name",
            "public_context_sha256",
        ]
        context = dossiers[row["case_dir"]].load("00_project_context.json")
        assert row["public_context_sha256"] == hashlib.sha256(context).hexdigest()
        assert row["case_id"] == json.loads(context)["case_id"]
        assert row["project_name"] == json.loads(context)["project"]["project_name"]


def test_the_plan_digests_the_written_truth(dataset: StoredDataset, store: Store) -> None:
    """`canonical_sha256` is the digest of the facts as written, without the case id."""
    plan = content(dataset, "sampling_plan.json")
    dossiers = {one.summary.seed: one for one in list_dossiers(store)}
    for row in plan["cases"]:
        assert list(row) == PLAN_ROW
        truth = json.loads(dossiers[row["seed"]].load("99_hidden_ground_truth.json"))
        facts = {k: v for k, v in truth["canonical_truth"].items() if k != "case_id"}
        text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert row["canonical_sha256"] == hashlib.sha256(text.encode()).hexdigest()


def test_the_reports_are_about_these_dossiers(dataset: StoredDataset) -> None:
    """Fourteen checks that pass; as many cases as there are dossiers."""
    unique = content(dataset, "dataset_uniqueness_report.json")
    assert unique["all_checks_passed"] is True
    assert len(unique["checks"]) == 14
    diversity = content(dataset, "dataset_diversity_report.json")
    assert diversity["case_count"] == unique["case_count"] == 6


def test_a_dataset_holds_the_trees_of_its_dossiers(dataset: StoredDataset, store: Store) -> None:
    """It shares them with the index; nothing is stored twice."""
    assert dataset.dossiers == {one.name: one.tree for one in list_dossiers(store)}


def test_making_it_again_gives_the_same_id(
    dataset: StoredDataset, plan: Plan, tmp_path: Path
) -> None:
    """In another store, from the same plan."""
    with new_store(tmp_path / "again") as again:
        _, made = make_dataset(again, plan, workers=0)
    assert made is not None
    assert made.tree == dataset.tree


def test_a_dataset_is_found_by_name_and_id(dataset: StoredDataset, store: Store) -> None:
    """Alone, or among dossiers."""
    assert [(one.tree, count) for one, count in list_datasets(store)] == [(dataset.tree, 6)]
    for wanted in (dataset.name, dataset.tree.hex()[:10]):
        assert find_dataset(store, wanted).tree == dataset.tree
        found = find_stored(store, wanted)
        assert isinstance(found, StoredDataset)
    dossier = find_stored(store, "DGF-BUY-033000_buy")
    assert isinstance(dossier, StoredDossier)
    with pytest.raises(UnknownDossierError):
        find_stored(store, "DGF-BUY-999999_buy")


def test_the_fingerprint_covers_names_paths_and_bytes() -> None:
    """JSON of triples, compact, hashed; any change of a name, a path or a byte changes it."""
    files = {"b.txt": b"2", "a.txt": b"1"}
    triples = [
        ["D", "a.txt", hashlib.sha256(b"1").hexdigest()],
        ["D", "b.txt", hashlib.sha256(b"2").hexdigest()],
    ]
    text = json.dumps(triples, separators=(",", ":"))
    found = fingerprint([("D", files)])
    assert found == hashlib.sha256(text.encode()).hexdigest()
    others: list[tuple[str, dict[str, bytes]]] = [
        ("E", files),
        ("D", {**files, "c": b""}),
        ("D", {**files, "a.txt": b"3"}),
        ("D", {"a.txt": b"1", "c.txt": b"2"}),
    ]
    assert len({found, *(fingerprint([other]) for other in others)}) == 5
