"""What the tools of a review have done so far: cards, requests, returns, approvals.

A value: a call gives a new state and leaves the old one as it is. A review begins with
`ToolState()`, and so does each further attempt at it. The JSON form is that of
`environment_state.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from generators.governance import Approval, ReturnToDesign
from generators.governance.vocabulary import Record


class RiskCard(Record, frozen=True, kw_only=True):
    """A draft. It authorizes nothing; the agent receives it as it is kept."""

    status: Literal["CREATED"] = "CREATED"
    risk_card_id: str
    finding_id: str
    risk_owner: str
    rationale: str
    expiry_date: str | None
    authorization_effective: Literal[False] = False


class EvidenceRequest(Record, frozen=True, kw_only=True):
    """A request to the owner of an item."""

    evidence_id: str
    reason: str | None


class Returned(Record, frozen=True, kw_only=True):
    """The last return to design of an occurrence."""

    status: Literal["RETURNED_TO_DESIGN"] = "RETURNED_TO_DESIGN"
    finding_ids: tuple[str, ...]
    reason: str


class Approved(Record, frozen=True, kw_only=True):
    """The approval in force at an occurrence."""

    reference: str
    finding_ids: tuple[str, ...]
    conditions: tuple[str, ...]


class ToolState(Record, frozen=True, kw_only=True):
    """Everything done; `workflow` and `approvals` are by occurrence, `risk_cards` by card."""

    risk_cards: Mapping[str, RiskCard] = {}
    requests: tuple[EvidenceRequest, ...] = ()
    workflow: Mapping[str, Returned] = {}
    approvals: Mapping[str, Approved] = {}

    def with_card(self, card: RiskCard) -> ToolState:
        """With one more draft, or the draft of that id rewritten."""
        cards = {**self.risk_cards, card.risk_card_id: card}
        return msgspec.structs.replace(self, risk_cards=cards)

    def with_request(self, request: EvidenceRequest) -> ToolState:
        """With one more request."""
        return msgspec.structs.replace(self, requests=(*self.requests, request))

    def with_approval(self, occurrence_id: str, approval: Approval) -> ToolState:
        """With an approval in the place of any earlier one."""
        approved = Approved(
            reference=approval.approval_reference,
            finding_ids=approval.finding_ids,
            conditions=approval.conditions,
        )
        approvals = {**self.approvals, occurrence_id: approved}
        return msgspec.structs.replace(self, approvals=approvals)

    def with_return(self, occurrence_id: str, event: ReturnToDesign) -> ToolState:
        """With findings sent back, which revokes the approval."""
        returned = Returned(finding_ids=event.finding_ids, reason=event.reason)
        kept = {name: value for name, value in self.approvals.items() if name != occurrence_id}
        return msgspec.structs.replace(
            self, workflow={**self.workflow, occurrence_id: returned}, approvals=kept
        )
