"""One function that reads any file of a dossier."""

from __future__ import annotations

from typing import Final

from generators.readers.confined import read_confined
from generators.readers.content import (
    MAX_CHARACTERS,
    Format,
    Mode,
    ReadError,
    Reading,
    Unreadable,
    decode_utf8,
)
from generators.readers.docx import read_docx
from generators.readers.records import read_csv, read_json
from generators.readers.svg import read_svg

READER_VERSION: Final = 1
"""Raised whenever the same bytes would read differently; part of the key of compiled evidence."""

MAX_FILE_BYTES: Final = 4 * 1024 * 1024
"""Refused above this; the largest file of a dossier has about 0.2 MB."""

_FORMATS: Final[dict[str, Format]] = {
    ".json": "json",
    ".csv": "csv",
    ".docx": "docx",
    ".svg": "svg",
    ".pdf": "pdf",
}


def format_of(path: str) -> Format:
    """How the file at `path` is read; what has no reader of its own is text."""
    name = path.rsplit("/", 1)[-1]
    return _FORMATS.get("." + name.rsplit(".", 1)[-1].lower(), "yaml") if "." in name else "yaml"


def read_bytes(fmt: Format, data: bytes, mode: Mode) -> Reading | ReadError:
    """What a tool returns for a file, or why it has no content.

    A pure function of its arguments, and a total one: it raises nothing whatever the bytes.
    """
    if len(data) > MAX_FILE_BYTES:
        return ReadError(code="too_large", detail=f"the file has {len(data)} bytes")
    if fmt == "pdf":
        return read_confined(data, mode)
    try:
        return _read(fmt, data, mode)
    except Unreadable as refusal:
        return refusal.value


def _read(fmt: Format, data: bytes, mode: Mode) -> Reading:
    match fmt:
        case "json":
            return Reading(content=read_json(data))
        case "csv":
            return Reading(content=[*read_csv(data)])
        case "docx":
            return read_docx(data, mode)
        case "svg":
            return Reading(content=read_svg(data))
        case _:
            return Reading(content=decode_utf8(data)[:MAX_CHARACTERS])
