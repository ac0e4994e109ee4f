"""What approvals and returns come to, without their wording.

The tools rule on a request while the gate meets; scoring rules on it again from the record. Both
use this module, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from generators.environment.values import is_stated, is_texts
from generators.governance import (
    Approval,
    ApprovalEvent,
    Occurrence,
    ReturnToDesign,
    RuleTable,
    builtin_rules,
)
from generators.readers.content import Json
from generators.readers.dossier import ToolResult

EXECUTED: Final = "EXECUTED"

ReturnRefusalCode: TypeAlias = Literal["no_findings", "blank_reason", "unknown_finding"]


def request_return(
    arguments: Mapping[str, Json], *, occurrence: Occurrence, rules: RuleTable | None = None
) -> ReturnToDesign | ReturnRefusalCode:
    """What the return tool makes of its arguments at `occurrence`, or why it does nothing."""
    findings, reason = arguments["finding_ids"], arguments["reason"]
    if not is_texts(findings) or not findings:
        return "no_findings"
    if not is_stated(reason):
        return "blank_reason"
    own = {rule.id for rule in (rules or builtin_rules()).rules_of(occurrence.gate)}
    if not own.issuperset(findings):
        return "unknown_finding"
    return ReturnToDesign(finding_ids=tuple(findings), reason=reason)


def payload(event: ApprovalEvent) -> ToolResult:
    """The part of an executed result that carries meaning; a replay has to give the same."""
    match event:
        case Approval():
            return {
                "status": EXECUTED,
                "action": "APPROVE_WITH_CONDITIONS",
                "gate": event.gate,
                "finding_ids": [*event.finding_ids],
                "conditions": [*event.conditions],
                "approval_reference": event.approval_reference,
            }
        case ReturnToDesign():
            return {
                "status": EXECUTED,
                "action": "RETURN_TO_DESIGN",
                "finding_ids": [*event.finding_ids],
                "reason": event.reason,
            }
