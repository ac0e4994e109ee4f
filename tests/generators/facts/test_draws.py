"""Facts against the published draws, computed by the standard library's own generator."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.facts import make_case
from generators.facts.identity import words
from tests.generators.facts.oracle import DRAWS, GATES, Facts, flat, published_facts

ROLES = {"SP": "sponsor", "PM": "project_manager", "BO": "business_owner", "SO": "service_owner",
         "RO": "risk_owner"}  # fmt: skip

attempts = st.dictionaries(st.sampled_from(GATES), st.integers(0, 60), max_size=8)


def _typed(value: Any) -> Any:
    """Values that are equal only if their kinds are too."""
    if isinstance(value, list | tuple):
        return [_typed(item) for item in value]
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    return type(value).__name__, value


def _expected(facts: Facts) -> dict[str, Any]:
    """What of the published facts stands in a case as it is: no names, no intermediate values."""
    return {
        name: value
        for name, value in facts.known.items()
        if not name.startswith(("tmp.", "offer.", "procurement.offers")) and not _is_name(value)
    }


def _is_name(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 3


def test_the_published_table_has_361_draws() -> None:
    """The oracle is the whole table: 361 draws."""
    assert len(DRAWS) == 361


def assert_published(
    seed: int, difficulty: int, architecture: int, facts: Mapping[str, int]
) -> None:
    """Our case for these arguments has what the published draws give."""
    published = published_facts(
        seed, difficulty, architecture_attempt=architecture, fact_attempts=facts
    )
    case = make_case(
        seed,
        route="build",
        difficulty=difficulty,
        architecture_attempt=architecture,
        fact_attempts=facts,
    )
    found = flat(case)
    for name, value in _expected(published).items():
        assert _typed(found[name]) == _typed(value), name
    drawn = [
        {key: value for key, value in offer.items() if key != "vendor"}
        for offer in case["procurement"]["offers"]
    ]
    assert _typed([dict(sorted(offer.items())) for offer in drawn]) == _typed(
        [dict(sorted(offer.items())) for offer in published.known["procurement.offers"]]
    )
    conflicts = case["architecture_profile"]["inconsistencies"]
    assert [(row["fact"], row["source_of_truth"]) for row in conflicts] == published.kept


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**40),
    difficulty=st.integers(1, 5),
    architecture=st.integers(0, 50),
    facts=attempts,
)
def test_facts_are_those_of_the_published_draws(
    seed: int, difficulty: int, architecture: int, facts: dict[str, int]
) -> None:
    """Every drawn or computed fact has the published value and kind, at any attempt."""
    assert_published(seed, difficulty, architecture, facts)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_facts_are_those_of_the_published_draws_in_volume() -> None:
    """The acceptance volume: 20,000 cases at all difficulties and random attempts."""
    rng = random.Random(20_000)
    for _ in range(20_000):
        attempts = {gate: rng.randrange(60) for gate in GATES}
        assert_published(rng.randrange(2**40), rng.randint(1, 5), rng.randrange(50), attempts)


@pytest.mark.parametrize("seed", range(0, 200, 7))
def test_no_semantic_fact_is_missing_or_added(seed: int) -> None:
    """The semantic parts hold the published facts, the fixed ones, and nothing else."""
    fixed = {
        "semantic_edge.pattern",
        "semantic_edge.services",
        "semantic_network.hub_cidr",
        "semantic_network.app_cidr",
        "semantic_network.data_cidr",
    }
    case = make_case(seed, route="buy", difficulty=3)
    profile = case["architecture_profile"]
    if profile["compute_profile"] == "mixed":
        fixed |= {f"semantic_compute.components.{key}" for key in ("web", "api", "async", "batch")}
    found = {name for name in flat(profile) if name.startswith("semantic_")} - {"semantic_faults"}
    published = {
        name.removeprefix("architecture_profile.")
        for name in published_facts(seed, 3).known
        if name.startswith("architecture_profile.semantic_")
    }
    assert found == published | fixed


@pytest.mark.parametrize("seed", range(500, 530))
def test_people_are_picked_at_the_published_positions(seed: int) -> None:
    """A name is a first and a last name from the drawn positions, a number and the role."""
    gate_attempt = 3
    published = published_facts(seed, 4, fact_attempts={"general": gate_attempt}).known
    case = make_case(seed, route="buy", difficulty=4, fact_attempts={"general": gate_attempt})
    pools = words()
    for role, key in ROLES.items():
        first, last, tag = published[f"project.{key}"]
        name = f"{pools.first_names[first]} {pools.last_names[last]}-{seed}-{role}"
        assert (case["project"][key], tag) == (name, role)
    first, last, _ = published["general.benefits_owner"]
    number = seed + 1_000_003 * gate_attempt
    name = f"{pools.first_names[first]} {pools.last_names[last]}-{number}-BEN"
    assert case["general"]["benefits_owner"] == name


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32), difficulty=st.integers(1, 5))
def test_the_award_goes_to_the_best_eligible_offer(seed: int, difficulty: int) -> None:
    """Without a mis-award the best score among the eligible wins, else among all; first on ties."""
    published = published_facts(seed, difficulty).known
    procurement = make_case(seed, route="buy", difficulty=difficulty)["procurement"]
    offers = procurement["offers"]
    won = next(i for i, o in enumerate(offers) if o["vendor"] == procurement["selected_vendor"])
    if published["tmp.misaward"]:
        assert difficulty >= 4
        assert won == published["tmp.misaward_slot"] - 1
        return
    eligible = [
        index
        for index, offer in enumerate(published["procurement.offers"])
        if offer["mandatory_criteria_failed"] == 0 and offer["sanctions"] != "hit"
    ]
    ranked = sorted(eligible or range(4), key=lambda i: (-offers[i]["weighted_score"], i))
    assert won == ranked[0]
