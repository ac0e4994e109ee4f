"""What differs between two dossiers, as a reader of both would see it.

Made for a clean dossier and a variant of it: it shows every planted text where it stands, also what
is invisible. It compares what the reading tools show, so it knows nothing of attacks.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

from generators.attacks.tags import reveal
from generators.decoding.pointers import pointer
from generators.dossier import model
from generators.readers.content import Json, ReadError
from generators.readers.reader import format_of, read_bytes

State: TypeAlias = Literal["added", "removed", "changed"]

_UNREAD: Final = (".png",)
_FOR_PEOPLE: Final = frozenset({model.HIDDEN_FILE, model.README_FILE})
"""Files of the evaluator, which no agent sees; that they differ is all that is said of them."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One value that differs.

    Attributes
    ----------
    at
        JSON pointer into what a tool returns for the file.
    before, after
        The value as text; null where there is none.
    hidden
        What of `after` nobody sees, decoded; null if there is nothing of the kind.
    """

    at: str
    before: str | None
    after: str | None
    hidden: str | None = None


class FileDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One file that differs.

    Attributes
    ----------
    changes
        Every value that differs; empty for pictures and files of the evaluator.
    """

    path: str
    state: State
    changes: tuple[Change, ...] = ()


def differences(clean: Mapping[str, bytes], other: Mapping[str, bytes]) -> list[FileDifference]:
    """The files that differ, by path."""
    found: list[FileDifference] = []
    for path in sorted({*clean, *other}):
        before, after = clean.get(path), other.get(path)
        if before != after:
            state: State = "changed"
            if before is None or after is None:
                state = "added" if before is None else "removed"
            changes = () if _is_opaque(path) else tuple(_changes(path, before, after))
            found.append(FileDifference(path=path, state=state, changes=changes))
    return found


def _is_opaque(path: str) -> bool:
    return path.endswith(_UNREAD) or path in _FOR_PEOPLE


def _changes(path: str, before: bytes | None, after: bytes | None) -> Iterator[Change]:
    for at, old, new in _compare((), _content(path, before), _content(path, after)):
        text = _text(new)
        shown = None if text is None else reveal(text)
        yield Change(
            at=pointer(*at) or "/",
            before=_text(old),
            after=text,
            hidden=shown if shown != text else None,
        )


def _content(path: str, data: bytes | None) -> Json:
    """What a tool returns for a file; for one that cannot be read, why."""
    if data is None:
        return []
    read = read_bytes(format_of(path), data, "blocks")
    return [read.detail] if isinstance(read, ReadError) else read.content


_At: TypeAlias = tuple[str | int, ...]


def _compare(at: _At, old: Any, new: Any) -> Iterator[tuple[_At, Json, Json]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from _compare((*at, key), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _compare_lists(at, old, new)
    elif old != new:
        yield at, old, new


def _compare_lists(
    at: _At, old: Sequence[Any], new: Sequence[Any]
) -> Iterator[tuple[_At, Json, Json]]:
    """Lists by what was put in, taken out or exchanged; places are those in the new list."""
    before, after = ([_text(item) or "" for item in side] for side in (old, new))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        shared = min(i_end - i, j_end - j)
        for step in range(shared):
            yield from _compare((*at, j + step), old[i + step], new[j + step])
        for step in range(shared, i_end - i):
            yield (*at, j + shared), old[i + step], None
        for step in range(shared, j_end - j):
            yield (*at, j + step), None, new[j + step]


def _text(value: Json) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
