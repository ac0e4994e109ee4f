"""Finding an object by the beginning of its id, as people write it."""

from __future__ import annotations

import re
from typing import Final

from cache.errors import MissingObjectError, UsageError
from cache.ids import DIGEST_BYTES, ObjectId
from cache.store import Store

MIN_DIGITS: Final = 6
_SHOWN: Final = 10
_DIGITS: Final = re.compile(f"[0-9a-f]{{{MIN_DIGITS},{2 * DIGEST_BYTES}}}", re.ASCII)


def is_short_id(text: str) -> bool:
    """Whether `text` may be the beginning of an id: 6 to 64 lower-case hexadecimal digits."""
    return bool(_DIGITS.fullmatch(text))


def find_object(store: Store, digits: str) -> ObjectId:
    """The one object whose id begins with `digits`.

    Raises
    ------
    MissingObjectError
        When there is none.
    UsageError
        When there are several; they are listed.
    """
    found: list[ObjectId] = []
    with store.environment.view() as transaction:
        cursor = transaction.cursor(store.environment.databases["objects"])
        there = cursor.set_range(bytes.fromhex(digits + "0" * (len(digits) % 2)))
        while there and cursor.key().hex().startswith(digits) and len(found) <= _SHOWN:
            found.append(ObjectId(cursor.key()))
            there = cursor.next()
    if not found:
        raise MissingObjectError("no object of this store has such an id", where=digits)
    if len(found) > 1:
        shown = ", ".join(oid.hex()[: len(digits) + 8] for oid in found[:_SHOWN])
        more = ", …" if len(found) > _SHOWN else ""
        raise UsageError(
            "several ids begin like that", where=digits, hint=f"write more digits: {shown}{more}"
        )
    return found[0]
