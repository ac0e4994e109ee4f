"""The rule table: gates, routes, rules and decisive fields as records, found by id.

`loader` reads a table from a rules file; the built-in one is `rules.toml` beside this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar

import msgspec

from generators.governance import vocabulary
from generators.governance.errors import RuleTableError, UnknownIdError
from generators.governance.notation import Call, Expression, Scalar, walk
from generators.governance.routes import Route
from generators.governance.vocabulary import PHASES, Disposition, Phase, Record, Severity


class Gate(Record, frozen=True, kw_only=True):
    """A board that reviews a case under its own rules.

    `rules` are in evaluation order. `reads_first` are the facts looked up before any rule.
    `glossary_sections` are the sections of facts whose meaning its reviewer is told.
    """

    id: str
    label: str
    rules: tuple[str, ...]
    reads_first: tuple[str, ...]
    glossary_sections: tuple[str, ...]


class Count(Record, frozen=True, kw_only=True):
    """The number a message quotes: a fact, or how many upstream decisions have a disposition."""

    fact: str | None = None
    upstream: Disposition | None = None


class Rule(Record, frozen=True, kw_only=True):
    """One rule (DGF-Bench paper, Table 12).

    The rule is judged in `phases` only, and fires when `expression`, the tree of `condition`,
    holds. `fields` are the facts of the condition in reading order. `else_of` names the rule whose
    alternative branch this is. `message` may hold `{count}` when `count` says what to count.
    """

    id: str
    gate: str
    severity: Severity
    disposition: Disposition
    risk_acceptable: bool
    phases: tuple[Phase, ...]
    fields: tuple[str, ...]
    condition: str
    expression: Expression
    action: str
    owner: str
    evidence: str
    message: str
    else_of: str | None
    count: Count | None

    @property
    def reads_upstream(self) -> bool:
        """Whether the rule rests on the decisions handed to General."""
        calls = (node for node in walk(self.expression) if isinstance(node, Call))
        return any(call.function == "has_upstream" for call in calls)


class Field(Record, frozen=True, kw_only=True):
    """A decisive field: a canonical fact that some rule tests or needs in order to read another.

    `values` is the vocabulary of words or the numbers the generator draws; `range` says the same
    where they cannot be listed. `rules` are the rules that test the field.
    """

    name: str
    type: Literal["bool", "int", "float", "enum", "string", "number or word"]
    unit: str | None
    values: tuple[Scalar, ...]
    range: str | None
    nullable: bool
    meaning: str
    rules: tuple[str, ...]

    @property
    def section(self) -> str:
        """The section of the case: `procurement` of `procurement.offer.sanctions`."""
        return self.name.partition(".")[0]

    @property
    def key(self) -> str:
        """The last component of the name."""
        return self.name.rpartition(".")[2]


class RuleTable(Record, frozen=True, kw_only=True, eq=False):
    """Everything a rules file says, by id and in the order of the file.

    Two tables are the same only if they are one object: what is derived from a table is cached
    by its identity.
    """

    protocol: str
    gates: Mapping[str, Gate]
    routes: Mapping[str, Route]
    rules: Mapping[str, Rule]
    fields: Mapping[str, Field]

    def gate(self, gate: str) -> Gate:
        """The gate with this id."""
        return _find("gate", gate, self.gates)

    def route(self, route: str) -> Route:
        """The route with this id."""
        return _find("route", route, self.routes)

    def rule(self, rule: str) -> Rule:
        """The rule with this id."""
        return _find("rule", rule, self.rules)

    def rules_of(self, gate: str, phase: str | None = None) -> tuple[Rule, ...]:
        """Rules of a gate in evaluation order, only those judged in `phase` if it is given."""
        if phase is not None and phase not in PHASES:
            raise UnknownIdError.among("phase", phase, PHASES)
        rules = (self.rules[name] for name in self.gate(gate).rules)
        return tuple(rule for rule in rules if phase is None or phase in rule.phases)

    def possible_dispositions(self, gate: str, phase: str | None = None) -> tuple[Disposition, ...]:
        """What the gate can return, from mild to severe: GO, and what its rules carry."""
        carried = {rule.disposition for rule in self.rules_of(gate, phase)}
        return tuple(word for word in vocabulary.DISPOSITIONS if word == "GO" or word in carried)

    def glossary(self, gate: str) -> tuple[Field, ...]:
        """Decisive fields of the gate's glossary sections, in the order of the table."""
        sections = self.gate(gate).glossary_sections
        return tuple(field for field in self.fields.values() if field.section in sections)

    def with_messages(self, messages: Mapping[str, str]) -> RuleTable:
        """The same table with other texts for the rules named in `messages`."""
        for name in messages:
            self.rule(name)
        rules = {
            name: msgspec.structs.replace(rule, message=messages.get(name, rule.message))
            for name, rule in self.rules.items()
        }
        for rule in rules.values():
            check_message(rule)
        return msgspec.structs.replace(self, rules=rules)


Named = TypeVar("Named")


def _find(kind: str, name: str, known: Mapping[str, Named]) -> Named:
    try:
        return known[name]
    except KeyError:
        raise UnknownIdError.among(kind, name, known) from None


def check_message(rule: Rule) -> None:
    """Refuse a message that is blank, or that quotes a number the rule does not count."""
    place = f"message of {rule.id}"
    if not rule.message.strip():
        raise RuleTableError("blank message", where=place)
    if "{count}" in rule.message and rule.count is None:
        raise RuleTableError("message quotes {count}, but the rule counts nothing", where=place)
