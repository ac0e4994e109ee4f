"""Making plans: `make_plan` for a dataset, `benchmark_plan` for the one-command benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, get_args

import msgspec

from generators.facts import DEFAULT_VERSION, check_number
from generators.governance import BLOCKING, GENERAL, Route, builtin_rules, evaluate_route
from generators.sampling.balanced import Planner
from generators.sampling.errors import ExhaustedError, PlanArgumentError
from generators.sampling.plan import (
    NOTES,
    SCHEMA,
    STEMS,
    Edition,
    Plan,
    PlannedCase,
    Policy,
    generate,
    identified_cases,
    planned,
)
from generators.sampling.seeds import Supply
from generators.sampling.uniqueness import require_unique

ROUTES: Final = ("buy", "integrate", "build")
"""Routes of a dataset unless others are asked for."""


def make_plan(
    *,
    policy: Policy,
    seed: int,
    cases_per_route: int,
    difficulty: int,
    routes: Sequence[str] = ROUTES,
    edition: Edition = "v1",
    version: str = DEFAULT_VERSION,
) -> Plan:
    """A plan of `cases_per_route` cases for each of `routes`.

    Every case is generated once on the way, so that a plan with two cases that share what must be
    unique is refused before anything is written.

    Parameters
    ----------
    policy
        `natural` for facts as they are drawn, `balanced` for outcomes spread evenly.
    seed
        Seed of the first case; later cases take later seeds.
    edition
        `v1` as published; `v2` passes over seeds that would collide.
    version
        Version of the fact generator.
    """
    rules = builtin_rules()
    chosen = [rules.route(route) for route in routes]
    if policy not in STEMS:
        raise PlanArgumentError(f"unknown policy {policy!r}", hint=f"one of {', '.join(STEMS)}")
    if edition not in get_args(Edition):
        known = ", ".join(get_args(Edition))
        raise PlanArgumentError(f"unknown edition {edition!r}", hint=f"one of {known}")
    if not _is_count(cases_per_route):
        raise PlanArgumentError(f"{cases_per_route!r} cases per route", hint="give 1 or more")
    check_number("seed", seed)
    if len(set(routes)) != len(routes) or not routes:
        raise PlanArgumentError("a route is named twice, or none at all", where=", ".join(routes))
    closed = [route.id for route in chosen if not route.certifiable]
    if policy == "balanced" and closed:
        raise PlanArgumentError(
            "balanced sampling has no strata for this route",
            where=", ".join(closed),
            hint="use natural sampling, or leave the route out",
        )
    supply = Supply(seed, difficulty=difficulty, edition=edition, version=version)
    if policy == "natural":
        cases = [case for route in chosen for case in _natural(supply, route, cases_per_route)]
    else:
        planner = Planner(seed, supply=supply, rules=rules, version=version)
        cases = [case for route in chosen for case in planner.cases(route, cases_per_route)]
    plan = Plan(
        schema=SCHEMA,
        policy=policy,
        sampling_version=f"{STEMS[policy]}-{edition}",
        seed=seed,
        cases_per_route=cases_per_route,
        difficulty=difficulty,
        cases=tuple(cases),
        note=NOTES[policy],
        generator=version,
    )
    require_unique(list(identified_cases(plan)), edition=edition)
    return plan


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1


def _natural(supply: Supply, route: Route, count: int) -> Iterator[PlannedCase]:
    for _ in range(count):
        case, attempt = supply.case(supply.seed(route.id), route.id)
        yield planned(case, architecture_attempt=attempt, fact_attempts={})


def benchmark_plan(
    *,
    dossiers: int,
    seed: int,
    difficulty: int,
    routes: Sequence[str] = ROUTES,
    edition: Edition = "v1",
    version: str = DEFAULT_VERSION,
) -> Plan:
    """The plan of the one-command benchmark: `dossiers` cases that each give attacks a target.

    Of a balanced plan three times as large, the cases in which some specialist blocks are kept; the
    routes alternate. `cases_per_route` is that of the large plan.
    """
    if not _is_count(dossiers):
        raise PlanArgumentError(f"{dossiers!r} dossiers", hint="give 1 or more")
    share = -(-dossiers // len(routes)) if routes else 1
    plan = make_plan(
        policy="balanced",
        seed=seed,
        cases_per_route=3 * share,
        difficulty=difficulty,
        routes=routes,
        edition=edition,
        version=version,
    )
    kept: dict[str, list[PlannedCase]] = {route: [] for route in routes}
    for row in plan.cases:
        if _blocks(row, version):
            kept[row.route].append(row)
    short = [route for route in routes if len(kept[route]) < share]
    if short:
        raise ExhaustedError(
            "too few cases in which a specialist blocks",
            where=", ".join(short),
            hint="choose another base seed",
        )
    alternating = [row for turn in zip(*kept.values(), strict=False) for row in turn]
    return msgspec.structs.replace(plan, cases=tuple(alternating[:dossiers]))


def _blocks(row: PlannedCase, version: str) -> bool:
    """Whether some specialist blocks the case."""
    route = builtin_rules().route(row.route)
    decided = evaluate_route(generate(row, version=version), route)
    return any(result.gate != GENERAL and result.disposition in BLOCKING for result in decided)
