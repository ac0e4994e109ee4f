"""What ids and texts of a rules file may consist of.

Ids become names in code and parts of occurrence ids, and texts are reviewed by eye before agents
read them. So an id is plain, and a text has nothing in it that cannot be seen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final

from generators.governance.errors import RuleTableError

PLACE: Final = re.compile(r"[a-z][a-z0-9_]*")
"""Ids of gates and routes; occurrence ids write them in capitals."""

CODE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""Ids of rules and actions, and what marks the projects of a route."""

_IDS: Final = {
    ("gate", "id"): PLACE,
    ("route", "id"): PLACE,
    ("route", "project_id_code"): CODE,
    ("rule", "id"): CODE,
    ("rule", "action"): CODE,
}
_LAID_OUT: Final = "condition"
"""The one text that may have several lines."""

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Unicode categories of what has no look of its own."""


def check_spelling(file: Mapping[str, object]) -> None:
    """Refuse the first id or text of `file`, a parsed rules file, that is not fit for its use."""
    for kind in ("meta", "gate", "route", "rule", "field"):
        for path, key, text in _texts(file.get(kind), path=kind, key=kind):
            _check_text(path, text.replace("\n", " ") if key == _LAID_OUT else text)
            pattern = _IDS.get((kind, key)) if path.count(".") == 1 else None
            if pattern and not pattern.fullmatch(text):
                raise RuleTableError(
                    f"not an id: {text!r}", where=path, hint=f"it has to match {pattern.pattern}"
                )


def _texts(value: object, *, path: str, key: str) -> Iterator[tuple[str, str, str]]:
    """The texts in `value`, each with its path and the last key of it."""
    if isinstance(value, str):
        yield path, key, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(item, path=f"{path}.{name}", key=name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, path=f"{path}[{index}]", key=key)


def _check_text(path: str, text: str) -> None:
    unseen = next((char for char in text if unicodedata.category(char) in _UNSEEN), None)
    if unseen is not None:
        raise RuleTableError(f"character U+{ord(unseen):04X} cannot be seen", where=path)
    if not text.strip():
        raise RuleTableError("blank text", where=path)
