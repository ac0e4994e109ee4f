"""What a reviewer is shown of a case and of the rules: snapshot and candidate findings."""

from __future__ import annotations

import msgspec
import pytest

from generators.governance import (
    FactError,
    builtin_rules,
    candidate_findings,
    fact_snapshot,
    read_fact,
    retained_offer,
)
from tests.generators.governance.oracle import RULES
from tests.generators.governance.worlds import build, spotless

CASE = build(spotless())


def test_facts_by_name() -> None:
    """A dotted name reads a fact; an offer's is read from the retained offer."""
    assert read_fact(CASE, "it.catalog_status") == "standard"
    assert read_fact(CASE, "procurement.offer.sanctions") == "clear"
    assert retained_offer(CASE)["vendor"] == "Brisco"
    for absent in ("it.nothing", "nothing.at_all", "it.catalog_status.deeper"):
        with pytest.raises(FactError, match=absent):
            read_fact(CASE, absent)


@pytest.mark.parametrize("gate", list(builtin_rules().gates))
def test_snapshot(gate: str) -> None:
    """The project and the gate's section as they are; for architecture two profile flags more."""
    case = CASE | {"architecture_profile": {"solution": "x", **CASE["architecture_profile"]}}
    expected = {"project": case["project"], gate: case[gate]}
    if gate == "architecture":
        expected["architecture_profile"] = {"multi_az": True, "multi_region": False}
    assert fact_snapshot(case, gate) == expected
    assert list(fact_snapshot(case, gate)) == list(expected)


@pytest.mark.parametrize("section", ["project", "architecture", "architecture_profile"])
@pytest.mark.parametrize("bad", [None, "text", [], 5])
def test_a_snapshot_of_a_malformed_case_is_a_named_error(section: str, bad: object) -> None:
    """A section that is absent or no object is named."""
    for case in ({**CASE, section: bad}, {key: CASE[key] for key in CASE if key != section}):
        with pytest.raises(FactError, match=section):
            fact_snapshot(case, "architecture")


@pytest.mark.parametrize("gate", list(builtin_rules().gates))
def test_candidates(gate: str) -> None:
    """All rules of the gate in evaluation order, alternative branches last; nothing of the case."""
    own = [rule for rule in RULES if rule["gate"] == gate]
    plain = [rule for rule in own if "else_of" not in rule]
    branches = [rule for rule in own if "else_of" in rule]
    candidates = [msgspec.to_builtins(candidate) for candidate in candidate_findings(gate)]
    assert [
        {key: value for key, value in candidate.items() if key != "description"}
        for candidate in candidates
    ] == [
        {
            "id": rule["id"],
            "severity": rule["severity"],
            "action": rule["action"],
            "owner": rule["owner"],
            "disposition": rule["disposition"],
            "risk_acceptance_allowed": rule["risk_acceptable"],
        }
        for rule in plain + branches
    ]
    assert list(candidates[0])[:3] == ["id", "severity", "description"]
    for candidate in candidates:
        assert candidate["description"].strip()
        assert "{" not in candidate["description"]
