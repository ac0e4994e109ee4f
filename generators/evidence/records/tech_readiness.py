"""Records of the Tech Readiness Gate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.levers import Record, RecordWriter, Row, dated_history, owned, shuffle

OPERATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Production runbook": ("approved", "draft", "missing"),
    "On-call rota": ("defined", "not_defined"),
    "Operational handover": ("signed", "unsigned"),
}


def _restore_test(ctx: DossierContext) -> Record:
    readiness = ctx.case["tech_readiness"]
    hours, loss = readiness["measured_restore_hours"], readiness["measured_data_loss_minutes"]

    def entry(*, tested: bool, minutes: float, lost: int) -> Row:
        return {
            "tested": tested,
            "target_rto_hours": readiness["target_rto_hours"],
            "measured_restore_minutes": round(minutes, 3),
            "target_rpo_minutes": readiness["target_rpo_minutes"],
            "measured_data_loss_minutes": lost,
        }

    tested = readiness["restore_tested"]
    current = entry(tested=tested, minutes=60 * hours, lost=loss)
    older = [
        entry(
            tested=tested and ctx.draw("restore", at) >= 0.5,
            minutes=hours * 60 * (1.3 + 0.4 * at),
            lost=loss + 5 * (at + 1),
        )
        for at in range(ctx.count(1, 2, "restore"))
    ]
    return owned(ctx, "RESTORE_TEST", dated_history(ctx, "restore", current, older))


def _load_test(ctx: DossierContext) -> Record:
    readiness = ctx.case["tech_readiness"]
    peak = readiness["load_test_pct_of_peak"]

    def entry(percent: int) -> Row:
        return {
            "peak_test_pct": percent,
            "p95_ms": readiness["p95_ms"],
            "test_completion_pct": readiness["test_completion_pct"],
        }

    older = [entry(max(10, peak - 20 * (at + 1))) for at in range(ctx.count(1, 2, "load"))]
    return owned(ctx, "LOAD_TEST", dated_history(ctx, "load", entry(peak), older))


def _operations_readiness(ctx: DossierContext) -> Record:
    readiness = ctx.case["tech_readiness"]
    current = {
        "Production runbook": readiness["runbook_status"],
        "On-call rota": "defined" if readiness["on_call_defined"] else "not_defined",
        "Operational handover": "signed" if readiness["handover_signed"] else "unsigned",
    }

    def entry(item: str, status: str) -> Row:
        return {"item": item, "status": ctx.record_word(status), "owner": "Operations"}

    rows = []
    for item, vocabulary in OPERATIONS.items():
        older = [
            entry(item, ctx.pick_other(current[item], vocabulary, "ops", item, at))
            for at in range(ctx.count(0, 2, "ops", item))
        ]
        rows += dated_history(ctx, f"ops:{item}", entry(item, current[item]), older)
    return owned(ctx, "OPERATIONS_READINESS", shuffle(ctx, "ops", rows))


def _release_blockers(ctx: DossierContext) -> Record:
    code = ctx.case["project"]["project_code"]
    groups = (
        (0, "medium", "Closed", ctx.count(1, 3, "blk")),
        (50, "high", "Open", ctx.case["tech_readiness"]["open_blockers"]),
    )
    rows = [
        {
            "blocker_id": f"BLK-{code}-{first + at:02d}",
            "severity": severity,
            "status": status,
            "owner": "Product Team",
        }
        for first, severity, status, count in groups
        for at in range(count)
    ]
    return shuffle(ctx, "blk", rows)


WRITERS: Final[dict[str, RecordWriter]] = {
    "RESTORE_TEST": _restore_test,
    "LOAD_TEST": _load_test,
    "OPERATIONS_READINESS": _operations_readiness,
    "RELEASE_BLOCKERS": _release_blockers,
}
"""Evidence id → what is written for it."""
