"""The 18 records under the difficulty levers, a module per gate.

Their facts are the case's; what makes them hard to read comes from `generators.evidence.levers`.
Protocol, dossier section 7.3.
"""

from __future__ import annotations

from collections.abc import Mapping

from generators.evidence.context import DossierContext
from generators.evidence.formats import csv_bytes, json_bytes
from generators.evidence.levers import Record
from generators.evidence.records import (
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


def build_records(ctx: DossierContext) -> dict[str, bytes]:
    """The files of this module for one dossier, withheld ones included: path → bytes."""
    return encode_records(ctx, record_values(ctx))


def record_values(ctx: DossierContext) -> dict[str, Record]:
    """What the records say, before it is written: evidence id → rows or document."""
    return {name: write(ctx) for gate in _GATES for name, write in gate.WRITERS.items()}


def encode_records(ctx: DossierContext, records: Mapping[str, Record]) -> dict[str, bytes]:
    """The files of `records`: path → bytes."""
    return {
        ctx.catalog.sources[name].path: (
            csv_bytes(value, list(value[0])) if isinstance(value, list) else json_bytes(value)
        )
        for name, value in records.items()
    }
