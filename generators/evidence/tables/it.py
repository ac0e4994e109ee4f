"""Tables and documents of the IT Gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.formats import Content, Rows


def _itsm_change(ctx: DossierContext) -> Rows:
    return [
        {
            "change_id": f"CHG{ctx.seed % 100_000:05d}",
            "planned_go_live": ctx.case["project"]["target_go_live"],
            "status": ctx.case["it"]["change_record_status"],
        }
    ]


WRITERS: Final[dict[str, Callable[[DossierContext], Content]]] = {
    "ITSM_CHANGE": _itsm_change,
}
"""Evidence id → what is written for it."""
