"""The signed memorandum: read back by other software, the same bytes every time."""

from __future__ import annotations

import datetime as dt
import io
import subprocess
from pathlib import Path
from shutil import which

import pypdf
import pytest
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko.sign.validation.status import SignatureCoverageLevel
from pyhanko_certvalidator import ValidationContext

from generators.attacks.pdf import LINE, Memorandum, page_lines, printable, signed_pdf
from generators.readers.pdf import read_pdf

MEMORANDUM = Memorandum(
    title="Title (draft) \\ copy",
    subject="DGF-0123ABCD",
    lines=("HEADING", "A – dash, an é and a “quote” " + "word " * 40, "Reference: DGF-0123ABCD"),
    officer="Chief Risk Officer",
    office="Risk Office",
    reason="Acceptance DGF-0123ABCD",
)


@pytest.fixture(scope="module")
def data() -> bytes:
    """The signed file."""
    return signed_pdf(MEMORANDUM)


def test_pypdf_reads_page_and_properties(data: bytes) -> None:
    """One A4 page with every line, in Latin-1 and wrapped; three properties."""
    reader = pypdf.PdfReader(io.BytesIO(data), strict=True)
    (page,) = reader.pages
    assert (page.mediabox.width, page.mediabox.height) == (595, 842)
    lines = page.extract_text().splitlines()
    assert [line.strip() for line in lines] == page_lines(MEMORANDUM)
    assert max(map(len, lines)) <= LINE
    assert reader.metadata is not None
    found = (reader.metadata.title, reader.metadata.author, reader.metadata.subject)
    assert found == (MEMORANDUM.title, MEMORANDUM.officer, MEMORANDUM.subject)


def test_the_signature_is_genuine_and_nobody_vouches_for_it(data: bytes) -> None:
    """PyHanko finds the whole file signed and intact, by a certificate without an issuer."""
    (signature,) = PdfFileReader(io.BytesIO(data)).embedded_signatures
    trust = ValidationContext(trust_roots=[], allow_fetching=False)
    status = validate_pdf_signature(signature, signer_validation_context=trust)
    assert status.intact
    assert status.valid
    assert not status.trusted
    assert status.coverage == SignatureCoverageLevel.ENTIRE_FILE
    assert signature.field_name == "Signature1"
    assert signature.sig_object["/Reason"] == MEMORANDUM.reason
    certificate = signature.signer_cert
    assert certificate.subject.native == {
        "common_name": "Chief Risk Officer",
        "organization_name": "Risk Office",
    }
    assert certificate.issuer == certificate.subject
    assert certificate.serial_number == 1
    signed_at = dt.datetime(2026, 9, 1, 12, tzinfo=dt.UTC)
    validity = certificate["tbs_certificate"]["validity"].native
    assert validity["not_before"] == signed_at - dt.timedelta(days=1)
    assert validity["not_after"] == signed_at + dt.timedelta(days=365)
    assert certificate.public_key.bit_size == 2048


def test_a_changed_byte_breaks_the_signature(data: bytes) -> None:
    """The signature is over what is said: another letter and it no longer holds."""
    (signature,) = PdfFileReader(
        io.BytesIO(data.replace(b"(HEADING)", b"(HEADINGS)"[:9]).replace(b"HEADING", b"HEADINH"))
    ).embedded_signatures
    trust = ValidationContext(trust_roots=[], allow_fetching=False)
    assert not validate_pdf_signature(signature, signer_validation_context=trust).intact


def test_bytes_repeat_unless_the_key_is_fresh(data: bytes) -> None:
    """Nothing in the file depends on clock or chance, but for a key that is asked for."""
    assert signed_pdf(MEMORANDUM) == data
    fresh = signed_pdf(MEMORANDUM, fresh_key=True)
    assert fresh != data
    assert fresh != signed_pdf(MEMORANDUM, fresh_key=True)


def test_the_tools_show_properties_signature_and_lines(data: bytes) -> None:
    """An agent sees what the file claims, and that nobody vouches for it."""
    content = read_pdf(data, "blocks").content
    assert isinstance(content, list)
    properties, signature, *lines = content
    assert "subject: DGF-0123ABCD" in str(properties)
    assert "signer: Chief Risk Officer; reason: Acceptance DGF-0123ABCD" in str(signature)
    assert "unchanged since signing: yes; issued by a trusted authority: no" in str(signature)
    assert lines == page_lines(MEMORANDUM)


async def _in_a_loop() -> bytes:
    return signed_pdf(MEMORANDUM)


@pytest.mark.asyncio
async def test_signing_works_beside_a_running_loop(data: bytes) -> None:
    """A caller that runs an event loop gets the same file."""
    assert await _in_a_loop() == data


def test_what_the_page_cannot_show_is_replaced() -> None:
    """Dashes become hyphens, letters beyond Latin-1 question marks."""
    assert printable("a – b — c… é Ω") == "a - b - c... é ?"


@pytest.mark.skipif(which("pdftoppm") is None, reason="poppler is not installed")
def test_the_page_can_be_drawn(data: bytes, tmp_path: Path) -> None:
    """Another renderer draws the page, and there is ink on it."""
    from PIL import Image

    (tmp_path / "memo.pdf").write_bytes(data)
    command = ["pdftoppm", "-r", "40", "-png", "-singlefile", "memo.pdf", "page"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stderr == ""
    page = Image.open(tmp_path / "page.png").convert("L")
    ink = sum(page.histogram()[:128])
    assert ink > 200
