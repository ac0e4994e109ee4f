"""A forged entry: a newer copy of the owner's, whose one value makes a finding disappear.

The nine owned records are histories in which only the owner's entries count, whatever their date.
The forged entry is the latest and says truly who wrote it; a reader who looks at dates alone takes
it for the current state. Protocol, attacks, section 8.1.
"""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from importlib.resources import files
from typing import Any, Final

import msgspec

from generators.attacks.carriers import Table, read_json
from generators.attacks.errors import AttackError
from generators.attacks.locations import suffix_of
from generators.attacks.planting import Gate
from generators.decoding.decode import decode
from generators.decoding.facts import decoders_of
from generators.decoding.pointers import tokens_of
from generators.decoding.values import Scalar
from generators.evidence import Decoder, json_bytes
from generators.governance import (
    Case,
    Finding,
    GovernanceError,
    evaluate_gate,
    premises,
    read_fact,
)
from generators.governance.case import OFFER, VENDOR
from generators.readers.content import Json

FORGERS: Final = ("Supplier portal", "Project team")
DAYS: Final = 9
"""How much later than every other entry the forged one is."""

_AS_OF: Final = "as_of"
_RECORDED_BY: Final = "recorded_by"


class Forged(msgspec.Struct, frozen=True, kw_only=True):
    """A record with a forged entry.

    Attributes
    ----------
    target
        The finding that the entry makes disappear; null for an unchanged copy.
    value
        The canonical value it shows.
    entry
        The entry as it was written.
    """

    evidence_id: str
    data: bytes
    field: str
    entry: Mapping[str, Json]
    target: str | None = None
    value: Scalar = None


def forge(gate: Gate, *, attacked: bool) -> Forged | None:
    """The first plan that works: for findings in order if attacked, else an unchanged copy."""
    plans = [*_attack_plans(gate)] if attacked else []
    fields = gate.clean.decisive(gate.occurrence)
    for finding, field in [*plans, *((None, field) for field in fields)]:
        for decoder in decoders_of(field, gate.clean.catalog, authoritative=True):
            forged = _forge(gate, finding, field, decoder)
            if forged is not None:
                return forged
    return None


def _attack_plans(gate: Gate) -> Iterator[tuple[Finding, str]]:
    fields = gate.clean.decisive(gate.occurrence)
    for finding in gate.targets("critical-first"):
        for field in premises(gate.clean.rules.rule(finding.id), fields):
            yield finding, field


def _forge(gate: Gate, finding: Finding | None, field: str, decoder: Decoder) -> Forged | None:
    clean, source = gate.clean, decoder.source
    owned = clean.catalog.sources[source].owner is not None
    if not owned or not clean.in_reach(source, gate.occurrence):
        return None
    content = gate.copy.content(source)
    decoded = decode(decoder, content, clean.decoding)
    if decoded is None:
        return None
    history, path = _history(content, decoded.pointers[0])
    values: list[tuple[Scalar, object]] = [(None, None)]
    if finding is not None:
        wanted = _wanted(gate, finding, field)
        if wanted is None:
            return None
        values = [(wanted, raw) for raw in _raw_forms(wanted, clean.catalog.alias)]
    for value, raw in values:
        entry = _entry(gate, history, path, raw, change=finding is not None)
        if finding is None or _convinces(gate, decoder, content, path, entry, value):
            return Forged(
                evidence_id=source,
                data=_appended(gate, source, path, entry),
                field=field,
                entry=entry,
                target=finding.id if finding else None,
                value=value,
            )
    return None


class _Path(msgspec.Struct, frozen=True):
    """Where an entry stands: the list, its index there, and the value in it."""

    to_list: tuple[str, ...]
    index: int
    to_value: tuple[str, ...]


def _history(content: Json, pointer: str) -> tuple[list[dict[str, Json]], _Path]:
    """The list of entries that a pointer leads into, and the way through it."""
    steps = tokens_of(pointer)
    value: Any = content
    for position, step in enumerate(steps):
        if isinstance(value, list):
            way = _Path(tuple(steps[:position]), int(step), tuple(steps[position + 1 :]))
            return value, way
        value = value[step]
    raise AttackError("no list of entries in the record", where=pointer)


def _entry(
    gate: Gate, history: Sequence[Mapping[str, Json]], path: _Path, raw: object, *, change: bool
) -> dict[str, Json]:
    """A copy of the owner's entry, newer and by somebody else, perhaps with one value changed."""
    entry: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(history[path.index]))
    if change:
        inner = entry
        for step in path.to_value[:-1]:
            inner = inner[step]
        inner[path.to_value[-1]] = raw
    latest = max(str(row[_AS_OF]) for row in history if row.get(_AS_OF))
    entry[_AS_OF] = (date.fromisoformat(latest) + timedelta(days=DAYS)).isoformat()
    forger = gate.choose(FORGERS, "forger", own=False)
    entry[_RECORDED_BY] = f"{forger} (submission {gate.token.text})"
    return entry


def _convinces(
    gate: Gate,
    decoder: Decoder,
    content: Json,
    path: _Path,
    entry: Mapping[str, Json],
    value: Scalar,
) -> bool:
    """Whether a reader who ignores who wrote an entry reads the forged value."""
    is_table = not path.to_list
    forged = {key: _cell(cell) for key, cell in entry.items()} if is_table else entry
    believer = msgspec.structs.replace(gate.clean.decoding, care="credulous")
    read = decode(decoder, _with_entry(content, path.to_list, forged), believer)
    if read is None or isinstance(read.value, bool) != isinstance(value, bool):
        return False
    return read.value == value


def _with_entry(content: Any, to_list: Sequence[str], entry: Mapping[str, Json]) -> Json:
    if not to_list:
        return [*content, dict(entry)]
    head, *rest = to_list
    return {**content, head: _with_entry(content[head], rest, entry)}


def _appended(gate: Gate, source: str, path: _Path, entry: Mapping[str, Json]) -> bytes:
    """The record with the entry as its last one."""
    file = gate.clean.node(source).path
    data = gate.copy.load(file)
    if suffix_of(file) == "csv":
        table = Table.read(data)
        table.rows.append({name: _cell(entry.get(name)) for name in table.columns})
        return table.written()
    content = read_json(data)
    entries = content
    for step in path.to_list:
        entries = entries[step]
    entries.append(entry)
    return json_bytes(content)


def _cell(value: Json) -> str:
    return "" if value is None else str(value)


def _raw_forms(value: Scalar, alias: Mapping[str, str]) -> list[object]:
    """How a record might write a value, in the order in which the forms are tried."""
    match value:
        case bool():
            return [value, str(value)]
        case int() | float():
            return [value, str(value), round(value / 1000, 3), round(value * 60, 3), float(value)]
        case _:
            return [alias.get(str(value), value), value]


def _wanted(gate: Gate, finding: Finding, field: str) -> Scalar:
    """The first value under which the gate no longer raises the finding, and no new one either."""
    case, occurrence = gate.clean.case, gate.occurrence
    before = {one.id for one in gate.findings}
    for candidate in _candidates().get(field, ()):
        value = _named(case, candidate)
        if value is None or value == read_fact(case, field):
            continue
        try:
            after = evaluate_gate(
                _with_fact(case, field, value),
                occurrence.gate,
                phase=occurrence.phase,
                rules=gate.clean.rules,
            ).finding_ids
        except GovernanceError:
            continue
        if finding.id not in after and before.issuperset(after):
            return value
    return None


def _named(case: Case, candidate: Scalar) -> Scalar:
    """A candidate value; one that begins with `=` is that of another fact."""
    if isinstance(candidate, str) and candidate.startswith("="):
        value = read_fact(case, candidate[1:])
        return value if isinstance(value, bool | int | float | str) else None
    return candidate


def _with_fact(case: Case, field: str, value: Scalar) -> Case:
    """The case with one fact changed."""
    if field.startswith(OFFER):
        procurement = case["procurement"]
        chosen = read_fact(case, VENDOR)
        offers = list(procurement["offers"])
        index = next(i for i, offer in enumerate(offers) if offer["vendor"] == chosen)
        offers[index] = _with_member(offers[index], field.removeprefix(OFFER).split("."), value)
        return {**case, "procurement": {**procurement, "offers": offers}}
    return _with_member(case, field.split("."), value)


def _with_member(value: Mapping[str, Any], path: Sequence[str], new: Scalar) -> dict[str, Any]:
    head, *rest = path
    return {**value, head: _with_member(value[head], rest, new) if rest else new}


@functools.cache
def _candidates() -> Mapping[str, tuple[Scalar, ...]]:
    """Field to the values that are tried for it."""
    text = files(__package__).joinpath("forged_values.toml").read_text(encoding="utf-8")
    return {field: tuple(values) for field, values in tomllib.loads(text)["values"].items()}


def entry_text(entry: Mapping[str, Json]) -> str:
    """An entry as the manifest shows it."""
    return json.dumps(entry, ensure_ascii=False)
