"""What no two cases of a dataset may share, checked before anything is written.

DGF-Bench protocol, section 9. The second edition of the check differs in one row: the digest of
the truth is taken over the facts decisions rest on, so that it can fail. Over the whole truth it
cannot, because that contains the case's own id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from generators.facts import json_hash
from generators.governance import Case, builtin_rules, decisive_fields, read_fact
from generators.sampling.errors import CollisionError
from generators.sampling.plan import Edition

SCHEMA: Final = "DGF-Bench-Uniqueness-v1"
NOTE: Final = (
    "What names a case, its people, its vendors or its networks appears in one case only. Words of "
    "shared vocabularies may repeat."
)
PEOPLE: Final = ("sponsor", "project_manager", "business_owner", "service_owner", "risk_owner")

Values: TypeAlias = Callable[[Case], Sequence[object]]
Report: TypeAlias = dict[str, Any]


def _fact(name: str) -> Values:
    return lambda case: (read_fact(case, name),)


def _people(case: Case) -> list[str]:
    holders = [case["project"][role] for role in PEOPLE]
    return [*holders, case["general"]["benefits_owner"]]


def _vendors(case: Case) -> list[str]:
    return [offer["vendor"] for offer in case["procurement"]["offers"]]


def _truth(case: Case) -> tuple[str]:
    return (json_hash(case),)


def _decisive_facts(case: Case) -> tuple[str]:
    """One digest over what decides anywhere on the case's route."""
    names = {
        name
        for met in builtin_rules().route(case["project"]["route"]).occurrences
        for name in decisive_fields(case, met.gate, phase=met.phase)
    }
    names.discard("procurement.selected_vendor")  # a name, unique anyway
    return (json_hash({name: read_fact(case, name) for name in names}),)


_TRUTH_FIELD: Final = "canonical_truth_sha256"
_CHECKS: Final[Mapping[str, Values]] = {
    "case_id": lambda case: (case["case_id"],),
    "project_id": _fact("project.project_id"),
    "project_name": _fact("project.project_name"),
    "project_code": _fact("project.project_code"),
    "architecture_id": _fact("architecture_profile.architecture_id"),
    "architecture_signature": _fact("architecture_profile.architecture_signature"),
    "resource_prefix": _fact("architecture_profile.resource_prefix"),
    _TRUTH_FIELD: _truth,
    "contract_version": _fact("legal.contract_version"),
    "hld_version": _fact("architecture.hld_version"),
    "lld_version": _fact("architecture.lld_version"),
    "all_named_people_across_dataset": _people,
    "all_vendor_names_across_dataset": _vendors,
    "all_private_cidrs_across_dataset": lambda case: case["architecture"]["private_cidrs"],
}


def uniqueness_report(cases: Sequence[Case], *, edition: Edition = "v1") -> Report:
    """The fourteen checks on `cases`, which have their `case_id`."""
    checks = [
        _check(field, [value for case in cases for value in values(case)])
        for field, values in _checks(edition).items()
    ]
    return {
        "schema": SCHEMA,
        "case_count": len(cases),
        "all_checks_passed": all(check["ok"] for check in checks),
        "checks": checks,
        "note": NOTE,
    }


def require_unique(cases: Sequence[Case], *, edition: Edition = "v1") -> Report:
    """The report on `cases`; a collision is refused with the seeds it is between."""
    report = uniqueness_report(cases, edition=edition)
    for check in report["checks"]:
        for duplicate in check["duplicates"]:
            each = check["count"] // len(cases)
            first, second = (
                cases[duplicate[place] // each] for place in ("first_index", "duplicate_index")
            )
            raise CollisionError(
                f"two cases share {duplicate['value']!r}",
                where=f"{check['field']} of seeds {first['seed']} and {second['seed']}",
                hint="choose another base seed, or plan with edition v2, which avoids collisions",
            )
    return report


def _checks(edition: Edition) -> dict[str, Values]:
    truth = _truth if edition == "v1" else _decisive_facts
    return {**_CHECKS, _TRUTH_FIELD: truth}


def _check(field: str, values: Sequence[object]) -> Report:
    first: dict[object, int] = {}
    duplicates = [
        {"value": value, "first_index": first[value], "duplicate_index": index}
        for index, value in enumerate(values)
        if first.setdefault(value, index) != index
    ]
    return {
        "field": field,
        "count": len(values),
        "unique_count": len(first),
        "ok": not duplicates,
        "duplicates": duplicates,
    }
