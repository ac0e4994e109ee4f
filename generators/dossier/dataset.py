"""Datasets: the dossiers of one sampling plan, with the plan and what was found about it.

A dataset is a tree whose folders are its dossiers, so it shares everything with them. Protocol,
dossier section 10.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from cache import BLOB, Batch, IndexEntry, ObjectId, Store, Tree
from cache.trees import Entry
from generators.dossier import model
from generators.dossier.storing import DOSSIERS, StoredDossier, find_dossier, matching, only
from generators.evidence import json_bytes
from generators.facts import json_hash
from generators.governance import Case
from generators.sampling import (
    Plan,
    diversity_markdown,
    diversity_report,
    encode_plan,
    identified_cases,
    require_unique,
)

PLAN_FILE: Final = "sampling_plan.json"
MANIFEST_FILE: Final = "dataset_manifest.json"
UNIQUENESS_FILE: Final = "dataset_uniqueness_report.json"
DIVERSITY_FILE: Final = "dataset_diversity_report.json"
DIVERSITY_PAGE: Final = "dataset_diversity_report.md"
DATASET_FILES: Final = (PLAN_FILE, MANIFEST_FILE, UNIQUENESS_FILE, DIVERSITY_FILE, DIVERSITY_PAGE)
MANIFEST_SCHEMA: Final = "DGF-Bench-OpenRouter-Dataset-v8"

DATASETS: Final = "datasets"
"""Index: name, tree → the tree; the payload is the number of dossiers."""


class StoredDataset:
    """A dataset of a store."""

    def __init__(self, store: Store, name: str, tree: ObjectId) -> None:
        self.name = name
        self.tree = tree
        self._store = store

    def __repr__(self) -> str:
        return f"<StoredDataset {self.name} {self.tree.hex()[:12]}>"

    @property
    def dossiers(self) -> dict[str, ObjectId]:
        """Folder to tree of every dossier, in order of name."""
        return {name: entry.id for name, entry in self._entries() if entry.is_tree}

    def files(self) -> dict[str, bytes]:
        """The files beside the dossiers."""
        named_by = f"dataset {self.name}"
        return {
            name: self._store.get(entry.id, named_by=named_by)
            for name, entry in self._entries()
            if not entry.is_tree
        }

    def _entries(self) -> list[tuple[str, Entry]]:
        tree = self._store.get_record(self.tree, Tree, named_by=f"dataset {self.name}")
        return sorted(tree.entries.items())


def put_dataset(
    batch: Batch, name: str, *, files: Mapping[str, bytes], dossiers: Mapping[str, ObjectId]
) -> ObjectId:
    """Add a dataset to a batch and make it findable; the result is its tree.

    `dossiers` gives the tree of each dossier by its folder.
    """
    entries = {path: Entry(batch.put(BLOB, data), is_tree=False) for path, data in files.items()}
    entries |= {folder: Entry(tree, is_tree=True) for folder, tree in dossiers.items()}
    tree = batch.put_record(Tree(entries=entries))
    batch.index(DATASETS, (name, tree), tree, payload=msgspec.msgpack.encode(len(dossiers)))
    return tree


def find_dataset(store: Store, wanted: str) -> StoredDataset:
    """The dataset with that name, or whose id begins with that text."""
    return _dataset(store, only(matching(store, DATASETS, wanted), wanted))


def find_stored(store: Store, wanted: str) -> StoredDossier | StoredDataset:
    """The dossier or the dataset with that name, or whose id begins with that text."""
    datasets = matching(store, DATASETS, wanted)
    found = only([*matching(store, DOSSIERS, wanted), *datasets], wanted)
    return _dataset(store, found) if found in datasets else find_dossier(store, found.target.hex())


def list_datasets(store: Store) -> list[tuple[StoredDataset, int]]:
    """Every dataset of a store by name, with the number of its dossiers."""
    return [
        (_dataset(store, entry), msgspec.msgpack.decode(entry.payload, type=int))
        for entry in store.index_scan(DATASETS)
    ]


def _dataset(store: Store, entry: IndexEntry) -> StoredDataset:
    return StoredDataset(store, str(entry.key[0]), entry.target)


def dataset_name(plan: Plan) -> str:
    """What the dataset of a plan is called in a store."""
    count = len(plan.cases)
    return f"{plan.sampling_version}-seed{plan.seed}-d{plan.difficulty}-n{count}"


def dataset_files(plan: Plan, dossiers: Sequence[StoredDossier]) -> dict[str, bytes]:
    """Plan, manifest and reports for the dossiers of a plan, in its order.

    Raises
    ------
    CollisionError
        If two cases share what must be unique.
    """
    cases = list(identified_cases(plan))
    unique = require_unique(cases, edition=plan.edition)
    diversity = diversity_report(cases, edition=plan.edition)
    return {
        PLAN_FILE: encode_plan(plan),
        MANIFEST_FILE: json_bytes(_manifest(plan, cases, dossiers)),
        UNIQUENESS_FILE: json_bytes(unique),
        DIVERSITY_FILE: json_bytes(diversity),
        DIVERSITY_PAGE: diversity_markdown(diversity).encode(),
    }


def _manifest(
    plan: Plan, cases: Sequence[Case], dossiers: Sequence[StoredDossier]
) -> dict[str, Any]:
    rows = [
        {
            **msgspec.to_builtins(row),
            "case_dir": dossier.name,
            "case_id": case["case_id"],
            "project_id": case["project"]["project_id"],
            "project_name": case["project"]["project_name"],
            "public_context_sha256": _sha256(dossier.load(model.CONTEXT_FILE)),
        }
        for row, case, dossier in zip(plan.cases, cases, dossiers, strict=True)
    ]
    return {
        "schema": MANIFEST_SCHEMA,
        "uniqueness_enforced": True,
        "architecture_signature_uniqueness": True,
        "uniqueness_report": UNIQUENESS_FILE,
        "diversity_report": DIVERSITY_FILE,
        "sampling_policy": plan.policy,
        "sampling_version": plan.sampling_version,
        "sampling_plan": PLAN_FILE,
        "cases": rows,
    }


def fingerprint(dossiers: Iterable[tuple[str, Mapping[str, bytes]]]) -> str:
    """The digest of every file of some dossiers, each given by folder name and files."""
    return json_hash(list(_digests(dossiers)))


def _digests(dossiers: Iterable[tuple[str, Mapping[str, bytes]]]) -> Iterator[list[str]]:
    for name, files in dossiers:
        for path in sorted(files):
            yield [name, path, _sha256(files[path])]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
