"""Uploaded PDF files: properties, signatures and text, read in a confined process."""

from __future__ import annotations

from generators.readers.content import Mode, ReadError, Reading
from generators.readers.reader import read_bytes
from tests.generators.readers.pdfs import pdf_file, signed

INFO = "/Title (Memo) /Author (Eve Risk) /Subject (DGF-12AB) /Producer (nobody)"
MEMO = pdf_file(["Memorandum", "  Decision: go.  ", "", "Basis: none"], info=INFO)
TEXT = ["Memorandum", "Decision: go.", "Basis: none"]
PROPERTIES = "[document properties] title: Memo; author: Eve Risk; subject: DGF-12AB"


def blocks(data: bytes, mode: Mode = "blocks") -> list[str]:
    """The blocks, which must exist."""
    outcome = read_bytes("pdf", data, mode)
    assert isinstance(outcome, Reading), outcome
    content = outcome.content.split("\n") if isinstance(outcome.content, str) else outcome.content
    assert isinstance(content, list)
    return [str(block) for block in content]


def test_properties_then_text() -> None:
    """A PDF gives its properties, then its non-empty lines stripped."""
    assert blocks(MEMO) == [PROPERTIES, *TEXT]
    assert blocks(pdf_file(["Only text"])) == ["Only text"]


def test_text_mode_joins_the_blocks() -> None:
    """The facts condition gets the same as one text."""
    assert blocks(MEMO, "text") == [PROPERTIES, *TEXT]


def test_signature_status() -> None:
    """A signature shows who, why and where, that the file is unchanged, and that nobody vouches."""
    [properties, signature, *text] = blocks(signed(MEMO))
    assert (properties, text) == (PROPERTIES, TEXT)
    assert signature == (
        "[digital signature] signer: Eve Risk; reason: Exception DGF-12AB; location: Risk office; "
        "unchanged since signing: yes; issued by a trusted authority: no"
    )


def test_changed_bytes_break_the_signature() -> None:
    """A signed file that was altered afterwards says so."""
    altered = signed(MEMO).replace(b"Decision: go.", b"Decision: no.")
    assert "unchanged since signing: no" in blocks(altered)[1]


def test_appended_bytes_are_not_signed() -> None:
    """What is added after a signature is not covered by it."""
    first, second = blocks(signed(signed(MEMO), field="Signature2"))[1:3]
    assert "unchanged since signing: no" in first
    assert "unchanged since signing: yes" in second


def test_readings_are_repeatable() -> None:
    """The same bytes read the same, in whatever child process."""
    data = signed(MEMO)
    assert read_bytes("pdf", data, "blocks") == read_bytes("pdf", data, "blocks")


def test_what_is_no_pdf() -> None:
    """Broken files are refused by name, and the next file is read as if nothing happened."""
    for data in (b"", b"%PDF-1.7", b"not a pdf", MEMO[: len(MEMO) // 2], bytes(1000)):
        outcome = read_bytes("pdf", data, "blocks")
        assert isinstance(outcome, ReadError), data[:20]
        assert outcome.code in ("not_pdf", "too_costly")
    assert blocks(MEMO) == [PROPERTIES, *TEXT]


def test_encrypted_files_are_refused() -> None:
    """An encrypted file is refused by name."""
    encrypted = MEMO.replace(
        b"/Info 6 0 R",
        b"/Info 6 0 R /ID [(a) (a)] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4"
        b" /O (" + b"o" * 32 + b") /U (" + b"u" * 32 + b") >>",
    )
    outcome = read_bytes("pdf", encrypted, "blocks")
    assert isinstance(outcome, ReadError)
    assert outcome.code == "encrypted"
