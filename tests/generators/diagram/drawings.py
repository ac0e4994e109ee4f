"""Reading a drawing back: its rectangles and texts with their places."""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.etree import ElementTree as ET

from generators.diagram.font import text_width

SVG = "{http://www.w3.org/2000/svg}"


class Box(NamedTuple):
    """A rectangle: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: Box) -> bool:
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.bottom - self.top)


class Line(NamedTuple):
    """One line of text and the room its letters take."""

    text: str
    box: Box


def boxes(svg: bytes) -> list[Box]:
    """Every rectangle but the background."""
    found = []
    for one in ET.fromstring(svg).iter(f"{SVG}rect"):
        left, top, width, height = (
            float(one.get(name, "0")) for name in ("x", "y", "width", "height")
        )
        found.append(Box(left, top, left + width, top + height))
    return found[1:]


def lines(svg: bytes) -> list[Line]:
    """Every line of text; capitals rise 0.73 of the size, descenders fall 0.22."""
    found = []
    for label in ET.fromstring(svg).iter(f"{SVG}text"):
        size = float(label.get("font-size", "0"))
        bold = label.get("font-weight") == "bold"
        for line in list(label) or [label]:
            text = line.text or ""
            left, base = float(line.get("x", "0")), float(line.get("y", "0"))
            width = text_width(text, size, bold=bold)
            box = Box(left, base - 0.73 * size, left + width, base + 0.22 * size)
            found.append(Line(text, box))
    return found


def labels(svg: bytes) -> list[str]:
    """Labels as readers of evidence get them: tags removed, blanks collapsed, entities kept."""
    inner = re.findall(r"<text\b[^>]*>(.*?)</text>", svg.decode(), re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>", "", text).split()) for text in inner]
