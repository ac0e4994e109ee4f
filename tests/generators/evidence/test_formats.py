"""How evidence is written: the bytes of JSON and CSV."""

from __future__ import annotations

import csv
import io
import json

from hypothesis import given
from hypothesis import strategies as st

from generators.evidence import csv_bytes, json_bytes

text = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text
finite = scalars.filter(lambda value: value not in {float("inf"), float("-inf")})
values = st.recursive(
    finite, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=20
)


@given(values)
def test_json_is_the_standard_librarys(value: object) -> None:
    """The bytes are those of `json.dumps` with an indent of 2 and non-ASCII text as it is."""
    assert json_bytes(value) == json.dumps(value, indent=2, ensure_ascii=False).encode()


def test_json_keeps_order_and_has_no_final_newline() -> None:
    """Keys stand in the order given; the text ends with the value."""
    assert json_bytes({"b": [], "a": "é"}) == '{\n  "b": [],\n  "a": "é"\n}'.encode()


def test_csv_conventions() -> None:
    """Header first, CRLF, quotes only where needed, True, False, and an empty cell for null."""
    rows: list[dict[str, object]] = [{"b": True, "a": None}, {"b": 'x,"y"', "a": "é"}]
    assert csv_bytes(rows) == 'a,b\r\n,True\r\né,"x,""y"""\r\n'.encode()
    assert csv_bytes(rows, ["b", "a"]).startswith(b"b,a\r\n")
    assert csv_bytes([], ["b", "a"]) == b"b,a\r\n"
    assert csv_bytes([]) == b"\r\n"


@given(st.lists(st.fixed_dictionaries({"k": text, "v": text}), min_size=1))
def test_any_text_survives_a_csv(rows: list[dict[str, str]]) -> None:
    """Whatever a cell holds comes back from a reader of CSV files."""
    read = csv.DictReader(io.StringIO(csv_bytes(rows).decode(), newline=""))
    assert [dict(row) for row in read] == rows
