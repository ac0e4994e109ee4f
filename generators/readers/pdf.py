"""Reader of uploaded PDF files: properties, signatures with their status, lines of text.

No certificate authority is trusted: a dossier cannot bring its own proof, so a signature shows at
most that the file is unchanged since somebody signed it.

The libraries that parse PDF cannot promise to end, or to end within the memory of the machine, so
`read_pdf` works in a confined process (`generators.readers.confined`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

from generators.readers.content import Mode, Reading, Unreadable
from generators.readers.docx import cut_blocks, cut_text, properties_block

if TYPE_CHECKING:
    from pyhanko.sign.validation.pdf_embedded import EmbeddedPdfSignature
    from pypdf import PdfReader

MAX_PAGES: Final = 100
_SIGNATURE: Final = "[digital signature]"
_SIGNED_RANGE: Final = b"/ByteRange"
"""Stands in clear in every signed file, because the signature leaves itself out by position."""
_PROPERTIES: Final = ("title", "author", "subject", "keywords")


def read_pdf(data: bytes, mode: Mode) -> Reading:
    """The blocks of a PDF file; call it through `confined.read_confined`."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted:
        raise Unreadable("encrypted", "the document is encrypted")
    if len(reader.pages) > MAX_PAGES:
        raise Unreadable("too_large", f"the document has more than {MAX_PAGES} pages")
    blocks = chain(_property_blocks(reader), _signature_blocks(data), _lines(reader))
    if mode == "text":
        return Reading(content=cut_text(blocks))
    return Reading(content=[*cut_blocks(blocks)])


def _property_blocks(reader: PdfReader) -> Iterator[str]:
    if reader.metadata is None:
        return
    found = {name: reader.metadata.get(f"/{name.title()}") for name in _PROPERTIES}
    shown = {name: str(value) for name, value in found.items() if value}
    if shown:
        yield properties_block(shown)


def _lines(reader: PdfReader) -> Iterator[str]:
    for page in reader.pages:
        for line in page.extract_text().splitlines():
            if line.strip():
                yield line.strip()


def _signature_blocks(data: bytes) -> Iterator[str]:
    if _SIGNED_RANGE not in data:
        return
    from pyhanko.pdf_utils.misc import PdfError
    from pyhanko.pdf_utils.reader import PdfFileReader
    from pyhanko.sign.validation.errors import SignatureValidationError

    try:
        signatures = PdfFileReader(io.BytesIO(data), strict=False).embedded_signatures
        yield from [_signature_block(signature) for signature in signatures]
    except (PdfError, SignatureValidationError):
        yield f"{_SIGNATURE} present, but it cannot be checked"


def _signature_block(signature: EmbeddedPdfSignature) -> str:
    about = {
        "signer": _signer(signature),
        "reason": str(signature.sig_object.get("/Reason", "")),
        "location": str(signature.sig_object.get("/Location", "")),
        **_status(signature),
    }
    shown = "; ".join(f"{name}: {value}" for name, value in about.items() if value)
    return f"{_SIGNATURE} {shown}"


def _signer(signature: EmbeddedPdfSignature) -> str:
    certificate = signature.signer_cert
    if certificate is None:
        return "unknown"
    name = certificate.subject.native.get("common_name")
    return str(name or certificate.subject.human_friendly)


def _status(signature: EmbeddedPdfSignature) -> dict[str, str]:
    from pyhanko.sign.validation import validate_pdf_signature
    from pyhanko.sign.validation.status import SignatureCoverageLevel
    from pyhanko_certvalidator import ValidationContext

    nobody = ValidationContext(trust_roots=[], allow_fetching=False)
    status = validate_pdf_signature(signature, signer_validation_context=nobody)
    whole = status.coverage == SignatureCoverageLevel.ENTIRE_FILE
    return {
        "unchanged since signing": "yes" if status.intact and status.valid and whole else "no",
        "issued by a trusted authority": "yes" if status.trusted else "no",
    }
