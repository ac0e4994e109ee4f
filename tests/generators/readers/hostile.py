"""Hostile files, and a program that reads them all inside tight limits.

Run as `python -m tests.generators.readers.hostile`: it prints what each file reads as. The limits
are set by the process itself, so a reader that hangs or swallows memory takes the program down.
"""

from __future__ import annotations

import io
import json
import resource
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator

from generators.readers.content import Format, ReadError
from generators.readers.reader import MAX_FILE_BYTES, read_bytes
from tests.generators.readers.pdfs import pdf_file

MEMORY_BYTES = 700 * 1024 * 1024
CPU_SECONDS = 60

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
CORE = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
RELATIONSHIPS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="1" Type="{OFFICE}" Target="word/document.xml"/>'
    f'<Relationship Id="2" Type="{CORE}" Target="docProps/core.xml"/></Relationships>'
)
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BILLION = f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>'
EXTERNAL = '<!DOCTYPE x [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>'


def document(body: str, *, prolog: str = "") -> bytes:
    """A document part."""
    return f"{prolog}<w:document {W}><w:body>{body}</w:body></w:document>".encode()


def paragraph(text: str) -> str:
    """A paragraph of a document part."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def package(
    *more: tuple[str, bytes],
    main: bytes = document(paragraph("text")),
    relationships: str = RELATIONSHIPS,
    core: bytes = b"<core/>",
    method: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    """A Word package with further members."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", method) as archive:
        warnings.simplefilter("ignore")  # equal names are the point of one of them
        for name, data in (
            ("_rels/.rels", relationships.encode()),
            ("word/document.xml", main),
            ("docProps/core.xml", core),
            *more,
        ):
            archive.writestr(name, data)
    return out.getvalue()


def many_members() -> bytes:
    """An archive whose directory lists one hundred thousand members."""
    entry = b"PK\x01\x02" + bytes(24) + struct.pack("<H", 1) + bytes(16) + b"x"
    count = 80_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, len(entry) * count, 0, 0)
    return entry * count + end


def understated() -> bytes:
    """A member that unpacks to more than the directory admits."""
    honest = package(main=document(paragraph("x" * 3_000_000)))
    size = len(document(paragraph("x" * 3_000_000)))
    return honest.replace(struct.pack("<L", size), struct.pack("<L", 100))


def encrypted() -> bytes:
    """An archive whose members say that they are encrypted."""
    data = bytearray(package())
    position = data.find(b"PK\x01\x02")
    while position >= 0:
        data[position + 8] |= 1
        position = data.find(b"PK\x01\x02", position + 4)
    return bytes(data)


def spans(cells: int, text: str, rows: int) -> str:
    """Table rows whose single cell claims to cover many columns."""
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="{cells}"/></w:tcPr>{paragraph(text)}</w:tc>'
    return f"<w:tbl>{f'<w:tr>{cell}</w:tr>' * rows}</w:tbl>"


def word_files() -> Iterator[tuple[str, bytes, str]]:
    """Word packages: name, bytes, code of the error."""
    big = 80 * 1024 * 1024
    yield "bomb in the document part", package(main=bytes(big)), "zip_bomb"
    yield "bomb in a part nobody reads", package(("word/media.bin", bytes(big))), "zip_bomb"
    yield (
        "large document part",
        package(main=b" " * 5_000_000, method=0)[:MAX_FILE_BYTES],
        "not_zip",
    )
    yield "many members", many_members(), "zip_bomb"
    yield "understated size", understated(), "not_zip"
    yield "encrypted", encrypted(), "encrypted"
    for name in ("../../etc/passwd", "/etc/passwd", "..\\evil", "C:\\evil", "a/../../b"):
        yield f"member {name}", package((name, b"x")), "path_traversal"
    yield "two documents", package(("word/document.xml", b"x")), "ambiguous_member"
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        yield f"method {method}", package(method=method), "not_zip"
    escape = RELATIONSHIPS.replace("word/document.xml", "../../../../etc/passwd")
    yield "relationship out of the package", package(relationships=escape), "missing_part"
    for label, prolog in (("billion laughs", BILLION), ("external entity", EXTERNAL)):
        main = document(paragraph("&l9;"), prolog=prolog)
        yield label, package(main=main), "doctype"
        yield f"{label} in properties", package(core=f"{prolog}<c>&l9;</c>".encode()), "doctype"
        yield f"{label} in relations", package(relationships=prolog + RELATIONSHIPS), "doctype"
        for encoding in ("utf-16", "cp037"):
            declared = f'<?xml version="1.0" encoding="{encoding}"?>'
            hidden = declared.encode("ascii" if encoding == "cp037" else encoding)
            hidden += main.decode().encode(encoding)
            yield f"{label} in {encoding}", package(main=hidden), "not_xml"
    yield "deep nesting", package(main=b"<a>" * 190_000, method=0), "not_xml"
    yield "many elements", package(main=b"<a/>" * 300_000, method=0), "too_large"
    yield "deep nesting, fewer", package(main=b"<a>" * 99_000 + b"</a>" * 99_000), "not_docx"
    yield "endless span", package(main=document(spans(10**9, "x", 1))), "not_docx"
    yield "wide spans", package(main=document(spans(500, "x" * 1900, 300))), ""
    yield "wide spans of much text", package(main=document(spans(500, "x" * 9000, 9))), "too_large"
    valid = package()
    for part in range(1, 8):
        yield f"cut at {part}/8", valid[: part * len(valid) // 8], "not_zip"
    yield "no zip", b"PK\x03\x04" * 1000, "not_zip"


def other_files() -> Iterator[tuple[str, Format, bytes, str]]:
    """Files of the other formats: name, format, bytes, code of the error ("" for content)."""
    size = MAX_FILE_BYTES - 8
    yield "json brackets", "json", b"[" * size, "too_deep"
    yield "json objects", "json", b"[" + b"{}," * (size // 3) + b"{}]", ""
    yield "json quotes", "json", b'"' * size, "not_json"
    yield "json escapes", "json", b'["' + b"\\" * size + b'"]', ""
    yield "json digits", "json", b"9" * size, "absurd_number"
    yield "csv open quote", "csv", b'a\r\n"' + b"x" * (size - 4), "not_csv"
    yield "csv quotes", "csv", b'"' * size, "not_csv"
    yield "csv commas", "csv", b"," * size, "too_large"
    yield "csv lines", "csv", b"a\r\n" + b"\r\n" * (size // 2 - 2), ""
    yield "csv carriage returns", "csv", b"a\r\n" + b"\r" * (size - 4), ""
    for piece in (b"<text", b"<text>", b"<text><", b"</text>", b"<text></text>", b"<"):
        yield f"svg {piece.decode()}", "svg", piece * (size // len(piece)), ""
        yield f"svg {piece.decode()} closed", "svg", piece * 300_000 + b"></text>", ""
    yield "svg bomb", "svg", f"<svg>{BILLION}<text>&l9;</text></svg>".encode(), ""
    yield "text", "yaml", b"a: &a [*a, *a]\n" * 200_000, ""
    yield "text in another encoding", "yaml", "é".encode("latin-1"), "not_utf8"


def inflating(chunk: bytes, *, times: int) -> bytes:
    """A deflate stream that unpacks to the chunk, many times over."""
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(chunk) for _ in range(times)) + packer.flush()


def pdf_files() -> Iterator[tuple[str, bytes]]:
    """PDF files that loop, explode or lie; whatever they read as, they read."""
    plain = pdf_file(["text"])
    yield "page tree loop", plain.replace(b"[3 0 R]", b"[2 0 R]")
    yield "page is its own parent", plain.replace(b"/Parent 2 0 R", b"/Parent 3 0 R")
    yield "huge page count", plain.replace(b"/Count 1", b"/Count 9")
    start = plain.rindex(b"xref\n0", 0, plain.index(b"trailer"))
    yield "table loop", plain.replace(b"/Size 7", b"/Size 7 /Prev %d" % start)
    yield "stream is its own length", pdf_file(["x"], filters="/Length 4 0 R")
    yield "contents loop", pdf_file(["x"], page="/Contents [3 0 R 4 0 R 3 0 R]")
    yield "resources loop", pdf_file(["x"], stream="/X Do " * 9, page="/X 3 0 R /Contents 4 0 R")
    yield "deep array", pdf_file(["x"], extra="/X " + "[" * 500_000)
    yield "form field loop", pdf_file(["x"], extra="/AcroForm << /Fields [1 0 R] /Kids [1 0 R] >>")
    bomb = zlib.compress(inflating(b"(x) Tj T* " * 100_000, times=100), 9).decode("latin-1")
    yield "bomb", pdf_file([], stream=bomb, filters="/Filter [/FlateDecode /FlateDecode]")
    slow = zlib.compress(b"(x) Tj T* " * 7_000_000, 9).decode("latin-1")
    yield "endless text", pdf_file([], stream=slow, filters="/Filter /FlateDecode")
    yield "signed by nobody", pdf_file(["x"], extra="/Sig << /ByteRange [0 9 9 9] /Contents <> >>")


def main() -> None:
    """Read everything and print the outcomes."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    wrong = []
    cases: list[tuple[str, Format, bytes, str]] = [*other_files()]
    cases += [(name, "docx", data, code) for name, data, code in word_files()]
    for name, fmt, data, code in cases:
        outcome = read_bytes(fmt, data, "blocks")
        found = outcome.code if isinstance(outcome, ReadError) else ""
        if found != code:
            wrong.append(f"{name}: {found or 'content'} instead of {code or 'content'}")
    print(json.dumps({"cases": len(cases), "wrong": wrong}))


if __name__ == "__main__":
    main()
