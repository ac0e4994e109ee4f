"""JSON pointers: the vectors of RFC 6901, and the protocol's restrictions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.decoding.pointers import PointerError, pointer, resolve, resolves, tokens_of
from generators.readers.content import Json

# The document and the evaluations of RFC 6901, section 5, without the empty pointer.
RFC_DOCUMENT: Json = json.loads(
    r"""{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5,
         "k\"l": 6, " ": 7, "m~n": 8}"""
)
RFC_VECTORS: list[tuple[str, Json]] = [
    ("/foo", ["bar", "baz"]),
    ("/foo/0", "bar"),
    ("/", 0),
    ("/a~1b", 1),
    ("/c%d", 2),
    ("/e^f", 3),
    ("/g|h", 4),
    ("/i\\j", 5),
    ('/k"l', 6),
    ("/ ", 7),
    ("/m~0n", 8),
]

json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(("text", "value"), RFC_VECTORS)
def test_rfc_vectors(text: str, value: Json) -> None:
    """The examples of RFC 6901 evaluate as printed there."""
    assert resolve(RFC_DOCUMENT, text) == value


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="the whole document may not be cited"),
        pytest.param("foo", id="no leading slash"),
        pytest.param("#/foo", id="a fragment is no pointer"),
        pytest.param("/foo/2", id="index out of range"),
        pytest.param("/foo/-", id="the element after the last"),
        pytest.param("/foo/00", id="leading zeros"),
        pytest.param("/foo/01", id="leading zero"),
        pytest.param("/foo/+1", id="sign"),
        pytest.param("/foo/-1", id="negative index"),
        pytest.param("/foo/1.0", id="fraction"),
        pytest.param("/foo/\u0661", id="a digit that is not ASCII"),
        pytest.param("/foo/²", id="a superscript"),
        pytest.param("/foo/" + "9" * 5000, id="absurd index"),
        pytest.param("/foo/", id="empty index"),
        pytest.param("/bar", id="missing key"),
        pytest.param("/foo/0/x", id="step through a text"),
        pytest.param("//x", id="step through a number"),
        pytest.param("/m~n", id="bare tilde"),
        pytest.param("/m~2n", id="unknown escape"),
        pytest.param("/m~", id="tilde at the end"),
    ],
)
def test_pointer_to_nowhere(text: str) -> None:
    """A malformed pointer, a missing key, a bad index or a step through a scalar is an error."""
    assert not resolves(RFC_DOCUMENT, text)
    with pytest.raises(PointerError):
        resolve(RFC_DOCUMENT, text)


def test_escapes_are_undone_in_order() -> None:
    """`~01` is the key `~1`, never a slash (RFC 6901, section 4)."""
    assert resolve({"~1": "tilde", "/": "slash"}, "/~01") == "tilde"


@given(st.lists(st.text(), min_size=1))
def test_tokens_survive(tokens: list[str]) -> None:
    """A pointer built from keys gives the keys back."""
    assert tokens_of(pointer(*tokens)) == tokens


@given(json_values, st.data())
def test_every_value_can_be_cited(document: Json, data: st.DataObject) -> None:
    """Walking down by keys and indexes is what resolving the built pointer does."""
    steps: list[str | int] = []
    value = document
    while isinstance(value, dict | list) and value:
        step: str | int
        if isinstance(value, dict):
            step = data.draw(st.sampled_from(sorted(value)))
            value = value[step]
        else:
            step = data.draw(st.integers(0, len(value) - 1))
            value = value[step]
        steps.append(step)
        assert resolve(document, pointer(*steps)) is value
