"""The tools that act: requests, risk cards, returns, approvals, and the state they leave."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import pytest

from generators.environment import ToolState, tool_texts
from generators.governance import builtin_rules
from generators.protocol import DEFAULT_PROTOCOL
from tests.generators.environment.worlds import IT, LEGAL, ask, mandate, result, review

WORDS = tool_texts(DEFAULT_PROTOCOL)
OPEN = "IT-EOL-001"
"""A finding of the IT gate that can be accepted as a risk."""

LAWFUL: dict[str, Any] = {
    "gate": "it",
    "finding_ids": [OPEN],
    "conditions": ["Plan agreed."],
    "approval_reference": f"MANDATE-{IT.occurrence_id}",
}
INELIGIBLE = next(rule.id for rule in builtin_rules().rules_of("it") if not rule.risk_acceptable)


def test_a_request_is_recorded_and_brings_nothing() -> None:
    """A request names the item's state and is appended; content never comes."""
    first = ask("request_evidence", evidence_id="LOCKED", reason="Needed.")
    assert first.result == {
        "status": "REQUEST_RECORDED",
        "evidence_id": "LOCKED",
        "public_status": "UNAVAILABLE",
        "note": WORDS.request_recorded,
    }
    assert [*first.result] == ["status", "evidence_id", "public_status", "note"]
    second = ask("request_evidence", None, first.state, evidence_id="REVIEW_FACTS_IT")
    assert second.result["public_status"] == "AVAILABLE"
    assert msgspec.to_builtins(second.state) == {
        "risk_cards": {},
        "requests": (
            {"evidence_id": "LOCKED", "reason": "Needed."},
            {"evidence_id": "REVIEW_FACTS_IT", "reason": ""},
        ),
        "workflow": {},
        "approvals": {},
    }


@pytest.mark.parametrize(
    ("evidence_id", "refusal"),
    [
        ("NOPE", {"status": "UNKNOWN_EVIDENCE", "evidence_id": "NOPE"}),
        ("UPSTREAM_DECISIONS", {"status": "UNKNOWN_EVIDENCE", "evidence_id": "UPSTREAM_DECISIONS"}),
        ("OTHERS", {"status": "NOT_IN_GATE_SCOPE", "evidence_id": "OTHERS", "gate": "it"}),
        (
            "LATER",
            {"status": "NOT_AVAILABLE_IN_PHASE", "evidence_id": "LATER", "phase": IT.phase},
        ),
    ],
)
def test_what_cannot_be_requested(evidence_id: str, refusal: dict[str, Any]) -> None:
    """What the gate may not know of cannot be asked for, and nothing is recorded."""
    assert result("request_evidence", evidence_id=evidence_id) == refusal


def test_a_risk_card_is_a_draft_with_an_id_of_its_own() -> None:
    """The id is a hash of occurrence, finding and owner; the card authorizes nothing."""
    answer = ask("create_risk_card", finding_id=OPEN, risk_owner="Ida É", rationale="Old.")
    key = f"{IT.occurrence_id}:{OPEN}:Ida É"
    card_id = "RC-" + hashlib.sha256(key.encode()).hexdigest()[:16]
    assert list(answer.result.items()) == [
        ("status", "CREATED"),
        ("risk_card_id", card_id),
        ("finding_id", OPEN),
        ("risk_owner", "Ida É"),
        ("rationale", "Old."),
        ("expiry_date", None),
        ("authorization_effective", False),
    ]
    assert msgspec.to_builtins(answer.state.risk_cards) == {card_id: answer.result}
    again = ask(
        "create_risk_card",
        None,
        answer.state,
        finding_id=OPEN,
        risk_owner="Ida É",
        rationale="Older.",
        expiry_date="2027-01-01",
    )
    assert [card.rationale for card in again.state.risk_cards.values()] == ["Older."]
    assert again.result["expiry_date"] == "2027-01-01"


@pytest.mark.parametrize("name", ["finding_id", "risk_owner", "rationale"])
@pytest.mark.parametrize("value", ["", "  \n", None, 7, ["x"]])
def test_a_risk_card_needs_three_texts(name: str, value: Any) -> None:
    """A required text that is blank or no text is refused."""
    stated: dict[str, Any] = {"finding_id": OPEN, "risk_owner": "Ida", "rationale": "Old."}
    refused = result("create_risk_card", **(stated | {name: value}))
    assert refused == {"status": "REJECTED", "reason": WORDS.card_refused}


def test_a_lawful_approval_is_executed() -> None:
    """An executed approval permits GO_WITH_RESERVATIONS and resolves nothing."""
    answer = ask("approve_with_conditions", **LAWFUL)
    assert list(answer.result.items()) == [
        ("status", "EXECUTED"),
        ("action", "APPROVE_WITH_CONDITIONS"),
        ("gate", "it"),
        ("finding_ids", [OPEN]),
        ("conditions", ["Plan agreed."]),
        ("approval_reference", f"MANDATE-{IT.occurrence_id}"),
        ("authorized_disposition", "GO_WITH_RESERVATIONS"),
        ("findings_resolved", False),
        ("note", WORDS.approved),
    ]
    assert msgspec.to_builtins(answer.state.approvals) == {
        IT.occurrence_id: {
            "reference": f"MANDATE-{IT.occurrence_id}",
            "finding_ids": (OPEN,),
            "conditions": ("Plan agreed.",),
        }
    }


APPROVAL_REFUSALS: list[tuple[dict[str, Any], str, dict[str, list[str]]]] = [
    ({"gate": "legal"}, "gate_not_in_route", {}),
    ({"finding_ids": OPEN}, "finding_ids_type", {}),
    ({"finding_ids": [OPEN, 7]}, "finding_ids_type", {}),
    ({"finding_ids": []}, "empty_request", {}),
    ({"conditions": []}, "empty_request", {}),
    ({"conditions": [" "]}, "empty_request", {}),
    ({"conditions": "Plan."}, "empty_request", {}),
    ({"finding_ids": ["Z", OPEN, "A"]}, "unknown_finding", {"unknown": ["A", "Z"]}),
    ({"finding_ids": [INELIGIBLE]}, "ineligible_finding", {"ineligible": [INELIGIBLE]}),
    ({"approval_reference": "MANDATE-X"}, "unknown_reference", {}),
    ({"approval_reference": f"MANDATE-{LEGAL.occurrence_id}"}, "unknown_reference", {}),
    ({"approval_reference": 7}, "unknown_reference", {}),
]


@pytest.mark.parametrize(("changes", "code", "named"), APPROVAL_REFUSALS)
def test_refused_approvals(changes: dict[str, Any], code: Any, named: dict[str, list[str]]) -> None:
    """Each refusal is REJECTED with its reason, and the ids at fault where ids are."""
    refused = result("approve_with_conditions", **(LAWFUL | changes))
    assert refused == {"status": "REJECTED", "reason": WORDS.approval_refused[code], **named}


@pytest.mark.parametrize("earlier", range(len(APPROVAL_REFUSALS)))
def test_refusals_are_tested_in_order(earlier: int) -> None:
    """A request with two faults is told the first one."""
    changes, code, _ = APPROVAL_REFUSALS[earlier]
    later = {}
    for other, _, _ in APPROVAL_REFUSALS[earlier + 1 :]:
        later.update({key: value for key, value in other.items() if key not in changes})
    refused = result("approve_with_conditions", **(LAWFUL | later | changes))
    assert refused["reason"] == WORDS.approval_refused[code]  # type: ignore[index]  # a code


@pytest.mark.parametrize("own", [(), (mandate(IT, active=False),), (mandate(IT, phase="design"),)])
def test_no_approval_without_an_active_mandate_of_this_meeting(own: Any) -> None:
    """The reference alone is worth nothing."""
    refused = result("approve_with_conditions", review(mandates=own), **LAWFUL)
    assert refused["reason"] == WORDS.approval_refused["unknown_reference"]


def test_a_reference_that_is_absent_is_an_unknown_one() -> None:
    """A model is told to give one; if it does not, that is a refusal and no failed call."""
    without = {key: value for key, value in LAWFUL.items() if key != "approval_reference"}
    refused = result("approve_with_conditions", **without)
    assert refused["reason"] == WORDS.approval_refused["unknown_reference"]


def test_the_tool_does_not_know_which_findings_are_open() -> None:
    """Any eligible finding of the catalog is approved, whether the case has it or not."""
    eligible = [rule.id for rule in builtin_rules().rules_of("it") if rule.risk_acceptable]
    answer = ask("approve_with_conditions", **(LAWFUL | {"finding_ids": eligible}))
    assert answer.result["status"] == "EXECUTED"


def test_the_last_approval_wins_and_a_return_revokes_it() -> None:
    """An occurrence has one approval, the last; returning to design takes it away."""
    first = ask("approve_with_conditions", **LAWFUL)
    second = ask("approve_with_conditions", None, first.state, **(LAWFUL | {"conditions": ["B"]}))
    assert second.state.approvals[IT.occurrence_id].conditions == ("B",)
    refused = ask("return_to_design", None, second.state, finding_ids=["NOPE"], reason="Old.")
    assert refused.state == second.state
    returned = ask("return_to_design", None, second.state, finding_ids=[OPEN], reason="Old.")
    assert list(returned.result.items()) == [
        ("status", "EXECUTED"),
        ("action", "RETURN_TO_DESIGN"),
        ("finding_ids", [OPEN]),
        ("reason", "Old."),
    ]
    assert msgspec.to_builtins(returned.state) == {
        "risk_cards": {},
        "requests": (),
        "workflow": {
            IT.occurrence_id: {
                "status": "RETURNED_TO_DESIGN",
                "finding_ids": (OPEN,),
                "reason": "Old.",
            }
        },
        "approvals": {},
    }
    assert second.state.approvals
    third = ask("approve_with_conditions", None, returned.state, **LAWFUL)
    assert third.state.approvals
    assert third.state.workflow


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"finding_ids": []}, "no_findings"),
        ({"finding_ids": OPEN}, "no_findings"),
        ({"finding_ids": [7]}, "no_findings"),
        ({"finding_ids": None}, "no_findings"),
        ({"finding_ids": [OPEN]}, "blank_reason"),
        ({"finding_ids": [OPEN], "reason": " "}, "blank_reason"),
        ({"finding_ids": [OPEN], "reason": 7}, "blank_reason"),
        ({"finding_ids": [OPEN, "A"], "reason": "Old."}, "unknown_finding"),
    ],
)
def test_refused_returns(arguments: Any, code: Any) -> None:
    """A return needs findings of the gate's catalog and a reason."""
    refused = result("return_to_design", **arguments)
    assert refused == {"status": "REJECTED", "reason": WORDS.return_refused[code]}


def test_a_gate_can_return_findings_that_cannot_be_accepted() -> None:
    """Eligibility matters to approvals only."""
    assert ask("return_to_design", finding_ids=[INELIGIBLE], reason="X").state != ToolState()
