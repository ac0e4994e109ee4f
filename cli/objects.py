"""What a person types to mean an object, and how an object is shown to a person.

An object is written as a ref or as the first digits of an id, and something inside a tree as
`REF:path` or `ID:path`.
"""

from __future__ import annotations

import base64
from typing import Any, NamedTuple

import msgspec

from cache.codec import decode
from cache.errors import MissingObjectError, UsageError
from cache.find import MIN_DIGITS, find_object, is_short_id
from cache.ids import ObjectId, is_record
from cache.store import Store
from cache.trees import Tree, lookup
from cache.view import StoredObject

DIGITS = 12
"""Digits of an id in a listing: enough to be typed again."""


class Found(NamedTuple):
    """An object, and by what it was found."""

    oid: ObjectId
    named_by: str


def find(store: Store, text: str) -> Found:
    """The object that `text` means: `REF`, `ID`, `REF:path` or `ID:path`."""
    found = _find_root(store, text)
    if found is None and ":" in text:
        name, _, path = text.partition(":")
        root = _find_root(store, name)
        if root is not None:
            return Found(_inside(store, root, path.strip("/")), f"{text!r}")
    if found is None:
        raise UsageError(
            "no such ref or object",
            where=text,
            hint=f"`dgf store ls` lists the refs; an id needs {MIN_DIGITS} digits or more",
        )
    return found


def _find_root(store: Store, text: str) -> Found | None:
    target = store.ref(text) if text else None
    if target is not None:
        return Found(target, f"ref {text!r}")
    return Found(find_object(store, text), f"id {text}") if is_short_id(text) else None


def _inside(store: Store, root: Found, path: str) -> ObjectId:
    def load(oid: ObjectId) -> Tree:
        kind, data = store.get_object(oid, named_by=root.named_by)
        if kind != Tree.kind:
            raise UsageError(f"a {kind} has no paths", where=oid.hex())
        return decode(kind, data, Tree)

    if not path:
        return root.oid
    try:
        return lookup(root.oid, path, load).id
    except MissingObjectError as error:
        raise UsageError("no such path in the tree", where=path) from error


def content(stored: StoredObject) -> Any:
    """What is in an object, for JSON: a record as it is, text as text, other bytes as base64."""
    try:
        return _record(stored.data) if is_record(stored.kind) else stored.data.decode()
    except (UnicodeDecodeError, RecursionError):  # nor is a record that is nested too deeply
        return {"base64": base64.b64encode(stored.data).decode()}


def shown_text(stored: StoredObject) -> str | None:
    """What is in an object, for people; None if it is not text."""
    shown = content(stored)
    if not is_record(stored.kind):
        return shown if isinstance(shown, str) else None
    return msgspec.json.format(msgspec.json.encode(shown), indent=2).decode()


def _record(data: bytes) -> Any:
    return _jsonable(msgspec.msgpack.decode(data, ext_hook=lambda code, value: bytes(value).hex()))


def _jsonable(value: Any) -> Any:
    """A value with text for keys: those that are none, as their own JSON."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else msgspec.json.encode(key).decode(): _jsonable(item)
            for key, item in value.items()
        }
    return [_jsonable(item) for item in value] if isinstance(value, list) else value


def size(count: float) -> str:
    """Bytes as people read them."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
