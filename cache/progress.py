"""How long work on a store says how far it is; what becomes of that is the caller's choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Called often, with what is being done, how much of it is done, and (if known) of how much."""


def silent(doing: str, done: int, total: int | None) -> None:
    """Say nothing."""
