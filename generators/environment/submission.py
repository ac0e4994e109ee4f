"""The final decision of a review: what counts as one, and what is wrong with everything else.

Checked is the form alone. Whether the ids are in the catalog and the authorization fits the
disposition is for scoring to say (DGF-Bench protocol, section on submissions).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from generators.environment.values import is_stated, is_texts, is_writable
from generators.governance import DISPOSITIONS, Condition, Disposition
from generators.governance.vocabulary import Record
from generators.readers.content import Json

SubmissionFaultCode: TypeAlias = Literal[
    "not_object",
    "unwritable",
    "missing_key",
    "unknown_key",
    "not_ids",
    "not_flag",
    "not_text",
    "not_confidence",
    "support_not_list",
    "support_item",
    "support_pointer",
    "not_disposition",
]

MAX_RATIONALE: Final = 4_000
"""Characters of a rationale that are kept."""

LISTS: Final = ("finding_ids", "actions", "evidence_refs")
SUPPORT: Final = "evidence_support"
POINTER: Final = "json_pointer"
REQUIRED: Final = ("disposition", *LISTS, "authorization_required", "rationale", "confidence")
"""Keys without which there is no decision; `evidence_support` is empty when absent."""

_TOLERATED: Final = "occurrence_id"
"""The harness knows it better: the model's is ignored."""


class SubmissionFault(Record, frozen=True, kw_only=True):
    """The first thing wrong with a submission; `name` is the key or the item at fault."""

    code: SubmissionFaultCode
    name: str = ""


class Submission(Record, frozen=True, kw_only=True):
    """A valid decision, normalized. The order of the fields is that of the JSON form.

    `evidence_support` has the keys of the condition (`support_keys`), all strings.
    """

    occurrence_id: str
    disposition: Disposition
    finding_ids: tuple[str, ...]
    actions: tuple[str, ...]
    evidence_refs: tuple[str, ...]
    authorization_required: bool
    rationale: str
    confidence: float
    evidence_support: tuple[Mapping[str, str], ...] = ()


def support_keys(condition: Condition) -> tuple[str, str, str]:
    """The keys of a piece of support, in order."""
    if condition == "facts":
        return ("finding_id", "evidence_id", "quote")
    return ("finding_id", "observation_id", POINTER)


class _Invalid(Exception):  # noqa: N818 - it never leaves the module
    """How the checks below report a fault to `check_submission`."""

    def __init__(self, code: SubmissionFaultCode, name: str = "") -> None:
        super().__init__(code)
        self.fault = SubmissionFault(code=code, name=name)


def check_submission(
    value: Json, *, occurrence_id: str, condition: Condition
) -> Submission | SubmissionFault:
    """The decision a model submitted, or the first reason why it is none."""
    try:
        return _submission(_keyed(value), occurrence_id, support_keys(condition))
    except _Invalid as invalid:
        return invalid.fault


def _submission(
    value: Mapping[str, Json], occurrence_id: str, keys: tuple[str, str, str]
) -> Submission:
    # The arguments are checked in the order in which the protocol names the faults.
    return Submission(
        occurrence_id=occurrence_id,
        finding_ids=_ids(value, "finding_ids"),
        actions=_ids(value, "actions"),
        evidence_refs=_ids(value, "evidence_refs"),
        authorization_required=_flag(value, "authorization_required"),
        rationale=_text(value, "rationale")[:MAX_RATIONALE],
        confidence=_confidence(value, "confidence"),
        evidence_support=_support(value.get(SUPPORT, []), keys),
        disposition=_disposition(value),
    )


def _keyed(value: Json) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise _Invalid("not_object")
    if not is_writable(value):
        raise _Invalid("unwritable")
    missing = [key for key in REQUIRED if key not in value]
    if missing:
        raise _Invalid("missing_key", ", ".join(missing))
    unknown = sorted(value.keys() - {*REQUIRED, SUPPORT, _TOLERATED})
    if unknown:
        raise _Invalid("unknown_key", ", ".join(unknown))
    return value


def _ids(value: Mapping[str, Json], key: str) -> tuple[str, ...]:
    ids = value[key]
    if not is_texts(ids) or "" in ids or len(set(ids)) < len(ids):
        raise _Invalid("not_ids", key)
    return tuple(ids)


def _flag(value: Mapping[str, Json], key: str) -> bool:
    flag = value[key]
    if not isinstance(flag, bool):
        raise _Invalid("not_flag", key)
    return flag


def _text(value: Mapping[str, Json], key: str) -> str:
    text = value[key]
    if not isinstance(text, str):
        raise _Invalid("not_text", key)
    return text


def _confidence(value: Mapping[str, Json], key: str) -> float:
    number = value[key]
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 1:
        raise _Invalid("not_confidence", key)
    return float(number)


def _support(items: Json, keys: tuple[str, str, str]) -> tuple[Mapping[str, str], ...]:
    if not isinstance(items, list):
        raise _Invalid("support_not_list", SUPPORT)
    return tuple(_piece(item, keys, f"{SUPPORT}[{n}]") for n, item in enumerate(items))


def _piece(item: Json, keys: tuple[str, str, str], name: str) -> Mapping[str, str]:
    if not isinstance(item, dict) or item.keys() != set(keys):
        raise _Invalid("support_item", name)
    piece = {}
    for key in keys:
        text = item[key]
        if not is_stated(text):
            raise _Invalid("support_item", name)
        piece[key] = text
    if not piece.get(POINTER, "/").startswith("/"):
        raise _Invalid("support_pointer", name)
    return piece


def _disposition(value: Mapping[str, Json]) -> Disposition:
    for disposition in DISPOSITIONS:
        if value["disposition"] == disposition:
            return disposition
    raise _Invalid("not_disposition", ", ".join(DISPOSITIONS))
