"""Balanced sampling: facts are drawn again until the rules give the decisions that are wanted.

For every case a target is set for each gate, first for General, so that its decisions are equally
frequent, then for the specialists, so that each decides as evenly as General's target allows. Facts
are then drawn again, gate by gate, until the rules meet the targets. No decision is ever edited.
DGF-Bench protocol, section 8; the order in which the planner's stream is used up is part of it.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from generators.facts import make_case, redraw_gate
from generators.facts.uniform import pick, shuffle
from generators.governance import (
    DISPOSITIONS,
    GENERAL,
    Case,
    Disposition,
    Occurrence,
    OccurrenceResult,
    Route,
    RuleTable,
    evaluate_occurrence,
    evaluate_route,
)
from generators.sampling.errors import ExhaustedError, PlanError
from generators.sampling.plan import PlannedCase, planned
from generators.sampling.seeds import Supply

FACT_ATTEMPTS: Final = 50_000
"""The last attempt at one gate's facts."""

STREAM_OFFSET: Final = 990_001
STRATA: Final[tuple[Disposition, ...]] = ("GO", "REWORK", "SUSPENSION", "NO_GO")
"""Decisions of General that a plan spreads its cases over."""

_SENSITIVE: Final = ("Confidential", "Restricted")
_VITAL: Final = ("High", "Critical")
_PASSING: Final = ("GO", "GO_WITH_RESERVATIONS")


class Planner:
    """Chooses the cases of one plan; holds what has been chosen so far."""

    def __init__(self, seed: int, *, supply: Supply, rules: RuleTable, version: str) -> None:
        self._rng = random.Random(seed + STREAM_OFFSET)
        self._supply = supply
        self._rules = rules
        self._version = version
        self._received: defaultdict[str, Counter[Disposition]] = defaultdict(Counter)

    def cases(self, route: Route, count: int) -> Iterator[PlannedCase]:
        """`count` cases of `route`, equally spread over General's decisions."""
        strata = [STRATA[i % len(STRATA)] for i in range(count)]
        shuffle(self._rng, strata)
        for general in strata:
            yield self._case(route, self._targets(route, general))

    def _targets(self, route: Route, general: Disposition) -> dict[str, Disposition]:
        """The decision wanted of every gate of `route`, by gate."""
        specialists = [met for met in route.occurrences if met.gate != GENERAL]
        choices = {met.gate: self._choices(met) for met in specialists}
        forced = None
        if general == "NO_GO":
            forced = pick(self._rng, [gate for gate in choices if "NO_GO" in choices[gate]])
        cap: Disposition = "GO_WITH_RESERVATIONS" if general == "GO" else general
        mild = DISPOSITIONS[: DISPOSITIONS.index(cap) + 1]
        targets: dict[str, Disposition] = {}
        for gate, possible in choices.items():
            allowed = [word for word in possible if word in mild]
            shuffle(self._rng, allowed)
            received = self._received[gate]
            rarest = min(allowed, key=lambda word: received[word])
            targets[gate] = "NO_GO" if gate == forced else rarest
        return {**targets, GENERAL: general}

    def _choices(self, met: Occurrence) -> list[Disposition]:
        return sorted(self._rules.possible_dispositions(met.gate, met.phase))

    def _case(self, route: Route, targets: Mapping[str, Disposition]) -> PlannedCase:
        seed = self._supply.seed(route.id)
        case, architecture = self._supply.case(
            seed, route.id, lambda drawn: compatible(drawn, targets)
        )
        attempts: dict[str, int] = {}
        history: list[OccurrenceResult] = []
        for met in route.occurrences:
            case, result, attempts[met.gate] = self._redrawn(case, met, targets[met.gate], history)
            history.append(result)
        self._check(case, route, targets, architecture=architecture, attempts=attempts)
        for result in history:
            self._received[result.gate][result.disposition] += 1
        return planned(case, architecture_attempt=architecture, fact_attempts=attempts)

    def _redrawn(
        self,
        case: dict[str, Any],
        met: Occurrence,
        target: Disposition,
        history: Sequence[OccurrenceResult],
    ) -> tuple[dict[str, Any], OccurrenceResult, int]:
        """The first draw of a gate's facts that gives its target, the result, the attempt."""
        for attempt in range(FACT_ATTEMPTS + 1):
            if attempt:
                case = redraw_gate(case, met.gate, attempt=attempt, version=self._version)
            result = evaluate_occurrence(case, met, history=history, rules=self._rules)
            if result.disposition == target:
                return case, result, attempt
        raise ExhaustedError(
            f"{met.gate} never decides {target} in {FACT_ATTEMPTS + 1} draws of its facts",
            where=f"seed {case['seed']}, {met.occurrence_id}",
            hint="choose another base seed",
        )

    def _check(
        self,
        case: Case,
        route: Route,
        targets: Mapping[str, Disposition],
        *,
        architecture: int,
        attempts: Mapping[str, int],
    ) -> None:
        """Refuse a case that its attempts do not give again, or whose route misses a target."""
        again = make_case(
            case["seed"],
            route=route.id,
            difficulty=case["difficulty"],
            architecture_attempt=architecture,
            fact_attempts=attempts,
            version=self._version,
        )
        decided = evaluate_route(again, route, rules=self._rules)
        if again != case or any(result.disposition != targets[result.gate] for result in decided):
            raise PlanError(
                "the case comes out differently when it is generated again",
                where=f"seed {case['seed']}, route {route.id}",
            )


def compatible(case: Case, targets: Mapping[str, Disposition]) -> bool:
    """Whether gates can still meet their targets on this architecture, whatever else is drawn."""
    return (
        _security_fits(case, targets.get("security", "NO_GO"))
        and _readiness_fits(case["tech_readiness"], targets.get("tech_readiness"))
        and (targets.get("architecture") not in _PASSING or _architecture_passes(case))
    )


def _security_fits(case: Case, target: Disposition) -> bool:
    facts, project = case["security"], case["project"]
    exposed = facts["internet_exposed"]
    sensitive = project["data_classification"] in _SENSITIVE
    if target == "NO_GO":
        return True
    if exposed and not facts["waf_present"]:
        return False
    if sensitive and not facts["private_endpoints"]:
        return False
    if target == "REWORK":
        return True
    profile = case["architecture_profile"]
    watching = exposed and facts["waf_mode"] == "Detection"
    return bool(profile["conditional_access"] and facts["logs_to_siem"] and not watching)


def _readiness_fits(facts: Mapping[str, Any], target: Disposition | None) -> bool:
    if target is None:
        return True
    if facts["backup_enabled"] is (target == "NO_GO"):
        return False
    ready = facts["restore_tested"] and (facts["dr_tested"] or not facts["dr_required"])
    return target not in _PASSING or bool(ready)


def _architecture_passes(case: Case) -> bool:
    facts, profile = case["architecture"], case["architecture_profile"]
    if facts["api_gateway_required"] and not facts["api_gateway_present"]:
        return False
    vital = case["project"]["business_criticality"] in _VITAL
    return bool(profile["multi_az"] or profile["multi_region"] or not vital)
