"""SVG elements as text: the few the diagram needs, with fixed attribute order and number format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from generators.diagram.font import FAMILY, text_width
from generators.documents.xml import xml_text

ELLIPSIS: Final = "…"
NAMESPACE: Final = "http://www.w3.org/2000/svg"


def number(value: float) -> str:
    """At most one decimal, none when it is zero: short, and the same on any machine."""
    return f"{value:.1f}".removesuffix(".0")


def document(width: int, height: int, elements: Sequence[str]) -> str:
    """A whole drawing."""
    body = "\n".join(elements)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg width="{width}" height="{height}" xmlns="{NAMESPACE}"'
        f' viewBox="0 0 {width} {height}" font-family="{FAMILY}">\n{body}\n</svg>\n'
    )


def rectangle(
    place: Sequence[float],
    *,
    fill: str,
    stroke: str = "none",
    radius: float = 0,
    dashed: bool = False,
) -> str:
    """A rectangle at `place` = x, y, width, height."""
    x, y, width, height = map(number, place)
    dashes = ' stroke-dasharray="8 5"' if dashed else ""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{number(radius)}"'
        f' fill="{fill}" stroke="{stroke}"{dashes}/>'
    )


def path(data: str, *, stroke: str, at: Sequence[float] = (0, 0), scale: float = 1) -> str:
    """A line drawing, moved to `at`."""
    place = f"translate({number(at[0])} {number(at[1])})"
    sized = f" scale({scale:.3g})" if scale != 1 else ""
    return (
        f'<path transform="{place}{sized}" d="{data}" fill="none" stroke="{stroke}"'
        ' stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def text(
    at: Sequence[float],
    content: str | Sequence[str],
    *,
    size: float,
    fill: str,
    bold: bool = False,
    leading: float = 0,
) -> str:
    """A label whose first baseline begins at `at`; several lines stay one label."""
    weight = ' font-weight="bold"' if bold else ""
    head = f'<text font-size="{number(size)}"{weight} fill="{fill}"'
    x, y = at
    if isinstance(content, str):
        return f'{head} x="{number(x)}" y="{number(y)}">{xml_text(content)}</text>'
    # The blank between the lines keeps their words apart for readers of the text alone.
    lines = " ".join(
        f'<tspan x="{number(x)}" y="{number(y + row * leading)}">{xml_text(line)}</tspan>'
        for row, line in enumerate(content)
    )
    return f"{head}>{lines}</text>"


def fit(content: str, width: float, *, size: float, bold: bool = False) -> str:
    """`content`, cut with an ellipsis if it is wider than `width`."""
    if text_width(content, size, bold=bold) <= width:
        return content
    kept = content
    while kept and text_width(kept + ELLIPSIS, size, bold=bold) > width:
        kept = kept[:-1]
    return kept.rstrip() + ELLIPSIS


def wrap(content: str, width: float, *, size: float, bold: bool = False, rows: int) -> list[str]:
    """`content` in at most `rows` lines of `width`; what does not fit is cut."""
    lines: list[str] = []
    words = content.split()
    while words and len(lines) < rows - 1:
        line = words.pop(0)
        while words and text_width(f"{line} {words[0]}", size, bold=bold) <= width:
            line = f"{line} {words.pop(0)}"
        lines.append(fit(line, width, size=size, bold=bold))
    if words:
        lines.append(fit(" ".join(words), width, size=size, bold=bold))
    return lines
