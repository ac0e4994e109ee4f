"""Approvals ruled on again from a record that may be wrong, damaged or forged."""

from __future__ import annotations

from typing import Any

import pytest

from generators.environment import ToolState, TraceEntry, approval_events, call
from generators.governance import Approval, ReturnToDesign, standing_approval
from tests.generators.environment.worlds import IT, LEGAL, MANDATES, mandate, review

OPEN = "IT-EOL-001"
APPROVE: dict[str, Any] = {
    "gate": "it",
    "finding_ids": [OPEN],
    "conditions": ["Plan agreed."],
    "approval_reference": f"MANDATE-{IT.occurrence_id}",
}
RETURN: dict[str, Any] = {"finding_ids": [OPEN], "reason": "Old."}


def entry(tool: str, args: dict[str, Any], **changes: Any) -> TraceEntry:
    """A call as recorded, its result changed."""
    answer = call(review(), ToolState(), tool=tool, arguments=args)
    return TraceEntry(tool=tool, args=args, result={**answer.result, **changes})


def events(*trace: TraceEntry, **options: Any) -> tuple[Any, ...]:
    """What a record comes to at the IT gate."""
    return approval_events(trace, **{"occurrence": IT, "mandates": MANDATES, **options})


def test_executed_events_in_the_order_of_the_trace() -> None:
    """Approvals and returns come back as records; other calls are passed over."""
    trace = [
        entry("list_evidence", {}),
        entry("approve_with_conditions", APPROVE),
        entry("approve_with_conditions", APPROVE | {"finding_ids": ["NOPE"]}),
        entry("return_to_design", RETURN),
    ]
    assert events(*trace) == (
        Approval(
            gate="it",
            finding_ids=(OPEN,),
            conditions=("Plan agreed.",),
            approval_reference=f"MANDATE-{IT.occurrence_id}",
        ),
        ReturnToDesign(finding_ids=(OPEN,), reason="Old."),
    )


@pytest.mark.parametrize("changes", [{"note": "other words"}, {"findings_resolved": True}])
def test_wording_is_not_compared(changes: dict[str, Any]) -> None:
    """Records made with other texts replay as well."""
    assert events(entry("approve_with_conditions", APPROVE, **changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "REJECTED"},
        {"action": "RETURN_TO_DESIGN"},
        {"gate": "legal"},
        {"finding_ids": []},
        {"conditions": ["Another."]},
        {"approval_reference": "MANDATE-X"},
    ],
)
def test_a_result_that_says_something_else_does_not_count(changes: dict[str, Any]) -> None:
    """Every key that carries meaning is compared."""
    assert events(entry("approve_with_conditions", APPROVE, **changes)) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "REJECTED"},
        {"action": "APPROVE_WITH_CONDITIONS"},
        {"finding_ids": []},
        {"reason": "New."},
    ],
)
def test_a_return_is_compared_too(changes: dict[str, Any]) -> None:
    """A return that was not really made revokes nothing."""
    assert events(entry("return_to_design", RETURN, **changes)) == ()


EXECUTED: dict[str, Any] = {"status": "EXECUTED", "action": "APPROVE_WITH_CONDITIONS", **APPROVE}


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("approve_with_conditions", {}),
        ("approve_with_conditions", APPROVE | {"colour": "red"}),
        ("approve_with_conditions", APPROVE | {"finding_ids": ["NOPE"]}),
        ("approve_with_conditions", APPROVE | {"conditions": ["\ud800"]}),
        ("return_to_design", APPROVE),
        ("return_to_design", {"finding_ids": [OPEN]}),
        ("read_evidence", APPROVE),
        ("no tool", APPROVE),
    ],
)
def test_forged_entries_do_not_count(tool: str, args: dict[str, Any]) -> None:
    """A result counts only if the arguments lead to it."""
    assert events(TraceEntry(tool=tool, args=args, result=EXECUTED)) == ()


@pytest.mark.parametrize(
    "options",
    [
        {"occurrence": LEGAL},
        {"mandates": ()},
        {"mandates": (mandate(IT, active=False),)},
    ],
)
def test_an_approval_counts_at_its_meeting_and_under_its_mandate(options: dict[str, Any]) -> None:
    """The mandate is looked up again."""
    assert events(entry("approve_with_conditions", APPROVE), **options) == ()


@pytest.mark.parametrize(("open_findings", "counts"), [([OPEN], True), ([OPEN, "X"], False)])
def test_coverage_is_judged_in_scoring(open_findings: list[str], counts: object) -> None:
    """The record holds the approval either way; it stands if it covers exactly what is open."""
    standing = standing_approval(
        events(entry("approve_with_conditions", APPROVE)),
        occurrence=IT,
        mandates=MANDATES,
        open_findings=open_findings,
    )
    assert (standing is not None) is counts
