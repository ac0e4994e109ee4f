"""A review as its tools see it: which dossier, which meeting, what was handed over."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

import msgspec

from generators.governance import Condition, Handoff, Mandate, Occurrence, RuleTable
from generators.protocol import DEFAULT_PROTOCOL
from generators.readers.content import Json, Mode
from generators.readers.dossier import CompiledDossier, DossierFiles
from generators.readers.loading import root_file

MANDATES_FILE: Final = "06_authorization_registry.json"


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that does not change while a gate meets.

    Attributes
    ----------
    dossier
        Compiled for the condition (`mode_of`); the tools know the condition by nothing else.
    occurrence
        A meeting on the route of the dossier.
    mandates
        All mandates of the dossier, as `read_mandates` gives them.
    upstream
        The decisions the gate receives, in their JSON form (`handed_over`).
    protocol
        Whose words the tools speak. No status depends on it.
    rules
        Null: the rules of the protocol.
    """

    dossier: CompiledDossier
    occurrence: Occurrence
    mandates: tuple[Mandate, ...]
    upstream: tuple[Json, ...] = ()
    protocol: str = DEFAULT_PROTOCOL
    rules: RuleTable | None = None


class _Registry(msgspec.Struct, frozen=True, kw_only=True):
    mandates: tuple[Mandate, ...]


def mode_of(condition: Condition) -> Mode:
    """How evidence is read under a condition."""
    return "text" if condition == "facts" else "blocks"


def read_mandates(files: DossierFiles) -> tuple[Mandate, ...]:
    """The mandates of a dossier.

    Raises
    ------
    DossierFileError
        If their register cannot be used.
    """
    return root_file(files, MANDATES_FILE, _Registry).mandates


def handed_over(handoffs: Iterable[Handoff]) -> tuple[Json, ...]:
    """Handoffs in the JSON form in which prompts and tools show them."""
    return tuple(json.loads(json.dumps(msgspec.to_builtins(handoff))) for handoff in handoffs)
