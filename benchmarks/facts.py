"""How fast cases are drawn and chosen, against the published draws interpreted one by one.

Run with `python -m benchmarks.facts`. Times are processor time of one process, best of three.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from functools import partial

from generators.facts import case_hash, make_case, redraw_gate, version_names
from generators.governance import Case, builtin_rules
from generators.sampling import (
    Policy,
    diversity_report,
    identified_cases,
    make_plan,
    uniqueness_report,
)
from tests.generators.facts.oracle import published_facts

COUNT = 1_000
INTERPRETED = 40
ROUNDS = 3


def _rate(work: Callable[[int], object], count: int) -> float:
    """Calls per second; every call gets a seed of its own."""
    seeds = itertools.count()
    best = 0.0
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(count):
            work(next(seeds))
        best = max(best, count / (time.process_time() - start))
    return best


def _redraw(case: Case, gate: str, attempt: int) -> object:
    return redraw_gate(case, gate, attempt=attempt)


def main() -> None:
    """Print cases, redraws and planned cases per second."""
    interpreted = _rate(lambda seed: published_facts(seed, 4), INTERPRETED)
    print(f"draws interpreted     {interpreted:10,.0f} cases/s")
    for version in version_names():
        rate = _rate(partial(make_case, route="buy", difficulty=4, version=version), COUNT)
        print(f"{version:22}{rate:10,.0f} cases/s   {rate / interpreted:6.1f} x")
    case = make_case(1, route="buy", difficulty=4)
    print(f"digest of a case      {_rate(lambda _: case_hash(case), COUNT):10,.0f} /s")
    for gate in builtin_rules().gates:
        rate = _rate(partial(_redraw, case, gate), COUNT)
        print(f"redraw {gate:15}{rate:10,.0f} /s")
    policies: tuple[Policy, ...] = ("natural", "balanced")
    for policy in policies:
        start = time.process_time()
        plan = make_plan(policy=policy, seed=1, cases_per_route=40, difficulty=4)
        spent = time.process_time() - start
        print(f"plan, {policy:16}{len(plan.cases) / spent:10,.0f} cases/s")
    plan = make_plan(policy="natural", seed=1, cases_per_route=40, difficulty=4)
    cases = list(identified_cases(plan))
    start = time.process_time()
    uniqueness_report(cases)
    diversity_report(cases)
    print(f"reports, {len(cases)} cases   {time.process_time() - start:10.2f} s")


if __name__ == "__main__":
    main()
