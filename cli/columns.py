"""Plain text in columns, for listings that fit any terminal, pipe or diff."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def columns(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """`heading` and `rows` one below the other, each column as wide as its widest cell.

    Cells are shown by their text; line feeds in them become spaces, so that a row stays a row.
    """
    table = [[" ".join(str(cell).split()) for cell in row] for row in (heading, *rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in table
    )
    return "\n".join(line.rstrip() for line in lines)
