"""Records of the General Gate."""

from __future__ import annotations

from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.levers import (
    Other,
    Record,
    RecordWriter,
    Row,
    dated_history,
    others,
    owned,
    shuffle,
    thousands,
)

PRIORITIES: Final = ("P0", "P1", "P2", "P3")
ALIGNMENTS: Final = ("strong", "partial", "weak")
PLANS: Final = ("complete", "partial", "draft", "missing")


def _budget_approval(ctx: DossierContext) -> Record:
    general = ctx.case["general"]
    requested, approved = general["budget_requested_eur"], general["budget_approved_eur"]

    def entry(amount: int, status: str) -> Row:
        return {
            "requested_keur": thousands(requested),
            "approved_keur": thousands(amount),
            "approver": "CFO Office",
            "status": status,
        }

    factors = (0.6, 0.85)[: ctx.count(1, 2, "budget")]
    older = [entry(int(approved * factor), "SUPERSEDED") for factor in factors]
    current = entry(approved, "APPROVED" if approved >= requested else "PARTIAL")
    return owned(ctx, "BUDGET_APPROVAL", dated_history(ctx, "budget", current, older))


def _portfolio_snapshot(ctx: DossierContext) -> Record:
    general, project = ctx.case["general"], ctx.case["project"]

    def foreign(at: int, other: Other) -> Row:
        def draw(what: str) -> float:
            return ctx.draw("portfolio", what, at)

        requested = 100_000 + int(900_000 * draw("req"))
        return {
            "project_id": other.project_id,
            "priority": ctx.pick(PRIORITIES, "portfolio", "prio", at),
            "strategic_alignment": ctx.pick(ALIGNMENTS, "portfolio", "align", at),
            "requested_eur": requested,
            "approved_eur": int(requested * ctx.pick((0.8, 1.0, 1.2), "portfolio", "appr", at)),
            "roi": round(0.3 * draw("roi"), 3),
            "change_plan_status": ctx.pick(PLANS, "portfolio", "plan", at),
            "target_go_live": project["target_go_live"],
        }

    own = {
        "project_id": project["project_id"],
        "priority": general["portfolio_priority"],
        "strategic_alignment": general["strategic_alignment"],
        "requested_eur": general["budget_requested_eur"],
        "approved_eur": general["budget_approved_eur"],
        "roi": general["roi"],
        "change_plan_status": general["change_plan_status"],
        "target_go_live": project["target_go_live"],
    }
    rows = [foreign(at, other) for at, other in enumerate(others(ctx, "portfolio", 3))]
    return shuffle(ctx, "portfolio", [own, *rows])


WRITERS: Final[dict[str, RecordWriter]] = {
    "BUDGET_APPROVAL": _budget_approval,
    "PORTFOLIO_SNAPSHOT": _portfolio_snapshot,
}
"""Evidence id → what is written for it."""
