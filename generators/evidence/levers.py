"""What makes records hard to read: histories, foreign rows, an order of rows that says nothing.

The same at every difficulty. Protocol, dossier sections 7.1 and 7.2.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from generators.evidence.context import DossierContext

Row: TypeAlias = dict[str, Any]
Record: TypeAlias = list[Row] | Row
"""Rows of a CSV in written order, or a JSON document."""
RecordWriter: TypeAlias = Callable[[DossierContext], Record]

APPLICATIONS: Final = (
    "Payroll Hub",
    "Vendor Portal",
    "Claims Workbench",
    "Field Service App",
    "Treasury Ledger",
    "Learning Portal",
    "Asset Tracker",
    "Pricing Engine",
    "Contract Vault",
    "Travel Desk",
)


class Other(NamedTuple):
    """A project that shares a record with this one."""

    project_id: str
    name: str


def shuffle(ctx: DossierContext, key: str, rows: Iterable[Row]) -> list[Row]:
    """`rows` in an order drawn from their own content under `key`."""
    return sorted(rows, key=lambda row: ctx.draw(key, json.dumps(row, sort_keys=True)))


def dated_history(ctx: DossierContext, key: str, current: Row, older: Sequence[Row]) -> list[Row]:
    """The entries of a history, dated, in a drawn order; the current one has the latest date."""
    entries = [*older, current]
    dated = [{"as_of": ctx.recorded_on(at), **entry} for at, entry in enumerate(entries)]
    return shuffle(ctx, key, dated)


def others(ctx: DossierContext, key: str, count: int) -> list[Other]:
    """The `count` foreign projects of the record called `key`."""
    found = []
    for at in range(count):
        digest = hashlib.sha256(f"{ctx.seed}:{key}:{at}".encode()).hexdigest()
        tag = digest[:5].upper()
        found.append(Other(f"DGF-PRT-{tag}", f"{ctx.pick(APPLICATIONS, key, 'name', at)} [{tag}]"))
    return found


def thousands(amount: float) -> float:
    """An amount in euros, in thousands."""
    return round(amount / 1000, 3)


def owned(ctx: DossierContext, evidence_id: str, rows: Iterable[Row]) -> list[Row]:
    """`rows`, each recorded by the owner of the record."""
    owner = ctx.catalog.sources[evidence_id].owner
    return [{**row, "recorded_by": owner} for row in rows]
