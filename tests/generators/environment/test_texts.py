"""The texts of the tools: complete, and telling a model what it has to know."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from generators.environment import SUBMIT, TOOL_NAMES, tool_texts
from generators.environment.faults import FaultCode
from generators.environment.rulings import ReturnRefusalCode
from generators.environment.submission import SubmissionFaultCode
from generators.governance.approvals import RefusalCode
from generators.protocol import protocols


@pytest.mark.parametrize("protocol", protocols())
@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("descriptions", (*TOOL_NAMES, SUBMIT)),
        ("approval_refused", get_args(RefusalCode)),
        ("return_refused", get_args(ReturnRefusalCode)),
        ("tool_error", get_args(FaultCode)),
        ("submission_refused", get_args(SubmissionFaultCode)),
    ],
)
def test_there_is_a_text_for_every_case(protocol: str, table: str, expected: Any) -> None:
    """Every tool and every fault has words in every protocol, and no words are left over."""
    texts: dict[str, str] = getattr(tool_texts(protocol), table)
    assert sorted(texts) == sorted(expected)
    assert all(text.strip() for text in texts.values())


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("list_evidence", ["public evidence", "gate", "phase"]),
        ("read_evidence", ["public", "id", "hidden truth"]),
        ("get_authorization_mandates", ["standing mandate", "grants nothing"]),
        ("request_evidence", ["owner", "logged", "not come"]),
        ("request_vendor_evidence", ["vendor", "not authoritative"]),
        ("create_risk_card", ["draft", "authorizes nothing"]),
        ("return_to_design", ["return", "within the exercise"]),
        ("approve_with_conditions", ["standing mandate", "scored"]),
        ("submit_gate_decision", ["final", "single time", "complete"]),
    ],
)
def test_descriptions_convey_what_the_protocol_asks(tool: str, said: list[str]) -> None:
    """Each description makes the points of the protocol's table of tools."""
    text = tool_texts("2026.12").descriptions[tool]
    assert all(part in text or part.capitalize() in text for part in said)
