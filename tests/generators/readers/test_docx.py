"""Word files: the same blocks as python-docx, in the protocol's order and within its limits."""

from __future__ import annotations

import docx
import pytest
from docx.document import Document
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.readers.content import Mode, ReadError, Reading
from generators.readers.reader import read_bytes
from tests.generators.decoding.worlds import make_world
from tests.generators.readers.word import oracle_blocks, saved, with_member, word_file

W = nsdecls("w")
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=20)


def read(data: bytes, mode: Mode = "blocks") -> Reading:
    """The reading, which must exist."""
    outcome = read_bytes("docx", data, mode)
    assert isinstance(outcome, Reading), outcome
    return outcome


def test_generated_documents_read_as_python_docx_reads_them() -> None:
    """Every Word document of generated dossiers has the oracle's blocks and no properties."""
    compared = 0
    for seed, route in ((71_000, "build"), (71_001, "integrate"), (71_002, "buy")):
        for path, data in make_world(seed, route=route).files.items():
            if path.endswith(".docx"):
                assert read(data) == Reading(content=[*oracle_blocks(data)]), path
                assert read(data, "text").content == "\n".join(oracle_blocks(data)), path
                compared += 1
    assert compared > 40


@settings(max_examples=40, deadline=None)
@given(st.lists(words | st.lists(st.lists(words, min_size=2, max_size=2), min_size=1, max_size=3)))
def test_drawn_documents_read_as_python_docx_reads_them(parts: list[str | list[list[str]]]) -> None:
    """Paragraphs and tables in any order give all paragraphs, then all rows."""

    def fill(document: Document) -> None:
        for part in parts:
            if isinstance(part, str):
                document.add_paragraph(part)
                continue
            table = document.add_table(rows=len(part), cols=2)
            for row, texts in zip(table.rows, part, strict=True):
                for cell, text in zip(row.cells, texts, strict=True):
                    cell.text = text

    data = word_file(fill)
    assert read(data).content == oracle_blocks(data)


def _rich(document: Document) -> None:
    document.add_heading("Heading", 1)
    document.add_paragraph("before \t tab")
    document.add_paragraph("   ")
    paragraph = document.add_paragraph("line")
    paragraph.add_run().add_break()
    paragraph.add_run("next").add_break(WD_BREAK.PAGE)
    paragraph.add_run("page\tx")
    for xml in (
        f"<w:hyperlink {W}><w:r><w:t>link</w:t></w:r></w:hyperlink>",
        f"<w:ins {W} w:id='1'><w:r><w:t>tracked</w:t></w:r></w:ins>",
        (
            f"<w:r {W}><w:noBreakHyphen/><w:cr/><w:ptab/><w:tab/>"
            "<w:t xml:space='preserve'> e </w:t><w:delText>gone</w:delText>"
            "<w:br w:type='column'/></w:r>"
        ),
    ):
        paragraph._p.append(parse_xml(xml))
    control = "<w:sdtContent><w:p><w:r><w:t>control</w:t></w:r></w:p></w:sdtContent>"
    document.element.body.insert(0, parse_xml(f"<w:sdt {W}>{control}</w:sdt>"))
    table = document.add_table(4, 3)
    table.cell(0, 0).text = "wide"
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(1, 0).text = "tall"
    table.cell(1, 0).merge(table.cell(3, 0))
    table.cell(2, 1).text = "block"
    table.cell(2, 1).merge(table.cell(3, 2))
    table.cell(0, 2).text = "  padded  "
    table.cell(1, 1).add_paragraph("second")
    table.cell(1, 2).add_table(1, 1).cell(0, 0).text = "nested"
    document.add_paragraph("after the table")
    document.add_table(1, 2)


def test_rich_documents_read_as_python_docx_reads_them() -> None:
    """Merged cells, breaks, links, tracked text and content controls follow the oracle."""
    data = word_file(_rich)
    blocks = read(data).content
    assert blocks == oracle_blocks(data)
    assert blocks == [
        "Heading",
        "before \t tab",
        "line\nnextpage\txlink-\n\t\t e",
        "after the table",
        "wide | wide | padded",
        "tall | second | ",
        "tall | block | block",
        "tall | block | block",
        " | ",
    ]


def test_rows_that_start_late() -> None:
    """A row may leave out columns at its start; cells below still find the cell above."""

    def row(merge: str, text: str) -> str:
        cell = (
            f"<w:tc><w:tcPr><w:vMerge w:val='{merge}'/></w:tcPr>"
            f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"
        )
        return f"<w:tr {W}><w:trPr><w:gridBefore w:val='1'/></w:trPr>{cell}</w:tr>"

    def fill(document: Document) -> None:
        table = document.add_table(0, 2)
        for xml in (row("restart", "kept"), row("continue", "covered")):
            table._tbl.append(parse_xml(xml))

    data = word_file(fill)
    assert read(data).content == oracle_blocks(data) == ["kept", "kept"]


def test_blocks_are_cut_before_the_limit() -> None:
    """The block that brings the sum of lengths plus one above 40 000 and all later ones go."""

    def fill(document: Document) -> None:
        for _ in range(30):
            document.add_paragraph("x" * 1999)
        document.add_paragraph("short")

    data = word_file(fill)
    assert read(data).content == ["x" * 1999] * 20
    text = read(data, "text").content
    assert text == "\n".join(["x" * 1999] * 20) + "\n"
    assert len(str(text)) == 40_000


def test_properties_are_the_last_block() -> None:
    """Set properties appear after the text, uncut, in a fixed order; the title also in lists."""
    data = word_file(
        lambda d: d.add_paragraph("text"),
        title=" A  title\nmore ",
        author="Someone",
        content_status="Final",
        category="a; b: c",
    )
    reading = read(data)
    assert reading.title == " A  title\nmore "
    properties = "title:  A  title\nmore ; author: Someone; category: a; b: c; status: Final"
    assert reading.content == ["text", f"[document properties] {properties}"]
    assert read(data, "text") == Reading(content="text")


@pytest.mark.parametrize(
    ("properties", "shown"),
    [
        ({"author": "python-docx", "comments": "generated by python-docx"}, None),
        ({"author": "python-docx", "comments": "mine"}, "comments: mine"),
        ({"author": "generated by python-docx"}, "author: generated by python-docx"),
        ({"subject": "s", "keywords": "k"}, "subject: s; keywords: k"),
    ],
)
def test_generator_marks_are_not_shown(properties: dict[str, str], shown: str | None) -> None:
    """What python-docx writes by itself is no property; anything else is."""
    content = read(word_file(lambda d: d.add_paragraph("t"), **properties)).content
    assert content == ["t"] if shown is None else ["t", f"[document properties] {shown}"]


def test_a_package_without_core_properties() -> None:
    """python-docx gives such a file the title `Word Document`, so that is what readers see."""
    data = word_file(lambda d: d.add_paragraph("t"))
    bare = with_member(
        data, "_rels/.rels", lambda xml: xml.replace(b"metadata/core-properties", b"metadata/other")
    )
    assert read(bare).title == "Word Document"
    assert read(bare).content == ["t", "[document properties] title: Word Document"]


def test_parts_are_found_by_their_relationships() -> None:
    """A main document under another name is still the main document."""
    data = word_file(lambda d: d.add_paragraph("t"))
    moved = with_member(data, "_rels/.rels", lambda xml: xml.replace(b'"word/doc', b'"/word/doc'))
    assert read(moved).content == ["t"]


def test_the_untouched_template_is_empty() -> None:
    """A new document has no blocks."""
    assert read(saved(docx.Document())).content == []


def _replaced(old: bytes, new: bytes, *, count: int = 1) -> bytes:
    data = word_file(lambda d: d.add_table(1, 2))
    return with_member(data, "word/document.xml", lambda xml: xml.replace(old, new, count))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (_replaced(b"</w:body>", b""), "not_xml"),
        (_replaced(b"w:body", b"w:corpus", count=-1), "not_docx"),
        (_replaced(b"<w:document", b"<!DOCTYPE x><w:document"), "doctype"),
        (_replaced(b"<w:tcPr>", b'<w:tcPr><w:gridSpan w:val="999999999"/>'), "not_docx"),
        (_replaced(b"<w:tcPr>", b'<w:tcPr><w:gridSpan w:val="-1"/>'), "not_docx"),
        (_replaced(b"<w:tcPr>", b'<w:tcPr><w:gridSpan w:val="600"/>'), "too_large"),
        (_replaced(b"<w:tcPr>", b"<w:tcPr><w:vMerge/>"), "not_docx"),
        (_replaced(b"<w:body>", b"<w:body>" + b"<w:p/>" * 200_001), "too_large"),
        (with_member(word_file(lambda d: None), "word/document.xml", None), "missing_part"),
        (with_member(word_file(lambda d: None), "_rels/.rels", None), "missing_part"),
        (
            with_member(
                word_file(lambda d: None),
                "_rels/.rels",
                lambda xml: xml.replace(b"/officeDocument", b"/unrelated"),
            ),
            "not_docx",
        ),
    ],
)
def test_what_is_no_word_file(data: bytes, code: str) -> None:
    """Broken structure is refused by name."""
    outcome = read_bytes("docx", data, "blocks")
    assert isinstance(outcome, ReadError)
    assert outcome.code == code
