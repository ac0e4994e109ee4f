"""Whatever a file holds, reading it gives a value: no exception, no hang, bounded memory."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.readers import confined
from generators.readers.content import Format, Mode, ReadError, Reading, canonical_json
from generators.readers.reader import read_bytes
from tests.generators.decoding.worlds import make_world
from tests.generators.readers.hostile import pdf_files
from tests.generators.readers.pdfs import pdf_file, signed

FORMATS: tuple[Format, ...] = ("json", "csv", "docx", "svg", "yaml", "pdf")
LIGHT: tuple[Format, ...] = ("json", "csv", "docx", "svg", "yaml")
SVG = b"<svg><text x='1'>a <tspan>b</tspan></text><text>c</text></svg>"


@functools.cache
def valid_files() -> dict[Format, bytes]:
    """One valid file of each format, made by the generator where it makes the format."""
    world = make_world(71_000, route="build")
    return {
        "json": world.bytes_of("TECH_CATALOG"),
        "csv": world.bytes_of("BUDGET_APPROVAL"),
        "docx": world.bytes_of("PROJECT_CHARTER"),
        "svg": SVG,
        "yaml": world.bytes_of("OPENAPI"),
        "pdf": signed(pdf_file(["a", "b"], info="/Title (t)")),
    }


def check_outcome(fmt: Format, data: bytes) -> None:
    """The outcome is content that can be hashed, sent and compared, or a named error."""
    modes: tuple[Mode, ...] = ("blocks", "text")
    for mode in modes:
        outcome = read_bytes(fmt, data, mode)
        if isinstance(outcome, ReadError):
            assert outcome.code
            assert outcome.detail
        else:
            assert canonical_json(outcome.content)
            assert outcome.content == outcome.content


def test_hostile_files_in_a_bounded_process() -> None:
    """Bombs, loops, entities, odd encodings and monsters all read inside 700 MB and a minute."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.generators.readers.hostile"],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout)
    assert report["wrong"] == []
    assert report["cases"] > 50


@pytest.mark.parametrize(
    ("name", "data"), [pytest.param(name, data, id=name) for name, data in pdf_files()]
)
def test_hostile_pdf(name: str, data: bytes) -> None:
    """A PDF that loops, explodes or lies gives a value; the limits end what would not."""
    outcome = read_bytes("pdf", data, "blocks")
    assert isinstance(outcome, Reading | ReadError)
    if name == "endless text":
        assert isinstance(outcome, ReadError)
        assert outcome.code == "too_costly"
    if name == "bomb":
        assert isinstance(outcome, ReadError)


def test_a_dead_helper_is_replaced() -> None:
    """If the helper process dies, one file is given up and the next is read."""
    memo = pdf_file(["text"])
    assert isinstance(read_bytes("pdf", memo, "blocks"), Reading)
    process = confined._helper._process
    assert process is not None
    process.kill()
    process.wait()
    lost = read_bytes("pdf", memo, "blocks")
    assert isinstance(lost, ReadError)
    assert isinstance(read_bytes("pdf", memo, "blocks"), Reading)


def test_the_helper_ends_with_its_owner() -> None:
    """A process that has read a PDF leaves no helper behind."""
    code = (
        "from generators.readers import confined\n"
        "from tests.generators.readers.pdfs import pdf_file\n"
        "confined.read_confined(pdf_file(['x']), 'blocks')\n"
        "print(confined._helper._process.pid)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


@given(st.sampled_from(LIGHT), st.binary(max_size=400))
def test_any_bytes_read(fmt: Format, data: bytes) -> None:
    """Random bytes give a value in every format."""
    check_outcome(fmt, data)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(LIGHT), st.data())
def test_damaged_files_read(fmt: Format, data: st.DataObject) -> None:
    """A valid file that is cut, overwritten or stretched anywhere gives a value."""
    check_outcome(fmt, damaged(valid_files()[fmt], data))


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_damaged_pdfs_read(data: st.DataObject) -> None:
    """The same for signed PDF files, which other libraries parse."""
    check_outcome("pdf", damaged(valid_files()["pdf"], data))


def damaged(data: bytes, source: st.DataObject) -> bytes:
    """The file with up to four edits."""
    for _ in range(source.draw(st.integers(1, 4))):
        at = source.draw(st.integers(0, len(data)))
        match source.draw(st.sampled_from(["cut", "write", "insert", "repeat", "remove"])):
            case "cut":
                data = data[:at]
            case "write":
                new = source.draw(st.binary(min_size=1, max_size=4))
                data = data[:at] + new + data[at + len(new) :]
            case "insert":
                data = data[:at] + source.draw(st.binary(min_size=1, max_size=8)) + data[at:]
            case "repeat":
                data = data[:at] + data[at : at + 40] * 3 + data[at + 40 :]
            case _:
                data = data[:at] + data[at + source.draw(st.integers(1, 40)) :]
    return data
