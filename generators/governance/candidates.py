"""The findings a gate may report, as its reviewer is shown them before looking at the case."""

from __future__ import annotations

from generators.governance.loader import builtin_rules
from generators.governance.table import RuleTable
from generators.governance.vocabulary import Disposition, Record, Severity


class Candidate(Record, frozen=True, kw_only=True):
    """A finding that may be reported: what it means and entails, nothing about the case."""

    id: str
    severity: Severity
    description: str
    action: str
    owner: str
    disposition: Disposition
    risk_acceptance_allowed: bool


def candidate_findings(gate: str, *, rules: RuleTable | None = None) -> tuple[Candidate, ...]:
    """Candidates of a gate at any phase: in evaluation order, alternative branches last.

    Where a message quotes a number, the description has the letter n.
    """
    own = (rules or builtin_rules()).rules_of(gate)
    return tuple(
        Candidate(
            id=rule.id,
            severity=rule.severity,
            description=rule.message.replace("{count}", "n"),
            action=rule.action,
            owner=rule.owner,
            disposition=rule.disposition,
            risk_acceptance_allowed=rule.risk_acceptable,
        )
        for rule in sorted(own, key=lambda rule: rule.else_of is not None)
    )
