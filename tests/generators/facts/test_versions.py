"""Named versions of the generator: what each promises, and the collisions they settle."""

from __future__ import annotations

import hashlib

import pytest

from generators.facts import (
    DEFAULT_VERSION,
    case_hash,
    generator_version,
    make_case,
    networks,
    project_code,
    version_names,
)
from tests.generators.facts.oracle import GATES
from tests.generators.facts.test_case import without_identity

CONNECTED = ("integration_platform", "agentic_ai")


def _late_solutions(version: str) -> list[bool]:
    """For cases with a false health probe: whether the case 100 seeds on has a late solution type.

    The probe is the first draw of the detail stream, true below 0.85; the solution type is the
    first of the topology stream and one of the last two above 10/14.
    """
    profiles = [
        make_case(seed, route="buy", difficulty=4, version=version)["architecture_profile"]
        for seed in range(2_000, 3_000)
    ]
    return [
        later["solution_type"] in CONNECTED
        for profile, later in zip(profiles, profiles[100:], strict=False)
        if profile["compute_profile"] != "container_apps"
        and not profile["semantic_compute"]["health_probes"]
    ]


def test_the_default_version_is_the_published_one() -> None:
    """Without a version the facts are those of the published generator."""
    assert version_names()[0] == DEFAULT_VERSION == "compat-1"
    default = make_case(9, route="buy", difficulty=4)
    assert default == make_case(9, route="buy", difficulty=4, version="compat-1")
    assert default != make_case(9, route="buy", difficulty=4, version="hashed-2")


def test_sums_collide_in_the_published_version() -> None:
    """The detail stream of a seed is the topology stream of the seed 100 later."""
    found = _late_solutions("compat-1")
    assert len(found) > 80
    assert all(found)


def test_hashed_streams_do_not_collide() -> None:
    """With hashed seeds the solution type keeps its odds of 4 in 14 after a false probe."""
    found = _late_solutions("hashed-2")
    assert len(found) > 80
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


SEALED = {
    "compat-1": "5eabd564fa08e2ab03193650f1e8f201ea2124b250f26303acd13bd929861d63",
    "hashed-2": "efe6739be57450d5d3b72c4c3c50c26fd0495516334345f80a71b6099d681e9c",
    "coherent-3": "30bc47e64dc8adffe15eab092b6d3a77e8271d2280b09e3d7c5d990a717f6657",
}
"""Digests over the hashes of 60 cases, recorded at release: a plan must give its cases for ever."""


@pytest.mark.parametrize("version", version_names())
def test_released_versions_stay_as_they_are(version: str) -> None:
    """Facts, words and key names of a released version are those it was released with."""
    hashes = [
        case_hash(
            make_case(
                seed,
                route=("buy", "integrate", "build")[seed % 3],
                difficulty=1 + seed % 5,
                version=version,
            )
        )
        for seed in range(60)
    ]
    assert hashlib.sha256("".join(hashes).encode()).hexdigest() == SEALED[version]
