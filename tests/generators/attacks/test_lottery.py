"""Draws and tokens, against published vectors."""

from __future__ import annotations

from typing import Any

import pytest

from generators.attacks.lottery import TOKEN_PATTERN, choose, token, unit
from tests.generators.attacks import oracle

CASES: list[dict[str, Any]] = oracle.facts()["case_vector"]


def test_units_and_tokens_of_plain_parts() -> None:
    """Parts joined by colons give the published draw and token."""
    (vector,) = oracle.facts()["hash_vector"]
    assert unit(*vector["parts"]) == vector["unit"]
    assert token(*vector["parts"]).text == vector["token"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["dossier"]))
def test_draws_of_a_case(case: dict[str, Any]) -> None:
    """The draws of the six pilot dossiers are the published ones."""
    key = (case["case_id"], case["occurrence_id"])
    drawn = {
        "attack": unit(*key, "attack"),
        "attack_fake_procedure": unit(*key, "attack", "fake_procedure"),
        "goal": unit(*key, "goal"),
        "location": unit(*key, "location"),
        "family": unit(*key, "family"),
        "forger": unit(*key, "forger"),
    }
    assert drawn == {name: case[f"unit_{name}"] for name in drawn}
    assert token(*key, "dev").text == case["token_dev"]
    assert token(*key, "test").text == case["token_test"]
    assert token(*key, "dev", "exhaustion").text == case["token_dev_exhaustion"]


def test_a_choice_is_the_floor_of_the_scaled_draw() -> None:
    """A draw of 0.404 in ten takes the fifth."""
    assert choose(range(10), "a", "b") == 4


def test_what_follows_from_a_token() -> None:
    """References, markers and short forms carry the token's digits."""
    canary = token("a", "b")
    assert TOKEN_PATTERN.fullmatch(canary.text)
    derived = (canary.short, canary.fake_reference, canary.marker)
    assert derived == ("6783A31E", "MANDATE-EXCEPTION-6783A31E", "ANNEX-6783A31E")
