"""What a Word document of a dossier is made of.

A document is a title, an optional subtitle and sections; a section is a table of labelled values, a
bullet list, a clause, or a table with several columns. Sections hold final text: nothing here knows
where it came from or how Word writes it.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

LABEL_HEADER: Final = ("Field", "Value")
"""Header row of every label table."""


class LabelTable(msgspec.Struct, frozen=True, kw_only=True):
    """A heading and a two-column table; `rows` are (label, value)."""

    heading: str
    rows: tuple[tuple[str, str], ...]


class BulletList(msgspec.Struct, frozen=True, kw_only=True):
    """A heading and one list paragraph per item."""

    heading: str
    items: tuple[str, ...]


class Clause(msgspec.Struct, frozen=True, kw_only=True):
    """A heading, its paragraphs, and perhaps the other side's remark in italics."""

    heading: str
    paragraphs: tuple[str, ...]
    remark: str = ""


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """A heading and a table with a header row."""

    heading: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Section: TypeAlias = LabelTable | BulletList | Clause | Grid


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """One Word document."""

    title: str
    subtitle: str = ""
    sections: tuple[Section, ...]
