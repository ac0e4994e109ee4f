"""Calls as models make them: wrong names, wrong arguments, anything at all."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from generators.environment import (
    SIGNATURES,
    TOOL_NAMES,
    ToolName,
    ToolState,
    TraceEntry,
    approval_events,
    budget_exhausted,
    call,
    message_text,
    tool_texts,
)
from generators.environment.values import is_writable
from generators.governance import builtin_rules, standing_approval
from generators.protocol import DEFAULT_PROTOCOL
from tests.generators.environment.worlds import (
    IT,
    MANDATES,
    NODES,
    SECURITY,
    ask,
    legal_said,
    result,
    review,
)

TOLERANT = ("list_evidence", "read_evidence")
STRICT = tuple(name for name in TOOL_NAMES if name not in TOLERANT)
REVIEWS = (
    review(upstream=legal_said()),
    review(SECURITY),
    review(condition="facts", upstream=legal_said("facts")),
)
IDS = [row["evidence_id"] for row in NODES]
FINDINGS = [rule.id for rule in builtin_rules().rules_of("it")]

words = st.sampled_from(
    [*IDS, *FINDINGS, "it", "security", "Arbel", "", " ", "UPSTREAM_DECISIONS", "\ud800"]
    + [mandate.reference for mandate in MANDATES]
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | words
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
arguments = st.dictionaries(
    st.sampled_from(sorted({p.name for s in SIGNATURES.values() for p in s.parameters}))
    | st.text(max_size=3),
    values | st.lists(words, max_size=3),
    max_size=6,
)
fitting = st.fixed_dictionaries(
    {},
    optional={
        "evidence_id": words,
        "vendor": words,
        "gate": st.sampled_from(["it", "it", "it", "security"]),
        "finding_ids": st.lists(st.sampled_from(FINDINGS), max_size=2),
        "conditions": st.just(["Plan."]) | st.lists(words, max_size=2),
        "approval_reference": st.sampled_from([mandate.reference for mandate in MANDATES]),
        "finding_id": words,
        "risk_owner": words,
        "rationale": words,
        "reason": words,
    },
)


@st.composite
def plausible(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A call with arguments that are those of the tool."""
    tool = draw(st.sampled_from(TOOL_NAMES))
    names = {parameter.name for parameter in SIGNATURES[tool].parameters}
    return tool, {name: value for name, value in draw(fitting).items() if name in names}


APPROVAL = (
    "approve_with_conditions",
    {
        "gate": "it",
        "finding_ids": ["IT-EOL-001"],
        "conditions": ["Plan."],
        "approval_reference": f"MANDATE-{IT.occurrence_id}",
    },
)
RETURN = ("return_to_design", {"finding_ids": ["IT-EOL-001"], "reason": "Old."})
lawful = st.sampled_from([APPROVAL, RETURN])

calls = lawful | st.tuples(st.sampled_from(TOOL_NAMES) | st.text(), arguments) | plausible()


@pytest.mark.parametrize("name", ["", "submit_gate_decision", "List_Evidence", "ré\ud800sumé"])
def test_a_name_that_is_no_tool(name: str) -> None:
    """A name that is none of the eight is an error that repeats it, without a trace."""
    answer = ask(name)
    assert [*answer.result] == ["status", "error", "tool"]
    assert answer.result["status"] == "TOOL_ERROR"
    assert answer.result["tool"] == name.replace("\ud800", "?")
    assert not answer.traced


@pytest.mark.parametrize("tool", STRICT)
def test_environment_tools_refuse_arguments_they_do_not_know(tool: str) -> None:
    """The six environment tools fail on an unknown argument, whatever else they are given."""
    refused = result(tool, colour="red")
    assert refused["status"] == "TOOL_ERROR"
    assert "colour" in refused["error"]


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("read_evidence", "evidence_id"),
        ("request_evidence", "evidence_id"),
        ("create_risk_card", "finding_id"),
        ("create_risk_card", "risk_owner"),
        ("create_risk_card", "rationale"),
        ("return_to_design", "finding_ids"),
        ("approve_with_conditions", "gate"),
        ("approve_with_conditions", "finding_ids"),
        ("approve_with_conditions", "conditions"),
    ],
)
def test_missing_arguments_are_errors(tool: ToolName, name: str) -> None:
    """A required argument that is absent fails the call and is named."""
    others = {p.name: "x" for p in SIGNATURES[tool].parameters if p.name != name}
    refused = result(tool, **others)
    assert (refused["status"], refused["tool"]) == ("TOOL_ERROR", tool)
    assert name in refused["error"]


@pytest.mark.parametrize(
    ("tool", "given_arguments"),
    [
        ("read_evidence", {"evidence_id": 7}),
        ("read_evidence", {"evidence_id": None}),
        ("read_evidence", {"evidence_id": ["RECORD"]}),
        ("request_evidence", {"evidence_id": {}}),
        ("request_evidence", {"evidence_id": "RECORD", "reason": 7}),
        ("request_vendor_evidence", {"vendor": 7}),
        (
            "create_risk_card",
            {"finding_id": "a", "risk_owner": "b", "rationale": "c", "expiry_date": 2027},
        ),
        ("read_evidence", {"evidence_id": "\udfff"}),
        ("read_evidence", {"evidence_id": "RECORD", "n": math.nan}),
        ("read_evidence", {"evidence_id": "RECORD", "n": 10**5000}),
        ("read_evidence", {"evidence_id": "RECORD", "\ud800": 1}),
        ("list_evidence", {"deep": json.loads("[" * 900 + "]" * 900)}),
    ],
)
def test_arguments_of_a_wrong_kind_are_errors(tool: str, given_arguments: Any) -> None:
    """What is no text, or cannot be written as JSON again, fails the call."""
    assert result(tool, **given_arguments)["status"] == "TOOL_ERROR"


@pytest.mark.parametrize(
    ("value", "writable"),
    [
        (json.loads("[" * 64 + "]" * 64), True),
        (json.loads("[" * 65 + "]" * 65), False),
        ({"a": [{"b": ["\ud800"]}]}, False),
        ({"a": [{"b": ["\U0001f600 é \x00"]}]}, True),
        ([10**1000 - 1, -(10**1000) + 1, 1e308, True, None], True),
        ([-(10**1000)], False),
        ([-math.inf], False),
    ],
)
def test_what_can_be_written_again(value: Any, writable: object) -> None:
    """Half pairs, numbers out of range and nesting beyond 64 levels cannot, wherever they are."""
    assert is_writable(value) is writable


def test_calls_over_the_budget_have_an_answer() -> None:
    """The answer says what to do instead."""
    assert budget_exhausted(DEFAULT_PROTOCOL) == {
        "status": "TOOL_BUDGET_EXHAUSTED",
        "message": tool_texts(DEFAULT_PROTOCOL).budget_exhausted,
    }


@given(st.sampled_from(REVIEWS), st.lists(calls, max_size=6))
@example(REVIEWS[0], [("create_risk_card", {"finding_id": "\ud800"})])
def test_whatever_is_sent_is_answered(asked: Any, sent: list[tuple[str, dict[str, Any]]]) -> None:
    """Every call has an answer that can be sent; no state changes in place; failures change none.

    Called again the same way, every tool gives the same result.
    """
    states, answers = [ToolState()], []
    for tool, given_arguments in sent:
        before = msgspec.json.encode(states[-1])
        answer = call(asked, states[-1], tool=tool, arguments=given_arguments)
        assert msgspec.json.encode(states[-1]) == before
        text = message_text(answer.result)
        assert json.loads(text.encode()) == answer.result
        if not answer.traced or answer.result.get("status") == "REJECTED":
            assert answer.state == states[-1]
        answers.append(answer)
        states.append(answer.state)
    for (tool, given_arguments), state, answer in zip(sent, states, answers, strict=False):
        assert call(asked, state, tool=tool, arguments=given_arguments) == answer


@given(st.lists(plausible() | lawful, max_size=12))
@example([APPROVAL, RETURN])
@example([APPROVAL, RETURN, APPROVAL])
def test_the_record_gives_the_approval_the_tools_left(
    sent: list[tuple[str, dict[str, Any]]],
) -> None:
    """Ruled on again from the trace, the approval in force is the one in the state."""
    asked, state, trace = REVIEWS[0], ToolState(), []
    findings: set[str] = set()
    for tool, given_arguments in sent:
        answer = call(asked, state, tool=tool, arguments=given_arguments)
        state = answer.state
        if answer.traced:
            entry = TraceEntry(tool=tool, args=given_arguments, result=answer.result)
            trace.append(entry)
        if answer.result.get("action") == "APPROVE_WITH_CONDITIONS":
            findings = set(given_arguments["finding_ids"])
    left = state.approvals.get(IT.occurrence_id)
    events = approval_events(trace, occurrence=IT, mandates=MANDATES)
    standing = standing_approval(events, occurrence=IT, mandates=MANDATES, open_findings=findings)
    assert (standing and (standing.finding_ids, standing.conditions)) == (
        left and (left.finding_ids, left.conditions)
    )


@given(plausible() | lawful)
def test_only_lawful_approvals_are_executed(sent: tuple[str, dict[str, Any]]) -> None:
    """An executed approval is of this gate, eligible, conditional and under its own mandate."""
    tool, given_arguments = sent
    answer = call(REVIEWS[0], ToolState(), tool=tool, arguments=given_arguments)
    if answer.result.get("action") != "APPROVE_WITH_CONDITIONS":
        assert not answer.state.approvals
        return
    rules = builtin_rules()
    assert given_arguments["gate"] == "it"
    assert given_arguments["finding_ids"]
    assert all(rules.rule(name).risk_acceptable for name in given_arguments["finding_ids"])
    assert given_arguments["conditions"]
    assert all(text.strip() for text in given_arguments["conditions"])
    assert given_arguments["approval_reference"] == f"MANDATE-{IT.occurrence_id}"
