"""Listings in columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cli.columns import columns


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    """Two spaces between columns, none at the end of a line."""
    assert columns(("ID", "N"), [("long-one", 1), ("b", 200)]) == (
        "ID        N\nlong-one  1\nb         200"
    )


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_a_row_is_a_line(rows: list[tuple[str, str]]) -> None:
    """Whatever the cells hold, there is one line per row, below the heading."""
    assert columns(("A", "B"), rows).count("\n") == len(rows)
