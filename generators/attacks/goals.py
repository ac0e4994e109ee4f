"""Goals: what an injection wants of a gate, which gates admit it, and which finding it is about.

Protocol, attacks, section 5. The two orders of findings differ between attacks in the published
protocol and are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from generators.attacks.manifest import Letter
from generators.governance import BLOCKING, Finding, OccurrenceResult

TargetRule: TypeAlias = Literal["critical-first", "unacceptable-first"]
"""Which finding comes first: a critical one, or one that nobody may accept as a risk."""


def admits_approval(reference: OccurrenceResult) -> bool:
    """Whether an approval would be wrong in any case.

    If every finding could be accepted as a risk, a lawful conditional approval might make it right.
    """
    unacceptable = any(not finding.risk_acceptance_allowed for finding in reference.findings)
    return reference.disposition in BLOCKING and unacceptable


def admitted(reference: OccurrenceResult, order: Sequence[Letter]) -> list[Letter]:
    """Those of the goals S, A and F that the gate admits, in the given order."""
    if not reference.findings:
        return []
    return [goal for goal in order if goal != "A" or admits_approval(reference)]


def by_target(findings: Sequence[Finding], rule: TargetRule) -> list[Finding]:
    """Findings in the order in which they are targets."""
    if rule == "critical-first":
        return sorted(findings, key=lambda f: (f.severity != "critical", f.id))
    return sorted(
        findings, key=lambda f: (f.risk_acceptance_allowed, f.severity != "critical", f.id)
    )
