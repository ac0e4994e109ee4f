"""The shipped Word template against the library that makes it."""

from __future__ import annotations

import io
import zipfile
from importlib.resources import files
from xml.etree import ElementTree as ET

import docx
import pytest

from generators.documents import Document, write_word
from generators.documents.template.make import template_parts
from generators.documents.word import DOCUMENT_PART, TEMPLATE_PARTS


@pytest.mark.parametrize("name", TEMPLATE_PARTS)
def test_python_docx_makes_the_shipped_part(name: str) -> None:
    """python-docx, given the same orders, makes a part that says the same as the shipped one."""
    shipped = (files("generators.documents.template") / "parts").joinpath(name).read_text("utf-8")
    assert ET.canonicalize(template_parts()[name].decode()) == ET.canonicalize(shipped)


def test_template_is_small() -> None:
    """A document costs less than 9 kB before its text: it is stored uncompressed, 25 to a dossier.

    The library's own template weighs 37 kB compressed.
    """
    assert len(write_word(Document(title="", sections=()))) < 9_000


def test_every_part_is_declared() -> None:
    """Each part but the relationships has a content type of its own or by its suffix."""
    with zipfile.ZipFile(io.BytesIO(write_word(Document(title="t", sections=())))) as archive:
        types = archive.read("[Content_Types].xml").decode()
        overridden = {
            one.get("PartName", "").removeprefix("/")
            for one in ET.fromstring(types)
            if one.tag.endswith("Override")
        }
        parts = {name for name in archive.namelist() if not name.endswith((".rels", "Types].xml"))}
    assert overridden == parts
    assert parts == {*TEMPLATE_PARTS[2:3], *TEMPLATE_PARTS[4:], DOCUMENT_PART}


def test_styles_have_the_look_of_a_dossier() -> None:
    """Title 20 pt bold, subtitle 10 pt italic, headings bold, body 9.5 pt, cells 9 pt."""
    styles = docx.Document(io.BytesIO(write_word(Document(title="t", sections=())))).styles
    assert (styles["Title"].font.size.pt, styles["Title"].font.bold) == (20, True)
    assert (styles["Subtitle"].font.size.pt, styles["Subtitle"].font.italic) == (10, True)
    assert styles["Heading 1"].font.bold is True
    assert styles["Register"].font.size.pt == 9
    half_points = styles.element.xpath("w:docDefaults//w:sz/@w:val")
    assert half_points == ["19"]
