"""The approval tool's checks: each refusal, and the order in which they are made."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from generators.governance import (
    Approval,
    Mandate,
    Refusal,
    builtin_rules,
    refuse,
    request_approval,
)

IT = builtin_rules().route("buy").occurrence("BUY-05-IT-1")
MANDATE = Mandate(
    reference="MANDATE-1",
    occurrence_id=IT.occurrence_id,
    gate=IT.gate,
    phase=IT.phase,
    authority="Ida Holm-7-RO",
    scope="All risk-acceptable findings, and no others.",
    active=True,
)
LAWFUL: dict[str, object] = {
    "gate": "it",
    "finding_ids": ["IT-EOL-001"],
    "conditions": ["Plan agreed."],
    "approval_reference": "MANDATE-1",
}


def request(**changes: object) -> Approval | Refusal:
    """What the tool makes of a lawful request with changes; `None` removes an argument."""
    arguments = {key: value for key, value in (LAWFUL | changes).items() if value is not None}
    return request_approval(arguments, occurrence=IT, mandates=[MANDATE])


def test_a_lawful_request_becomes_an_approval() -> None:
    """A request that passes every check is returned as a record with its own values."""
    assert msgspec.to_builtins(request()) == {
        "gate": "it",
        "finding_ids": ("IT-EOL-001",),
        "conditions": ("Plan agreed.",),
        "approval_reference": "MANDATE-1",
    }


@pytest.mark.parametrize(
    ("changes", "code", "named"),
    [
        ({"gate": "legal"}, "gate_not_in_route", ()),
        ({"gate": None}, "gate_not_in_route", ()),
        ({"gate": "legal", "finding_ids": 7}, "gate_not_in_route", ()),
        ({"finding_ids": "IT-EOL-001"}, "finding_ids_type", ()),
        ({"finding_ids": None}, "finding_ids_type", ()),
        ({"finding_ids": ["IT-EOL-001", 7]}, "finding_ids_type", ()),
        ({"finding_ids": {"IT-EOL-001": 1}, "conditions": []}, "finding_ids_type", ()),
        ({"finding_ids": []}, "empty_request", ()),
        ({"conditions": []}, "empty_request", ()),
        ({"conditions": None}, "empty_request", ()),
        ({"conditions": "Plan agreed."}, "empty_request", ()),
        ({"conditions": ["Plan agreed.", " \n"]}, "empty_request", ()),
        ({"conditions": ["Plan agreed.", 1]}, "empty_request", ()),
        ({"finding_ids": ["NEW-1", "A-1", "IT-RUN-001"]}, "unknown_finding", ("A-1", "NEW-1")),
        ({"finding_ids": ["LEGAL-LIAB-001"]}, "unknown_finding", ("LEGAL-LIAB-001",)),
        (
            {
                "finding_ids": ["IT-RUN-001", "IT-EOL-001", "IT-LICENSE-001"],
                "approval_reference": "",
            },
            "ineligible_finding",
            ("IT-LICENSE-001", "IT-RUN-001"),
        ),
        ({"approval_reference": "MANDATE-2"}, "unknown_reference", ()),
        ({"approval_reference": None}, "unknown_reference", ()),
        ({"approval_reference": ["MANDATE-1"]}, "unknown_reference", ()),
    ],
)
def test_refusals(changes: dict[str, Any], code: str, named: tuple[str, ...]) -> None:
    """Every unlawful request is refused with the first reason of the published order."""
    refusal = request(**changes)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.finding_ids) == (code, named)


def test_the_tool_does_not_look_at_open_findings() -> None:
    """An acceptable finding that is not open passes the tool, and fails when scored."""
    assert isinstance(request(finding_ids=["IT-CAPACITY-001"]), Approval)


@pytest.mark.parametrize(
    ("open_findings", "code"),
    [
        (None, None),
        (["IT-EOL-001"], None),
        (["IT-EOL-001", "IT-CAPACITY-001"], "coverage"),
        ([], "coverage"),
    ],
)
def test_coverage_is_checked_at_scoring(open_findings: Any, code: str | None) -> None:
    """Scoring demands that the findings named are exactly the open ones."""
    approval = request()
    assert isinstance(approval, Approval)
    refusal = refuse(approval, occurrence=IT, mandates=[MANDATE], open_findings=open_findings)
    assert (refusal and refusal.code) == code


def test_coverage_comes_before_the_reference() -> None:
    """When both fail, coverage is the reason given."""
    approval = Approval(
        gate="it", finding_ids=("IT-EOL-001",), conditions=("c",), approval_reference="x"
    )
    refusal = refuse(approval, occurrence=IT, mandates=[], open_findings=["IT-CAPACITY-001"])
    assert refusal is not None
    assert refusal.code == "coverage"


def test_a_mandate_record_takes_only_a_true_activity() -> None:
    """`active` is exactly true or false in a registry; a word or a number is not read as either."""
    for active in ("true", 1, None):
        form = msgspec.to_builtins(MANDATE) | {"active": active}
        with pytest.raises(msgspec.ValidationError, match="active"):
            msgspec.convert(form, Mandate)
