"""Labels of drawings."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.readers.content import Json, ReadError
from generators.readers.reader import read_bytes

labels = st.lists(
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"])), max_size=9
)


def read(markup: str) -> list[Json]:
    """The labels."""
    outcome = read_bytes("svg", markup.encode(), "blocks")
    assert not isinstance(outcome, ReadError)
    assert isinstance(outcome.content, dict)
    found = outcome.content["labels"]
    assert isinstance(found, list)
    return found


@given(labels)
def test_labels_are_the_texts_of_the_drawing(texts: list[str]) -> None:
    """Every non-empty text element gives its text, white space collapsed, markup left escaped."""
    root = ET.Element("svg")
    for text in texts:
        ET.SubElement(root, "text", x="1", y="2").text = text
    markup = ET.tostring(root, encoding="unicode")
    escaped = [t.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for t in texts]
    assert read(markup) == [" ".join(t.split()) for t in escaped if t.split()]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (
            "<text>  a\n b&amp;c <tspan x='1'>in</tspan><tspan>ner</tspan></text>",
            ["a b&amp;c in ner"],
        ),
        ("<text></text><text> </text><text/><text>x</text>", ["x"]),
        ("<TEXT y='1'>up</TEXT>", ["up"]),
        ("<title>no</title><desc>no</desc><style>no</style><script>no()</script>", []),
        ("<text>open", []),
        ("<text", []),
        ("<!DOCTYPE svg [<!ENTITY e 'boom'>]><svg><text>&e;</text></svg>", ["&e;"]),
        ("<text><script>alert(1)</script></text>", ["alert(1)"]),
        ("not a drawing", []),
    ],
)
def test_labels_of_odd_markup(markup: str, expected: list[Json]) -> None:
    """Markup is scanned, not executed: no entity, script or style has any effect."""
    assert read(markup) == expected


def test_at_most_three_hundred_labels() -> None:
    """A drawing gives its first 300 labels and says what they are worth."""
    markup = "".join(f"<text>{n}</text>" for n in range(400))
    assert read(markup) == [str(n) for n in range(300)]
    outcome = read_bytes("svg", markup.encode(), "text")
    assert not isinstance(outcome, ReadError)
    assert isinstance(outcome.content, dict)
    assert set(outcome.content) == {"note", "labels"}
    assert isinstance(outcome.content["note"], str)
