"""Lines about dossiers and datasets that several commands print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cache import Store
from cli.columns import columns
from generators.dossier.dataset import StoredDataset, find_stored
from generators.dossier.exporting import dataset_dossiers
from generators.dossier.storing import StoredDossier

SHORT_ID = 12
"""Digits of an id that people are shown; any prefix of four finds it."""


def named(found: StoredDossier | StoredDataset) -> dict[str, str]:
    """Name and id, for machines."""
    return {"name": found.name, "id": found.tree.hex()}


def short(found: StoredDossier | StoredDataset) -> tuple[str, str]:
    """Name and id, for people."""
    return found.name, found.tree.hex()[:SHORT_ID]


def dossiers_of(store: Store, name: str) -> list[StoredDossier]:
    """The dossier that `name` means, or the dossiers of the dataset it means."""
    found = find_stored(store, name)
    if isinstance(found, StoredDossier):
        return [found]
    return list(dataset_dossiers(store, found).values())


def dossier_row(dossier: StoredDossier) -> dict[str, Any]:
    """One dossier, for machines."""
    return {**named(dossier), "summary": dossier.summary}


def dossier_table(dossiers: Sequence[StoredDossier]) -> str:
    """Dossiers, for people."""
    return columns(
        ("DOSSIER", "ID", "VARIANT", "DIFFICULTY", "FILES", "PROJECT"),
        (
            (
                *short(one),
                one.summary.variant,
                one.summary.difficulty,
                one.summary.files,
                one.summary.title,
            )
            for one in dossiers
        ),
    )


def not_certifiable(route: str) -> str:
    """What is said of a route that cannot be certified."""
    return (
        f"route {route} cannot be certified: some facts its gates decide on have no authoritative "
        "record, so it serves the facts condition only"
    )
