"""JSON pointers (RFC 6901), the way a citation says where in an observation a value stands.

The protocol asks for a pointer into the document, so the empty pointer, which RFC 6901 gives to
the whole document, is refused.
"""

from __future__ import annotations

import re
from typing import Final

from generators.readers.content import Json

_ESCAPE: Final = re.compile(r"~(?![01])")
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")


class PointerError(ValueError):
    """Raised when a pointer is malformed or leads nowhere; what a model cites is data."""


def pointer(*tokens: str | int) -> str:
    """The pointer that steps through `tokens`."""
    return "".join("/" + str(t).replace("~", "~0").replace("/", "~1") for t in tokens)


def tokens_of(text: str) -> list[str]:
    """The reference tokens of a pointer, unescaped."""
    if not text.startswith("/"):
        raise PointerError("a pointer begins with /")
    if _ESCAPE.search(text):
        raise PointerError("~ is followed by 0 or 1")
    return [token.replace("~1", "/").replace("~0", "~") for token in text[1:].split("/")]


def resolve(document: Json, text: str) -> Json:
    """The value at a pointer."""
    for token in tokens_of(text):
        document = _step(document, token)
    return document


def _step(value: Json, token: str) -> Json:
    match value:
        case dict() if token in value:
            return value[token]
        case list() if _INDEX.fullmatch(token) and int(token) < len(value):
            return value[int(token)]
    raise PointerError("nothing stands there")


def resolves(document: Json, text: str) -> bool:
    """Whether a pointer leads anywhere."""
    try:
        resolve(document, text)
    except PointerError:
        return False
    return True
