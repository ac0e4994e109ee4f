"""Uniqueness and diversity, against recorded reports and against their definitions."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.governance import builtin_rules, decisive_fields, evaluate_route
from generators.sampling import (
    CollisionError,
    diversity_markdown,
    diversity_report,
    identified_cases,
    make_plan,
    require_unique,
    uniqueness_report,
)
from generators.sampling.diversity import entropy
from tests.generators.governance.worlds import spotless
from tests.generators.sampling.test_plans import DATA, PLANS, plan_like

RECORDED: list[dict[str, Any]] = json.loads((DATA / "diversity.json").read_text("utf-8"))
FIELDS = {
    "case_id": 1,
    "project_id": 1,
    "project_name": 1,
    "project_code": 1,
    "architecture_id": 1,
    "architecture_signature": 1,
    "resource_prefix": 1,
    "canonical_truth_sha256": 1,
    "contract_version": 1,
    "hld_version": 1,
    "lld_version": 1,
    "all_named_people_across_dataset": 6,
    "all_vendor_names_across_dataset": 4,
    "all_private_cidrs_across_dataset": 3,
}
"""The fourteen checks, and how many values a case has for each."""


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    """Cases of a natural plan with 34 cases on two routes."""
    routes = ["buy", "build"]
    plan = make_plan(policy="natural", seed=700, cases_per_route=17, difficulty=4, routes=routes)
    return list(identified_cases(plan))


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda row: f"plan-{row['plan']}")
def test_diversity_is_as_recorded(recorded: dict[str, Any]) -> None:
    """Every figure is the one the published package wrote for the same cases."""
    plan = plan_like(PLANS[recorded["plan"]])
    report = diversity_report(list(identified_cases(plan)))
    for key, value in recorded["report"].items():
        assert report[key] == value, key
        assert list(report[key]) == list(value) if isinstance(value, dict) else True


def test_uniqueness_makes_fourteen_checks(cases: list[dict[str, Any]]) -> None:
    """The fourteen fields, each with one value per case or several, all unique in a plan."""
    report = uniqueness_report(cases)
    assert (report["schema"], report["case_count"]) == ("DGF-Bench-Uniqueness-v1", 34)
    assert report["all_checks_passed"]
    assert {check["field"]: check["count"] // 34 for check in report["checks"]} == FIELDS
    assert all(check["unique_count"] == check["count"] for check in report["checks"])
    assert list(report["checks"][0]) == ["field", "count", "unique_count", "ok", "duplicates"]


@pytest.mark.parametrize("field", [name for name in FIELDS if name != "canonical_truth_sha256"])
def test_every_check_can_fail(cases: list[dict[str, Any]], field: str) -> None:
    """A value of an earlier case in a later one fails that check alone, and names both cases."""
    paths = {
        "case_id": ("case_id",),
        "project_id": ("project", "project_id"),
        "project_name": ("project", "project_name"),
        "project_code": ("project", "project_code"),
        "architecture_id": ("architecture_profile", "architecture_id"),
        "architecture_signature": ("architecture_profile", "architecture_signature"),
        "resource_prefix": ("architecture_profile", "resource_prefix"),
        "contract_version": ("legal", "contract_version"),
        "hld_version": ("architecture", "hld_version"),
        "lld_version": ("architecture", "lld_version"),
        "all_named_people_across_dataset": ("general", "benefits_owner"),
        "all_vendor_names_across_dataset": ("procurement", "offers", 2, "vendor"),
        "all_private_cidrs_across_dataset": ("architecture", "private_cidrs", 1),
    }
    *steps, last = paths[field]
    changed: list[Any] = json.loads(json.dumps(cases[:5]))
    source, target = changed[1], changed[4]
    for step in steps:
        source, target = source[step], target[step]
    target[last] = source[last]
    report = uniqueness_report(changed)
    failed = [check for check in report["checks"] if not check["ok"]]
    assert [check["field"] for check in failed] == [field]
    duplicate = failed[0]["duplicates"][0]
    each = FIELDS[field]
    places = [duplicate["first_index"] // each, duplicate["duplicate_index"] // each]
    assert places == [1, 4]
    with pytest.raises(CollisionError, match="seeds 701 and 704"):
        require_unique(changed)


def test_only_the_second_edition_sees_equal_facts(cases: list[dict[str, Any]]) -> None:
    """Two cases that differ in names alone pass the published check and fail the better one."""
    twin: dict[str, Any] = json.loads(json.dumps(cases[0]))
    twin["case_id"] = "another"
    twin["project"]["project_name"] = "another"
    both = [cases[0], twin]

    def ok(edition: Any) -> bool:
        report = uniqueness_report(both, edition=edition)
        rows = {check["field"]: check["ok"] for check in report["checks"]}
        return bool(rows["canonical_truth_sha256"])

    assert ok("v1")
    assert not ok("v2")


def test_counts_add_up(cases: list[dict[str, Any]]) -> None:
    """Routes add up to gates; occurrences, decisions and findings are those of the routes."""
    report = diversity_report(cases)
    assert report["routes"] == {"buy": 17, "build": 17}
    table = builtin_rules()
    decided = [
        row for case in cases for row in evaluate_route(case, table.route(case["project"]["route"]))
    ]
    for gate, summary in report["gates"].items():
        met = [row for row in decided if row.gate == gate]
        parts = [each for key, each in report["by_route_gate"].items() if key.endswith(f"/{gate}")]
        assert summary["occurrences"] == len(met) == sum(each["occurrences"] for each in parts)
        assert sum(summary["decision_counts"].values()) == len(met)
        fired = sum(len(row.findings) for row in met)
        assert sum(summary["finding_occurrence_counts"].values()) == fired
        few = summary["independent_cases"] < 30
        assert ("fewer_than_30_independent_cases" in summary["warnings"]) is few
        top = summary["dominant_decision_share"] > 0.8
        assert (gate in report["concentrated_gates"]) is top
        assert ("dominant_decision_above_80_percent" in summary["warnings"]) is top


def test_one_class_has_no_entropy() -> None:
    """A single class gives 0, without a sign; so does a ratio to nothing."""
    assert math.copysign(1, entropy({"GO": 7})) == 1
    plan = make_plan(policy="natural", seed=1, cases_per_route=1, difficulty=4, routes=["buy"])
    text = json.dumps(diversity_report(list(identified_cases(plan))))
    assert "-0.0" not in text


@settings(deadline=None, max_examples=60)
@given(counts=st.lists(st.integers(1, 50), min_size=1, max_size=8))
def test_entropy_is_in_bits(counts: list[int]) -> None:
    """Between 0 and the logarithm of the number of classes, and reached when they are even."""
    named = dict(enumerate(counts))
    assert -1e-12 <= entropy(named) <= math.log2(len(counts)) + 1e-12
    even = dict.fromkeys(named, 3)
    assert math.isclose(entropy(even), math.log2(len(counts)), abs_tol=1e-12)


def test_the_second_edition_counts_what_decides(cases: list[dict[str, Any]]) -> None:
    """Facts of rules not in force do not make two occurrences different; sources are told."""
    report = diversity_report(cases, edition="v2")
    published = diversity_report(cases)
    for gate, summary in report["gates"].items():
        decisive = summary.pop("unique_decisive_fact_signatures")
        assert decisive <= summary["unique_relevant_fact_signatures"]
        assert summary == published["gates"][gate]
    sources = report.pop("general_decision_sources")
    general = report["gates"]["general"]["decision_counts"]
    for word, counts in sources.items():
        assert set(counts) <= {"own", "upstream", "both"}
        assert sum(counts.values()) == general[word]
    # General has no NO_GO rule of its own.
    assert set(sources["NO_GO"]) == {"upstream"}


def with_facts(case: dict[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a case with other values for some facts, by dotted name."""
    copy: dict[str, Any] = json.loads(json.dumps(case))
    for name, value in facts.items():
        section, key = name.split(".")
        copy[section][key] = value
    return copy


def test_sources_of_a_decision_of_general(cases: list[dict[str, Any]]) -> None:
    """General's REWORK rests on its own finding, on a specialist's REWORK, or on both."""
    case = next(each for each in cases if each["project"]["route"] == "build")
    clean = {name: word for name, word in spotless().items() if not name.startswith("procurement")}
    own: dict[str, object] = {"general.roi": 0.0}
    handed_over: dict[str, object] = {"it.license_compliant": False}
    sets = [own, handed_over, own | handed_over]
    report = diversity_report([with_facts(case, clean | bad) for bad in sets], edition="v2")
    assert report["general_decision_sources"] == {"REWORK": {"both": 1, "own": 1, "upstream": 1}}


@pytest.mark.parametrize(("count", "warned"), [(29, True), (30, False)])
def test_thirty_cases_are_enough(count: int, warned: bool) -> None:
    """The warning is for fewer than 30 independent cases."""
    plan = make_plan(
        policy="natural", seed=50, cases_per_route=count, difficulty=4, routes=["build"]
    )
    gates = diversity_report(list(identified_cases(plan)))["gates"]
    for summary in gates.values():
        assert ("fewer_than_30_independent_cases" in summary["warnings"]) is warned


def test_facts_that_never_decide_do_not_count(cases: list[dict[str, Any]]) -> None:
    """Changing a fact of a rule that no phase of the route applies changes the published count."""
    case: dict[str, Any] = cases[0]
    assert "general.change_plan_status" not in decisive_fields(case, "general", phase="governance")
    twin: dict[str, Any] = json.loads(json.dumps(case))
    current = case["general"]["change_plan_status"]
    twin["general"]["change_plan_status"] = "complete" if current != "complete" else "draft"
    summary = diversity_report([case, twin], edition="v2")["gates"]["general"]
    assert summary["unique_relevant_fact_signatures"] == 2
    assert summary["unique_decisive_fact_signatures"] == 1


def test_the_page_shows_the_report(cases: list[dict[str, Any]]) -> None:
    """One line per gate with its main figures, in English."""
    report = diversity_report(cases)
    page = diversity_markdown(report)
    assert page.startswith("# Variety of the dossiers, by gate\n")
    for gate, summary in report["gates"].items():
        line = next(line for line in page.splitlines() if line.startswith(f"| {gate} |"))
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[1] == str(summary["occurrences"])
        assert cells[-1] == f"{summary['dominant_decision_share']:.1%}"


def test_recorded_files_hold_no_prose() -> None:
    """Recordings are values only: no name, no message, no note."""
    for path in Path(DATA).glob("*.json"):
        text = path.read_text("utf-8")
        assert '"description"' not in text
        assert '"note' not in text
        assert '"message"' not in text
