"""Reader of diagrams: the labels a person could read in them, nothing else.

The markup is scanned, never parsed: no entity, script, style or reference of it has any effect.
"""

from __future__ import annotations

import re
from typing import Final

from generators.readers.content import Json, decode_utf8

MAX_LABELS: Final = 300
NOTE: Final = (
    "Labels extracted from a drawing. A drawing states intent; for the configuration in force "
    "consult the systems of record."
)

_OPEN = re.compile("<text", re.IGNORECASE)
_CLOSE = re.compile("</text>", re.IGNORECASE)
_TAG = re.compile("<[^>]*>")


def read_svg(data: bytes) -> Json:
    """The first 300 texts of the drawing, without tags, white space collapsed."""
    return {"note": NOTE, "labels": _labels(decode_utf8(data))}


def _labels(markup: str) -> list[Json]:
    # Each step moves forward and each search that fails ends the scan, so the time is linear
    # in the file even where one regular expression for the whole element would not be.
    labels: list[Json] = []
    position = 0
    while len(labels) < MAX_LABELS and (opening := _OPEN.search(markup, position)):
        start = markup.find(">", opening.end()) + 1
        closing = _CLOSE.search(markup, start) if start else None
        if closing is None:
            break
        position = closing.end()
        label = " ".join(_TAG.sub(" ", markup[start : closing.start()]).split())
        if label:
            labels.append(label)
    return labels
