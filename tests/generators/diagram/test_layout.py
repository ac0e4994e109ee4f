"""The diagram as a person sees it: everything in its place, over all topologies."""

from __future__ import annotations

import itertools

import pytest

from generators.diagram import HEIGHT, WIDTH, build_diagram
from generators.diagram.draw import CARD_HEIGHT
from generators.diagram.svg import ELLIPSIS
from tests.generators.diagram.drawings import Box, boxes, labels, lines
from tests.generators.documents.contexts import OpenContext, make_context

SEEDS = range(120)
PROFILES = ("hub_spoke", "single_vnet", "virtual_wan")
NOTE_CORNER = Box(1360, 24, 1956, 124)


@pytest.fixture(scope="module")
def drawings() -> list[tuple[OpenContext, bytes]]:
    """Diagrams of 120 dossiers of all network profiles."""
    contexts = [make_context(seed, difficulty=1 + seed % 5) for seed in SEEDS]
    seen = {one.case["architecture_profile"]["network_profile"] for one in contexts}
    assert seen == set(PROFILES)
    return [(context, build_diagram(context)) for context in contexts]


def test_no_text_leaves_its_frame(drawings: list[tuple[OpenContext, bytes]]) -> None:
    """Each line of text lies wholly in the smallest frame that its beginning lies in."""
    for _, svg in drawings:
        frames = boxes(svg)
        for line in lines(svg):
            start = Box(line.box.left, line.box.bottom, line.box.left, line.box.bottom)
            around = [frame for frame in frames if frame.holds(start)]
            assert around, line
            assert min(around, key=lambda frame: frame.area).holds(line.box), line


def test_no_line_covers_another(drawings: list[tuple[OpenContext, bytes]]) -> None:
    """No two lines of text overlap."""
    for _, svg in drawings:
        for one, other in itertools.combinations(lines(svg), 2):
            assert not one.box.meets(other.box), (one, other)


def test_frames_nest_or_stand_apart(drawings: list[tuple[OpenContext, bytes]]) -> None:
    """Two frames either do not touch or one holds the other; all lie on the canvas."""
    canvas = Box(0, 0, WIDTH, HEIGHT)
    for _, svg in drawings:
        frames = boxes(svg)
        assert all(canvas.holds(frame) for frame in frames)
        for one, other in itertools.combinations(frames, 2):
            assert not one.meets(other) or one.holds(other) or other.holds(one), (one, other)


def test_every_service_has_a_card(drawings: list[tuple[OpenContext, bytes]]) -> None:
    """All services of the profile are named in full, once, on cards of one height."""
    for context, svg in drawings:
        profile = context.case["architecture_profile"]
        shown = labels(svg)
        for kind in ("edge", "compute", "data", "platform"):
            for service in profile[f"{kind}_services"]:
                assert shown.count(service) == 1, service
        cards = [box for box in boxes(svg) if box.bottom - box.top == CARD_HEIGHT]
        names = [name for name in shown if profile["resource_prefix"] + "-" in name]
        assert len(cards) == len(names) == len(set(names))


def test_nothing_known_is_cut(drawings: list[tuple[OpenContext, bytes]]) -> None:
    """No label of a generated topology is shortened."""
    for _, svg in drawings:
        assert not [label for label in labels(svg) if ELLIPSIS in label]


def test_corner_for_notes_is_free(drawings: list[tuple[OpenContext, bytes]]) -> None:
    """No text stands in the upper right corner, where a note may be pinned."""
    for _, svg in drawings:
        assert not [line for line in lines(svg) if line.box.meets(NOTE_CORNER)]
