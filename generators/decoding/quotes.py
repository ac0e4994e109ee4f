"""Quotes, the citations of the facts condition: an excerpt of an observation, compared as tokens.

White space outside strings and the way a string is escaped do not matter; everything else does.
A quote of complete `"field": value` pairs is a run of the observation's tokens.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable
from typing import Final

from generators.readers.content import Json

_TOKEN: Final = re.compile(
    r"""
    \s*
    (?: (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<other>[][{}:,] | -?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?
                 | true | false | null)
    )
    \s*""",
    re.VERBOSE | re.DOTALL,
)
_OPENING: Final = ("{", "[")

# Stands between tokens; a string token holds no raw control character.
_SEPARATOR: Final = "\0"


def tokens_of(text: str) -> list[str] | None:
    """The JSON tokens of a text, or None if it holds anything else."""
    tokens: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        position = match.end()
        token = match["string"]
        if token is not None:
            try:
                token = _string_token(json.loads(token))
            except json.JSONDecodeError:
                return None
        tokens.append(token or match["other"])
    return tokens


def _string_token(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _run(tokens: Iterable[str]) -> str:
    return _SEPARATOR + _SEPARATOR.join(tokens) + _SEPARATOR


class Quotable:
    """An observed value, ready to have quotes looked up in it."""

    def __init__(self, content: Json) -> None:
        self._content = content

    @functools.cached_property
    def _text(self) -> str:
        return _run(tokens_of(json.dumps(self._content, ensure_ascii=False)) or [])

    def supports(self, quote: str, keys: Iterable[str]) -> bool:
        """Whether `quote` stands in the value and gives one of `keys` its scalar.

        The keys of a finding are the last name components of all facts its rule may read, not
        only of those that were decisive.
        """
        tokens = tokens_of(quote)
        if not tokens or _run(tokens) not in self._text:
            return False
        wanted = {_string_token(key) for key in keys}
        triples = zip(tokens, tokens[1:], tokens[2:], strict=False)
        return any(
            key in wanted and colon == ":" and value not in _OPENING
            for key, colon, value in triples
        )
