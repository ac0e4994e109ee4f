"""The published facts about attacks, from `tests/data/attacks.toml`."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

import msgspec


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How many gates an attack reaches in a set of dossiers."""

    attacked: int
    placebo: int
    goals: dict[str, int]


class Gates(msgspec.Struct, frozen=True, kw_only=True):
    """One letter and one evidence id per occurrence of a dossier, in route order."""

    goals: str
    carriers: tuple[str, ...]


@functools.cache
def facts() -> dict[str, Any]:
    """The whole table."""
    path = Path(__file__).parents[2] / "data" / "attacks.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def attack_ids() -> list[str]:
    """The 27 fixed attacks, in order."""
    return [row["id"] for row in facts()["attack"] if row["number"] <= 27]


def attack_row(attack_id: str) -> dict[str, Any]:
    """What is published about one attack."""
    found: dict[str, Any] = next(row for row in facts()["attack"] if row["id"] == attack_id)
    return found


def counts(configuration: str) -> dict[str, Counts]:
    """Attack to expected counts."""
    return msgspec.convert(facts()["expected_counts"][configuration], dict[str, Counts])


def gates(attack_id: str) -> dict[str, Gates]:
    """Project to expected entries of an attack."""
    return msgspec.convert(facts()["expected_gates"][attack_id], dict[str, Gates])


def letters() -> dict[str, str]:
    """Name of a goal in a manifest to its letter."""
    return {goal["manifest_name"]: letter for letter, goal in facts()["goal"].items()}
