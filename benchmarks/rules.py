"""How fast gates are evaluated, against the interpreter that defines the rules.

Run with `python -m benchmarks.rules`. Facts are drawn anew for each of three sets (as the generator
draws them, with wide numbers, and all bad), so that remembered results do not flatter; each figure
is that of the slowest set.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from generators.governance import (
    DISPOSITIONS,
    Decision,
    Field,
    Phase,
    builtin_rules,
    decisive_fields,
    evaluate_gate,
    evaluate_route,
    interpret_rules,
)

CASES = 4_000
PHASE: Phase = "build_acceptance"
SPECIALISTS = ("procurement", "legal", "compliance", "security", "it")

Draw = Callable[[random.Random, Field], Any]


def _usual(rng: random.Random, field: Field) -> Any:
    return rng.choice(field.values) if field.values else rng.choice((0.04, 500_000, 900_000))


def _wide(rng: random.Random, field: Field) -> Any:
    if field.type in ("int", "float", "number or word"):
        return rng.randint(-5, 5_000_000)
    return _usual(rng, field)


def _bad(_rng: random.Random, field: Field) -> Any:
    return field.values[-1] if field.values else 0


def _cases(draw: Draw) -> list[dict[str, Any]]:
    rng = random.Random(1)
    cases = []
    for _ in range(CASES):
        case: dict[str, Any] = {"project": {"risk_owner": "Ida Holm-7-RO"}}
        offer = {"vendor": "Brisco"}
        for name, field in builtin_rules().fields.items():
            section, _, key = name.partition(".")
            if key.startswith("offer."):
                offer[field.key] = draw(rng, field)
            else:
                case.setdefault(section, {})[key] = draw(rng, field)
        rivals = [{"vendor": name} for name in ("Arbel", "Corvane", "Delmont")]
        case["procurement"] |= {
            "selected_vendor": "Brisco",
            "offers": [*rivals[:2], offer, rivals[2]],
        }
        cases.append(case)
    return cases


def _rate(work: Callable[[dict[str, Any]], object], sets: Sequence[Sequence[Any]]) -> float:
    """Calls per second of processor time on the slowest set of facts, best of three passes."""
    rates = []
    for cases in sets:
        best = 0.0
        for _ in range(3):
            start = time.process_time()
            for case in cases:
                work(case)
            best = max(best, len(cases) / (time.process_time() - start))
        rates.append(best)
    return min(rates)


def main() -> None:
    """Print one row per gate, then whole routes."""
    rng = random.Random(2)
    upstream = [
        Decision(gate=gate, phase="design", disposition=rng.choice(DISPOSITIONS))
        for gate in SPECIALISTS
    ]
    words = [decision.disposition for decision in upstream]
    sets = [_cases(draw) for draw in (_usual, _wide, _bad)]
    table = builtin_rules()
    times = []
    print(f"{'gate':16}{'evaluations/s':>16}{'x interpreter':>16}{'decisive/s':>14}")
    for gate in table.gates:
        fast = _rate(partial(evaluate_gate, gate=gate, phase=PHASE, upstream=upstream), sets)
        slow = _rate(partial(interpret_rules, gate=gate, phase=PHASE, upstream=words), sets)
        read = _rate(partial(decisive_fields, gate=gate, phase=PHASE), sets)
        times.append(1 / fast)
        print(f"{gate:16}{fast:16,.0f}{fast / slow:16.1f}{read:14,.0f}")
    print(f"{'all gates':16}{len(times) / sum(times):16,.0f}")
    for name in ("buy", "integrate", "build"):
        rate = _rate(partial(evaluate_route, route=table.route(name)), sets)
        print(f"{'route ' + name:16}{rate:16,.0f}")


if __name__ == "__main__":
    main()
