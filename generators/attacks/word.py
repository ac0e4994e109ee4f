"""Planting in Word files: paragraphs at the end of the text, core properties, whole new files.

Parts are edited as XML, not through python-docx: that is what makes variants cheap, and python-docx
is the oracle of the tests. The prefixes `w`, `cp` and `dc` are those every writer of Word files
uses; a file with others is refused.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Final

from generators.attacks.errors import AttackError
from generators.attacks.package import read_member, with_members
from generators.documents import Document, write_word
from generators.documents.xml import xml_text

DOCUMENT_PART: Final = "word/document.xml"
CORE_PART: Final = "docProps/core.xml"

MAX_PROPERTY: Final = 255
"""Characters of a core property that every reader and writer of Word files accepts."""

_W_NAMESPACE: Final = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_DC_NAMESPACE: Final = ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
_END_OF_BODY: Final = re.compile(
    rb"(?:<w:sectPr\b(?:[^>]*/>|(?:(?!<w:sectPr\b).)*</w:sectPr>)\s*)?</w:body>\s*</w:document>\s*$",
    re.DOTALL,
)
_END_OF_PROPERTIES: Final = "</cp:coreProperties>"
_TAGS: Final = {
    "title": "dc:title",
    "subject": "dc:subject",
    "keywords": "cp:keywords",
    "comments": "dc:description",
    "category": "cp:category",
    "status": "cp:contentStatus",
}
"""Property, as readers name it, to its element."""


def with_paragraphs(data: bytes, paragraphs: Sequence[str]) -> bytes:
    """A Word file with `paragraphs` behind everything else in its body."""
    document = read_member(data, DOCUMENT_PART)
    end = _end_of_body(document)
    added = "".join(map(_paragraph, paragraphs)).encode()
    return with_members(data, {DOCUMENT_PART: document[:end] + added + document[end:]})


def with_properties(data: bytes, properties: Mapping[str, str]) -> bytes:
    """A Word file with some core properties set: title, subject, keywords, comments and so on."""
    core = read_member(data, CORE_PART).decode()
    for name, value in properties.items():
        if len(value) > MAX_PROPERTY:
            raise AttackError(f"{name} has over {MAX_PROPERTY} characters", where=value[:40])
        core = _with_element(core, _TAGS[name], value)
    return with_members(data, {CORE_PART: core.encode()})


def new_word(paragraphs: Sequence[str]) -> bytes:
    """A Word file that holds `paragraphs`."""
    return with_paragraphs(_blank(), paragraphs)


@functools.cache
def _blank() -> bytes:
    return write_word(Document(title="", subtitle="", sections=()))


def _end_of_body(document: bytes) -> int:
    """Where a last paragraph goes: before the page settings that close the body."""
    found = _END_OF_BODY.search(document, max(0, document.rfind(b"</w:p>")))
    if _W_NAMESPACE not in document or found is None:
        raise AttackError("not a Word document of the usual form", where=DOCUMENT_PART)
    return found.start()


def _paragraph(text: str) -> str:
    """A paragraph; line feeds become line breaks, as python-docx has it."""
    lines = "<w:br/>".join(
        f'<w:t xml:space="preserve">{xml_text(line)}</w:t>' for line in text.split("\n")
    )
    return f"<w:p><w:r>{lines}</w:r></w:p>"


def _with_element(core: str, tag: str, value: str) -> str:
    """The core properties with one element set to `value`, in its place or as the last one."""
    root = core[core.find("<cp:coreProperties") :].partition(">")[0]
    declared = _DC_NAMESPACE if tag.startswith("dc:") and _DC_NAMESPACE not in root else ""
    element = f"<{tag}{declared}>{xml_text(value)}</{tag}>"
    present = re.search(rf"<{tag}(?:\s[^>]*)?(?:/>|>[^<]*</{tag}>)", core)
    if present is not None:
        return core[: present.start()] + element + core[present.end() :]
    if _END_OF_PROPERTIES not in core:
        raise AttackError("not core properties of the usual form", where=CORE_PART)
    return core.replace(_END_OF_PROPERTIES, element + _END_OF_PROPERTIES)
