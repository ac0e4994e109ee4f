"""Tool definitions: the protocol's table of tools, and schemas that a validator would accept."""

from __future__ import annotations

from typing import Any

import pytest

from dgf_async.tools import answer_format, review_tools, submission_schema, submission_tool
from generators.governance import DISPOSITIONS, Condition
from generators.protocol import DEFAULT_PROTOCOL

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}

TABLE: dict[str, tuple[dict[str, Any], list[str]]] = {
    "list_evidence": ({"include_unavailable": {"type": "boolean", "default": True}}, []),
    "read_evidence": ({"evidence_id": TEXT}, ["evidence_id"]),
    "get_authorization_mandates": ({}, []),
    "request_evidence": ({"evidence_id": TEXT, "reason": TEXT}, ["evidence_id"]),
    "request_vendor_evidence": ({"vendor": TEXT, "evidence_type": TEXT}, []),
    "create_risk_card": (
        {"finding_id": TEXT, "risk_owner": TEXT, "rationale": TEXT, "expiry_date": TEXT},
        ["finding_id", "risk_owner", "rationale"],
    ),
    "return_to_design": ({"finding_ids": TEXTS, "reason": TEXT}, ["finding_ids"]),
    "approve_with_conditions": (
        {"gate": TEXT, "finding_ids": TEXTS, "conditions": TEXTS, "approval_reference": TEXT},
        ["gate", "finding_ids", "conditions", "approval_reference"],
    ),
}


def function(definition: Any) -> Any:
    """The function of a definition."""
    assert [*definition] == ["type", "function"]
    assert definition["type"] == "function"
    return definition["function"]


def test_the_eight_tools_in_order() -> None:
    """Names and their order are those of the protocol's table."""
    names = [function(tool)["name"] for tool in review_tools(DEFAULT_PROTOCOL)]
    assert names == [*TABLE]


@pytest.mark.parametrize("name", TABLE)
def test_what_a_tool_takes(name: str) -> None:
    """Properties, types and required ones are those of the table; nothing else is allowed."""
    tools = {function(tool)["name"]: function(tool) for tool in review_tools(DEFAULT_PROTOCOL)}
    properties, required = TABLE[name]
    assert tools[name]["parameters"] == {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    assert [*tools[name]["parameters"]["properties"]] == [*properties]
    assert tools[name]["description"].strip()
    assert "strict" not in tools[name]


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        ("facts", ["finding_id", "evidence_id", "quote"]),
        ("docs", ["finding_id", "observation_id", "json_pointer"]),
        ("attack", ["finding_id", "observation_id", "json_pointer"]),
    ],
)
def test_the_schema_of_a_decision(condition: Condition, keys: list[str]) -> None:
    """All properties are required, the occurrence is none of them, support fits the condition."""
    assert submission_schema(condition) == {
        "type": "object",
        "properties": {
            "disposition": {"type": "string", "enum": [*DISPOSITIONS]},
            "finding_ids": TEXTS,
            "actions": TEXTS,
            "evidence_refs": TEXTS,
            "evidence_support": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": dict.fromkeys(keys, TEXT),
                    "required": keys,
                    "additionalProperties": False,
                },
            },
            "authorization_required": {"type": "boolean"},
            "rationale": TEXT,
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": [
            "disposition",
            "finding_ids",
            "actions",
            "evidence_refs",
            "evidence_support",
            "authorization_required",
            "rationale",
            "confidence",
        ],
        "additionalProperties": False,
    }


def test_strict_stands_on_the_function_where_it_is_asked_for() -> None:
    """`strict` is there or not; everything else is the same."""
    plain = function(submission_tool("docs", protocol=DEFAULT_PROTOCOL))
    strict = function(submission_tool("docs", protocol=DEFAULT_PROTOCOL, strict=True))
    assert plain["name"] == "submit_gate_decision"
    assert plain["parameters"] == submission_schema("docs")
    assert strict == {**plain, "strict": True}


def test_the_form_of_an_answer_without_tools() -> None:
    """The same schema, named and strict."""
    assert answer_format("facts") == {
        "type": "json_schema",
        "json_schema": {
            "name": "dgf_gate_decision",
            "strict": True,
            "schema": submission_schema("facts"),
        },
    }


def test_documents_and_attacks_offer_the_same_tools() -> None:
    """Nothing in a definition tells an attacked review from a clean one."""
    assert submission_tool("docs", protocol=DEFAULT_PROTOCOL) == submission_tool(
        "attack", protocol=DEFAULT_PROTOCOL
    )
