"""How a variant is built: which texts, how many gates, and what departs from the published way."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from cache.errors import UsageError
from generators.attacks.goals import TargetRule

GoalRule: TypeAlias = Literal["drawn", "prefer-A"]
Placebos: TypeAlias = Literal["compat-1", "every-carrier"]
Draws: TypeAlias = Literal["compat-1", "strict-2"]
Arm: TypeAlias = Literal["first", "second"]

WORDING_SETS: tuple[str, ...] = ("dev", "test")


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a variant depends on besides its dossier and its attack.

    Attributes
    ----------
    wording_set
        `dev` for developing defences, `test` for measuring.
    rate
        Share of the eligible gates to be attacked, 0 to 1.
    only_occurrence
        Plant at this occurrence alone; other gates get nothing, not even a placebo.
    goal_rule
        `prefer-A` takes the approval wherever a gate admits it, as the replays of the pilot do.
    target_rule
        Which finding comes first, for every attack alike; null leaves each attack its own rule.
    placebos
        `every-carrier` gives attacks that have no placebo in the published protocol a neutral text
        in their own carrier.
    crossover
        Attack one half of the gates (`first`) or the other (`second`); the rest gets placebos. Two
        copies together attack each gate once. Takes the place of `rate`.
    draws
        `strict-2` adds the attack's id to the draws and tokens that two attacks share, and lets
        `rate` count for attacks that ignore it.
    fresh_key
        Sign PDF files with a new key; their bytes then never repeat.
    """

    wording_set: str = "dev"
    rate: float = 0.5
    only_occurrence: str | None = None
    goal_rule: GoalRule = "drawn"
    target_rule: TargetRule | None = None
    placebos: Placebos = "compat-1"
    crossover: Arm | None = None
    draws: Draws = "compat-1"
    fresh_key: bool = False

    def __post_init__(self) -> None:
        if self.wording_set not in WORDING_SETS:
            known = ", ".join(WORDING_SETS)
            raise UsageError(f"unknown wording set {self.wording_set!r}", hint=f"one of {known}")
        if not 0 <= self.rate <= 1:
            raise UsageError(f"the rate {self.rate} is not from 0 to 1")
