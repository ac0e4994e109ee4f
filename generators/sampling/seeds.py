"""Seeds of a plan, one after the other, and the architectures already used.

The first edition takes consecutive seeds and leaves it to a later check whether two of them share a
code or addresses. The second passes over a seed that would collide, before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from generators.facts import generator_version, make_case, networks, project_code
from generators.sampling.errors import ExhaustedError
from generators.sampling.plan import Edition

ARCHITECTURE_ATTEMPTS: Final = 10_000
"""The last attempt at an architecture."""

Accepts: TypeAlias = Callable[[dict[str, Any]], bool]


class Supply:
    """Fresh cases for one plan: seeds and architectures that no earlier case has."""

    def __init__(self, seed: int, *, difficulty: int, edition: Edition, version: str) -> None:
        self._next = seed
        self._difficulty = difficulty
        self._edition = edition
        self._version = version
        self._identity = generator_version(version).identity
        self._taken: set[str] = set()
        self._signatures: set[str] = set()

    def seed(self, route: str) -> int:
        """The seed of the next case."""
        while True:
            seed, self._next = self._next, self._next + 1
            marks = {
                project_code(seed, route, style=self._identity),
                *networks(seed, style=self._identity),
            }
            if self._edition == "v1" or self._taken.isdisjoint(marks):
                self._taken |= marks
                return seed

    def case(
        self, seed: int, route: str, accepts: Accepts = lambda _: True
    ) -> tuple[dict[str, Any], int]:
        """The first case of `seed` with an unused architecture that `accepts` takes.

        The result is the case and the attempt at its architecture.
        """
        for attempt in range(ARCHITECTURE_ATTEMPTS + 1):
            case = make_case(
                seed,
                route=route,
                difficulty=self._difficulty,
                architecture_attempt=attempt,
                version=self._version,
            )
            signature = case["architecture_profile"]["architecture_signature"]
            if signature not in self._signatures and accepts(case):
                self._signatures.add(signature)
                return case, attempt
        raise ExhaustedError(
            f"no architecture that fits after {attempt + 1} attempts",
            where=f"seed {seed}, route {route}",
            hint="choose another base seed",
        )
