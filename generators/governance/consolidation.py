"""How decisions flow along a route: what General receives, and what the reference then is.

A specialist's reference follows from the case alone. General's also follows from what it received,
so there are several references of it: on the canonical decisions (`evaluate_route`), on decisions
some of which were lawfully approved (`effective_references`), and on the decisions really submitted
(`received_reference`). DGF-Bench protocol, section 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from generators.governance.approvals import Approval, ApprovalEvent, Mandate, standing_approval
from generators.governance.evaluate import Decided, GateResult, evaluate_gate
from generators.governance.routes import Occurrence, Route
from generators.governance.table import RuleTable
from generators.governance.vocabulary import GENERAL, PROTOCOL, Case, Condition, Phase, Record

HandoffMode: TypeAlias = Literal["agent", "oracle", "none"]
"""What is handed over: decisions submitted, canonical decisions (facts condition), or nothing."""


class Held(Protocol):
    """Anything that says which gate met, and when."""

    @property
    def gate(self) -> str:
        """The gate that met."""
        ...

    @property
    def phase(self) -> str:
        """The phase it met in."""
        ...


class _Past(Held, Decided, Protocol):
    """A decision with its phase: what consolidation looks back at."""


Meeting = TypeVar("Meeting", bound=Held)


def select_upstream(history: Iterable[Meeting], phase: str) -> tuple[Meeting, ...]:
    """What a gate meeting in `phase` receives from the decisions already taken, in order.

    Specialists since the previous General; only those of the current phase if there are any.
    General itself is upstream of nothing.
    """
    since_general: list[Meeting] = []
    for meeting in history:
        if meeting.gate == GENERAL:
            since_general.clear()
        else:
            since_general.append(meeting)
    current = [meeting for meeting in since_general if meeting.phase == phase]
    return tuple(current or since_general)


class OccurrenceResult(GateResult, frozen=True, kw_only=True):
    """The reference decision of a gate at its place on a route."""

    occurrence_id: str
    position: int


class Decision(Record, frozen=True, kw_only=True):
    """What a gate decided at a meeting; `disposition` is null when it was not attempted."""

    gate: str
    phase: Phase
    disposition: str | None


class EffectiveReference(Record, frozen=True, kw_only=True):
    """The decision a submission is compared with.

    `approval` is the approval that counts, if there is one; `approval_used` says that the
    submission made use of it. Then `decision` has the disposition GO_WITH_RESERVATIONS and requires
    authorization; its findings, actions and opinion are unchanged, because accepting a risk
    resolves nothing.
    """

    decision: OccurrenceResult
    approval: Approval | None
    approval_used: bool


def evaluate_route(
    case: Case, route: Route, *, rules: RuleTable | None = None
) -> tuple[OccurrenceResult, ...]:
    """The canonical decisions of every occurrence of `route`, in order."""
    history: list[OccurrenceResult] = []
    for occurrence in route.occurrences:
        history.append(evaluate_occurrence(case, occurrence, history=history, rules=rules))
    return tuple(history)


def evaluate_occurrence(
    case: Case,
    occurrence: Occurrence,
    *,
    history: Sequence[_Past],
    rules: RuleTable | None = None,
) -> OccurrenceResult:
    """The reference decision at `occurrence` after the decisions of `history`."""
    result = evaluate_gate(
        case,
        occurrence.gate,
        phase=occurrence.phase,
        upstream=select_upstream(history, occurrence.phase),
        rules=rules,
    )
    return OccurrenceResult(
        **msgspec.structs.asdict(result),
        occurrence_id=occurrence.occurrence_id,
        position=occurrence.position,
    )


def effective_references(
    case: Case,
    route: Route,
    *,
    submitted: Mapping[str, str | None],
    approvals: Mapping[str, Sequence[ApprovalEvent]],
    mandates: Sequence[Mandate],
    rules: RuleTable | None = None,
) -> tuple[EffectiveReference, ...]:
    """The references a run is scored against, in route order.

    `submitted` and `approvals` give, by occurrence id, the disposition and the recorded approval
    events of the run; an occurrence that was not attempted may be missing from both.
    """
    effective: list[EffectiveReference] = []
    for occurrence in route.occurrences:
        history = [reference.decision for reference in effective]
        decision = evaluate_occurrence(case, occurrence, history=history, rules=rules)
        approval = standing_approval(
            approvals.get(occurrence.occurrence_id, ()),
            occurrence=occurrence,
            mandates=mandates,
            open_findings=decision.finding_ids,
            rules=rules,
        )
        claimed = submitted.get(occurrence.occurrence_id) == "GO_WITH_RESERVATIONS"
        used = approval is not None and claimed
        if used:
            decision = msgspec.structs.replace(
                decision, disposition="GO_WITH_RESERVATIONS", authorization_required=True
            )
        effective.append(
            EffectiveReference(decision=decision, approval=approval, approval_used=used)
        )
    return tuple(effective)


def received_reference(
    case: Case,
    route: Route,
    occurrence: Occurrence,
    *,
    submitted: Mapping[str, str | None],
    rules: RuleTable | None = None,
) -> OccurrenceResult:
    """The reference of `occurrence` on the decisions submitted before it, approvals aside.

    An earlier occurrence missing from `submitted` was not attempted: it is received with a null
    disposition, which raises no finding.
    """
    history = [
        Decision(
            gate=earlier.gate,
            phase=earlier.phase,
            disposition=submitted.get(earlier.occurrence_id),
        )
        for earlier in route.occurrences
        if earlier.position < occurrence.position
    ]
    return evaluate_occurrence(case, occurrence, history=history, rules=rules)


class Handoff(Record, frozen=True, kw_only=True):
    """A decision as it is handed to later gates. The order of the fields is that of the JSON form.

    `evidence_support` is left out where it would point at another gate's observations.
    `verification_status` is `model_claim` for what an agent submitted, `oracle` for a reference.
    """

    case_id: str
    source_version: str = PROTOCOL
    occurrence_id: str
    gate: str
    phase: Phase
    disposition: str = ""
    finding_ids: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    evidence_refs: tuple[str, ...] = ()
    evidence_support: tuple[Mapping[str, Any], ...] | msgspec.UnsetType = ()
    authorization_required: bool = False
    rationale: str = ""
    verification_status: str = "model_claim"


_CLAIMS = (
    "disposition",
    "finding_ids",
    "actions",
    "evidence_refs",
    "evidence_support",
    "authorization_required",
    "rationale",
    "verification_status",
)
"""What a handoff takes over from a submission, if it is there."""


def handoff_of(
    submission: Mapping[str, Any], *, case_id: str, occurrence: Occurrence, condition: Condition
) -> Handoff:
    """The handoff of a valid submission, given as JSON; values it lacks are empty."""
    claims = {name: submission[name] for name in _CLAIMS if submission.get(name) is not None}
    place = {"occurrence_id": occurrence.occurrence_id, "gate": occurrence.gate}
    record = {**claims, **place, "phase": occurrence.phase, "case_id": case_id}
    handoff = msgspec.convert(record, Handoff)
    if condition == "facts":
        return handoff
    return msgspec.structs.replace(handoff, evidence_support=msgspec.UNSET)


def oracle_handoff(reference: OccurrenceResult, *, case_id: str) -> Handoff:
    """The handoff of a reference decision (facts condition only)."""
    return Handoff(
        case_id=case_id,
        occurrence_id=reference.occurrence_id,
        gate=reference.gate,
        phase=reference.phase,
        disposition=reference.disposition,
        finding_ids=reference.finding_ids,
        actions=tuple(action.action for action in reference.required_actions),
        authorization_required=reference.authorization_required,
        verification_status="oracle",
    )
