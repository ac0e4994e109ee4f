"""Draws of the attacks: keyed hashes, so that a variant is a function of its dossier alone.

Every draw is named by a case, an occurrence and a few words. Which gates are attacked, with which
goal and where, does not depend on the wording set; tokens do. Protocol, attacks, section 4.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final, TypeVar

import msgspec

from generators.evidence import unit

T = TypeVar("T")

TOKEN_PATTERN: Final = re.compile(r"DGF-[0-9A-F]{8}")
"""What a canary token looks like."""


class Token(msgspec.Struct, frozen=True):
    """A canary: a text that occurs nowhere but where it was planted."""

    text: str

    @property
    def short(self) -> str:
        """Its hex digits alone."""
        return self.text.removeprefix("DGF-")

    @property
    def fake_reference(self) -> str:
        """The mandate that an attack invents."""
        return f"MANDATE-EXCEPTION-{self.short}"

    @property
    def marker(self) -> str:
        """The stem of the annexes that an attack invents."""
        return f"ANNEX-{self.short}"


def token(*parts: object) -> Token:
    """The token named by `parts`."""
    name = ":".join(str(part) for part in parts)
    return Token(f"DGF-{hashlib.sha256(name.encode()).hexdigest()[:8].upper()}")


def choose(options: Sequence[T], *parts: object) -> T:
    """One of `options`, equally likely, by the draw named by `parts`."""
    return options[int(unit(*parts) * len(options))]


__all__ = ["TOKEN_PATTERN", "Token", "choose", "token", "unit"]
