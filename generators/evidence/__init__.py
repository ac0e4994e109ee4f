"""Evidence of a dossier: the catalog, the public graph, hidden modes, records and tables."""

from generators.evidence.catalog import (
    SNAPSHOT_PREFIX,
    Catalog,
    CellTest,
    Decoder,
    Source,
    load_catalog,
    snapshot_id,
)
from generators.evidence.context import DossierContext
from generators.evidence.graph import (
    Graph,
    Mode,
    Node,
    build_graph,
    is_visible,
    may_read,
    required_records,
    unit,
)

__all__ = [
    "SNAPSHOT_PREFIX",
    "Catalog",
    "CellTest",
    "Decoder",
    "DossierContext",
    "Graph",
    "Mode",
    "Node",
    "Source",
    "build_graph",
    "is_visible",
    "load_catalog",
    "may_read",
    "required_records",
    "snapshot_id",
    "unit",
]
