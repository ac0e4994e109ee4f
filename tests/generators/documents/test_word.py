"""The Word writer against python-docx and the standard library's zip reader."""

from __future__ import annotations

import io
import re
import zipfile
from xml.etree import ElementTree as ET

import docx
import hypothesis.strategies as st
from docx.shared import Inches
from hypothesis import given

from generators.documents import BulletList, Clause, Document, Grid, LabelTable, write_word
from generators.documents.archive import StoredArchive
from tests.generators.documents.contexts import style_of

SAMPLE = Document(
    title="Title",
    subtitle="Subtitle",
    sections=(
        LabelTable(heading="Labels", rows=(("Status", "open"), ("Valid", "None"))),
        BulletList(heading="List", items=("one", "two")),
        Clause(heading="1. Clause", paragraphs=("first", "second"), remark="remark"),
        Grid(heading="Grid", header=("A", "B", "C"), rows=(("1", "2", "3"), ("4", "5", "6"))),
    ),
)
HOSTILE = st.text(alphabet=st.characters(codec=None, categories=None), max_size=40)


def test_python_docx_reads_every_paragraph_and_style() -> None:
    """python-docx finds the paragraphs in order, each under the style its section asks for."""
    paragraphs = docx.Document(io.BytesIO(write_word(SAMPLE))).paragraphs
    assert [(style_of(one), one.text) for one in paragraphs] == [
        ("Title", "Title"),
        ("Subtitle", "Subtitle"),
        ("Heading 1", "Labels"),
        ("Heading 1", "List"),
        ("List Bullet", "one"),
        ("List Bullet", "two"),
        ("Heading 1", "1. Clause"),
        ("Normal", "first"),
        ("Normal", "second"),
        ("Quote", "remark"),
        ("Heading 1", "Grid"),
    ]


def test_python_docx_reads_every_cell() -> None:
    """Label tables have the header Field, Value; grids have their own; all in one table style."""
    tables = docx.Document(io.BytesIO(write_word(SAMPLE))).tables
    assert [[[cell.text for cell in row.cells] for row in table.rows] for table in tables] == [
        [["Field", "Value"], ["Status", "open"], ["Valid", "None"]],
        [["A", "B", "C"], ["1", "2", "3"], ["4", "5", "6"]],
    ]
    assert {style_of(table) for table in tables} == {"Register"}


def test_page_is_us_letter_with_narrow_margins() -> None:
    """Letter paper; margins 0.55 inch above and below, 0.65 inch at the sides."""
    (section,) = docx.Document(io.BytesIO(write_word(SAMPLE))).sections
    assert (section.page_width, section.page_height) == (Inches(8.5), Inches(11))
    assert section.top_margin == section.bottom_margin == Inches(0.55)
    assert section.left_margin == section.right_margin == Inches(0.65)


def test_core_properties_say_nothing() -> None:
    """No property that a reader would be shown is set, and the dates are constants."""
    properties = docx.Document(io.BytesIO(write_word(SAMPLE))).core_properties
    for name in ("title", "subject", "author", "keywords", "comments", "category"):
        assert getattr(properties, name) == ""
    assert properties.content_status == ""
    assert properties.created == properties.modified


def test_python_docx_can_edit_and_save() -> None:
    """A document survives what an editor does: a new paragraph, a property, saving, reading."""
    document = docx.Document(io.BytesIO(write_word(SAMPLE)))
    document.add_paragraph("added")
    document.core_properties.subject = "changed"
    saved = io.BytesIO()
    document.save(saved)
    again = docx.Document(saved)
    assert again.paragraphs[-1].text == "added"
    assert again.core_properties.subject == "changed"


def test_archive_has_nothing_of_the_machine() -> None:
    """Members are stored, dated 1980-01-01, from no system, with no attributes, and intact."""
    with zipfile.ZipFile(io.BytesIO(write_word(SAMPLE))) as archive:
        assert archive.testzip() is None
        for member in archive.infolist():
            assert member.compress_type == zipfile.ZIP_STORED
            assert member.date_time == (1980, 1, 1, 0, 0, 0)
            assert (member.create_system, member.external_attr, member.internal_attr) == (0, 0, 0)
            assert (member.extra, member.comment, member.flag_bits) == (b"", b"", 0)


def test_archive_parts_are_well_formed_xml() -> None:
    """Every part parses, and binds no prefix that it does not use."""
    with zipfile.ZipFile(io.BytesIO(write_word(SAMPLE))) as archive:
        for name in archive.namelist():
            part = archive.read(name).decode()
            ET.fromstring(part)
            for prefix in re.findall(r'xmlns:(\w+)="', part):
                assert f"{prefix}:" in part.replace(f"xmlns:{prefix}=", ""), (name, prefix)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,9}\.xml", fullmatch=True), st.binary(), max_size=4))
def test_stored_archive_is_what_zipfile_reads(members: dict[str, bytes]) -> None:
    """The library's zipfile reads back every member, constant ones first, in the order given."""
    archive = StoredArchive(members).with_member("last", b"varying")
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        assert read.testzip() is None
        assert {name: read.read(name) for name in read.namelist()} == {
            **members,
            "last": b"varying",
        }
        assert read.namelist() == [*members, "last"]


@given(HOSTILE, HOSTILE, HOSTILE)
def test_any_text_stays_text(title: str, value: str, item: str) -> None:
    """Any characters come back as themselves, but for those XML cannot hold, which are left out.

    Line ends are the exception: an XML reader normalises them.
    """
    document = Document(
        title=title,
        sections=(
            LabelTable(heading="h", rows=(("Label", value),)),
            BulletList(heading="h", items=(item,)),
        ),
    )
    read = docx.Document(io.BytesIO(write_word(document)))
    assert read.paragraphs[0].text == expressible(title)
    assert read.paragraphs[-1].text == expressible(item)
    assert read.tables[0].rows[1].cells[1].text == expressible(value)


def expressible(text: str) -> str:
    """`text` without what production [2] of XML 1.0 excludes, line ends normalised."""
    kept = "".join(
        char
        for char in text
        if char in "\t\n\r"
        or " " <= char <= "\ud7ff"
        or "\ue000" <= char <= "\ufffd"
        or char >= "\U00010000"
    )
    return kept.replace("\r\n", "\n").replace("\r", "\n")
