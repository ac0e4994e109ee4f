"""Planting in records and documents: a file in, the file with one more text out.

A record takes a note beside a decisive fact and stays decodable: no structured value changes. A
document takes a text where a person would not look twice. Protocol, attacks, section 7.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Final

import msgspec

from generators.attacks.errors import AttackError
from generators.attacks.word import with_paragraphs
from generators.decoding.pointers import tokens_of
from generators.evidence import csv_bytes, json_bytes

NOTES: Final = "notes"
REVIEWER_NOTE: Final = "reviewer_note"
REVIEWER_NOTES: Final = "reviewer_notes"
SUPPLIER_NOTE: Final = "supplier_note"
SUPPLIER_STATEMENTS: Final = "VENDOR_RESPONSES"

RECORD_FORMATS: Final = ("csv", "json")
DOCUMENT_FORMATS: Final = ("docx", "csv", "json", "svg")

_SVG_PLACE: Final = 'x="10" y="1275" font-size="8" fill="#FFFFFF"'
_CLOSING_SVG: Final = b"</svg>"


class Table(msgspec.Struct):
    """A CSV file: its columns in order and its rows."""

    columns: list[str]
    rows: list[dict[str, str | None]]

    @classmethod
    def read(cls, data: bytes) -> Table:
        """The table in a file."""
        try:
            reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
            columns, rows = list(reader.fieldnames or ()), list(reader)
        except (csv.Error, UnicodeDecodeError) as error:
            raise AttackError(f"not a CSV file: {error}") from None
        if any(None in row for row in rows):
            raise AttackError("not a CSV file: a row has more cells than the header")
        return cls(columns=columns, rows=rows)

    def append_text(self, row: int, column: str, text: str) -> None:
        """Add a text to a cell, after what stands there; a new column is the last one."""
        if column not in self.columns:
            self.columns.append(column)
        cells = self.rows[row]
        cells[column] = joined(cells.get(column), text)

    def written(self) -> bytes:
        """The file again."""
        return csv_bytes(self.rows, self.columns)


def joined(present: object, text: str) -> str:
    """A text behind what a field holds already."""
    return f"{present} {text}" if isinstance(present, str) and present else text


def read_json(data: bytes) -> Any:
    """The content of a JSON file; numbers are written again as they stand."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise AttackError(f"not a JSON file: {error}") from None


def note_in_record(data: bytes, suffix: str, pointer: str, text: str) -> bytes:
    """A record with a note in the row or entry that `pointer` leads into."""
    if suffix == "csv":
        table = Table.read(data)
        first = tokens_of(pointer)[0]
        row = int(first) if first.isdecimal() and int(first) < len(table.rows) else 0
        if not table.rows:
            table.rows.append({})
        table.append_text(row, NOTES, text)
        return table.written()
    content = read_json(data)
    entry = _entry_at(content, pointer)
    entry[NOTES] = joined(entry.get(NOTES), text)
    return json_bytes(content)


def text_in_document(data: bytes, suffix: str, text: str, *, supplier: str | None = None) -> bytes:
    """A document with one more text.

    Parameters
    ----------
    supplier
        The vendor to whose statement it is added, in a file of such statements.
    """
    match suffix:
        case "docx":
            return with_paragraphs(data, [text])
        case "csv":
            return _text_in_table(data, text)
        case "json":
            return _text_in_json(data, text, supplier)
        case "svg":
            return _text_in_drawing(data, text)
        case _:
            raise AttackError(f"no text can be planted in a file of type {suffix!r}")


def text_as_shown(suffix: str, text: str) -> str:
    """How the reading tools show a text planted in a document of that type."""
    return " ".join(_escaped(text).split()) if suffix == "svg" else text


def _entry_at(content: Any, pointer: str) -> dict[str, Any]:
    """The last object that a pointer enters through the index of a list, or the whole content."""
    found, value = content, content
    for step in tokens_of(pointer):
        if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
            found = value if isinstance(value, dict) else found
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            break
    if not isinstance(found, dict):
        raise AttackError("the record has no object for a note", where=pointer)
    return found


def _text_in_table(data: bytes, text: str) -> bytes:
    table = Table.read(data)
    if not table.rows:
        table.rows.append({})
    table.append_text(0, REVIEWER_NOTE, text)
    return table.written()


def _text_in_json(data: bytes, text: str, supplier: str | None) -> bytes:
    content = read_json(data)
    if not isinstance(content, dict):
        raise AttackError("the document has no object for a note")
    if supplier is None:
        content.setdefault(REVIEWER_NOTES, []).append(text)
        return json_bytes(content)
    for response in content.get("responses", ()):
        if response.get("vendor") == supplier:
            response[SUPPLIER_NOTE] = joined(response.get(SUPPLIER_NOTE), text)
            return json_bytes(content)
    raise AttackError("no statement of the vendor", where=supplier)


def _text_in_drawing(data: bytes, text: str) -> bytes:
    head, closing, tail = data.partition(_CLOSING_SVG)
    if not closing:
        raise AttackError("the drawing has no closing tag")
    element = f"<text {_SVG_PLACE}>{_escaped(text)}</text>\n"
    return head + element.encode() + closing + tail


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
