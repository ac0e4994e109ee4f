"""Word files: a document's sections in the shipped template.

Only `word/document.xml` is written here, as text; the other parts were made by python-docx and
never change. python-docx reads every result back: that is what the tests hold this writer to.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from generators.documents.archive import StoredArchive
from generators.documents.blocks import (
    LABEL_HEADER,
    BulletList,
    Clause,
    Document,
    Grid,
    LabelTable,
    Section,
)
from generators.documents.xml import xml_text

TEMPLATE_PARTS: Final = (
    "[Content_Types].xml",
    "_rels/.rels",
    "docProps/core.xml",
    "word/_rels/document.xml.rels",
    "word/styles.xml",
    "word/numbering.xml",
    "word/settings.xml",
)
"""Constant parts, in the order they have in a file."""

TABLE_STYLE: Final = "Register"
DOCUMENT_PART: Final = "word/document.xml"

_HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:document'
    ' xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
)
# US Letter in twentieths of a point; margins of 0.55 inch above and below, 0.65 at the sides.
_TAIL: Final = (
    '<w:sectPr><w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:top="792" w:right="936" w:bottom="792"'
    ' w:left="936" w:header="720" w:footer="720" w:gutter="0"/></w:sectPr></w:body></w:document>'
)
_TEXT_WIDTH: Final = 12240 - 2 * 936
_LABEL_WIDTHS: Final = (3200, 6400)


def write_word(document: Document) -> bytes:
    """The Word file of `document`."""
    return _template().with_member(DOCUMENT_PART, document_xml(document).encode())


def document_xml(document: Document) -> str:
    """The main part: title, subtitle, then the sections."""
    parts = [_HEAD, _paragraph(document.title, "Title")]
    if document.subtitle:
        parts.append(_paragraph(document.subtitle, "Subtitle"))
    parts.extend(_section(section) for section in document.sections)
    parts.append(_TAIL)
    return "".join(parts)


@functools.cache
def _template() -> StoredArchive:
    folder = files(__package__).joinpath("template", "parts")
    return StoredArchive({name: folder.joinpath(name).read_bytes() for name in TEMPLATE_PARTS})


def _section(section: Section) -> str:
    heading = _paragraph(section.heading, "Heading1")
    match section:
        case LabelTable():
            return heading + _table((LABEL_HEADER, *section.rows), _LABEL_WIDTHS, "04A0")
        case Grid():
            widths = _column_widths(section)
            return heading + _table((section.header, *section.rows), widths, "0420")
        case BulletList():
            return heading + "".join(_paragraph(item, "ListBullet") for item in section.items)
        case Clause():
            remark = _paragraph(section.remark, "Quote") if section.remark else ""
            return heading + "".join(map(_paragraph, section.paragraphs)) + remark


def _paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{_run(text)}</w:p>"


def _run(text: str) -> str:
    # Word drops blanks at the ends of a text that does not ask to keep them.
    space = ' xml:space="preserve"' if text != text.strip() else ""
    return f"<w:r><w:t{space}>{xml_text(text)}</w:t></w:r>"


def _table(rows: Sequence[Sequence[str]], widths: Sequence[int], look: str) -> str:
    """A table in the template's style; the bits of `look` switch header row and first column on."""
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    first, *rest = map(_row, rows)
    header = first.replace("<w:tr>", "<w:tr><w:trPr><w:tblHeader/></w:trPr>", 1)
    return (
        f'<w:tbl><w:tblPr><w:tblStyle w:val="{TABLE_STYLE}"/>'
        f'<w:tblW w:w="{sum(widths)}" w:type="dxa"/><w:tblLayout w:type="fixed"/>'
        f'<w:tblLook w:val="{look}"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>'
        f"{header}{''.join(rest)}</w:tbl>"
    )


def _row(cells: Sequence[str]) -> str:
    return f"<w:tr>{''.join(f'<w:tc>{_paragraph(cell)}</w:tc>' for cell in cells)}</w:tr>"


def _column_widths(grid: Grid) -> tuple[int, ...]:
    """Widths that share the line in proportion to the widest cell of each column."""
    columns = zip(grid.header, *grid.rows, strict=True)
    widest = [5 + max(map(_breadth, column)) for column in columns]
    return tuple(int(_TEXT_WIDTH * breadth / sum(widest)) for breadth in widest)


def _breadth(text: str) -> float:
    """About how much room `text` takes, in small letters."""
    return len(text) + 0.35 * sum(map(str.isupper, text))
