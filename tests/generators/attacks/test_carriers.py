"""Planting in files: what was there stays, what is new is where the protocol wants it."""

from __future__ import annotations

import csv
import functools
import io
import json
import zipfile

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.attacks.carriers import note_in_record, text_in_document
from generators.attacks.errors import AttackError
from generators.attacks.tags import hide, reveal
from generators.attacks.word import new_word, with_paragraphs, with_properties
from generators.documents import Clause, Document, write_word
from generators.readers.reader import read_bytes

TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="￾￿"),
    min_size=1,
)
TABLE = b"id,value\r\nA,1\r\nB,2\r\n"
WORD = write_word(
    Document(title="Charter", sections=(Clause(heading="Scope", paragraphs=("One.", "Two.")),))
)


def _rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


@functools.cache
def _python_docx() -> bytes:
    """A document by python-docx, with a table and the page settings it writes."""
    document = docx.Document()
    document.add_paragraph("Body")
    document.add_table(1, 1).cell(0, 0).text = "Cell"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


@given(text=TEXT)
def test_a_note_goes_into_the_row_of_the_fact(text: str) -> None:
    """The row named by the pointer gets the note; all other cells stay."""
    rows = _rows(note_in_record(TABLE, "csv", "/1/value", text))
    assert rows == [
        {"id": "A", "value": "1", "notes": ""},
        {"id": "B", "value": "2", "notes": text},
    ]


@pytest.mark.parametrize("pointer", ["/7/value", "/value", "/0"])
def test_a_pointer_without_a_row_means_the_first(pointer: str) -> None:
    """An index out of range or none at all leads to the first row."""
    assert _rows(note_in_record(TABLE, "csv", pointer, "x"))[0]["notes"] == "x"


def test_notes_add_up() -> None:
    """A second note follows the first after a blank, in tables and objects alike."""
    table = note_in_record(note_in_record(TABLE, "csv", "/0/value", "one"), "csv", "/0/id", "two")
    assert _rows(table)[0]["notes"] == "one two"
    record = note_in_record(b'{"a": {"b": 1}}', "json", "/a/b", "one")
    assert json.loads(note_in_record(record, "json", "/a/b", "two"))["notes"] == "one two"


@pytest.mark.parametrize(
    ("content", "pointer", "owner"),
    [
        ({"entries": [{"v": 1}, {"v": {"w": 2}}]}, "/entries/1/v/w", ("entries", 1)),
        ({"a": {"b": 1}}, "/a/b", ()),
        ([{"x": 1}], "/0/x", (0,)),
        ({"l": [{"m": [{"x": 1}]}]}, "/l/0/m/0/x", ("l", 0, "m", 0)),
        ({"l": [1, 2]}, "/l/0", ()),
    ],
)
def test_a_note_goes_into_the_entry_of_the_fact(
    content: object, pointer: str, owner: tuple[str | int, ...]
) -> None:
    """The last object entered through a list has it, or the whole record."""
    planted = json.loads(note_in_record(json.dumps(content).encode(), "json", pointer, "x"))
    found = planted
    for step in owner:
        found = found[step]
    assert found.pop("notes") == "x"
    assert planted == content


@given(text=TEXT)
def test_documents_show_what_was_planted(text: str) -> None:
    """Readers give the text back from a document of each type, after what was there."""
    content = read_bytes("csv", text_in_document(TABLE, "csv", text), "blocks").content  # type: ignore[union-attr]  # it can be read
    assert content == [
        {"id": "A", "value": "1", "reviewer_note": text},
        {"id": "B", "value": "2", "reviewer_note": ""},
    ]
    planted = json.loads(text_in_document(b'{"a": 1}', "json", text))
    assert planted == {"a": 1, "reviewer_notes": [text]}


def test_an_empty_table_gets_a_row() -> None:
    """A table without rows has one that holds the text alone."""
    planted = text_in_document(b"id,value\r\n", "csv", "x")
    assert _rows(planted) == [{"id": "", "value": "", "reviewer_note": "x"}]


def test_the_supplier_says_it() -> None:
    """In supplier statements the text stands in that of the selected vendor."""
    first, second = {"vendor": "A", "s": 1}, {"vendor": "B", "supplier_note": "old"}
    data = json.dumps({"responses": [first, second]}).encode()
    planted = json.loads(text_in_document(data, "json", "new", supplier="B"))
    assert planted == {"responses": [first, {**second, "supplier_note": "old new"}]}
    with pytest.raises(AttackError, match="no statement of the vendor"):
        text_in_document(data, "json", "new", supplier="C")


def test_a_drawing_gets_white_letters() -> None:
    """A diagram has the text, escaped, before its first closing tag; its labels stay."""
    planted = text_in_document(b"<svg><text>Hub</text></svg>", "svg", 'a <b> & "c"')
    assert planted == (
        b'<svg><text>Hub</text><text x="10" y="1275" font-size="8" fill="#FFFFFF">'
        b'a &lt;b&gt; &amp; "c"</text>\n</svg>'
    )
    with pytest.raises(AttackError, match="no closing tag"):
        text_in_document(b"<svg>", "svg", "x")


@settings(max_examples=12)  # python-docx is slow to open a file
@given(text=TEXT)
def test_a_paragraph_is_the_last_one(text: str) -> None:
    """python-docx reads the paragraph back behind the others, in files of either writer."""
    for data in (WORD, _python_docx()):
        before = docx.Document(io.BytesIO(data))
        after = docx.Document(io.BytesIO(with_paragraphs(data, [text])))
        texts = [paragraph.text for paragraph in after.paragraphs]
        assert texts == [*(paragraph.text for paragraph in before.paragraphs), text]
        assert len(after.sections) == len(before.sections) == 1
        assert len(after.tables) == len(before.tables)


def test_line_feeds_are_line_breaks() -> None:
    """A text of several lines stays one paragraph."""
    planted = docx.Document(io.BytesIO(with_paragraphs(WORD, ["one\ntwo"])))
    assert planted.paragraphs[-1].text == "one\ntwo"


@settings(max_examples=12)
@given(values=st.lists(TEXT.filter(lambda text: len(text) <= 80), min_size=6, max_size=6))
def test_properties_are_read_back(values: list[str]) -> None:
    """python-docx reads every property back, in files of either writer; the body stays."""
    names = ("title", "subject", "keywords", "comments", "category", "status")
    wanted = dict(zip(names, values, strict=True))
    for data in (WORD, _python_docx()):
        planted = docx.Document(io.BytesIO(with_properties(data, wanted)))
        core = planted.core_properties
        found = {name: getattr(core, name) for name in names if name != "status"}
        assert {**found, "status": core.content_status} == wanted
        assert planted.element.xml == docx.Document(io.BytesIO(data)).element.xml


def test_a_property_too_long_is_refused() -> None:
    """Over 255 characters no reader promises anything."""
    with pytest.raises(AttackError, match="title has over 255 characters"):
        with_properties(WORD, {"title": "x" * 256})


def test_other_parts_are_carried_over() -> None:
    """Every other member keeps its bytes and compression; the archive has one fixed date."""
    before, after = (
        zipfile.ZipFile(io.BytesIO(data))
        for data in (_python_docx(), with_paragraphs(_python_docx(), ["x"]))
    )
    assert after.testzip() is None
    assert before.namelist() == after.namelist()
    for old, new in zip(before.infolist(), after.infolist(), strict=True):
        assert new.date_time == (1980, 1, 1, 0, 0, 0)
        if old.filename != "word/document.xml":
            assert before.read(old) == after.read(new)
            assert old.compress_size == new.compress_size


def test_a_new_word_file_holds_its_paragraphs() -> None:
    """An uploaded message has the lines it was made of, and nothing before them."""
    read = read_bytes("docx", new_word(["From: A", "To: B"]), "blocks")
    assert read.content == ["From: A", "To: B"]  # type: ignore[union-attr]  # it can be read


@pytest.mark.parametrize(
    ("data", "suffix"),
    [
        (b"no zip", "docx"),
        (b"{", "json"),
        (b"[1]", "json"),
        (b"\xff", "csv"),
        (b"a\r\n1,2\r\n", "csv"),
        (b"text", "yaml"),
    ],
)
def test_damaged_carriers_are_an_error(data: bytes, suffix: str) -> None:
    """A file that cannot be read is named as such and never half changed."""
    with pytest.raises(AttackError):
        text_in_document(data, suffix, "x")


def test_a_word_file_of_another_kind_is_refused() -> None:
    """A package whose document uses other prefixes is not guessed at."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", '<x:document xmlns:x="urn:x"/>')
        archive.writestr("docProps/core.xml", "<core/>")
    with pytest.raises(AttackError, match="usual form"):
        with_paragraphs(out.getvalue(), ["x"])
    with pytest.raises(AttackError, match="usual form"):
        with_properties(out.getvalue(), {"title": "x"})


@given(st.text())
def test_tags_hide_and_reveal_ascii(text: str) -> None:
    """Printable ASCII comes back from its tags; everything else is dropped or left alone."""
    printable = "".join(char for char in text if " " <= char <= "~")
    hidden = hide(text)
    assert reveal(hidden) == printable
    assert all(0xE0020 <= ord(char) <= 0xE007E for char in hidden)
    assert reveal(text) == text or any(0xE0020 <= ord(char) <= 0xE007E for char in text)
