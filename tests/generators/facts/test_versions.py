"""Named versions of the generator: what each promises, and the collisions they settle."""

from __future__ import annotations

from typing import Any

import pytest

from generators.facts import (
    DEFAULT_VERSION,
    generator_version,
    make_case,
    networks,
    project_code,
    version_names,
)
from tests.generators.facts.oracle import GATES
from tests.generators.facts.test_case import without_identity

CONNECTED = ("integration_platform", "agentic_ai")


def _profile(seed: int, version: str) -> dict[str, Any]:
    case = make_case(seed, route="buy", difficulty=4, version=version)
    profile: dict[str, Any] = case["architecture_profile"]
    return profile


def _collisions(version: str) -> list[bool]:
    """For cases with a false health probe, whether the case 100 seeds on has late solution type.

    The probe is the first draw of the detail stream, true below 0.85; the solution type is the
    first of the topology stream and one of the last two above 10/14.
    """
    found = []
    for seed in range(2_000, 3_200):
        profile = _profile(seed, version)
        probes = profile["semantic_compute"]["health_probes"]
        if profile["compute_profile"] != "container_apps" and not probes:
            found.append(_profile(seed + 100, version)["solution_type"] in CONNECTED)
    return found


def test_the_default_version_is_the_published_one() -> None:
    """Without a version the facts are those of the published generator."""
    assert version_names()[0] == DEFAULT_VERSION == "compat-1"
    default = make_case(9, route="buy", difficulty=4)
    assert default == make_case(9, route="buy", difficulty=4, version="compat-1")
    assert default != make_case(9, route="buy", difficulty=4, version="hashed-2")


def test_sums_collide_in_the_published_version() -> None:
    """The detail stream of a seed is the topology stream of the seed 100 later."""
    found = _collisions("compat-1")
    assert len(found) > 100
    assert all(found)


def test_hashed_streams_do_not_collide() -> None:
    """With hashed seeds the solution type keeps its odds of 4 in 14 after a false probe."""
    found = _collisions("hashed-2")
    assert len(found) > 100
    assert 0.15 < sum(found) / len(found) < 0.45


def test_seeds_ten_thousand_apart_share_streams_in_the_published_version() -> None:
    """Sections 10,000 apart: the first draws of `it` at a seed are those of `architecture` before.

    `it` begins with a pick of four, `architecture` with a whole number from 1 to 4: one number.
    """
    words = ("standard", "standard", "approved_exception", "non_standard")

    def shared(version: str) -> list[bool]:
        pairs = []
        for seed in range(20_000, 20_100):
            it = make_case(seed, route="buy", difficulty=1, version=version)["it"]
            earlier = make_case(seed - 10_000, route="buy", difficulty=1, version=version)
            major = int(earlier["architecture"]["hld_version"].split("-v")[1].split(".")[0])
            pairs.append(it["catalog_status"] == words[major - 1])
        return pairs

    assert all(shared("compat-1"))
    assert not all(shared("hashed-2"))


@pytest.mark.parametrize("version", ["hashed-2", "coherent-3"])
def test_routes_are_different_worlds_with_hashed_streams(version: str) -> None:
    """The same seed gives other facts on another route."""
    worlds = [
        without_identity(make_case(5, route=route, difficulty=4, version=version))
        for route in ("buy", "integrate", "build")
    ]
    for gate in GATES:
        assert worlds[0][gate] != worlds[1][gate] != worlds[2][gate]


def test_long_codes_and_networks_collide_later() -> None:
    """Eight digits instead of five; networks repeat after 21,845 seeds instead of 3,200."""
    short = [project_code(seed, "buy") for seed in range(9_000, 12_000)]
    long = [project_code(seed, "buy", style="long") for seed in range(9_000, 12_000)]
    assert len(set(short)) < 3_000
    assert len(set(long)) == 3_000
    assert networks(0) == networks(3_200)
    taken = {network for seed in range(21_845) for network in networks(seed, style="long")}
    assert len(taken) == 3 * 21_845
    assert networks(0, style="long") == networks(21_845, style="long")


@pytest.mark.parametrize("version", version_names())
def test_versions_have_the_same_shape(version: str) -> None:
    """Sections and keys are those of the published case, except where a profile sets them."""
    case = make_case(31, route="buy", difficulty=4, version=version)
    published = make_case(31, route="buy", difficulty=4)
    open_parts = {"semantic_compute", "semantic_data"}
    for section, facts in published.items():
        if isinstance(facts, dict):
            assert list(case[section]) == list(facts), section
    for part in set(case["architecture_profile"]) - open_parts:
        ours, theirs = case["architecture_profile"][part], published["architecture_profile"][part]
        if isinstance(ours, dict):
            assert list(ours) == list(theirs)
    assert generator_version(version).summary.endswith(".")


# What a seed gives under each version, so that a released version cannot change unnoticed.
SEALED = {
    "compat-1": "",
    "hashed-2": "",
    "coherent-3": "",
}


@pytest.mark.parametrize("version", version_names())
def test_released_versions_stay_as_they_are(version: str) -> None:
    """The digest over the facts of 50 seeds is the one recorded at release."""
    from generators.facts import json_hash

    facts = [
        without_identity(make_case(seed, route="build", difficulty=1 + seed % 5, version=version))
        for seed in range(50)
    ]
    assert json_hash(facts) == SEALED[version]
