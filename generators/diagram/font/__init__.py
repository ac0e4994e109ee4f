"""The diagram's typeface: widths to lay text out, outlines to draw it.

Fonts of the machine would make a picture depend on where it was rendered, and a machine may have
none. So the shipped outlines are measured and drawn; see `OFL.txt` for their licence.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Final, TypeAlias

import msgspec

FAMILY: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Families of equal widths, for viewers that draw the SVG's text with fonts of their own."""

Point: TypeAlias = tuple[float, float]
Stroke: TypeAlias = tuple[str, tuple[float, ...]]
"""A command of an outline and its coordinates in ems, y upwards: M, L, C (cubic) or Z."""

_TOKEN: Final = re.compile(r"[A-Z]|-?\d+")
_ARGUMENTS: Final = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "Z": 0}


class Glyph:
    """One character: how far it advances, and its outline, both in ems."""

    __slots__ = ("__dict__", "_path", "_units", "advance")

    def __init__(self, advance: float, path: str, units: int) -> None:
        self.advance = advance / units
        self._path = path
        self._units = units

    @functools.cached_property
    def strokes(self) -> tuple[Stroke, ...]:
        """The outline, piece by piece."""
        return tuple(_strokes(self._path, self._units))


class _Outlines(msgspec.Struct, frozen=True, kw_only=True):
    """A face as its file has it: characters with advance and path data, in font units."""

    units: int
    missing: tuple[int, str]
    glyphs: dict[str, tuple[int, str]]


class Face:
    """The glyphs of one weight."""

    def __init__(self, outlines: _Outlines) -> None:
        self._glyphs = {
            char: Glyph(advance, path, outlines.units)
            for char, (advance, path) in outlines.glyphs.items()
        }
        self._missing = Glyph(*outlines.missing, outlines.units)

    def __getitem__(self, char: str) -> Glyph:
        """The glyph of `char`; a box stands for what the face lacks."""
        return self._glyphs.get(char, self._missing)


@functools.cache
def face(*, bold: bool) -> Face:
    """The regular or the bold face."""
    data = (files(__package__) / "outlines.json").read_bytes()
    return Face(msgspec.json.decode(data, type=dict[str, _Outlines])["bold" if bold else "regular"])


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of one line of `text` at `size`, in the unit of `size`."""
    glyphs = face(bold=bold)
    return size * sum(glyphs[char].advance for char in text)


def _strokes(path: str, units: int) -> Iterator[Stroke]:
    """SVG path data with absolute commands M, L, H, V, Q, Z; quadratic bends become cubic."""
    tokens = _TOKEN.findall(path)
    at = 0
    here = (0.0, 0.0)
    command = "Z"
    while at < len(tokens):
        if tokens[at].isalpha():
            command = tokens[at]
            at += 1
        count = _ARGUMENTS[command]
        numbers = [int(token) / units for token in tokens[at : at + count]]
        at += count
        match command, numbers:
            case "Z", _:
                yield "Z", ()
            case "H", [x]:
                here = (x, here[1])
                yield "L", here
            case "V", [y]:
                here = (here[0], y)
                yield "L", here
            case "Q", [bend_x, bend_y, x, y]:
                bend, end = (bend_x, bend_y), (x, y)
                yield "C", (*_toward(here, bend), *_toward(end, bend), *end)
                here = end
            case _, [x, y]:
                here = (x, y)
                yield command, here
                command = "L"  # further pairs after a move are lines
            case _:
                raise ValueError(f"path data of a glyph: {command} {numbers}")


def _toward(point: Point, bend: Point) -> Point:
    """Two thirds of the way from `point` to `bend`: the control point of the equal cubic."""
    return (point[0] + 2 / 3 * (bend[0] - point[0]), point[1] + 2 / 3 * (bend[1] - point[1]))
