"""Stores for tests of dossiers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cache import Store
from generators.dossier import Dossier
from generators.dossier.storing import (
    StoredDossier,
    index_dossier,
    put_dossier,
    stored_dossier,
    summarize,
)

PICTURE = "gate_evidence/architecture/Architecture_Diagram_Detailed.png"
DIAGRAM = "gate_evidence/architecture/Architecture_Diagram_Detailed.svg"


def new_store(folder: Path) -> Store:
    """An empty store."""
    return Store.open(folder, "create")


def keep(
    store: Store, dossier: Dossier, *, pictures: Mapping[str, bytes] | None = None
) -> StoredDossier:
    """Put a dossier into a store, in one commit."""
    batch = store.batch()
    tree = put_dossier(batch, dossier, pictures=pictures)
    index_dossier(batch, dossier.name, tree, summarize(dossier.files, count=len(dossier.files)))
    store.commit(batch)
    found = stored_dossier(store, dossier.name, tree)
    assert found is not None
    return found
