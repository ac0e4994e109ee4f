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
from generators.evidence.formats import csv_bytes, json_bytes
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
from generators.evidence.records import build_records
from generators.evidence.tables import build_tables

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
    "build_records",
    "build_tables",
    "csv_bytes",
    "is_visible",
    "json_bytes",
    "load_catalog",
    "may_read",
    "required_records",
    "snapshot_id",
    "unit",
]
