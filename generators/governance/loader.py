"""Rules files: from TOML to a checked rule table.

`builtin_rules` is the protocol's own table. `load_rules` reads any file of the same format, and
the longer form in which the protocol is published: derived attributes spelled out, measured rates,
fact draws. What a file leaves out is derived here; what it states twice must agree. A refusal names
the path in the file: `rule[3].condition`.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeVar, get_args, get_type_hints

import msgspec

from generators.governance import vocabulary
from generators.governance.errors import NotationError, RuleTableError
from generators.governance.notation import (
    Call,
    Constant,
    Expression,
    Scalar,
    parse,
    references,
    walk,
)
from generators.governance.routes import OCCURRENCE_ID_FORMAT, Route, schedule
from generators.governance.semantics import UPSTREAM
from generators.governance.spelling import check_spelling
from generators.governance.table import Count, Field, Gate, Rule, RuleTable, check_message
from generators.governance.vocabulary import PHASES, Phase, Record, Severity

BUILTIN = "rules.toml"
FACT_NAME = re.compile(r"[a-z_]\w*(\.[a-z_]\w*)+", re.ASCII)
UPSTREAM_COUNT = "number of upstream "
_UPSTREAM_ARGUMENTS = [(Constant(word),) for word in vocabulary.DISPOSITIONS]


class _Meta(Record, frozen=True, kw_only=True):
    """The protocol's vocabulary; the words are fixed, so a file can only repeat them."""

    decision_protocol: str = vocabulary.PROTOCOL
    canonical_schema: str = vocabulary.SCHEMA
    phases: tuple[str, ...] = PHASES
    disposition_priority: tuple[str, ...] = vocabulary.DISPOSITIONS
    blocking_dispositions: tuple[str, ...] = vocabulary.BLOCKING
    authorization_required_for: tuple[str, ...] = vocabulary.NEEDS_AUTHORIZATION
    expert_opinions: tuple[str, ...] = vocabulary.OPINIONS
    severities: tuple[str, ...] = vocabulary.SEVERITIES
    occurrence_id_format: str = OCCURRENCE_ID_FORMAT
    unreachable: dict[str, list[str]] | None = None


class _Gate(Record, frozen=True, kw_only=True):
    id: str
    label: str
    glossary_sections: tuple[str, ...]
    reads_first: tuple[str, ...] = ()
    rules: tuple[str, ...] | None = None


class _Occurrence(Record, frozen=True, kw_only=True):
    gate: str
    phase: Phase
    position: int | None = None
    occurrence_id: str | None = None


class _Route(Record, frozen=True, kw_only=True):
    id: str
    label: str
    trigger: str
    project_type: str
    project_id_code: str
    occurrences: list[_Occurrence]
    sampling: Literal["balanced and natural", "natural only"] = "balanced and natural"


class _Rule(Record, frozen=True, kw_only=True):
    id: str
    gate: str
    severity: Severity
    disposition: Literal["GO_WITH_RESERVATIONS", "REWORK", "SUSPENSION", "NO_GO"]
    condition: str
    action: str
    owner: str
    evidence: str
    risk_acceptable: bool = False
    phases: Literal["all"] | tuple[Phase, ...] = "all"
    message: str | None = None
    else_of: str | None = None
    count: str | None = None
    fields: tuple[str, ...] | None = None
    off_route: bool | None = None
    rate: tuple[float, ...] | None = None


class _Field(Record, frozen=True, kw_only=True):
    name: str
    type: Literal["bool", "int", "float", "enum", "string", "number or word"]
    meaning: str
    unit: str | None = None
    values: tuple[Scalar, ...] = ()
    range: str | None = None
    nullable: bool = False
    rules: tuple[str, ...] | None = None


class _File(Record, frozen=True, kw_only=True):
    gate: list[_Gate]
    route: list[_Route]
    rule: list[_Rule]
    field: list[_Field]
    meta: _Meta = _Meta()
    generator: dict[str, object] | None = None


_TABLES = {"gate": _Gate, "route": _Route, "rule": _Rule, "field": _Field}


@functools.cache
def builtin_rules() -> RuleTable:
    """The protocol's table."""
    return parse_rules(files(__package__).joinpath(BUILTIN).read_text("utf-8"))


def load_rules(path: Path) -> RuleTable:
    """The table in a rules file."""
    try:
        text = path.read_text("utf-8-sig")  # some editors mark their files
    except (OSError, UnicodeDecodeError) as error:
        raise RuleTableError(f"cannot read the rules file: {error}", where=str(path)) from error
    return parse_rules(text, name=path.name)


def parse_rules(text: str, *, name: str = BUILTIN) -> RuleTable:
    """The table in the text of a rules file; `name` is what refusals call the file."""
    data: dict[str, object] = {}
    try:
        data = tomllib.loads(text)
        file = msgspec.convert(data, _File)
        check_spelling(data)
        return _table(file)
    except RecursionError:
        raise RuleTableError("nested too deeply", where=name) from None
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `$.")
        place = place.rstrip("`")
        where = f"{name}, {_named(place, data)}" if place else name
        raise RuleTableError(problem, where=where, hint=_choices(place)) from error
    except RuleTableError as error:
        where = f"{name}, {_named(error.where or '', data)}"
        raise RuleTableError(error.problem, where=where, hint=error.hint) from error
    except ValueError as error:  # besides its own error, the parser lets that of `int` through
        raise RuleTableError(f"not TOML: {error}", where=name) from error


def _named(place: str, data: Mapping[str, object]) -> str:
    """A place in the file, with the id of the rule it lies in: nobody counts to `rule[37]`."""
    inside = re.match(r"rule\[(\d+)\]", place)
    rules = data.get("rule")
    rule = rules[int(inside[1])] if inside and isinstance(rules, list) else None
    name = rule.get("id") if isinstance(rule, dict) else None
    return f"{place}, {name}" if isinstance(name, str) else place


def _choices(place: str) -> str | None:
    """What may stand at a place, where that is one of some keys or words."""
    inside = re.fullmatch(r"(\w+)\[\d+\](?:\.(\w+)(?:\[\d+\])?)?", place)
    if inside is None or inside[1] not in _TABLES:
        return None
    table = _TABLES[inside[1]]
    if inside[2] is None:
        return f"its keys are {', '.join(table.__struct_fields__)}"
    words = list(_words(get_type_hints(table)[inside[2]]))
    return f"one of {', '.join(words)}" if words else None


def _words(kind: object) -> Iterator[str]:
    """The words a type consists of."""
    for part in get_args(kind):
        if isinstance(part, str):
            yield part
        else:
            yield from _words(part)


def _table(file: _File) -> RuleTable:
    _check_meta(file.meta)
    _distinct("gate", file.gate, "id")
    _distinct("route", file.route, "id")
    _distinct("rule", file.rule, "id")
    _distinct("rule", file.rule, "action")  # findings and actions correspond one to one
    _distinct("field", file.field, "name")
    gates = {raw.id: raw.label for raw in file.gate}
    fields = {raw.name for raw in file.field}
    rules = {raw.id: _rule(path, raw, gates, fields) for path, raw in _each("rule", file.rule)}
    _check_branches(file.rule)
    for group, names in (file.meta.unreachable or {}).items():
        _known(f"meta.unreachable.{group}", names, rules)
    table = RuleTable(
        protocol=file.meta.decision_protocol,
        gates={raw.id: _gate(path, raw, rules, fields) for path, raw in _each("gate", file.gate)},
        routes={raw.id: _route(path, raw, gates) for path, raw in _each("route", file.route)},
        rules=rules,
        fields={raw.name: _field(path, raw, rules) for path, raw in _each("field", file.field)},
    )
    for path, raw in _each("rule", file.rule):
        _agree(f"{path}.off_route", raw.off_route, not _scheduled(table, table.rules[raw.id]))
    return table


Raw = TypeVar("Raw")


def _each(kind: str, items: Iterable[Raw]) -> Iterator[tuple[str, Raw]]:
    """Items with their path in the file."""
    for index, item in enumerate(items):
        yield f"{kind}[{index}]", item


def _distinct(kind: str, items: Iterable[object], key: str) -> None:
    """Refuse two items with the same `key`."""
    seen: set[str] = set()
    for path, item in _each(kind, items):
        name: str = getattr(item, key)
        if name in seen:
            raise RuleTableError(f"duplicate {key} {name!r}", where=f"{path}.{key}")
        seen.add(name)


def _known(path: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}" if near else None
            raise RuleTableError(f"unknown name {name!r}", where=path, hint=hint)


def _agree(path: str, stated: object, derived: object) -> None:
    """Refuse a statement that the rest of the file contradicts; `None` states nothing."""
    if stated is not None and stated != derived:
        problem = f"states {stated!r} where the rest of the file gives {derived!r}"
        raise RuleTableError(problem, where=path)


def _check_meta(meta: _Meta) -> None:
    fixed = _Meta()
    for name in _Meta.__struct_fields__:
        if name not in ("decision_protocol", "unreachable"):
            _agree(f"meta.{name}", getattr(meta, name), getattr(fixed, name))


def _gate(path: str, raw: _Gate, rules: Mapping[str, Rule], fields: Collection[str]) -> Gate:
    own = tuple(rule.id for rule in rules.values() if rule.gate == raw.id)
    _agree(f"{path}.rules", raw.rules, own)
    _known(f"{path}.reads_first", raw.reads_first, fields)
    sections = {name.partition(".")[0] for name in fields}
    _known(f"{path}.glossary_sections", raw.glossary_sections, sections)
    return Gate(
        id=raw.id,
        label=raw.label,
        rules=own,
        reads_first=raw.reads_first,
        glossary_sections=raw.glossary_sections,
    )


def _route(path: str, raw: _Route, gates: Mapping[str, str]) -> Route:
    _known(f"{path}.occurrences", (meeting.gate for meeting in raw.occurrences), gates)
    meetings = [(meeting.gate, meeting.phase) for meeting in raw.occurrences]
    occurrences = schedule(raw.id, meetings, gates)
    for index, (stated, derived) in enumerate(zip(raw.occurrences, occurrences, strict=True)):
        place = f"{path}.occurrences[{index}]"
        _agree(f"{place}.position", stated.position, derived.position)
        _agree(f"{place}.occurrence_id", stated.occurrence_id, derived.occurrence_id)
    return Route(
        id=raw.id,
        label=raw.label,
        trigger=raw.trigger,
        project_type=raw.project_type,
        project_id_code=raw.project_id_code,
        certifiable=raw.sampling != "natural only",
        occurrences=occurrences,
    )


def _rule(path: str, raw: _Rule, gates: Collection[str], fields: Collection[str]) -> Rule:
    _known(f"{path}.gate", [raw.gate], gates)
    if not raw.phases:
        raise RuleTableError("a rule needs a phase", where=f"{path}.phases")
    if raw.phases != "all" and len(set(raw.phases)) < len(raw.phases):
        raise RuleTableError("a phase is named twice", where=f"{path}.phases")
    expression = _condition(f"{path}.condition", raw, fields)
    read = references(expression)
    _agree(f"{path}.fields", raw.fields, read)
    rule = Rule(
        id=raw.id,
        gate=raw.gate,
        severity=raw.severity,
        disposition=raw.disposition,
        risk_acceptable=raw.risk_acceptable,
        phases=PHASES if raw.phases == "all" else raw.phases,
        fields=read,
        condition=raw.condition,
        expression=expression,
        action=raw.action,
        owner=raw.owner,
        evidence=raw.evidence,
        message=raw.message if raw.message is not None else f"Holds: {raw.condition}",
        else_of=raw.else_of,
        count=_count(f"{path}.count", raw.count, fields),
    )
    check_message(rule)
    return rule


def _condition(path: str, raw: _Rule, fields: Collection[str]) -> Expression:
    try:
        expression = parse(raw.condition)
    except NotationError as error:
        raise RuleTableError(error.problem, where=f"{path}, {error.where}") from error
    _known(path, references(expression), fields)
    for node in walk(expression):
        if isinstance(node, Call) and node.function == "has_upstream":
            if raw.gate != vocabulary.GENERAL:
                problem = f"only the gate {vocabulary.GENERAL!r} receives upstream decisions"
                raise RuleTableError(problem, where=path)
            if node.arguments not in _UPSTREAM_ARGUMENTS:
                raise RuleTableError("has_upstream() takes a disposition", where=path)
    return expression


def _count(path: str, text: str | None, fields: Collection[str]) -> Count | None:
    if text is None:
        return None
    if text.startswith(UPSTREAM_COUNT):
        for disposition in vocabulary.DISPOSITIONS:
            if text == UPSTREAM_COUNT + disposition:
                return Count(upstream=disposition)
    _known(path, [text], fields)
    return Count(fact=text)


def _check_branches(rules: Iterable[_Rule]) -> None:
    """An alternative branch comes after the rule it follows, in the same gate."""
    gate_of: dict[str, str] = {}
    for path, rule in _each("rule", rules):
        if rule.else_of is not None and gate_of.get(rule.else_of) != rule.gate:
            problem = f"no rule {rule.else_of!r} before it in its gate"
            raise RuleTableError(problem, where=f"{path}.else_of")
        gate_of[rule.id] = rule.gate


def _field(path: str, raw: _Field, rules: Mapping[str, Rule]) -> Field:
    if not FACT_NAME.fullmatch(raw.name):
        raise RuleTableError(f"not a fact name: {raw.name!r}", where=f"{path}.name")
    if raw.name == UPSTREAM:
        raise RuleTableError(f"the name {UPSTREAM!r} is taken", where=f"{path}.name")
    if raw.type == "bool" and raw.values and set(raw.values) != {True, False}:
        raise RuleTableError("a bool is true or false", where=f"{path}.values")
    testing = tuple(rule.id for rule in rules.values() if raw.name in rule.fields)
    _agree(f"{path}.rules", raw.rules, testing)
    return Field(
        name=raw.name,
        type=raw.type,
        unit=raw.unit,
        values=(True, False) if raw.type == "bool" else raw.values,
        range=raw.range,
        nullable=raw.nullable,
        meaning=raw.meaning,
        rules=testing,
    )


def _scheduled(table: RuleTable, rule: Rule) -> bool:
    """Whether the rule is ever judged on a route that can be certified."""
    return any(
        occurrence.gate == rule.gate and occurrence.phase in rule.phases
        for route in table.routes.values()
        if route.certifiable
        for occurrence in route.occurrences
    )
