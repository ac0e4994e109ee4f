"""Phrases: what their marks mean, what is refused, how choices spread."""

from __future__ import annotations

from collections import Counter

import hypothesis.strategies as st
import pytest
from hypothesis import given

from generators.documents.wording import SlotSource, Variant, WordingError, chooser, read_slot

PLACES = frozenset({"unit", "vendor"})
TRAITS = frozenset({"buy", "ai"})
WORDS = {"unit": "Finance", "vendor": "Acme"}


def told(source: SlotSource, *, traits: frozenset[str] = frozenset(), seed: int = 1) -> str:
    slot = read_slot(source, where="test", is_place=PLACES.__contains__, traits=TRAITS)
    return slot.tell(spot="here", places=WORDS, traits=traits, choose=chooser(seed, "scope"))


def test_place_is_filled() -> None:
    """A name in braces becomes the dossier's value, whatever marks the value contains."""
    assert told("For {unit}.") == "For Finance."
    slot = read_slot("{vendor}", where="", is_place=PLACES.__contains__, traits=TRAITS)
    text = slot.tell(
        spot="", places={"vendor": "[a|b] {unit}"}, traits=set(), choose=chooser(1, "")
    )
    assert text == "[a|b] {unit}"


def test_choice_gives_one_of_its_wordings() -> None:
    """Over many seeds a choice gives each of its wordings, nested ones and the empty one too."""
    seen = {told("[old|very [bad|good]|]x", seed=seed) for seed in range(200)}
    assert seen == {"oldx", "very badx", "very goodx", "x"}


def test_trait_selects_phrases() -> None:
    """A phrase stands only in dossiers that have its traits and lack its negated ones."""
    source: SlotSource = [
        Variant(text="bought", when="buy !ai"),
        Variant(text="model", when="ai"),
        Variant(text="plain", when="!ai"),
    ]
    assert {told(source, traits=frozenset({"ai", "buy"}), seed=s) for s in range(50)} == {"model"}
    assert {told(source, seed=s) for s in range(50)} == {"plain"}
    assert {told(source, traits=frozenset({"buy"}), seed=s) for s in range(50)} == {
        "bought",
        "plain",
    }


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("a [b", "not closed"),
        ("a ]", "opens nothing"),
        ("a | b", "opens nothing"),
        ("[a{unit|b]", "name in braces"),
        ("{Unit}", "name in braces"),
        ("}", "opens nothing"),
        ("{nobody}", "unknown place {nobody}"),
        ([Variant(text="x", when="rich"), "y"], "unknown trait 'rich'"),
        ([Variant(text="x", when="buy"), Variant(text="y", when="!ai")], "find no phrase"),
        ([], "find no phrase"),
    ],
)
def test_text_that_could_fail_later_is_refused(source: SlotSource, problem: str) -> None:
    """What no dossier, or not every dossier, could tell is refused on reading, with its place."""
    with pytest.raises(WordingError) as refused:
        told(source)
    assert problem in refused.value.problem
    assert refused.value.where is not None
    assert refused.value.where.startswith("test")


@given(st.integers(0, 2**40), st.text(max_size=20), st.integers(1, 50))
def test_choice_is_a_function_of_seed_and_spot(seed: int, spot: str, options: int) -> None:
    """The same seed, scope and spot give the same choice, and it is within range."""
    first = chooser(seed, "a")(spot, options)
    assert first == chooser(seed, "a")(spot, options)
    assert 0 <= first < options


def test_choices_are_even_and_independent() -> None:
    """Over 3000 seeds the nine pairs of choices at two spots are about equally frequent."""
    pairs = Counter(
        (chooser(seed, "a")("one", 3), chooser(seed, "a")("two", 3)) for seed in range(3000)
    )
    expected = 3000 / 9
    # Chi-square with 8 degrees of freedom exceeds 26.1 in one of a thousand fair experiments.
    assert sum((count - expected) ** 2 / expected for count in pairs.values()) < 26.1
    assert len(pairs) == 9
