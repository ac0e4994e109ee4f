"""Approvals ruled on again from the record of a run, as scoring needs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from generators.environment.calling import TraceEntry
from generators.environment.faults import ToolFault
from generators.environment.rulings import EXECUTED, payload, request_return
from generators.environment.signatures import bind
from generators.environment.values import is_writable
from generators.governance import (
    Approval,
    ApprovalEvent,
    Mandate,
    Occurrence,
    ReturnToDesign,
    RuleTable,
    request_approval,
)
from generators.readers.content import Json


def approval_events(
    trace: Iterable[TraceEntry],
    *,
    occurrence: Occurrence,
    mandates: Sequence[Mandate],
    rules: RuleTable | None = None,
) -> tuple[ApprovalEvent, ...]:
    """The approvals and returns of a recorded review that hold when they are ruled on again.

    An event counts if it was recorded as executed, its arguments are executed now, and both results
    say the same; their wording may differ. Whether an approval covers the open findings is for
    `governance.standing_approval` to say.
    """
    events: list[ApprovalEvent] = []
    for entry in trace:
        if entry.result.get("status") != EXECUTED:
            continue
        event = _ruled_again(entry, occurrence=occurrence, mandates=mandates, rules=rules)
        if event is not None and _says(entry.result, payload(event)):
            events.append(event)
    return tuple(events)


def _ruled_again(
    entry: TraceEntry,
    *,
    occurrence: Occurrence,
    mandates: Sequence[Mandate],
    rules: RuleTable | None,
) -> ApprovalEvent | None:
    if not is_writable(dict(entry.args)):
        return None
    try:
        match entry.tool:
            case "approve_with_conditions":
                approval = request_approval(
                    bind("approve_with_conditions", entry.args),
                    occurrence=occurrence,
                    mandates=mandates,
                    rules=rules,
                )
                return approval if isinstance(approval, Approval) else None
            case "return_to_design":
                returned = request_return(
                    bind("return_to_design", entry.args), occurrence=occurrence, rules=rules
                )
                return returned if isinstance(returned, ReturnToDesign) else None
    except ToolFault:
        return None
    return None


def _says(result: Mapping[str, Json], meant: Mapping[str, Json]) -> bool:
    return all(result.get(key) == value for key, value in meant.items())
