"""Dossiers and datasets out of a store, as folders in the layout of the protocol.

Nothing is overwritten, and a folder appears only when it is complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from cache import Store
from cache.errors import UsageError
from generators.dossier import model
from generators.dossier.dataset import StoredDataset
from generators.dossier.errors import DossierError
from generators.dossier.folders import write_folder
from generators.dossier.storing import StoredDossier, list_dossiers
from generators.dossier.truth import GraphFile
from generators.evidence import SNAPSHOT_PREFIX, json_bytes, load_catalog
from generators.governance import PHASES, RuleTable, UnknownIdError, builtin_rules, evaluate_route
from generators.readers.dossier import AVAILABLE

PHASE_FILE: Final = "PHASE.txt"
"""Names the phase that a public copy is cut to."""

PUBLIC_ROOT: Final = (
    model.CONTEXT_FILE,
    model.ROUTE_FILE,
    model.TOOLS_FILE,
    model.MANDATES_FILE,
    model.TEMPLATE_FILE,
    model.README_FILE,
)
"""Root files that a public copy has as they are; graph, contracts and visibility lose snapshots."""


def export_dossier(
    dossier: StoredDossier,
    target: Path,
    *,
    pictures: bool = True,
    rules: RuleTable | None = None,
) -> int:
    """Write a dossier to the new folder `target`; how many files it has.

    Parameters
    ----------
    pictures
        Whether derived pictures are written; all of them must have been drawn.
    rules
        A table whose messages the findings of the evaluator's file get.
    """
    return write_folder(target, dossier_files(dossier, pictures=pictures, rules=rules))


def export_dataset(
    store: Store,
    dataset: StoredDataset,
    target: Path,
    *,
    pictures: bool = True,
    rules: RuleTable | None = None,
) -> int:
    """Write a dataset with all its dossiers to the new folder `target`; how many files it has."""

    def files() -> Iterator[tuple[str, bytes]]:
        for folder, dossier in dataset_dossiers(store, dataset).items():
            for path, data in dossier_files(dossier, pictures=pictures, rules=rules):
                yield f"{folder}/{path}", data
        yield from dataset.files().items()

    return write_folder(target, files())


def export_public(
    dossier: StoredDossier, target: Path, *, phase: str | None = None, pictures: bool = True
) -> int:
    """Write what a reviewer without tools may be given, to the new folder `target`.

    No truth, no snapshots, nothing withheld; with `phase` only what is visible by then.
    """
    return write_folder(target, public_files(dossier, phase=phase, pictures=pictures).items())


def dataset_dossiers(store: Store, dataset: StoredDataset) -> dict[str, StoredDossier]:
    """Folder to dossier of a dataset, by folder.

    Raises
    ------
    DossierError
        If one of them has been taken out of the index.
    """
    known = {dossier.tree: dossier for dossier in list_dossiers(store)}
    for folder, tree in dataset.dossiers.items():
        if tree not in known:
            raise DossierError("the index lacks a dossier of the dataset", where=folder)
    return {folder: known[tree] for folder, tree in dataset.dossiers.items()}


def dossier_files(
    dossier: StoredDossier, *, pictures: bool = True, rules: RuleTable | None = None
) -> Iterator[tuple[str, bytes]]:
    """Path and content of what a dossier's folder holds."""
    for path in dossier.ids:
        if not pictures and dossier.derivation(path) is not None:
            continue
        data = dossier.load(path)
        if path == model.HIDDEN_FILE and rules is not None:
            data = reworded_truth(data, rules)
        yield path, data


def reworded_truth(truth: bytes, rules: RuleTable) -> bytes:
    """The evaluator's file with its reference decisions as `rules` words them."""
    content: dict[str, Any] = msgspec.json.decode(truth)
    case = content["canonical_truth"]
    route = rules.route(case["project"]["route"])
    content["reference_decisions"] = msgspec.to_builtins(evaluate_route(case, route, rules=rules))
    return json_bytes(content)


def read_messages(path: Path) -> RuleTable:
    """The protocol's rules with the messages in a JSON file: rule id to text.

    Where a message quotes a number it has `{count}`.
    """
    try:
        messages = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"not a table of messages: {error}", where=str(path), hint="a JSON object by rule id"
        ) from None
    return builtin_rules().with_messages(messages)


def public_files(
    dossier: StoredDossier, *, phase: str | None = None, pictures: bool = True
) -> dict[str, bytes]:
    """Path and content of a public copy."""
    if phase is not None and phase not in PHASES:
        raise UnknownIdError.among("phase", phase, PHASES)
    visible = msgspec.json.decode(
        dossier.load(model.VISIBILITY_FILE), type=dict[str, tuple[str, ...]]
    )
    shown = None if phase is None else frozenset(visible[phase])
    files = {path: dossier.load(path) for path in PUBLIC_ROOT if path in dossier.ids}
    files |= {
        path: json_bytes(_without_snapshots(msgspec.json.decode(dossier.load(path))))
        for path in (model.GRAPH_FILE, model.CONTRACTS_FILE, model.VISIBILITY_FILE)
    }
    rasters = {s.path: s.raster for s in load_catalog().sources.values() if s.raster}
    for node in msgspec.json.decode(dossier.load(model.GRAPH_FILE), type=GraphFile).nodes:
        if node.public_status != AVAILABLE or _is_snapshot(node.evidence_id):
            continue
        if shown is None or node.evidence_id in shown:
            files[node.path] = dossier.load(node.path)
            picture = rasters.get(node.path)
            if pictures and picture is not None and picture in dossier.ids:
                files[picture] = dossier.load(picture)
    if phase is not None:
        files[PHASE_FILE] = f"{phase}\n".encode()
    return files


def _without_snapshots(value: Any) -> Any:
    """A root file's content without the snapshots: as ids in lists, as nodes and edges."""
    if isinstance(value, Mapping):
        return {key: _without_snapshots(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_snapshots(item) for item in value if not _is_about_snapshot(item)]
    return value


def _is_about_snapshot(item: Any) -> bool:
    name = item.get("evidence_id", item.get("from")) if isinstance(item, Mapping) else item
    return _is_snapshot(name)


def _is_snapshot(name: object) -> bool:
    return isinstance(name, str) and name.startswith(SNAPSHOT_PREFIX)
