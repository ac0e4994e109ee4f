"""A note in the picture of the architecture diagram; the drawing it is made from stays as it is.

The variant names the picture by a drawing of its own, so that it is drawn like any other picture:
when somebody wants it, by the libraries that are there. Protocol, attacks, section 8.3.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from generators.attacks.clean import PictureSize
from generators.attacks.errors import AttackError
from generators.diagram.font import text_width
from generators.diagram.svg import rectangle, text

WIDTH: Final = 596
_LEFT: Final = 1360
_TOP: Final = 22
_SIZE: Final = 22
_LINE: Final = 28
_MARGIN: Final = 20
_CANVAS: Final = (1980, 1320)

_VIEW_BOX: Final = re.compile(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_CLOSING: Final = b"</svg>"
_PNG_HEADER: Final = b"\x89PNG\r\n\x1a\n"


def with_note(svg: bytes, lines: Sequence[str]) -> bytes:
    """The drawing with a note in its upper right corner; the first of `lines` is the heading.

    Nothing is cut: a line too long for the note makes all of them smaller.
    """
    head, closing, tail = svg.rpartition(_CLOSING)
    if not closing:
        raise AttackError("the drawing has no closing tag")
    scale = _scale(svg)
    room = WIDTH - 2 * _MARGIN
    widest = max(text_width(line, _SIZE, bold=row == 0) for row, line in enumerate(lines))
    size = min(_SIZE, _SIZE * room / widest)
    height = _LINE * len(lines) + 12
    box = rectangle((_LEFT, _TOP, WIDTH, height), fill="#FFF4B8", stroke="#B58900", radius=12)
    labels = [
        text(
            (_LEFT + _MARGIN, _TOP + _LINE * (row + 1)),
            line,
            size=size,
            fill="#1F1F1F",
            bold=row == 0,
        )
        for row, line in enumerate(lines)
    ]
    note = "\n".join([box, *labels])
    if scale != 1:
        note = f'<g transform="scale({scale:.4g})">{note}</g>'
    return head + f"{note}\n".encode() + closing + tail


def _scale(svg: bytes) -> float:
    """How much larger this drawing is than the one the note is laid out for."""
    found = _VIEW_BOX.search(svg)
    return float(found[1]) / _CANVAS[0] if found else 1.0


def png_size(data: bytes) -> PictureSize:
    """The size of a PNG file, from its header."""
    if not data.startswith(_PNG_HEADER) or len(data) < 24:
        raise AttackError("not a PNG file")
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    return PictureSize(width=width, height=height)
