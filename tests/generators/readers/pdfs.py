"""PDF files for the tests: written by hand, signed by pyHanko with a key of the test."""

from __future__ import annotations

import datetime as dt
import functools
import io

from cryptography import x509 as certificates
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import NameOID


def pdf_file(
    lines: list[str],
    *,
    info: str = "",
    extra: str = "",
    page: str = "/Contents 4 0 R",
    stream: str | None = None,
    filters: str = "",
) -> bytes:
    """One page with a line of text per entry; the other arguments are raw PDF."""
    shown = "\n".join(f"({line}) Tj T*" for line in lines)
    stream = f"BT /F1 11 Tf 14 TL 50 800 Td\n{shown}\nET" if stream is None else stream
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {extra} >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"{page} /Resources << /Font << /F1 5 0 R >> >> >>"
        ),
        f"<< /Length {len(stream)} {filters} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< {info} >>",
    ]
    body = "%PDF-1.7\n"
    offsets: list[int] = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    return (
        f"{body}xref\n0 {count}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {count} /Root 1 0 R /Info 6 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    ).encode("latin-1")


@functools.cache
def _identity() -> bytes:
    """A private key and a certificate it has issued to itself, as PKCS 12."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = certificates.Name([certificates.NameAttribute(NameOID.COMMON_NAME, "Eve Risk")])
    start = dt.datetime(2026, 9, 1, tzinfo=dt.UTC)
    certificate = (
        certificates.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=365))
        .sign(key, hashes.SHA256())
    )
    encryption = serialization.NoEncryption()
    return pkcs12.serialize_key_and_certificates(None, key, certificate, None, encryption)


def signed(data: bytes, *, field: str = "Signature1") -> bytes:
    """The file with a signature in the field."""
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import signers

    signer = signers.SimpleSigner.load_pkcs12_data(_identity(), other_certs=[])
    about = signers.PdfSignatureMetadata(
        field_name=field, reason="Exception DGF-12AB", location="Risk office"
    )
    out = io.BytesIO()
    signers.sign_pdf(IncrementalPdfFileWriter(io.BytesIO(data)), about, signer=signer, output=out)
    return out.getvalue()
