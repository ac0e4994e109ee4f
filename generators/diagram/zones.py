"""What the diagram is made of: zones with cards or lines, and arrows between them."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Place: TypeAlias = tuple[float, float, float, float]
"""x, y, width, height in pixels."""


class Zone(msgspec.Struct, frozen=True, kw_only=True):
    """A frame with cards in columns, or with lines of text, or with neither."""

    place: Place
    title: str
    note: str = ""
    tone: str
    services: tuple[str, ...] = ()
    columns: int = 1
    lines: tuple[str, ...] = ()
    style: Literal["solid", "dashed"] = "solid"


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """An arrow from left to right."""

    start: tuple[float, float]
    length: float


def chosen(*services: tuple[str, object]) -> tuple[str, ...]:
    """The services whose condition holds."""
    return tuple(service for service, present in services if present)
