"""Records of the Procurement Gate."""

from __future__ import annotations

from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.levers import (
    Record,
    RecordWriter,
    Row,
    dated_history,
    owned,
    shuffle,
    thousands,
)


def _procurement_award(ctx: DossierContext) -> Record:
    procurement = ctx.case["procurement"]
    return {
        "selected_vendor": procurement["selected_vendor"],
        "purchasing_budget_keur": thousands(procurement["purchasing_budget_eur"]),
        "awarded_tco_3y_keur": thousands(ctx.offer["tco_3y_eur"]),
        "decision_status": "provisional",
    }


def _due_diligence(ctx: DossierContext) -> Record:
    def entry(offer: Row, *, sanctions: str, diligence: str, checked: bool) -> Row:
        return {
            "vendor": offer["vendor"],
            "mandatory_failed": offer["mandatory_criteria_failed"],
            "sanctions": ctx.record_word(sanctions),
            "due_diligence": ctx.record_word(diligence),
            "references_checked": checked,
        }

    rows = []
    for offer in ctx.case["procurement"]["offers"]:
        vendor = offer["vendor"]
        current = entry(
            offer,
            sanctions=offer["sanctions"],
            diligence=offer["due_diligence"],
            checked=offer["references_checked"],
        )
        begun = entry(offer, sanctions="pending", diligence="pending", checked=False)
        older = [begun] * ctx.count(0, 1, "dd", vendor)
        rows += dated_history(ctx, f"dd:{vendor}", current, older)
    return owned(ctx, "DUE_DILIGENCE", shuffle(ctx, "dd", rows))


WRITERS: Final[dict[str, RecordWriter]] = {
    "PROCUREMENT_AWARD": _procurement_award,
    "DUE_DILIGENCE": _due_diligence,
}
"""Evidence id → what is written for it."""
