"""Observations: results of tools that may be cited, and the ids they are cited by."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

from generators.readers.content import Json, canonical_json

OBSERVED: Final = frozenset({"OK", "RECEIVED"})
"""Statuses of a result that carries evidence."""

Version = int | str | None
"""Version of a source: a number, text for an uploaded file, null for upstream decisions."""


def observation_id(content: Json, *, evidence_id: str, version: Version) -> str:
    """The id of what was seen: it names the source, its version and every value read."""
    return identify(canonical_json(content), evidence_id=evidence_id, version=version)


def identify(content: bytes, *, evidence_id: str, version: Version) -> str:
    """The id, given the canonical bytes of the content."""
    # `content` sorts before the other two keys, so the hashed text can be put together from the
    # canonical bytes of the content, which are the same in every dossier that shares the file.
    rest = canonical_json({"evidence_id": evidence_id, "version": version})
    digest = hashlib.sha256(b'{"content":' + content + b"," + rest[1:])
    return f"obs-{digest.hexdigest()[:16]}"


def is_observation(result: Mapping[str, Json]) -> bool:
    """Whether a tool result can be cited at all."""
    return result.get("status") in OBSERVED and "content" in result
