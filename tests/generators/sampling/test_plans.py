"""Plans: which cases are chosen, against recorded plans and against what sampling promises."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generators.facts import CaseArgumentError, make_case, project_code, redraw_gate
from generators.governance import BLOCKING, GENERAL, builtin_rules, evaluate_route
from generators.sampling import (
    CollisionError,
    ExhaustedError,
    Plan,
    PlanArgumentError,
    PlanError,
    Policy,
    benchmark_plan,
    decode_plan,
    encode_plan,
    generate,
    identified_cases,
    make_plan,
    planner,
    require_unique,
    seeds,
    uniqueness_report,
)
from generators.sampling import balanced as balanced_sampling

DATA = Path(__file__).parents[2] / "data" / "facts"
PLANS: list[dict[str, Any]] = json.loads((DATA / "plans.json").read_text("utf-8"))
BENCHMARKS: list[dict[str, Any]] = json.loads((DATA / "benchmarks.json").read_text("utf-8"))


def plan_like(recorded: dict[str, Any]) -> Plan:
    """Our plan for the arguments of a recorded one."""
    return make_plan(
        policy=recorded["policy"],
        seed=recorded["seed"],
        cases_per_route=recorded["cases_per_route"],
        difficulty=recorded["difficulty"],
        routes=recorded["routes"],
    )


@pytest.fixture(scope="module")
def balanced() -> Plan:
    """A balanced plan with eight cases per route."""
    return make_plan(policy="balanced", seed=900, cases_per_route=8, difficulty=4)


def dispositions(plan: Plan) -> list[dict[str, str]]:
    """For every case, what each gate decides."""
    table = builtin_rules()
    return [
        {
            row.gate: row.disposition
            for row in evaluate_route(case, table.route(case["project"]["route"]))
        }
        for case in identified_cases(plan)
    ]


@pytest.mark.parametrize("recorded", PLANS, ids=lambda row: f"{row['policy']}-{row['seed']}")
def test_plans_are_those_of_the_published_sampler(recorded: dict[str, Any]) -> None:
    """Seeds, architectures and attempts are those of plans the published package made."""
    plan = plan_like(recorded)
    assert plan.sampling_version == recorded["sampling_version"]
    assert [
        [
            row.seed,
            row.route,
            row.architecture_attempt,
            row.architecture_signature,
            [list(pair) for pair in row.fact_attempts.items()],
        ]
        for row in plan.cases
    ] == recorded["cases"]


@pytest.mark.parametrize("recorded", BENCHMARKS, ids=lambda row: str(row["seed"]))
def test_the_benchmark_selects_as_published(recorded: dict[str, Any]) -> None:
    """The one-command benchmark takes the cases the published package took."""
    plan = benchmark_plan(
        dossiers=recorded["dossiers"],
        seed=recorded["seed"],
        difficulty=recorded["difficulty"],
        routes=recorded["routes"],
    )
    assert [[row.seed, row.route] for row in plan.cases] == recorded["cases"]


def test_the_benchmark_keeps_cases_in_which_a_specialist_blocks() -> None:
    """Routes alternate, and some specialist decides REWORK, SUSPENSION or NO_GO in every case."""
    plan = benchmark_plan(dossiers=7, seed=5, difficulty=4)
    assert [row.route for row in plan.cases] == ["buy", "integrate", "build"] * 2 + ["buy"]
    assert plan.cases_per_route == 9
    for decided in dispositions(plan):
        assert {word for gate, word in decided.items() if gate != GENERAL} & set(BLOCKING)


def test_general_strata_are_equal(balanced: Plan) -> None:
    """On every route General's four decisions are equally frequent."""
    decided = dispositions(balanced)
    for route in ("buy", "integrate", "build"):
        rows = [
            each[GENERAL]
            for each, case in zip(decided, balanced.cases, strict=True)
            if case.route == route
        ]
        assert Counter(rows) == dict.fromkeys(("GO", "REWORK", "SUSPENSION", "NO_GO"), 2)


def test_specialists_stay_under_general(balanced: Plan) -> None:
    """No specialist is worse than General; none blocks where General says GO."""
    order = ("GO", "GO_WITH_RESERVATIONS", "REWORK", "SUSPENSION", "NO_GO")
    for decided in dispositions(balanced):
        worst = max(order.index(word) for gate, word in decided.items() if gate != GENERAL)
        assert worst <= max(1, order.index(decided[GENERAL]))
        if decided[GENERAL] == "NO_GO":
            assert worst == order.index("NO_GO")


def test_specialists_decide_in_more_than_one_way(balanced: Plan) -> None:
    """Every decision a gate can take at its phases is taken by some case of the plan."""
    seen: dict[str, set[str]] = {}
    for decided in dispositions(balanced):
        for gate, word in decided.items():
            seen.setdefault(gate, set()).add(word)
    table = builtin_rules()
    for route in ("buy", "integrate", "build"):
        for met in table.route(route).occurrences:
            if met.gate != GENERAL:
                assert set(table.possible_dispositions(met.gate, met.phase)) <= seen[met.gate]


def test_seeds_and_architectures_are_used_once(balanced: Plan) -> None:
    """Route after route, seeds count on from the plan's seed; no two signatures are equal."""
    assert [row.seed for row in balanced.cases] == list(range(900, 924))
    assert len({row.architecture_signature for row in balanced.cases}) == 24
    assert [row.route for row in balanced.cases[::8]] == ["buy", "integrate", "build"]


def test_attempts_are_the_smallest(balanced: Plan) -> None:
    """Before the attempt of a plan no draw of the gate's facts gave the decision wanted."""
    table = builtin_rules()
    row = next(row for row in balanced.cases if sum(row.fact_attempts.values()) > 20)
    route = table.route(row.route)
    decided = evaluate_route(generate(row), route)
    gate = next(gate for gate, attempt in row.fact_attempts.items() if attempt > 2)
    place = [met.gate for met in route.occurrences].index(gate)
    for attempt in range(row.fact_attempts[gate]):
        case = make_case(
            row.seed,
            route=row.route,
            difficulty=row.difficulty,
            architecture_attempt=row.architecture_attempt,
            fact_attempts={**row.fact_attempts, gate: attempt},
        )
        assert evaluate_route(case, route)[place].disposition != decided[place].disposition


@pytest.mark.parametrize("policy", ["natural", "balanced"])
@pytest.mark.parametrize("version", ["compat-1", "hashed-2", "coherent-3"])
def test_plans_are_made_again_and_read_back(policy: Policy, version: str) -> None:
    """The same arguments give the same bytes; the bytes give the plan; the plan gives its cases."""
    plans = [
        make_plan(policy=policy, seed=40, cases_per_route=4, difficulty=3, version=version)
        for _ in range(2)
    ]
    data = encode_plan(plans[0])
    assert data == encode_plan(plans[1])
    assert decode_plan(data) == plans[0]
    assert len(list(identified_cases(decode_plan(data)))) == 12


def test_a_plan_has_the_keys_of_the_protocol() -> None:
    """Two spaces of indent, no final newline, keys in order; the generator only if unusual."""
    plan = make_plan(policy="natural", seed=3, cases_per_route=1, difficulty=2, routes=["build"])
    text = encode_plan(plan).decode()
    assert text.startswith('{\n  "schema": "DGF-Sampling-Plan-v1",\n  "policy": "natural",\n')
    assert text.endswith("}")
    keys = "schema policy sampling_version seed cases_per_route difficulty cases note"
    assert list(json.loads(text)) == keys.split(" ")
    assert list(json.loads(text)["cases"][0]) == [
        "seed",
        "route",
        "difficulty",
        "architecture_attempt",
        "architecture_signature",
        "fact_attempts",
        "canonical_sha256",
    ]
    other = make_plan(policy="natural", seed=3, cases_per_route=1, difficulty=2, version="hashed-2")
    assert json.loads(encode_plan(other))["generator"] == "hashed-2"


def test_natural_plans_take_facts_as_drawn() -> None:
    """No fact is drawn again, and the full lifecycle is allowed."""
    routes = ["buy", "full_lifecycle"]
    plan = make_plan(policy="natural", seed=8, cases_per_route=3, difficulty=5, routes=routes)
    assert all(row.fact_attempts == {} for row in plan.cases)
    assert [row.route for row in plan.cases] == ["buy"] * 3 + ["full_lifecycle"] * 3


def test_a_used_architecture_is_drawn_again() -> None:
    """The smallest attempt whose signature no earlier case has."""
    supply = seeds.Supply(1, difficulty=4, edition="v1", version="compat-1")
    first, attempt = supply.case(7, "buy")
    again, second = supply.case(7, "build")
    assert (attempt, second) == (0, 1)
    assert first["architecture_profile"]["seed"] + 104_729 == again["architecture_profile"]["seed"]


def test_no_fitting_architecture_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """After attempts 0 to 10,000 the error names seed and route, and what to do."""
    assert seeds.ARCHITECTURE_ATTEMPTS == 10_000
    monkeypatch.setattr(seeds, "ARCHITECTURE_ATTEMPTS", 20)
    supply = seeds.Supply(1, difficulty=4, edition="v1", version="compat-1")
    with pytest.raises(ExhaustedError, match="seed 7, route buy") as caught:
        supply.case(7, "buy", lambda _: False)
    assert "21 attempts" in str(caught.value)


def _colliding_codes() -> tuple[int, int]:
    """Two seeds of the route `buy` with one code, the first such pair from seed 9,000 on."""
    known: dict[str, int] = {}
    for seed in range(9_000, 13_000):
        code = project_code(seed, "buy")
        if code in known:
            return known[code], seed
        known[code] = seed
    raise AssertionError


def test_a_collision_is_refused_while_planning() -> None:
    """The error names the field and both seeds before anything is written."""
    first, second = _colliding_codes()
    cases = [
        make_case(seed, route="buy", difficulty=4) | {"case_id": str(seed)}
        for seed in (first, first + 1, second)
    ]
    report = uniqueness_report(cases)
    assert not report["all_checks_passed"]
    failed = {check["field"]: check for check in report["checks"] if not check["ok"]}
    code = failed["project_code"]
    assert (code["count"], code["unique_count"]) == (3, 2)
    assert code["duplicates"] == [
        {
            "value": cases[0]["project"]["project_code"],
            "first_index": 0,
            "duplicate_index": 2,
        }
    ]
    with pytest.raises(CollisionError, match=f"seeds {first} and {second}") as caught:
        require_unique(cases)
    assert "v2" in str(caught.value)


def test_the_second_edition_passes_over_colliding_seeds() -> None:
    """A seed whose code or networks are taken is skipped, and the next one is used."""
    first, second = _colliding_codes()
    for edition, expected in (("v1", second), ("v2", second + 1)):
        supply = seeds.Supply(first, difficulty=4, edition=edition, version="compat-1")  # type: ignore[arg-type]  # the two words
        taken = [supply.seed("buy") for _ in range(second - first + 1)]
        assert taken[0] == first
        assert taken[-1] == expected
    # Networks repeat after 3,200 seeds, on whatever route.
    supply = seeds.Supply(0, difficulty=4, edition="v2", version="compat-1")
    taken = [supply.seed("build") for _ in range(3_195)]
    assert len(taken) == len(set(taken))
    supply = seeds.Supply(0, difficulty=4, edition="v2", version="hashed-2")
    assert [supply.seed("build") for _ in range(4_000)] == list(range(4_000))


def test_the_second_edition_names_itself() -> None:
    """The sampling version says which edition chose the cases."""
    plan = make_plan(policy="balanced", seed=60, cases_per_route=2, difficulty=4, edition="v2")
    assert plan.sampling_version == "balanced-coverage-v2"
    assert plan.edition == "v2"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policy": "random"}, "unknown policy"),
        ({"cases_per_route": 0}, "0 cases per route"),
        ({"cases_per_route": True}, "True cases per route"),
        ({"cases_per_route": 1.5}, "1.5 cases per route"),
        ({"cases_per_route": "1"}, "'1' cases per route"),
        ({"edition": "v3"}, "unknown edition 'v3': one of v1, v2"),
        ({"routes": []}, "none at all"),
        ({"routes": ["buy", "buy"]}, "named twice"),
        ({"routes": ["full_lifecycle"]}, "balanced sampling"),
    ],
)
def test_plans_that_cannot_be_made_are_refused(change: dict[str, Any], message: str) -> None:
    """Unknown policies, empty plans, repeated routes, and balanced sampling of open routes."""
    arguments: dict[str, Any] = {
        "policy": "balanced",
        "seed": 1,
        "cases_per_route": 1,
        "difficulty": 4,
    }
    with pytest.raises(PlanArgumentError, match=message):
        make_plan(**arguments | change)


@pytest.mark.parametrize("dossiers", [0, -1, True, 1.5, None])
def test_a_benchmark_of_no_dossiers_is_refused(dossiers: Any) -> None:
    """The benchmark takes a whole number of dossiers, one or more."""
    with pytest.raises(PlanArgumentError, match=f"{dossiers!r} dossiers"):
        benchmark_plan(dossiers=dossiers, seed=1, difficulty=4)


@pytest.mark.parametrize("seed", [-1, True, 1.5, "1", None])
@pytest.mark.parametrize("policy", ["natural", "balanced"])
def test_plans_of_no_seed_are_refused(policy: Policy, seed: Any) -> None:
    """A seed is a whole number, 0 or more."""
    with pytest.raises(CaseArgumentError, match=f"seed is {seed!r}"):
        make_plan(policy=policy, seed=seed, cases_per_route=1, difficulty=4)


@pytest.mark.parametrize("change", [{"difficulty": 3}, {"architecture_signature": "0" * 20}])
def test_an_edited_plan_is_refused(change: dict[str, Any]) -> None:
    """A case that comes out with another digest or architecture is not the planned one."""
    plan = make_plan(policy="natural", seed=3, cases_per_route=1, difficulty=2, routes=["buy"])
    edited = msgspec.structs.replace(plan.cases[0], **change)
    with pytest.raises(PlanError, match="seed 3, route buy"):
        generate(edited)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b"\xff", b'{"schema": "DGF-Sampling-Plan-v1"}'],
)
def test_what_is_no_plan_is_refused(data: bytes) -> None:
    """A file that is not a plan ends in one clear line that names it."""
    with pytest.raises(PlanError, match=r"my_plan\.json"):
        decode_plan(data, name="my_plan.json")


def test_a_plan_of_another_schema_is_refused() -> None:
    """A later schema is not guessed at."""
    plan = make_plan(policy="natural", seed=3, cases_per_route=1, difficulty=2, routes=["buy"])
    data = encode_plan(plan).replace(b"Plan-v1", b"Plan-v9")
    with pytest.raises(PlanError, match="Plan-v9"):
        decode_plan(data)


@pytest.mark.parametrize("stated", [b"natural-v3", b"balanced-coverage-v1", b""])
def test_a_plan_of_another_sampling_version_is_refused(stated: bytes) -> None:
    """A later edition is not guessed at, and a version is that of the plan's own policy."""
    plan = make_plan(policy="natural", seed=3, cases_per_route=1, difficulty=2, routes=["buy"])
    with pytest.raises(PlanError, match=f"sampling version '{stated.decode()}'"):
        decode_plan(encode_plan(plan).replace(b"natural-v1", stated))


def test_a_target_no_draw_meets_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """After attempts 0 to 50,000 the error names the gate, its target and the occurrence."""
    assert balanced_sampling.FACT_ATTEMPTS == 50_000
    monkeypatch.setattr(balanced_sampling, "FACT_ATTEMPTS", 0)
    with pytest.raises(ExhaustedError, match="in 1 draws of its facts") as caught:
        make_plan(policy="balanced", seed=1, cases_per_route=4, difficulty=4)
    assert "seed" in str(caught.value)


def test_a_case_that_comes_out_differently_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was judged must be what the attempts give again."""

    def forged(case: dict[str, Any], gate: str, **how: Any) -> dict[str, Any]:
        drawn = redraw_gate(case, gate, **how)
        return {**drawn, gate: {**drawn[gate], "note": "added after the draw"}}

    monkeypatch.setattr(balanced_sampling, "redraw_gate", forged)
    with pytest.raises(PlanError, match="comes out differently"):
        make_plan(policy="balanced", seed=1, cases_per_route=4, difficulty=4)


def test_too_few_blocking_cases_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark does not quietly run on fewer dossiers than asked for."""
    monkeypatch.setattr(planner, "_blocks", lambda row, version: row.route != "build")
    with pytest.raises(ExhaustedError, match="build"):
        benchmark_plan(dossiers=3, seed=1, difficulty=4)
