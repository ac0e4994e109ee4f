"""Digests and ids of a case. DGF-Bench protocol, sections 6 and 7."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence

from generators.governance.vocabulary import PROTOCOL, Case

SIGNATURE_DIGITS = 20


def json_hash(value: object) -> str:
    """SHA-256 of the compact JSON of `value`, keys sorted and text as it is."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def case_hash(case: Case) -> str:
    """The digest of a canonical case, before it has its `case_id`."""
    return json_hash({key: value for key, value in case.items() if key != "case_id"})


def case_id(case: Case, *, architecture_attempt: int) -> str:
    """The id a case is known by."""
    name = (
        f"{PROTOCOL}:{case['seed']}:{case['project']['route']}:{case['difficulty']}"
        f":{architecture_attempt}:{case_hash(case)}"
    )
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def architecture_signature(profile: Mapping[str, object], *, keys: Sequence[str]) -> str:
    """The digest of the facts by which two architectures count as the same."""
    return json_hash({key: profile[key] for key in keys})[:SIGNATURE_DIGITS]
