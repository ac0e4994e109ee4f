"""Which attacks there are, in the order of the paper.

The 27 fixed attacks are the modules of `kinds`. Another package adds one by an entry point of the
group `dgf_async.attacks` that names an instance of `Attack`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from typing import Any, Final

from cache.errors import UsageError
from generators.attacks.attack import Attack
from generators.attacks.errors import AttackError
from generators.attacks.kinds import FIXED

ENTRY_POINTS: Final = "dgf_async.attacks"


@functools.cache
def attacks() -> Mapping[str, Attack[Any]]:
    """Every attack by id, in order of number.

    Raises
    ------
    AttackError
        If two have the same id, or an entry point names something else.
    """
    return arranged([*FIXED, *_installed()])


def arranged(found: Iterable[Attack[Any]]) -> Mapping[str, Attack[Any]]:
    """Attacks by id, in order of number."""
    known: dict[str, Attack[Any]] = {}
    for attack in sorted(found, key=lambda one: (one.number, one.id)):
        if attack.id in known:
            raise AttackError("two attacks have the same id", where=attack.id)
        known[attack.id] = attack
    return known


def find_attack(attack_id: str) -> Attack[Any]:
    """The attack with that id.

    Raises
    ------
    UsageError
        If there is none.
    """
    try:
        return attacks()[attack_id]
    except KeyError:
        raise UsageError(
            "unknown attack", where=attack_id, hint="`dgf attack list` lists them"
        ) from None


def _installed() -> Iterable[Attack[Any]]:
    for point in entry_points(group=ENTRY_POINTS):
        attack = point.load()
        if not isinstance(attack, Attack):
            raise AttackError(
                "an entry point names no attack", where=f"{point.name} = {point.value}"
            )
        yield attack
