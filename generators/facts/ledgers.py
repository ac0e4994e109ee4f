"""Ledgers of an architecture: its defects, conflicts between documents about them, and faults.

They are part of a case but no rule and no document reads them; they are kept so that a case is
whole. DGF-Bench protocol, section 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from generators.facts.compiled import Listing, World, compile_listing
from generators.facts.table import read_table
from generators.governance.notation import GENERATOR_FUNCTIONS, parse
from generators.governance.vocabulary import Record, Severity

CLAIM = "in place as designed"
TRUTH = "absent or incomplete"
"""What a diagram says about a defect that the documents disagree on, and what is the case."""


class _Defect(Record, frozen=True, kw_only=True):
    id: str
    when: str
    description: str


class _Fault(_Defect, frozen=True, kw_only=True):
    severity: Severity
    layer: Literal["compute", "edge", "data"]


class _File(Record, frozen=True, kw_only=True):
    defect: list[_Defect]
    fault: list[_Fault]


class Ledgers:
    """The ledgers' conditions and wording, ready to be applied."""

    def __init__(self, constants: Mapping[str, object]) -> None:
        rows = read_table("ledgers.toml", _File)
        self._defects = {row.id: row for row in rows.defect}
        self._faults = {row.id: row for row in rows.fault}
        self.open_defects = _listing(self._defects, constants)
        self._open_faults = _listing(self._faults, constants)

    def records(self, world: World) -> dict[str, list[dict[str, Any]]]:
        """The three ledgers by the names of their keys in an architecture profile."""
        faults = [_fault_record(self._faults[name]) for name in self._open_faults(world)]
        defects = [_defect_record(self._defects[name]) for name in self.open_defects(world)]
        known = {record["id"] for record in defects}
        return {
            "defects": defects + [dict(fault) for fault in faults if fault["id"] not in known],
            "inconsistencies": [
                {
                    "type": "cross_document_conflict",
                    "fact": defect,
                    "diagram_claim": CLAIM,
                    "authoritative_truth": TRUTH,
                    "source_of_truth": owner,
                }
                for defect, owner in world["tmp"]["conflicts"].items()
            ],
            "semantic_faults": faults,
        }


def _listing(rows: Mapping[str, _Defect], constants: Mapping[str, object]) -> Listing:
    conditions = {name: parse(row.when, GENERATOR_FUNCTIONS) for name, row in rows.items()}
    return compile_listing(conditions, constants=constants)


def _defect_record(row: _Defect) -> dict[str, Any]:
    return {"id": row.id, "description": row.description, "severity": "high"}


def _fault_record(row: _Fault) -> dict[str, Any]:
    return {
        "id": row.id,
        "description": row.description,
        "severity": row.severity,
        "layer": row.layer,
    }
