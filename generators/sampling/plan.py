"""Plans: which cases make a dataset, as data that gives the same cases again.

A plan names each case by everything its facts depend on, and by the digest they must have.
DGF-Bench protocol, section 8.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias, get_args

import msgspec

from generators.facts import DEFAULT_VERSION, case_hash, case_id, make_case
from generators.governance.vocabulary import Record
from generators.sampling.errors import PlanError

Policy: TypeAlias = Literal["natural", "balanced"]
Edition: TypeAlias = Literal["v1", "v2"]
"""`v1`: as published. `v2`: seeds whose code or addresses are taken are passed over."""

SCHEMA: Final = "DGF-Sampling-Plan-v1"
STEMS: Final[dict[Policy, str]] = {"natural": "natural", "balanced": "balanced-coverage"}
NOTES: Final[dict[Policy, str]] = {
    "natural": (
        "Facts as the generator draws them; only the architecture is drawn again, until no other "
        "case has it."
    ),
    "balanced": (
        "Outcomes are spread evenly over General's decisions and, as far as those allow, over each "
        "specialist's, by drawing facts again and letting the rules decide. No decision is edited. "
        "Shares in this plan say nothing about how common an outcome is."
    ),
}


class PlannedCase(Record, frozen=True, kw_only=True):
    """One case of a plan. The order of the fields is that of the JSON form."""

    seed: int
    route: str
    difficulty: int
    architecture_attempt: int
    architecture_signature: str
    fact_attempts: dict[str, int]
    canonical_sha256: str


class Plan(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The cases of a dataset. `generator` is the version of the fact generator."""

    schema: str
    policy: Policy
    sampling_version: str
    seed: int
    cases_per_route: int
    difficulty: int
    cases: tuple[PlannedCase, ...]
    note: str
    generator: str = DEFAULT_VERSION

    @property
    def edition(self) -> Edition:
        """Which edition of the sampling policy made the plan."""
        return "v2" if self.sampling_version.endswith("v2") else "v1"


def planned(
    case: dict[str, Any], *, architecture_attempt: int, fact_attempts: dict[str, int]
) -> PlannedCase:
    """The line of a plan that gives `case`."""
    return PlannedCase(
        seed=case["seed"],
        route=case["project"]["route"],
        difficulty=case["difficulty"],
        architecture_attempt=architecture_attempt,
        architecture_signature=case["architecture_profile"]["architecture_signature"],
        fact_attempts=fact_attempts,
        canonical_sha256=case_hash(case),
    )


def generate(row: PlannedCase, *, version: str = DEFAULT_VERSION) -> dict[str, Any]:
    """The case a line of a plan stands for; one with another digest is refused."""
    case = make_case(
        row.seed,
        route=row.route,
        difficulty=row.difficulty,
        architecture_attempt=row.architecture_attempt,
        fact_attempts=row.fact_attempts,
        version=version,
    )
    _agree(row, "digest", case_hash(case), row.canonical_sha256)
    signature = case["architecture_profile"]["architecture_signature"]
    _agree(row, "architecture signature", signature, row.architecture_signature)
    return case


def _agree(row: PlannedCase, what: str, found: str, stated: str) -> None:
    if found != stated:
        raise PlanError(
            f"the case has {what} {found[:12]}…, the plan says {stated[:12]}…",
            where=f"seed {row.seed}, route {row.route}",
            hint="make the plan again: it was made by another generator or edited",
        )


def identified_cases(plan: Plan) -> Iterator[dict[str, Any]]:
    """The cases of `plan` in order, each with its `case_id` as in a written dossier."""
    for row in plan.cases:
        case = generate(row, version=plan.generator)
        case["case_id"] = case_id(case, architecture_attempt=row.architecture_attempt)
        yield case


def encode_plan(plan: Plan) -> bytes:
    """The plan as a dataset keeps it."""
    return json.dumps(msgspec.to_builtins(plan), indent=2, ensure_ascii=False).encode()


def decode_plan(data: bytes, *, name: str = "sampling_plan.json") -> Plan:
    """The plan in the file `name`, whose content is `data`."""
    try:
        plan = msgspec.json.decode(data, type=Plan)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise PlanError(f"not a sampling plan: {error}", where=name) from None
    if plan.schema != SCHEMA:
        raise PlanError(f"schema {plan.schema!r}", where=name, hint=f"this release reads {SCHEMA}")
    made = {f"{STEMS[plan.policy]}-{edition}" for edition in get_args(Edition)}
    if plan.sampling_version not in made:
        raise PlanError(
            f"sampling version {plan.sampling_version!r} of the policy {plan.policy!r}",
            where=name,
            hint=f"this release knows {' and '.join(sorted(made))}",
        )
    return plan
