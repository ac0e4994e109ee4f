"""Reading a file in a process that may be killed.

A helper process loads the PDF libraries once and then forks one child per file. The child has a
limit on processor time, memory and written files; whatever it does, the caller gets a value within
the deadline. The helper ends when its input closes, so it never outlives its owner.
"""

from __future__ import annotations

import atexit
import os
import resource
import select
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import IO, Final

import msgspec

from generators.readers.content import Mode, ReadError, Reading, Unreadable
from generators.readers.pdf import read_pdf

CPU_SECONDS: Final = 3
DEADLINE_SECONDS: Final = 20
MEMORY_BYTES: Final = 1024 * 1024 * 1024
MAX_REPLY_BYTES: Final = 4 * 1024 * 1024

_LENGTH = struct.Struct(">Q")
_START = "from generators.readers.confined import serve; serve()"


class _Request(msgspec.Struct, frozen=True, kw_only=True):
    data: bytes
    mode: Mode


class _Read(msgspec.Struct, frozen=True, kw_only=True, tag="read"):
    reading: Reading


class _Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    error: ReadError


_KILLED = _Failed(
    error=ReadError(code="too_costly", detail="reading it took too much time or memory")
)


class _Helper:
    """The helper process of this process; one file at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, request: _Request) -> _Read | _Failed:
        with self._lock:
            process = self._running()
            stdin, stdout = process.stdin, process.stdout
            if stdin is None or stdout is None:
                raise RuntimeError("the helper was started without pipes")
            try:
                _send(stdin, msgspec.msgpack.encode(request))
                return msgspec.msgpack.decode(_receive(stdout), type=_Read | _Failed)
            except (OSError, EOFError):
                self._end()
                return _KILLED

    def _running(self) -> subprocess.Popen[bytes]:
        # After a fork the pipes belong to the parent; the child starts a helper of its own.
        if self._process is None or self._owner != os.getpid():
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter and a constant
                [sys.executable, "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._owner = os.getpid()
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        process.wait()

    def close(self) -> None:
        with self._lock:
            self._end()


_helper = _Helper()
atexit.register(_helper.close)


def read_confined(data: bytes, mode: Mode) -> Reading | ReadError:
    """Read a PDF file in a confined process."""
    reply = _helper.ask(_Request(data=data, mode=mode))
    return reply.reading if isinstance(reply, _Read) else reply.error


def _send(stream: IO[bytes], message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes:
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(header)
    message = stream.read(length)
    if len(message) < length:
        raise EOFError
    return message


def serve() -> None:
    """Answer requests on standard input until it closes; the entry point of the helper."""
    import pyhanko.sign.validation  # noqa: F401 - loaded here once, for every child
    import pypdf  # noqa: F401 - loaded here once, for every child

    requests = sys.stdin.buffer
    # Nothing a library prints may get between the replies.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as replies:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        while True:
            try:
                message = _receive(requests)
            except EOFError:
                return
            _send(replies, _in_child(message))


def _in_child(message: bytes) -> bytes:
    """The reply of one forked child, or the one for a child that had to be killed."""
    reading_end, writing_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading_end)
        _work(message, writing_end)
    os.close(writing_end)
    reply = _collect(reading_end)
    os.close(reading_end)
    if reply is None:
        os.kill(child, 9)
    _, status = os.waitpid(child, 0)
    return reply if reply and status == 0 else msgspec.msgpack.encode(_KILLED)


def _work(message: bytes, writing_end: int) -> None:
    """What the child does; it never returns."""
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        request = msgspec.msgpack.decode(message, type=_Request)
        with os.fdopen(writing_end, "wb") as pipe:
            pipe.write(msgspec.msgpack.encode(_attempt(request)))
        os._exit(0)
    finally:
        os._exit(1)


def _attempt(request: _Request) -> _Read | _Failed:
    try:
        return _Read(reading=read_pdf(request.data, request.mode))
    except Unreadable as refusal:
        return _Failed(error=refusal.value)
    except MemoryError:
        return _KILLED
    except Exception as error:  # noqa: BLE001 - the libraries raise anything on a broken file
        detail = f"{type(error).__name__}: {error}"[:200]
        return _Failed(error=ReadError(code="not_pdf", detail=detail))


def _collect(reading_end: int) -> bytes | None:
    """Everything the child writes before it closes its end, or None past the deadline."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    received = bytearray()
    while len(received) <= MAX_REPLY_BYTES:
        ready, _, _ = select.select([reading_end], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return None
        chunk = os.read(reading_end, 65536)
        if not chunk:
            return bytes(received)
        received += chunk
    return None
