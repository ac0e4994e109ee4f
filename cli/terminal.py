"""What may be shown on a terminal: untrusted text made harmless, results for people or machines.

Dossier text, model text and stored bytes are untrusted. Anything printed for a person goes through
`safe`, so that no escape sequence reaches the terminal; `--json` output writes the same characters
as JSON escapes, which machines read as what they are.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from cache.errors import UsageError

STORE_FOLDER = ".dgf"

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]
StorePath = Annotated[
    Path | None,
    typer.Option(
        "--store",
        envvar="DGF_STORE",
        help="The store's folder (default: the nearest .dgf folder from here upward, else ./.dgf).",
        show_default=False,
    ),
]


def safe(text: str) -> str:
    r"""Replace control, format and surrogate characters so that text cannot steer a terminal.

    Line feeds and tabs stay; everything else of the Unicode categories Cc, Cf, Cs, Co, Zl and Zp
    becomes a visible escape such as ``\x1b`` or ``\u202e``.
    """
    return "".join(c if c in "\n\t" or not _steers(c) else _escape(c) for c in text)


def _steers(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def _escape(char: str) -> str:
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _json_escape(char: str) -> str:
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


def emit(data: Any, *, as_json: bool, human: Callable[[], str]) -> None:
    """Print a result once: `data` as indented JSON, or the text that `human` builds."""
    if as_json:
        encoded = msgspec.json.format(msgspec.json.encode(data), indent=2)
        text = encoded.decode()
        text = "".join(_json_escape(c) if _steers(c) and c != "\n" else c for c in text)
    else:
        text = safe(human()).rstrip("\n")
    with writing_output():
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


@contextmanager
def writing_output() -> Iterator[None]:
    """Name the error when standard output takes no more; a reader that went away is not one."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(
            f"cannot write the result: {error.strerror}", where="standard output"
        ) from None


def find_store(given: Path | None, *, must_exist: bool = True) -> Path:
    """The store to use: the given folder, else the nearest `.dgf` upward, else `./.dgf`.

    Raises
    ------
    UsageError
        If `must_exist` and there is none.
    """
    if given is not None:
        path = given
    else:
        here = Path.cwd()
        nearest = next(
            (d / STORE_FOLDER for d in (here, *here.parents) if (d / STORE_FOLDER).is_dir()), None
        )
        path = nearest or here / STORE_FOLDER
    if must_exist and not path.is_dir():
        raise UsageError(
            "there is no store here",
            where=str(path),
            hint="name one with --store DIR or set DGF_STORE",
        )
    return path
