"""JSON, CSV and text readers against the standard library, and what they refuse."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.readers.content import Format, Json, ReadError
from generators.readers.reader import format_of, read_bytes

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
texts = st.text(st.characters(codec="utf-8"))
json_values: st.SearchStrategy[Json] = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
cells = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=8)


def read(fmt: Format, data: bytes) -> Json:
    """The content, which must exist."""
    outcome = read_bytes(fmt, data, "blocks")
    assert not isinstance(outcome, ReadError), outcome
    return outcome.content


def refusal(fmt: Format, data: bytes) -> str:
    """The code of the error, which must be one."""
    outcome = read_bytes(fmt, data, "blocks")
    assert isinstance(outcome, ReadError)
    return outcome.code


@given(json_values, st.sampled_from([None, 2]))
def test_json_is_the_parsed_value(value: Json, indent: int | None) -> None:
    """A JSON file reads as the standard library parses it, keys in the order of the file."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    content = read("json", text.encode())
    assert json.dumps(content) == json.dumps(value)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "not_json"),
        ("", "not_json"),
        ("{'a': 1}", "not_json"),
        ("\ufeff{}", "not_json"),
        ("NaN", "not_json"),
        ('{"a": Infinity}', "not_json"),
        ("[-Infinity]", "not_json"),
        ("1e400", "absurd_number"),
        ("[" + "9" * 5000 + "]", "absurd_number"),
        ("-" + "9" * 2000, "absurd_number"),
        ("[" * 100_000, "too_deep"),
        ("[" * 65 + "]" * 65, "too_deep"),
        ('{"a":' * 100_000, "too_deep"),
        (r'"\ud800"', "not_unicode"),
        (r'{"\udfff": 1}', "not_unicode"),
    ],
)
def test_json_that_nobody_could_use(text: str, code: str) -> None:
    """What cannot be hashed, sent or compared is refused by name."""
    assert refusal("json", text.encode()) == code


def test_brackets_in_texts_are_no_depth() -> None:
    """Nesting is counted outside strings."""
    value: Json = ["[" * 500, '"[\\', {"{" * 500: 1}]
    assert read("json", json.dumps(value).encode()) == value


def test_repeated_keys_keep_the_last() -> None:
    """As in the standard library, the last of equal keys counts."""
    assert read("json", b'{"a": 1, "a": 2}') == {"a": 2}


@given(st.lists(cells, min_size=1, max_size=5, unique=True), st.data())
def test_csv_is_what_the_library_reads(header: list[str], data: st.DataObject) -> None:
    """A table reads as `csv.DictReader` reads it, whatever it quotes."""
    row = st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
        min_size=len(header),
        max_size=len(header),
    )
    rows = data.draw(st.lists(row, max_size=6))
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, *rows])
    oracle = list(csv.DictReader(io.StringIO(out.getvalue(), newline="")))
    if out.getvalue().startswith("\ufeff"):
        return
    assert read("csv", out.getvalue().encode()) == oracle


def test_csv_details() -> None:
    """A byte order mark and blank lines are skipped, cells keep their spaces, ends are null."""
    table = '\ufeffa,b\r\n\r\n x , "y\r\nz"\r\n1\r\n,\r\n'
    assert read("csv", table.encode()) == [
        {"a": " x ", "b": ' "y'},
        {"a": 'z"', "b": None},
        {"a": "1", "b": None},
        {"a": "", "b": ""},
    ]
    assert read("csv", b"\r\n") == []
    assert read("csv", b"") == []
    assert read("csv", b'a,b\r\n"1\r\n2",3\r\n') == [{"a": "1\r\n2", "b": "3"}]


def test_csv_gives_two_hundred_rows() -> None:
    """A table is cut after 200 rows."""
    content = read("csv", b"n\r\n" + b"".join(b"%d\r\n" % n for n in range(500)))
    assert isinstance(content, list)
    assert content[-1] == {"n": "199"}
    assert len(content) == 200


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (b"a,b\r\n1,2,3\r\n", "not_csv"),
        (b"\r\n1\r\n", "not_csv"),
        (b"a\r\n\xff\r\n", "not_utf8"),
        ("a,b\r\n1,2\r\n".encode("utf-16"), "not_utf8"),
        (b'a\r\n"' + b"x" * 200_000, "not_csv"),
        (b",".join([b"c"] * 600), "too_large"),
    ],
)
def test_csv_that_is_no_table(table: bytes, code: str) -> None:
    """Ragged, mis-encoded or monstrous tables are refused by name."""
    assert refusal("csv", table) == code


def test_text_is_cut_and_has_one_kind_of_line_end() -> None:
    """Other text is given as it is, with line feeds, up to 40 000 characters."""
    assert read("yaml", "\ufeffé: 1\r\nb: 2\rc".encode()) == "\ufeffé: 1\nb: 2\nc"
    assert read("yaml", b"x" * 40_001) == "x" * 40_000
    assert refusal("yaml", b"\xe9") == "not_utf8"


@pytest.mark.parametrize("fmt", ["json", "csv", "docx", "svg", "yaml", "pdf"])
def test_absurd_sizes_are_refused_unread(fmt: Format) -> None:
    """A file far larger than any evidence is refused in every format."""
    assert refusal(fmt, bytes(4 * 1024 * 1024 + 1)) == "too_large"


@pytest.mark.parametrize(
    ("path", "fmt"),
    [
        ("shared/project_charter.docx", "docx"),
        ("a/b.JSON", "json"),
        ("a.csv", "csv"),
        ("a/b.c/diagram.svg", "svg"),
        ("memo.pdf", "pdf"),
        ("openapi.yaml", "yaml"),
        ("README", "yaml"),
        ("a.docx/README", "yaml"),
        ("notes.md", "yaml"),
    ],
)
def test_format_follows_the_file_name(path: str, fmt: Format) -> None:
    """The suffix of the file name decides how it is read."""
    assert format_of(path) == fmt
