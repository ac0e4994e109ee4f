"""The architecture diagram as SVG: zones, cards, arrows, panels and a legend.

Places of zones come from the topology; inside a zone everything is laid out here with the widths of
the shipped typeface, so nothing can leave its card. The bytes depend on the case alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from generators.diagram import svg
from generators.diagram.shapes import look_of, tones
from generators.diagram.topology import Topology, topology_of
from generators.diagram.zones import Place, Zone
from generators.evidence.context import DossierContext

WIDTH: Final = 1980
HEIGHT: Final = 1320
CARD_HEIGHT: Final = 62
GAP: Final = 14
STEP: Final = CARD_HEIGHT + GAP
WIDE_STEP: Final = 96
"""From card to card downwards: at least, and at most where there is room."""
FOOT: Final = 10
TOP: Final = 50
"""From the top of a zone to its first card."""

_HEADER: Final[Place] = (24, 22, 1932, 94)
_FREE: Final = 1340
"""The header's text ends here; the corner right of it stays free."""

_INK: Final = "#1B2733"
_SOFT: Final = "#5A6875"
_PAPER: Final = "#F4F6F9"
_WHITE: Final = "#FFFFFF"
_LEGEND: Final = {
    "outside": "Outside",
    "identity": "Identity",
    "edge": "Edge",
    "network": "Network",
    "compute": "Compute",
    "data": "Data",
    "integration": "Integration",
    "operations": "Operations",
    "resilience": "Resilience",
}


def build_diagram(context: DossierContext) -> bytes:
    """The diagram of a dossier."""
    return draw(topology_of(context.case)).encode()


def draw(topology: Topology) -> str:
    """The drawing of a topology."""
    serial = itertools.count(1)
    return svg.document(
        WIDTH,
        HEIGHT,
        [
            svg.rectangle((0, 0, WIDTH, HEIGHT), fill=_PAPER),
            *_header(topology.heading),
            *(
                element
                for zone in topology.zones
                for element in _zone(zone, topology.prefix, serial)
            ),
            *(_arrow(flow.start, flow.length) for flow in topology.flows),
            *_summary(topology),
        ],
    )


def _header(lines: tuple[str, ...]) -> Iterator[str]:
    x, y, _, height = _HEADER
    yield svg.rectangle(_HEADER, fill=_WHITE, stroke="#CBD3DC", radius=10)
    yield svg.rectangle((x, y, 8, height), fill=tones()["compute"], radius=4)
    room = _FREE - x - 26
    name, *rest = lines
    yield svg.text(
        (x + 26, y + 36),
        svg.fit(name, room, size=26, bold=True),
        size=26,
        fill=_INK,
        bold=True,
    )
    for row, line in enumerate(rest):
        yield svg.text(
            (x + 26, y + 60 + 21 * row), svg.fit(line, room, size=14), size=14, fill=_SOFT
        )


def _zone(zone: Zone, prefix: str, serial: Iterator[int]) -> Iterator[str]:
    x, y, width, _ = zone.place
    colour = tones()[zone.tone]
    dashed = zone.style == "dashed"
    yield svg.rectangle(
        zone.place, fill="none" if dashed else _WHITE, stroke=colour, radius=10, dashed=dashed
    )
    room = width - 2 * GAP
    title = svg.fit(zone.title, room, size=15, bold=True)
    yield svg.text((x + GAP, y + 23), title, size=15, fill=colour, bold=True)
    if zone.note:
        yield svg.text(
            (x + GAP, y + 40), svg.fit(zone.note, room, size=11.5), size=11.5, fill=_SOFT
        )
    places = list(card_places(zone))
    for service, place in zip(zone.services, places, strict=False):
        yield from _card(service, place, prefix, next(serial))
    bottom = max([y + TOP, *(place[1] + CARD_HEIGHT + GAP for place in places)])
    for row, line in enumerate(zone.lines):
        yield svg.text(
            (x + GAP, bottom + 14 + 27 * row), svg.fit(line, room, size=13), size=13, fill=_INK
        )


def card_places(zone: Zone) -> Iterator[Place]:
    """Where the cards of a zone stand, row by row; a card that would cross its foot has none."""
    x, y, width, height = zone.place
    card_width = (width - GAP * (zone.columns + 1)) // zone.columns
    rows = -(-len(zone.services) // zone.columns) or 1
    step = max(STEP, min(WIDE_STEP, (height - TOP) // rows))
    for index in range(len(zone.services)):
        row, column = divmod(index, zone.columns)
        top = y + TOP + step * row
        if top + CARD_HEIGHT <= y + height - FOOT:
            yield (x + GAP + column * (card_width + GAP), top, card_width, CARD_HEIGHT)


def _card(service: str, place: Place, prefix: str, serial: int) -> Iterator[str]:
    x, y, width, _ = place
    look = look_of(service)
    yield svg.rectangle(place, fill="#FBFCFE", stroke="#C4CDD8", radius=7)
    yield svg.rectangle((x + 9, y + 12, 38, 38), fill=look.colour, radius=8)
    yield svg.path(look.shape, stroke=_WHITE, at=(x + 14, y + 17), scale=1.167)
    left = x + 56
    room = x + width - 8 - left
    caption = svg.wrap(service, room, size=13, bold=True, rows=2)
    first = y + (28 if len(caption) == 1 else 20)
    yield svg.text((left, first), caption, size=13, fill=_INK, bold=True, leading=15)
    name = svg.fit(f"{look.role}-{prefix}-{serial:02d}", room, size=10)
    yield svg.text((left, first + 15 * len(caption) + 1), name, size=10, fill=_SOFT)


def _arrow(start: tuple[float, float], length: float) -> str:
    data = f"M0 0H{svg.number(length)}M{svg.number(length - 7)} -6L{svg.number(length)} 0"
    return svg.path(f"{data}L{svg.number(length - 7)} 6", stroke=_INK, at=start)


def _summary(topology: Topology) -> Iterator[str]:
    yield from _zone(topology.summary, topology.prefix, itertools.count())
    x, y, width, height = topology.summary.place
    columns = 4
    column_width = (width - 2 * GAP) / columns
    rows = -(-len(topology.facts) // columns)
    for index, (label, value) in enumerate(topology.facts):
        column, row = divmod(index, rows)
        left, top = x + GAP + column * column_width, y + 62 + 36 * row
        shown = svg.fit(value, column_width - 170, size=14)
        yield svg.text((left, top), label, size=14, fill=_SOFT)
        yield svg.text((left + 150, top), shown, size=14, fill=_INK, bold=True)
    step = (width - 2 * GAP) / len(_LEGEND)
    for index, (tone, label) in enumerate(_LEGEND.items()):
        left, top = x + GAP + index * step, y + height - 42
        yield svg.rectangle((left, top, 18, 18), fill=tones()[tone], radius=4)
        yield svg.text((left + 26, top + 14), label, size=13, fill=_INK)
