"""How evidence is written: JSON and CSV with explicit encoding, newlines and order.

Protocol, dossier section 4. The bytes follow the standard library's `json` and `csv`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = list[dict[str, Any]]
Document: TypeAlias = dict[str, Any]
Content: TypeAlias = Rows | Document | str
"""Rows of a CSV, a JSON document, or text."""


def json_bytes(value: object) -> bytes:
    """JSON in UTF-8: two spaces of indent, keys in the order given, no final newline."""
    # Indenting in `json` itself is interpreted Python; laying out its compact text is not, and the
    # bytes are the same.
    compact = json.dumps(value, ensure_ascii=False)
    return msgspec.json.format(compact, indent=2).encode()


def csv_bytes(rows: Sequence[Row], columns: Sequence[str] | None = None) -> bytes:
    """CSV in UTF-8: header, CRLF, minimal quoting; `True` and `False`, an empty cell for null.

    Without `columns` they are the keys of the rows in alphabetical order; a table with neither is
    a single line end.
    """
    if columns is None:
        columns = sorted({key for row in rows for key in row})
    text = io.StringIO(newline="")
    if columns:
        writer = csv.DictWriter(text, columns, lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        text.write("\r\n")
    return text.getvalue().encode()


def content_bytes(content: Content) -> bytes:
    """What a file holds: rows as CSV with columns in alphabetical order, a document as JSON."""
    if isinstance(content, str):
        return content.encode()
    return csv_bytes(content) if isinstance(content, list) else json_bytes(content)
