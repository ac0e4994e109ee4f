"""What a service looks like: the table `shapes.toml`, checked."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from importlib.resources import files

import msgspec


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """Tone and shape of a service, and the short role its resource names begin with."""

    tone: str
    colour: str
    shape: str
    """Data of an SVG path in a square of 24."""
    role: str


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tones: dict[str, str]
    shapes: dict[str, str]
    services: dict[str, tuple[str, str, str]]

    def look(self, tone: str, shape: str, role: str) -> Look:
        return Look(tone=tone, colour=self.tones[tone], shape=self.shapes[shape], role=role)


def look_of(service: str) -> Look:
    """The look of a service; one the table does not know is drawn as a cloud."""
    return _looks().get(service) or _table().look("compute", "cloud", "svc")


def tones() -> Mapping[str, str]:
    """Colour of each tone, in the order of the legend."""
    return _table().tones


@functools.cache
def _looks() -> Mapping[str, Look]:
    table = _table()
    return {service: table.look(*line) for service, line in table.services.items()}


@functools.cache
def _table() -> _Table:
    text = files(__package__).joinpath("shapes.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _Table)
