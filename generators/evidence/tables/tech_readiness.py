"""Tables and documents of the Tech Readiness Gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.formats import Content, Document, Rows


def _backup_jobs(ctx: DossierContext) -> Rows:
    enabled = ctx.case["tech_readiness"]["backup_enabled"]
    return [
        {
            "enabled": enabled,
            "job": "daily-backup",
            "last_status": "Succeeded" if enabled else "NotConfigured",
            "retention_days": 35,
        }
    ]


def _failover_test(ctx: DossierContext) -> Rows:
    readiness = ctx.case["tech_readiness"]
    passed = readiness["dr_tested"] or not readiness["dr_required"]
    return [
        {
            "dr_required": readiness["dr_required"],
            "result": "PASS" if passed else "NOT_RUN",
            "secondary_region": ctx.case["architecture_profile"]["secondary_region"] or "N/A",
            "tested": readiness["dr_tested"],
        }
    ]


def _ci_pipeline(ctx: DossierContext) -> Document:
    readiness = ctx.case["tech_readiness"]
    return {
        "unit_test_coverage_pct": readiness["unit_test_coverage_pct"],
        "critical_static_findings": readiness["critical_static_findings"],
        "build_reproducible": True,
    }


def _rollback_test(ctx: DossierContext) -> Rows:
    tested = ctx.case["tech_readiness"]["rollback_tested"]
    return [{"result": "PASS" if tested else "NOT_RUN", "rollback_tested": tested}]


def _slo_sli(ctx: DossierContext) -> Rows:
    readiness = ctx.case["tech_readiness"]
    availability = "99.6%" if readiness["open_blockers"] else "99.95%"
    return [
        {"observed": availability, "sli": "availability", "target": "99.9%"},
        {
            "observed": readiness["p95_ms"],
            "sli": "p95_latency_ms",
            "target": ctx.case["architecture"]["latency_target_ms"],
        },
    ]


def _monitor_alerts(ctx: DossierContext) -> Rows:
    readiness = ctx.case["tech_readiness"]
    alerts = (
        ("Service availability", readiness["observability_metrics"], "critical"),
        ("Backup failure", readiness["backup_enabled"], "high"),
        ("Security log ingestion", ctx.case["security"]["logs_to_siem"], "high"),
    )
    return [{"alert": a, "configured": on, "severity": severity} for a, on, severity in alerts]


WRITERS: Final[dict[str, Callable[[DossierContext], Content]]] = {
    "BACKUP_JOBS": _backup_jobs,
    "FAILOVER_TEST": _failover_test,
    "CI_PIPELINE": _ci_pipeline,
    "ROLLBACK_TEST": _rollback_test,
    "SLO_SLI": _slo_sli,
    "MONITOR_ALERTS": _monitor_alerts,
}
"""Evidence id → what is written for it."""
