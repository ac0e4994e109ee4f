"""Conditional approvals: accepting open risks under a standing mandate.

Each occurrence has a mandate. A reviewer may approve with conditions the findings that can be
accepted as a risk; that resolves nothing, but lets the gate say GO_WITH_RESERVATIONS. The tool
that executes a request checks it without knowing the reference decision; scoring checks it again,
and then the approval must name exactly the open findings (DGF-Bench protocol, section 4).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias, TypeGuard

from generators.governance.loader import builtin_rules
from generators.governance.routes import Occurrence
from generators.governance.table import RuleTable
from generators.governance.vocabulary import Phase, Record


class Mandate(Record, frozen=True, kw_only=True):
    """The standing power to accept risks at one occurrence (`06_authorization_registry.json`)."""

    reference: str
    occurrence_id: str
    gate: str
    phase: Phase
    authority: str
    scope: str
    active: bool

    def covers(self, occurrence: Occurrence) -> bool:
        """Whether the mandate is active and belongs to this very occurrence."""
        own = (self.occurrence_id, self.gate, self.phase)
        return self.active and own == (occurrence.occurrence_id, occurrence.gate, occurrence.phase)


class Approval(Record, frozen=True, kw_only=True):
    """A request to approve with conditions that is well formed."""

    gate: str
    finding_ids: tuple[str, ...]
    conditions: tuple[str, ...]
    approval_reference: str


class ReturnToDesign(Record, frozen=True, kw_only=True):
    """The gate sends findings back to design, which revokes its approval."""

    finding_ids: tuple[str, ...]
    reason: str


ApprovalEvent: TypeAlias = Approval | ReturnToDesign

RefusalCode: TypeAlias = Literal[
    "gate_not_in_route",
    "finding_ids_type",
    "empty_request",
    "unknown_finding",
    "ineligible_finding",
    "coverage",
    "unknown_reference",
]


class Refusal(Record, frozen=True, kw_only=True):
    """Why a request is not executed; `finding_ids` are the sorted ids at fault, if any are."""

    code: RefusalCode
    finding_ids: tuple[str, ...] = ()


def request_approval(
    arguments: Mapping[str, object],
    *,
    occurrence: Occurrence,
    mandates: Iterable[Mandate],
    rules: RuleTable | None = None,
) -> Approval | Refusal:
    """What the approval tool makes of its arguments at `occurrence`, an occurrence of the route."""
    gate, findings = arguments.get("gate"), arguments.get("finding_ids")
    conditions, reference = arguments.get("conditions"), arguments.get("approval_reference")
    if gate != occurrence.gate:
        return Refusal(code="gate_not_in_route")
    if not _is_texts(findings):
        return Refusal(code="finding_ids_type")
    if not findings or not _is_texts(conditions):
        return Refusal(code="empty_request")
    if not conditions or not all(condition.strip() for condition in conditions):
        return Refusal(code="empty_request")
    approval = Approval(
        gate=occurrence.gate,
        finding_ids=tuple(findings),
        conditions=tuple(conditions),
        approval_reference=reference if isinstance(reference, str) else "",
    )
    return refuse(approval, occurrence=occurrence, mandates=mandates, rules=rules) or approval


def refuse(  # noqa: PLR0911  # one return per refusal, in the protocol's order
    approval: Approval,
    *,
    occurrence: Occurrence,
    mandates: Iterable[Mandate],
    open_findings: Collection[str] | None = None,
    rules: RuleTable | None = None,
) -> Refusal | None:
    """The first reason not to let `approval` count, if there is one.

    `open_findings` are the findings of the reference decision, which only scoring knows.
    """
    own = {rule.id: rule for rule in (rules or builtin_rules()).rules_of(occurrence.gate)}
    named = set(approval.finding_ids)
    if approval.gate != occurrence.gate:
        return Refusal(code="gate_not_in_route")
    if not named or not approval.conditions:
        return Refusal(code="empty_request")
    if unknown := named - own.keys():
        return Refusal(code="unknown_finding", finding_ids=tuple(sorted(unknown)))
    if ineligible := {name for name in named if not own[name].risk_acceptable}:
        return Refusal(code="ineligible_finding", finding_ids=tuple(sorted(ineligible)))
    if open_findings is not None and named != set(open_findings):
        return Refusal(code="coverage")
    references = {mandate.reference for mandate in mandates if mandate.covers(occurrence)}
    if approval.approval_reference not in references:
        return Refusal(code="unknown_reference")
    return None


def standing_approval(
    events: Sequence[ApprovalEvent],
    *,
    occurrence: Occurrence,
    mandates: Sequence[Mandate],
    open_findings: Collection[str],
    rules: RuleTable | None = None,
) -> Approval | None:
    """The approval left standing after `events`: the last one that counts and was not revoked."""
    standing: Approval | None = None
    for event in events:
        match event:
            case ReturnToDesign():
                standing = None
            case Approval() if not refuse(
                event,
                occurrence=occurrence,
                mandates=mandates,
                open_findings=open_findings,
                rules=rules,
            ):
                standing = event
            case Approval():
                continue
    return standing


def _is_texts(value: object) -> TypeGuard[Sequence[str]]:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
