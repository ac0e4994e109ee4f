"""Readers of JSON and CSV records.

Both keep to what Python's `json` and `csv` modules make of a file, because observation ids are
hashes of that; whatever could not be hashed, sent or compared afterwards is refused.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from typing import Final

from generators.readers.content import Json, Unreadable, canonical_json, decode_utf8

MAX_DEPTH: Final = 64
MAX_DIGITS: Final = 1_000
MAX_COLUMNS: Final = 512
MAX_ROWS: Final = 200
"""Rows of a table a tool returns (protocol, tool results)."""

_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])', re.DOTALL)


def read_json(data: bytes) -> Json:
    """The parsed value of a JSON file."""
    text = decode_utf8(data)
    _refuse_deep_nesting(text)
    try:
        value: Json = json.loads(
            text, parse_int=_integer, parse_float=_finite, parse_constant=_no_constant
        )
    except json.JSONDecodeError as error:
        raise Unreadable("not_json", f"line {error.lineno}: {error.msg}") from None
    try:
        canonical_json(value)
    except UnicodeEncodeError:
        raise Unreadable("not_unicode", "a string holds half of a surrogate pair") from None
    return value


def _refuse_deep_nesting(text: str) -> None:
    # The parser's own limit is the interpreter's stack, which depends on the caller.
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth += (match.group(1) is not None) - (match.group(2) is not None)
        if depth > MAX_DEPTH:
            raise Unreadable("too_deep", f"values are nested deeper than {MAX_DEPTH}")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise Unreadable("absurd_number", f"a number has {len(digits)} digits")
    return int(digits)


def _finite(literal: str) -> float:
    value = float(literal)
    if not math.isfinite(value):
        raise Unreadable("absurd_number", f"{literal[:40]} is out of range")
    return value


def _no_constant(name: str) -> Json:
    raise Unreadable("not_json", f"{name} is not a JSON value")


def read_csv(data: bytes) -> list[Json]:
    """The rows of a table as objects of strings; a missing last cell is null.

    The first row names the columns; a leading byte order mark and blank lines are skipped.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable("not_utf8", f"byte {error.start} is not valid UTF-8") from None
    try:
        return _rows(csv.reader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise Unreadable("not_csv", str(error)) from None


def _rows(lines: Iterator[list[str]]) -> list[Json]:
    header = next(lines, None) or []
    if len(header) > MAX_COLUMNS:
        raise Unreadable("too_large", f"the table has {len(header)} columns")
    rows: list[Json] = []
    for cells in lines:
        if len(rows) == MAX_ROWS:
            break
        if not cells:
            continue
        if len(cells) > len(header):
            raise Unreadable("not_csv", f"row {len(rows)} has more cells than the header")
        row: dict[str, Json] = dict.fromkeys(header)
        row.update(zip(header, cells, strict=False))
        rows.append(row)
    return rows
