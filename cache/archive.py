"""The portable archive: one file that carries a store, or a part of it, to another machine.

| part | bytes |
|---|---|
| first line | ``dgf-archive 1`` and a line feed |
| body | one zstandard frame over the entries |
| digest | SHA-256 of all bytes before it |

Each entry is a tag (1 byte), the lengths of head and body (2 and 8 bytes, big-endian), head, body:

| tag | entry | head | body | order |
|---|---|---|---|---|
| ``O`` | object | id, kind | content | after every object it names |
| ``X`` | index entry | key as in `cache.keys` | target, payload | by head |
| ``L`` | log entry | key of the log, position (8 bytes) | the entry | by head |
| ``R`` | ref | name | target | by head |
| ``Z`` | end | empty | empty | |

Entries come in the order of this table, each at most once, so equal content gives equal entries
(and, with one release of zstandard, equal bytes). Reading trusts nothing: sizes are bounded before
anything is allocated, and whatever is torn, foreign or out of order is an `ArchiveError`.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

import msgspec
import zstandard

from cache import keys
from cache.contents import IndexItem, Item, LogItem, ObjectItem, RefItem
from cache.errors import ArchiveError, CorruptionError, UsageError
from cache.ids import DIGEST_BYTES, MAX_KIND_BYTES, ObjectId
from cache.progress import Progress, silent
from cache.structure import sync_folder

MAGIC: Final = b"dgf-archive "
FIRST_LINE: Final = MAGIC + b"1\n"
MAX_BODY: Final = 256 << 20
"""The largest object (bytes) an archive carries, and so what reading one can need in memory."""

_FRAME: Final = struct.Struct(">cHQ")
_POSITION: Final = struct.Struct(">Q")
_TAGS: Final = b"OXLRZ"
_OBJECT, _INDEX, _LOG, _REF, _END = (_TAGS[at : at + 1] for at in range(len(_TAGS)))
_MAX_HEAD: Final = max(keys.MAX_KEY_BYTES + _POSITION.size, DIGEST_BYTES + MAX_KIND_BYTES)
_MAX_WINDOW: Final = 8 << 20
_CHUNK: Final = 1 << 20


class ArchiveSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What was written into an archive."""

    objects: int
    index_entries: int
    log_entries: int
    refs: int
    plain_bytes: int
    """Bytes of the entries before compression."""
    bytes: int
    """Size of the archive."""
    digest: str
    """SHA-256 at the end of the archive, hexadecimal."""


class _Hashing(io.RawIOBase):
    """A sink that hashes and counts what passes through."""

    def __init__(self, sink: BinaryIO) -> None:
        self.sink = sink
        self.digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:  # type: ignore[override]  # only ever given bytes
        self.sink.write(data)
        self.digest.update(data)
        self.size += len(data)
        return len(data)


def write(items: Iterable[Item], sink: BinaryIO, *, progress: Progress = silent) -> ArchiveSummary:
    """Write an archive of `items`, which come in archive order, to a file or a pipe."""
    out = _Hashing(sink)
    out.write(FIRST_LINE)
    counts = dict.fromkeys(_TAGS, 0)
    plain = 0
    compressor = zstandard.ZstdCompressor(level=3, write_content_size=False)
    with compressor.stream_writer(cast("BinaryIO", out), closefd=False) as body:
        for done, item in enumerate(items):
            progress("exporting", done, None)
            tag, head, content = _frame(item)
            counts[tag[0]] += 1
            plain += body.write(_FRAME.pack(tag, len(head), len(content)) + head)
            plain += body.write(content)
        body.write(_FRAME.pack(_END, 0, 0))
    digest = out.digest.digest()
    sink.write(digest)
    return ArchiveSummary(
        objects=counts[_OBJECT[0]],
        index_entries=counts[_INDEX[0]],
        log_entries=counts[_LOG[0]],
        refs=counts[_REF[0]],
        plain_bytes=plain,
        bytes=out.size + len(digest),
        digest=digest.hex(),
    )


def write_file(items: Iterable[Item], file: Path, *, progress: Progress = silent) -> ArchiveSummary:
    """Write an archive to a new file, which is there when it is whole and durable, or not at all.

    Raises
    ------
    UsageError
        When the file exists, or cannot be written.
    """
    if file.exists():
        raise UsageError("the file exists already", where=str(file), hint="choose another name")
    draft = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as sink:
            summary = write(items, sink, progress=progress)
            sink.flush()
            os.fsync(sink.fileno())
        draft.replace(file)
        sync_folder(file.parent)
    except OSError as error:
        raise UsageError(
            f"the archive cannot be written: {error.strerror}", where=str(file)
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return summary


@contextmanager
def open_file(file: Path) -> Iterator[Callable[[], Iterator[Item]]]:
    """What gives the items of the archive in a file, from the first on each time it is called.

    Raises
    ------
    ArchiveError
        When the file is not an archive, or has changed since it was written.
    UsageError
        When it cannot be read.
    """
    try:
        source = file.open("rb")
    except OSError as error:
        raise UsageError(
            f"the archive cannot be read: {error.strerror}", where=str(file)
        ) from error
    with source:
        if not source.seekable():  # the name of a pipe
            with open_stream(source, Path.cwd()) as items:
                yield items
            return
        check_whole(source)
        yield lambda: read(source)


@contextmanager
def open_stream(stream: BinaryIO, folder: Path) -> Iterator[Callable[[], Iterator[Item]]]:
    """As `open_file`, for a pipe: what it gives is kept in a nameless file in `folder`."""
    line = stream.read(len(FIRST_LINE))
    _check_first_line(line)
    with contextlib.ExitStack() as kept:
        try:
            source = kept.enter_context(tempfile.TemporaryFile(dir=folder))
            source.write(line)
            shutil.copyfileobj(stream, source, _CHUNK)
        except OSError as error:
            raise UsageError(
                f"the archive cannot be kept while it is checked: {error.strerror}",
                where=str(folder),
                hint="call this from a folder on a disk that has room for it",
            ) from error
        check_whole(source)
        yield lambda: read(source)


def _frame(item: Item) -> tuple[bytes, bytes, bytes]:
    match item:
        case ObjectItem():
            if len(item.data) > MAX_BODY:
                raise ArchiveError(
                    f"an object of {len(item.data)} bytes is too large for an archive",
                    where=item.oid.hex(),
                    hint="`dgf store merge` copies it from store to store",
                )
            return _OBJECT, item.oid + item.kind.encode("ascii"), item.data
        case IndexItem():
            return _INDEX, keys.encode_key(item.name, item.parts), item.target + item.payload
        case LogItem():
            return _LOG, keys.log_key(item.name, item.position), item.data
        case RefItem():
            return _REF, keys.encode_ref(item.name), item.target


def check_whole(source: BinaryIO) -> None:
    """Prove that a file is an archive of a known version and that not a byte of it has changed.

    Raises
    ------
    ArchiveError
        When it is not.
    """
    size = source.seek(0, os.SEEK_END)
    source.seek(0)
    line = source.read(len(FIRST_LINE))
    _check_first_line(line)
    digest = hashlib.sha256(line)
    left = size - len(line) - DIGEST_BYTES
    while left > 0 and (chunk := source.read(min(left, _CHUNK))):
        digest.update(chunk)
        left -= len(chunk)
    if left or source.read() != digest.digest():
        raise ArchiveError(
            "the archive is torn or damaged: its bytes do not match the digest at its end",
            hint="copy it again from where it was exported",
        )


def _check_first_line(line: bytes) -> None:
    if line == FIRST_LINE:
        return
    if line.startswith(MAGIC) and len(line) == len(FIRST_LINE):
        raise ArchiveError(
            "an archive of a version this release does not read",
            where=line[len(MAGIC) :].decode("latin-1").strip(),
            hint="import it with a newer release",
        )
    raise ArchiveError(
        "not an archive of a store" if line else "the archive is empty",
        hint="`dgf store export` writes one",
    )


def read(source: BinaryIO) -> Iterator[Item]:
    """The entries of an archive, checked for form; see `cache.merge` for what they must mean.

    Raises
    ------
    ArchiveError
        At the first entry that is not well-formed or not in order.
    """
    end = source.seek(0, os.SEEK_END) - DIGEST_BYTES
    source.seek(len(FIRST_LINE))
    decompressor = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW)
    with decompressor.stream_reader(
        cast("BinaryIO", _Until(source, end)), read_across_frames=True, closefd=False
    ) as body:
        before = (-1, b"")
        while True:
            tag, head_length, length = _FRAME.unpack(_exactly(body, _FRAME.size))
            rank = _TAGS.find(tag)
            if rank < 0 or head_length > _MAX_HEAD or length > MAX_BODY:
                raise _malformed(f"an entry {tag!r} of {head_length} and {length} bytes")
            head = _exactly(body, head_length)
            place = (rank, b"" if tag == _OBJECT else head)
            if place < before or (place == before and tag != _OBJECT):
                raise _malformed("entries out of order")
            before = place
            content = _exactly(body, length)
            if tag == _END:
                break
            yield _entry(tag, head, content)
        if head or content or _some(body, 1):
            raise _malformed("something follows the end")


class _Until(io.RawIOBase):
    """A file up to a position."""

    def __init__(self, source: BinaryIO, end: int) -> None:
        self._read = source.read
        self._left = end - source.tell()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def _some(body: BinaryIO, size: int) -> bytes:
    try:
        return body.read(size)
    except zstandard.ZstdError as error:
        raise _malformed(f"its body cannot be decompressed ({error})") from None


def _exactly(body: BinaryIO, size: int) -> bytes:
    # In pieces, so that a length that promises more than there is allocates no more than there is.
    pieces = []
    left = size
    while left:
        piece = _some(body, min(left, _CHUNK))
        if not piece:
            raise _malformed("its body ends too early")
        pieces.append(piece)
        left -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _entry(tag: bytes, head: bytes, content: bytes) -> Item:
    try:
        return _PARSERS[tag](head, content)
    except (ValueError, UnicodeError, CorruptionError) as error:
        raise _malformed(f"an entry {tag!r} cannot be read ({error})") from None


def _object_entry(head: bytes, content: bytes) -> ObjectItem:
    return ObjectItem(_id(head[:DIGEST_BYTES]), head[DIGEST_BYTES:].decode("ascii"), content)


def _index_entry(head: bytes, content: bytes) -> IndexItem:
    name, parts = keys.decode_key(head)
    if keys.encode_key(name, parts) != head:
        raise ValueError("a key that is not canonical")
    return IndexItem(name, parts, _id(content[:DIGEST_BYTES]), content[DIGEST_BYTES:])


def _log_entry(head: bytes, content: bytes) -> LogItem:
    name, parts = keys.decode_key(head[: -_POSITION.size])
    position = int.from_bytes(head[-_POSITION.size :], "big")
    if parts or keys.log_key(name, position) != head:
        raise ValueError("a log key that is not canonical")
    return LogItem(name, position, content)


def _ref_entry(head: bytes, content: bytes) -> RefItem:
    return RefItem(head.decode(), _id(content))


_PARSERS: Final[dict[bytes, Callable[[bytes, bytes], Item]]] = {
    _OBJECT: _object_entry,
    _INDEX: _index_entry,
    _LOG: _log_entry,
    _REF: _ref_entry,
}


def _id(data: bytes) -> ObjectId:
    if len(data) != DIGEST_BYTES:
        raise ValueError("an id of the wrong length")
    return ObjectId(data)


def _malformed(what: str) -> ArchiveError:
    return ArchiveError(
        f"the archive is malformed: {what}",
        hint="it was not written by `dgf store export`; do not trust where it came from",
    )
