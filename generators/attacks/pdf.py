"""A signed one-page PDF: genuine to the byte, worth nothing as proof.

The file is laid out here and signed with pyHanko, in one revision, so that nothing in it depends on
the clock or on chance: the key is a test key that everybody has, its certificate is issued by
itself, and time and identifier are fixed. Readers find a valid signature of somebody who calls
himself what the certificate says. Protocol, attacks, section 8.8.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import functools
import hashlib
import re
import textwrap
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from pyhanko.sign.signers import Signer

SIGNED_AT: Final = dt.datetime(2026, 9, 1, 12, tzinfo=dt.UTC)
FIELD: Final = "Signature1"
LINE: Final = 95
"""Characters of a line on the page."""

_DAY: Final = dt.timedelta(days=1)
_VALID: Final = dt.timedelta(days=365)
_KEY_BITS: Final = 2048
_DATE: Final = "D:20260901120000+00'00'"
_CONTENTS: Final = 8192
"""Hex digits kept free for the signature; it needs about half of them."""
_RANGE: Final = "{0:<40}"
_DASHES: Final = re.compile("[\u2010-\u2015\u2212]")
_ELLIPSIS: Final = "\u2026"


class Memorandum(msgspec.Struct, frozen=True, kw_only=True):
    """What a memorandum says, and who signs it."""

    title: str
    subject: str
    lines: tuple[str, ...]
    """Each begins a line on the page."""
    officer: str
    office: str
    reason: str


def printable(text: str) -> str:
    """A text as the page shows it: Latin-1, plain dashes."""
    plain = _DASHES.sub("-", text).replace(_ELLIPSIS, "...")
    return plain.encode("latin-1", "replace").decode("latin-1")


def page_lines(memorandum: Memorandum) -> list[str]:
    """The lines of the page."""
    return [line for text in memorandum.lines for line in textwrap.wrap(printable(text), LINE)]


def signed_pdf(memorandum: Memorandum, *, fresh_key: bool = False) -> bytes:
    """The signed file; with a fresh key its bytes never repeat."""
    signer = _signer(memorandum.officer, memorandum.office, fresh_key)
    unsigned = _layout(memorandum)
    start = unsigned.index(b"/Contents <") + len(b"/Contents ")
    end = start + _CONTENTS + 2
    ranges = f"[0 {start} {end} {len(unsigned) - end}]"
    unsigned = unsigned.replace(_placeholder().encode(), _RANGE.format(ranges).encode(), 1)
    digest = hashlib.sha256(unsigned[:start] + unsigned[end:]).digest()
    signature = _sign(signer, digest).hex().ljust(_CONTENTS, "0")
    return unsigned[: start + 1] + signature.encode() + unsigned[end - 1 :]


def _sign(signer: Signer, digest: bytes) -> bytes:
    from pyhanko.sign.signers.pdf_cms import PdfCMSSignedAttributes

    settings = PdfCMSSignedAttributes(signing_time=SIGNED_AT)
    signing = signer.async_sign(digest, "sha256", signed_attr_settings=settings)
    # pyHanko wants an event loop of its own, and this thread may be running one.
    with ThreadPoolExecutor(max_workers=1) as thread:
        signed: bytes = thread.submit(asyncio.run, signing).result().dump()
    return signed


def _signer(officer: str, office: str, fresh_key: bool) -> Signer:
    return _new_signer(officer, office, _new_key()) if fresh_key else _fixed(officer, office)


@functools.cache
def _fixed(officer: str, office: str) -> Signer:
    return _new_signer(officer, office, _test_key())


@functools.cache
def _test_key() -> RSAPrivateKey:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    pem = files(__package__).joinpath("test_signing_key.pem").read_bytes()
    key = load_pem_private_key(pem, password=None)
    if not isinstance(key, RSAPrivateKey):
        raise TypeError("the test key is an RSA key")
    return key


def _new_key() -> RSAPrivateKey:
    from cryptography.hazmat.primitives.asymmetric import rsa

    return rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS)


def _new_signer(officer: str, office: str, key: RSAPrivateKey) -> Signer:
    """A signer with a certificate that its own key has issued."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.x509.oid import NameOID

    name = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, officer),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, office),
        ]
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(SIGNED_AT - _DAY)
        .not_valid_after(SIGNED_AT + _VALID)
        .sign(key, hashes.SHA256())
    )
    encoded = certificate.public_bytes(serialization.Encoding.DER)
    return _key_signer(key, encoded)


def _key_signer(key: RSAPrivateKey, certificate: bytes) -> Signer:
    """A signer that keeps its key; pyHanko's own parses and checks it again for each file."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding
    from pyhanko.keys import load_certs_from_pemder_data
    from pyhanko.sign.signers import Signer

    class KeySigner(Signer):
        async def async_sign_raw(
            self, data: bytes, digest_algorithm: str, dry_run: bool = False
        ) -> bytes:
            return key.sign(data, padding.PKCS1v15(), hashes.SHA256())

    (own,) = load_certs_from_pemder_data(certificate)
    return KeySigner(signing_cert=own)


def _placeholder() -> str:
    return _RANGE.format("[0 0 0 0]")


def _layout(memorandum: Memorandum) -> bytes:
    """The whole file, with room for the signature and the ranges it covers."""
    shown = "\n".join(f"({_literal(line)}) Tj T*" for line in page_lines(memorandum))
    stream = f"BT /F1 11 Tf 16 TL 50 780 Td\n{shown}\nET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R] /SigFlags 3 >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [7 0 R]"
            " /Resources << /Font << /F1 5 0 R >> >> >>"
        ),
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        (
            f"<< /Title ({_literal(memorandum.title)}) /Author ({_literal(memorandum.officer)})"
            f" /Subject ({_literal(memorandum.subject)})"
            f" /CreationDate ({_DATE}) /ModDate ({_DATE}) >>"
        ),
        (
            f"<< /Type /Annot /Subtype /Widget /FT /Sig /T ({FIELD}) /V 8 0 R /F 132 /P 3 0 R"
            " /Rect [0 0 0 0] >>"
        ),
        (
            f"<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached"
            f" /Name ({_literal(memorandum.officer)}) /Location ({_literal(memorandum.office)})"
            f" /Reason ({_literal(memorandum.reason)}) /M ({_DATE})"
            f" /ByteRange {_placeholder()} /Contents <{'0' * _CONTENTS}> >>"
        ),
    )
    return _assembled(objects)


def _assembled(objects: Sequence[str]) -> bytes:
    """Objects, their table and the trailer; the identifier is the digest of what is said."""
    body = "%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n"
    offsets: list[int] = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    identifier = hashlib.sha256(body.encode("latin-1")).hexdigest()[:32]
    return (
        f"{body}xref\n0 {count}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {count} /Root 1 0 R /Info 6 0 R"
        f" /ID [<{identifier}> <{identifier}>] >>\nstartxref\n{len(body)}\n%%EOF\n"
    ).encode("latin-1")


def _literal(text: str) -> str:
    """A text between the parentheses of a PDF string."""
    return re.sub(r"([()\\])", r"\\\1", printable(text))
