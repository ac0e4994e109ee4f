"""Text in characters that nobody sees: the Unicode tags, one for each printable ASCII character.

Protocol, attacks, section 8.5.
"""

from __future__ import annotations

from typing import Final

_FIRST: Final = 0xE0000
_HIDDEN: Final = {code: _FIRST + code for code in range(32, 127)}
_SHOWN: Final = {tag: code for code, tag in _HIDDEN.items()}


def hide(text: str) -> str:
    """The printable ASCII characters of a text as tags; others are dropped."""
    return "".join(char for char in text if ord(char) in _HIDDEN).translate(_HIDDEN)


def reveal(text: str) -> str:
    """A text with its tags as the characters they stand for; others stay."""
    return text.translate(_SHOWN)
