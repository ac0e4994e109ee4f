"""Text as XML may hold it."""

from __future__ import annotations

import re
from typing import Final

# Characters outside production [2] of XML 1.0; a lone surrogate cannot be encoded either.
_IMPOSSIBLE: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES: Final = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;"}
_PLAIN: Final = re.compile("[\u0020-\u0021\u0023-\u0025\u0027-;=\u003f-\ud7ff\ue000-\ufffd]*")


def xml_text(text: str) -> str:
    """`text` for an element or a quoted attribute; characters XML cannot express are left out."""
    if _PLAIN.fullmatch(text):
        return text
    return _IMPOSSIBLE.sub("", text).translate(_ESCAPES)
