"""Our steps from random bits to choices are those of the standard library."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.facts.uniform import below, pick, shuffle, weigh

seeds = st.integers(0, 2**64)


@settings(deadline=None, max_examples=60)
@given(seed=seeds, n=st.integers(1, 10**9))
def test_below_is_randrange(seed: int, n: int) -> None:
    """The same numbers from the same seed."""
    ours, theirs = random.Random(seed), random.Random(seed)
    assert [below(ours.getrandbits, n) for _ in range(5)] == [theirs.randrange(n) for _ in range(5)]


@settings(deadline=None, max_examples=60)
@given(seed=seeds, size=st.integers(1, 40))
def test_pick_and_shuffle_are_choice_and_shuffle(seed: int, size: int) -> None:
    """The same items and the same order from the same seed, one after the other."""
    ours, theirs = random.Random(seed), random.Random(seed)
    first, second = list(range(size)), list(range(size))
    shuffle(ours, first)
    theirs.shuffle(second)
    assert first == second
    assert pick(ours, first) == theirs.choice(second)
    assert ours.random() == theirs.random()


@settings(deadline=None, max_examples=60)
@given(seed=seeds, weights=st.lists(st.integers(1, 9), min_size=1, max_size=9))
def test_weigh_is_choices(seed: int, weights: list[int]) -> None:
    """The same position as a weighted choice of the standard library."""
    cumulative = [sum(weights[: i + 1]) for i in range(len(weights))]
    ours = weigh(random.Random(seed).random(), cumulative)
    assert [ours] == random.Random(seed).choices(range(len(weights)), weights=weights)


@pytest.mark.parametrize(("uniform", "expected"), [(0.0, 0), (0.249, 0), (0.25, 1), (0.999, 1)])
def test_a_position_starts_where_the_one_before_ends(uniform: float, expected: int) -> None:
    """The first cumulative weight that exceeds the number: at a limit the next value begins."""
    assert weigh(uniform, (1, 4)) == expected
