"""The tables and JSON documents that the difficulty levers leave alone, a module per gate.

Protocol, dossier section 5.
"""

from __future__ import annotations

from generators.evidence.context import DossierContext
from generators.evidence.formats import content_bytes, csv_bytes
from generators.evidence.tables import (
    architecture,
    compliance,
    general,
    it,
    legal,
    procurement,
    security,
    tech_readiness,
)

_GATES = (
    general,
    it,
    architecture,
    security,
    tech_readiness,
    procurement,
    legal,
    compliance,
)

ACTION_COLUMNS = (
    "occurrence_id",
    "gate",
    "finding_id",
    "action",
    "owner",
    "status",
    "due_date",
)


def build_tables(ctx: DossierContext) -> dict[str, bytes]:
    """The files of this package for one dossier, withheld ones included: path → bytes."""
    sources = ctx.catalog.sources
    built = {
        sources[name].path: content_bytes(write(ctx))
        for gate in _GATES
        for name, write in gate.WRITERS.items()
    }
    built[sources["ACTION_REGISTER"].path] = csv_bytes([], ACTION_COLUMNS)
    return built
