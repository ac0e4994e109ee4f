"""Choices from a seeded generator, the same on every version of Python.

Only `random()` and `getrandbits()` of the standard generator are relied on; the steps from there
are those of `random.randrange`, `random.choice`, `random.choices` and `random.shuffle`, written
down here because the standard library may change its own.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def below(getrandbits: Callable[[int], int], n: int) -> int:
    """A whole number from 0 to `n` - 1, each equally likely."""
    width = n.bit_length()
    number = getrandbits(width)
    while number >= n:
        number = getrandbits(width)
    return number


def pick(rng: random.Random, items: Sequence[Item]) -> Item:
    """One position of `items`, each equally likely."""
    return items[below(rng.getrandbits, len(items))]


def shuffle(rng: random.Random, items: list[Item]) -> None:
    """Put `items` in a random order, each equally likely."""
    for last in range(len(items) - 1, 0, -1):
        other = below(rng.getrandbits, last + 1)
        items[last], items[other] = items[other], items[last]


def weigh(uniform: float, cumulative: Sequence[float]) -> int:
    """The first position whose cumulative weight exceeds `uniform` times the sum of all."""
    return bisect(cumulative, uniform * cumulative[-1], 0, len(cumulative) - 1)
