"""Facts and decisions the published package gave for a few seeds, recorded from its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generators.facts import make_case
from generators.governance import builtin_rules, evaluate_route

RECORDED: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "facts" / "cases.json").read_text("utf-8")
)
WORDED = {
    "project": ("project_name", "sponsor", "project_manager", "business_owner", "service_owner",
                "risk_owner"),
    "general": ("benefits_owner",),
}  # fmt: skip
"""Facts whose words are each implementation's own, and which are not recorded."""


def comparable(case: dict[str, Any]) -> dict[str, Any]:
    """A case in the form of the recording: words left out, ledgers as ids, the award as a place."""
    facts: dict[str, Any] = json.loads(json.dumps(case))
    for section, keys in WORDED.items():
        for key in keys:
            del facts[section][key]
    profile, procurement = facts["architecture_profile"], facts["procurement"]
    for ledger, keys in (
        ("defects", ("id", "severity")),
        ("semantic_faults", ("id", "severity", "layer")),
        ("inconsistencies", ("fact", "source_of_truth")),
    ):
        profile[ledger] = [[row[key] for key in keys] for row in profile[ledger]]
    vendors = [offer.pop("vendor") for offer in procurement["offers"]]
    procurement["selected_vendor"] = vendors.index(procurement["selected_vendor"])
    return facts


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda row: f"{row['route']}-{row['seed']}")
def test_recorded_facts_come_out_again(recorded: dict[str, Any]) -> None:
    """Every value, its kind, and the order of keys are as recorded."""
    case = make_case(
        recorded["seed"],
        route=recorded["route"],
        difficulty=recorded["difficulty"],
        architecture_attempt=recorded["architecture_attempt"],
        fact_attempts=recorded["fact_attempts"],
    )
    assert json.dumps(comparable(case)) == json.dumps(recorded["facts"])


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda row: f"{row['route']}-{row['seed']}")
def test_recorded_decisions_come_out_again(recorded: dict[str, Any]) -> None:
    """The rules decide on our facts what the published package decided on its own."""
    case = make_case(
        recorded["seed"],
        route=recorded["route"],
        difficulty=recorded["difficulty"],
        architecture_attempt=recorded["architecture_attempt"],
        fact_attempts=recorded["fact_attempts"],
    )
    decided = evaluate_route(case, builtin_rules().route(recorded["route"]))
    found = [[row.occurrence_id, row.disposition, list(row.finding_ids)] for row in decided]
    assert found == recorded["decisions"]
