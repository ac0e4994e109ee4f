"""Records of the Security Gate."""

from __future__ import annotations

from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.levers import Record, RecordWriter, shuffle


def _vuln_scan(ctx: DossierContext) -> Record:
    security = ctx.case["security"]
    groups = (
        (8000, "Critical", "Open", security["critical_vulns_open"]),
        (9000, "High", "Open", security["high_vulns_open"]),
        (7000, "Critical", "Remediated", ctx.count(0, 2, "vuln")),
        (1, "Medium", "Remediated", 1),
    )
    rows = [
        {"id": f"CVE-2026-{first + at:04d}", "severity": severity, "status": status}
        for first, severity, status, count in groups
        for at in range(count)
    ]
    return shuffle(ctx, "vuln", rows)


WRITERS: Final[dict[str, RecordWriter]] = {
    "VULN_SCAN": _vuln_scan,
}
"""Evidence id → what is written for it."""
