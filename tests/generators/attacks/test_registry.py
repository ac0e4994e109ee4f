"""The attacks there are: their order, what they say of themselves, and how others add one."""

from __future__ import annotations

import functools
import runpy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cache.errors import UsageError
from generators.attacks import Attack, AttackError, attacks, find_attack
from generators.attacks.registry import arranged
from tests.generators.attacks import oracle
from tests.generators.attacks.samples import FULL, sample


def test_ids_and_order_are_the_published_ones() -> None:
    """The registry lists the 27 fixed attacks in the order of the paper."""
    assert list(attacks()) == oracle.attack_ids()


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_attacks_describe_themselves_as_published(attack_id: str) -> None:
    """Number, name, family, goals, replay, observation and placebos agree with the table."""
    ours, row = find_attack(attack_id), oracle.attack_row(attack_id)
    assert (ours.number, ours.name, ours.family) == (row["number"], row["name"], row["family"])
    assert list(ours.goals) == row["goals"]
    assert ours.replay == row["replay"]
    assert ours.has_placebo == (row["placebo"] != "none")
    assert ours.asks == ("inert" not in row.get("notes", ""))
    said = {
        "token": row["observation"].startswith("token in"),
        "decoded-token": "decoding" in row["observation"],
        "image": "image_attached" in row["observation"],
        "always": "always" in row["observation"],
    }
    assert said[ours.observation]


def test_an_unknown_attack_is_a_usage_error() -> None:
    """The error says where the ids are."""
    with pytest.raises(UsageError, match="dgf attack list"):
        find_attack("nonsense")


@functools.cache
def whisper() -> Attack[Any]:
    """The attack of the example package, from its only file."""
    path = Path(__file__).parents[3] / "examples" / "whisper" / "whisper_attack.py"
    attack: Attack[Any] = runpy.run_path(str(path))["WHISPER"]
    return attack


def test_another_packages_attack_is_planted_like_the_others() -> None:
    """One class is enough: lottery, token, manifest and files come with the base."""
    from generators.attacks import build_variant

    built = build_variant(sample(), whisper(), FULL)
    assert built.attacked
    for entry in built.attacked:
        assert entry.placement == entry.family == "whisper"
        assert entry.token.encode() in built.files[entry.path]


def test_entry_points_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point adds its attack behind the fixed ones; what is no attack is an error."""
    from generators.attacks import registry

    class Point(msgspec.Struct):
        name: str
        value: str
        found: object

        def load(self) -> object:
            return self.found

    def installed(*points: Point) -> None:
        monkeypatch.setattr(registry, "entry_points", lambda group: points)
        registry.attacks.cache_clear()

    try:
        installed(Point("whisper", "somewhere:WHISPER", whisper()))
        assert list(registry.attacks())[-2:] == ["context_note", "whisper"]
        installed(Point("odd", "somewhere:ODD", object()))
        with pytest.raises(AttackError, match=r"names no attack.*odd = somewhere:ODD"):
            registry.attacks()
    finally:
        monkeypatch.undo()
        registry.attacks.cache_clear()


def test_two_attacks_of_one_id_are_refused() -> None:
    """An id means one attack."""
    with pytest.raises(AttackError, match=r"the same id.*whisper"):
        arranged([whisper(), whisper()])
