"""Submissions: what counts as a decision, and the first thing wrong with everything else."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given

from generators.environment import (
    Submission,
    SubmissionFault,
    check_submission,
    invalid_submission,
    submission_error,
    support_keys,
)
from generators.governance import DISPOSITIONS, Condition, handoff_of
from generators.protocol import DEFAULT_PROTOCOL
from tests.generators.environment.test_calls import arguments, values
from tests.generators.environment.worlds import DECISION, IT

CITED: dict[str, Any] = {"finding_id": "F", "observation_id": "obs-1", "json_pointer": "/0/a"}
QUOTED: dict[str, Any] = {"finding_id": "F", "evidence_id": "E", "quote": '"a": 1'}
ABSENT = object()


def check(condition: Condition = "docs", **changes: Any) -> Submission | SubmissionFault:
    """The decision with changes; `ABSENT` removes a key."""
    value = {key: value for key, value in (DECISION | changes).items() if value is not ABSENT}
    return check_submission(value, occurrence_id=IT.occurrence_id, condition=condition)


def fault(**changes: Any) -> str:
    """What is wrong with the decision, as `code name`."""
    found = check(**changes)
    assert isinstance(found, SubmissionFault)
    return f"{found.code} {found.name}".strip()


def test_a_valid_decision_is_normalized() -> None:
    """Keys come in the order of the record, the occurrence is the harness's."""
    found = check(confidence=1, occurrence_id="ELSEWHERE", evidence_support=[CITED])
    assert isinstance(found, Submission)
    assert json.loads(msgspec.json.encode(found)) == {
        **DECISION,
        "occurrence_id": IT.occurrence_id,
        "confidence": 1.0,
        "evidence_support": [CITED],
    }
    assert [*msgspec.to_builtins(found)] == [
        "occurrence_id",
        "disposition",
        "finding_ids",
        "actions",
        "evidence_refs",
        "authorization_required",
        "rationale",
        "confidence",
        "evidence_support",
    ]
    assert isinstance(found.confidence, float)


def test_support_may_be_absent() -> None:
    """The schema asks for it, the check does not."""
    found = check(evidence_support=ABSENT)
    assert isinstance(found, Submission)
    assert found.evidence_support == ()


@pytest.mark.parametrize("disposition", DISPOSITIONS)
def test_the_five_dispositions(disposition: str) -> None:
    """Each is accepted, whatever the authorization: that is for scoring."""
    assert isinstance(check(disposition=disposition), Submission)


def test_a_long_rationale_is_cut() -> None:
    """4000 characters are kept."""
    found = check(rationale="é" * 4001)
    assert isinstance(found, Submission)
    assert found.rationale == "é" * 4000


@pytest.mark.parametrize(
    "key",
    [
        "disposition",
        "finding_ids",
        "actions",
        "evidence_refs",
        "authorization_required",
        "rationale",
        "confidence",
    ],
)
def test_required_keys(key: str) -> None:
    """All but the support are required."""
    assert fault(**{key: ABSENT}) == f"missing_key {key}"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"colour": "red"}, "unknown_key colour"),
        ({"finding_ids": "LEG-001"}, "not_ids finding_ids"),
        ({"finding_ids": ["A", "A"]}, "not_ids finding_ids"),
        ({"actions": [""]}, "not_ids actions"),
        ({"actions": [7]}, "not_ids actions"),
        ({"evidence_refs": None}, "not_ids evidence_refs"),
        ({"evidence_refs": {"A": 1}}, "not_ids evidence_refs"),
        ({"authorization_required": "true"}, "not_flag authorization_required"),
        ({"authorization_required": 1}, "not_flag authorization_required"),
        ({"rationale": None}, "not_text rationale"),
        ({"confidence": True}, "not_confidence confidence"),
        ({"confidence": "0.5"}, "not_confidence confidence"),
        ({"confidence": 1.01}, "not_confidence confidence"),
        ({"confidence": -0.01}, "not_confidence confidence"),
        ({"confidence": math.nan}, "unwritable"),
        ({"confidence": math.inf}, "unwritable"),
        ({"rationale": "\ud800"}, "unwritable"),
        ({"evidence_support": {}}, "support_not_list evidence_support"),
        ({"evidence_support": None}, "support_not_list evidence_support"),
        ({"evidence_support": ["x"]}, "support_item evidence_support[0]"),
        ({"evidence_support": [CITED, QUOTED]}, "support_item evidence_support[1]"),
        ({"evidence_support": [CITED | {"more": "x"}]}, "support_item evidence_support[0]"),
        ({"evidence_support": [CITED | {"finding_id": " "}]}, "support_item evidence_support[0]"),
        ({"evidence_support": [CITED | {"finding_id": 7}]}, "support_item evidence_support[0]"),
        (
            {"evidence_support": [CITED | {"json_pointer": "0/a"}]},
            "support_pointer evidence_support[0]",
        ),
        ({"disposition": "go"}, f"not_disposition {', '.join(DISPOSITIONS)}"),
        ({"disposition": ["GO"]}, f"not_disposition {', '.join(DISPOSITIONS)}"),
    ],
)
def test_what_is_wrong(changes: dict[str, Any], expected: str) -> None:
    """Each fault has its code and names the key."""
    assert fault(**changes) == expected


@pytest.mark.parametrize("condition", ["facts", "docs", "attack"])
def test_support_is_quoted_in_the_facts_condition_and_cited_elsewhere(
    condition: Condition,
) -> None:
    """A condition accepts exactly its own form of support."""
    own, other = (QUOTED, CITED) if condition == "facts" else (CITED, QUOTED)
    assert support_keys(condition) == tuple(own)
    assert isinstance(check(condition, evidence_support=[own]), Submission)
    assert isinstance(check(condition, evidence_support=[other]), SubmissionFault)


@pytest.mark.parametrize("value", [None, [], "GO", 7])
def test_a_decision_is_an_object(value: Any) -> None:
    """Anything else is no decision."""
    found = check_submission(value, occurrence_id="X", condition="docs")
    assert found == SubmissionFault(code="not_object")


def test_the_agent_is_told_what_is_wrong() -> None:
    """The answer names the fault in words, and the run records the same words."""
    found = SubmissionFault(code="not_ids", name="actions")
    error = submission_error(found, DEFAULT_PROTOCOL)
    assert "actions" in error
    assert invalid_submission(found, DEFAULT_PROTOCOL) == {
        "status": "INVALID_SUBMISSION",
        "error": error,
    }


@given(values)
def test_any_value_is_checked(value: Any) -> None:
    """Nothing a model submits raises, and every fault can be told."""
    found = check_submission(value, occurrence_id="X", condition="docs")
    if isinstance(found, SubmissionFault):
        submission_error(found, DEFAULT_PROTOCOL).encode()


@given(arguments)
def test_any_change_is_checked(changes: dict[str, Any]) -> None:
    """A valid decision can be stored and handed over; the words of a fault can be sent."""
    found = check_submission({**DECISION, **changes}, occurrence_id="X", condition="docs")
    if isinstance(found, SubmissionFault):
        submission_error(found, DEFAULT_PROTOCOL).encode()
        return
    stored = msgspec.json.decode(msgspec.json.encode(found), type=Submission)
    assert stored == found
    handoff_of(msgspec.to_builtins(found), case_id="C", occurrence=IT, condition="docs")
