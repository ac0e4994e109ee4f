"""Questions asked of values that a model sent."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final, TypeGuard

from generators.readers.content import Json
from generators.readers.records import MAX_DEPTH, MAX_DIGITS

_TOO_LARGE: Final[int] = 10**MAX_DIGITS
_HALF_PAIR: Final = re.compile("[\ud800-\udfff]")


def is_texts(value: Json) -> TypeGuard[list[str]]:
    """Whether a value is a list of strings."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_stated(value: Json) -> TypeGuard[str]:
    """Whether a value is a string that says something."""
    return isinstance(value, str) and bool(value.strip())


def is_writable(value: Json) -> bool:
    """Whether a value can be written as JSON text in UTF-8, sent, and read again by anybody.

    What a model sends is echoed, hashed and stored. Python's `json` reads more than that: halves of
    surrogate pairs, numbers out of range, nesting as deep as the interpreter's stack.
    """
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH):
        if not all(map(_is_writable_alone, level)):
            return False
        level = [inner for outer in level for inner in _within(outer)]
        if not level:
            return True
    return False


def _within(value: Json) -> list[Json]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, list) else []


def _is_writable_alone(value: Json) -> bool:
    if isinstance(value, str):
        return _HALF_PAIR.search(value) is None
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < _TOO_LARGE
    return True


def writable_text(text: str) -> str:
    """`text` with a question mark in the place of every half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")
