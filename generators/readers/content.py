"""What a reader takes and gives: formats, modes, content, and the error value of a bad file.

Dossiers are untrusted: they are imported from anywhere and attacks plant files in them. Reading is
therefore total. A file that is broken or hostile gives a `ReadError`, which is a value like any
content, and never an exception, a hang or an exhausted memory.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
    """A JSON value as the standard library's `json` module represents it."""
else:
    Json = Any  # records resolve their annotations at run time and cannot resolve a recursive one

Format = Literal["json", "csv", "docx", "svg", "yaml", "pdf"]
"""How a file is read; `yaml` stands for every other text file."""

Mode = Literal["blocks", "text"]
"""`blocks` is what the docs and attack conditions see, `text` what the facts condition sees."""

MAX_CHARACTERS: Final = 40_000
"""Longest text, and longest sum of blocks, a tool returns (protocol, tool results)."""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool returns for one file.

    Attributes
    ----------
    content
        The value the agent sees.
    title
        The core title of a Word file read in block mode, if it has one; shown in listings.
    """

    content: Json
    title: str | None = None


class ReadError(msgspec.Struct, frozen=True, kw_only=True):
    """Why a file has no content.

    Attributes
    ----------
    code
        The kind of defect, such as ``not_utf8`` or ``zip_bomb``.
    detail
        One clause for a person: what is wrong and where in the file.
    """

    code: str
    detail: str


class Unreadable(Exception):  # noqa: N818 - it never leaves the package as an error
    """How the parsers of this package report a defect to `read_bytes`, which makes it a value."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.value = ReadError(code=code, detail=detail)


def decode_utf8(data: bytes) -> str:
    """The text of a file, with every line end as a line feed."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable("not_utf8", f"byte {error.start} is not valid UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def canonical_json(value: Json) -> bytes:
    """The bytes that identify a value: sorted keys, no spaces, non-ASCII kept, UTF-8."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8")
