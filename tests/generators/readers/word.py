"""Word files for the tests, made by python-docx, and what python-docx reads in them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import docx
from docx.document import Document

PROPERTIES = ("title", "subject", "author", "keywords", "comments", "category", "content_status")


def saved(document: Document) -> bytes:
    """The bytes of a document."""
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def word_file(fill: Callable[[Document], object], **properties: str) -> bytes:
    """A document with empty core properties apart from those given."""
    document = docx.Document()
    for name in PROPERTIES:
        setattr(document.core_properties, name, properties.get(name, ""))
    fill(document)
    return saved(document)


def oracle_blocks(data: bytes) -> list[str]:
    """The blocks by the protocol's rule, read through python-docx."""
    document = docx.Document(io.BytesIO(data))
    paragraphs = [p.text.strip() for p in document.paragraphs if p.text.strip()]
    rows = [
        " | ".join(text.strip() for text in (cell.text for cell in row.cells))
        for table in document.tables
        for row in table.rows
    ]
    return paragraphs + rows


def with_member(data: bytes, name: str, change: Callable[[bytes], bytes] | None) -> bytes:
    """The package with one member changed, or left out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for member in source.namelist():
            content = source.read(member)
            if member == name:
                if change is None:
                    continue
                content = change(content)
            target.writestr(member, content)
    return out.getvalue()
