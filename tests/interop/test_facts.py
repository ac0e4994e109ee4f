"""Facts, plans, reports and decisions against those of the published package.

Equal in everything but the words each implementation chooses for itself: `WORDED`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from generators.facts import case_hash, case_id, make_case
from generators.governance import builtin_rules, evaluate_route
from generators.sampling import diversity_report, encode_plan, make_plan, uniqueness_report
from tests.interop.conftest import Dataset, Dossier

pytestmark = [pytest.mark.interop, pytest.mark.timeout(1800)]

WORDED = {
    "project.project_name",
    "project.sponsor",
    "project.project_manager",
    "project.business_owner",
    "project.service_owner",
    "project.risk_owner",
    "general.benefits_owner",
    "procurement.offers[].vendor",
    "procurement.selected_vendor",
    "architecture_profile.defects[].description",
    "architecture_profile.semantic_faults[].description",
    "architecture_profile.inconsistencies[].diagram_claim",
    "architecture_profile.inconsistencies[].authoritative_truth",
}
"""Facts whose words are each implementation's own. Nothing reads them to decide."""


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a case with its path, and the keys of every object in order."""
    if isinstance(value, dict):
        yield f"{path}.keys", list(value)
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        yield f"{path}.length", len(value)
        for item in value:
            yield from leaves(item, f"{path}[]")
    else:
        yield path, value


def award(case: dict[str, Any]) -> int:
    """Which of the four offers is selected."""
    vendors = [offer["vendor"] for offer in case["procurement"]["offers"]]
    return vendors.index(case["procurement"]["selected_vendor"])


def dossiers_of(datasets: list[Dataset]) -> list[Dossier]:
    """All dossiers of all datasets."""
    return [dossier for dataset in datasets for dossier in dataset.dossiers]


def ours(dossier: Dossier) -> dict[str, Any]:
    """Our case for the plan line of a dossier."""
    planned = dossier.planned
    return make_case(
        planned["seed"],
        route=planned["route"],
        difficulty=planned["difficulty"],
        architecture_attempt=planned["architecture_attempt"],
        fact_attempts=planned["fact_attempts"],
    )


def test_facts_are_equal(datasets: list[Dataset]) -> None:
    """Every value, its kind and the order of keys; words are apart, and only those named."""
    compared, worded = 0, set()
    dossiers = dossiers_of(datasets)
    for dossier in dossiers:
        theirs = {key: value for key, value in dossier.truth.items() if key != "case_id"}
        case = ours(dossier)
        for (path, value), (other_path, other) in zip(leaves(case), leaves(theirs), strict=True):
            assert path == other_path
            if path in WORDED:
                worded.add(path)
            else:
                assert (type(value), value) == (type(other), other), (dossier.folder.name, path)
                compared += 1
        assert award(case) == award(theirs)
    assert len(dossiers) >= 30
    routes = {dossier.planned["route"] for dossier in dossiers}
    assert routes == {"buy", "integrate", "build", "full_lifecycle"}
    print(
        f"\nfacts: {compared} values equal in {len(dossiers)} dossiers; {len(worded)} worded keys"
    )


def test_decisions_are_equal(datasets: list[Dataset]) -> None:
    """Our rules on their canonical facts give their reference decisions, all but the messages."""
    compared = findings = 0
    for dossier in dossiers_of(datasets):
        route = builtin_rules().route(dossier.planned["route"])
        decided = evaluate_route(dossier.truth, route)
        for result, theirs in zip(decided, dossier.hidden["reference_decisions"], strict=True):
            found = json.loads(msgspec.json.encode(result))
            for finding in [*found["findings"], *theirs["findings"]]:
                del finding["message"]
            assert found == theirs, (dossier.folder.name, result.occurrence_id)
            compared += 1
            findings += len(found["findings"])
    print(f"\ndecisions: {compared} equal, with {findings} findings")


def test_digests_are_equal(datasets: list[Dataset]) -> None:
    """Our digest and id of their cases are theirs."""
    dossiers = dossiers_of(datasets)
    for dossier in dossiers:
        attempt = dossier.planned["architecture_attempt"]
        assert case_hash(dossier.truth) == dossier.planned["canonical_sha256"]
        assert case_id(dossier.truth, architecture_attempt=attempt) == dossier.hidden["case_id"]
    print(f"\ndigests and ids: {len(dossiers)} equal")


def test_plans_are_equal(datasets: list[Dataset]) -> None:
    """Our plans for the same arguments are theirs, but for the note and the worded digests."""
    cases = 0
    for dataset in datasets:
        theirs = dataset.plan
        plan = make_plan(
            policy=theirs["policy"],
            seed=theirs["seed"],
            cases_per_route=theirs["cases_per_route"],
            difficulty=theirs["difficulty"],
            routes=list(dict.fromkeys(row["route"] for row in theirs["cases"])),
        )
        found = json.loads(encode_plan(plan))
        assert list(found) == list(theirs)
        for row in [found, theirs]:
            row.pop("note")
        for row in [*found["cases"], *theirs["cases"]]:
            row.pop("canonical_sha256")
        assert found == theirs
        cases += len(theirs["cases"])
    print(f"\nplans: {len(datasets)} equal, {cases} cases")


def test_reports_are_equal(datasets: list[Dataset]) -> None:
    """Our reports on their cases are theirs, but for the notes."""
    for dataset in datasets:
        cases = [dossier.truth for dossier in dataset.dossiers]
        for found, name in (
            (uniqueness_report(cases), "dataset_uniqueness_report.json"),
            (diversity_report(cases), "dataset_diversity_report.json"),
        ):
            theirs = dataset.report(name)
            for key in ("note", "notes", "sampling_policy", "sampling_version"):
                found.pop(key, None)
                theirs.pop(key, None)
            assert found == theirs, name
    print(f"\nreports: {2 * len(datasets)} equal")
