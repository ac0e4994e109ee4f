"""Every small change of a rule that changes what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, get_args

import msgspec

from generators.governance import DISPOSITIONS, PHASES, SEVERITIES, Count, Rule, builtin_rules
from generators.governance.notation import (
    And,
    Arithmetic,
    Call,
    Comparator,
    Compare,
    Constant,
    Expression,
    Fact,
    Items,
    Negative,
    Not,
    Operator,
    Or,
    render,
)

TABLE = builtin_rules()
Mutants: TypeAlias = Iterator[tuple[str, Any]]


def rule_mutants(rule: Rule) -> Iterator[tuple[str, Rule]]:
    """Name of the change, and the changed rule."""
    for attribute, mutate in MUTATIONS.items():
        for name, value in mutate(rule):
            yield f"{attribute}: {name}", _with(rule, attribute, value)


def _with(rule: Rule, attribute: str, value: Any) -> Rule:
    if attribute != "expression":
        return msgspec.structs.replace(rule, **{attribute: value})
    return msgspec.structs.replace(rule, expression=value, condition=render(value))


def _others(attribute: str, words: tuple[str, ...]) -> Callable[[Rule], Mutants]:
    return lambda rule: ((word, word) for word in words if word != getattr(rule, attribute))


def _longer(attribute: str) -> Callable[[Rule], Mutants]:
    return lambda rule: iter([("longer", f"{getattr(rule, attribute)} X")])


def _acceptance(rule: Rule) -> Mutants:
    yield "flipped", not rule.risk_acceptable


def _phases(rule: Rule) -> Mutants:
    for phase in PHASES:
        changed = tuple(p for p in PHASES if (p in rule.phases) != (p == phase))
        if changed:
            yield phase, changed


def _counts(rule: Rule) -> Mutants:
    if rule.count is not None:
        yield "upstream GO", Count(upstream="GO")
        yield "a fact", Count(fact="tech_readiness.target_rpo_minutes")
        yield "nothing", None


def _expressions(rule: Rule) -> Mutants:
    for changed in expression_mutants(rule.expression):
        yield render(changed), changed


MUTATIONS: Mapping[str, Callable[[Rule], Mutants]] = {
    "id": _longer("id"),
    "severity": _others("severity", SEVERITIES),
    "disposition": _others("disposition", DISPOSITIONS),
    "risk_acceptable": _acceptance,
    "phases": _phases,
    "expression": _expressions,
    "action": _longer("action"),
    "owner": _longer("owner"),
    "evidence": _longer("evidence"),
    "message": _longer("message"),
    "count": _counts,
}
"""How each attribute is changed."""

ELSEWHERE: Mapping[str, str] = {
    "condition": "the text of `expression`, changed together with it",
    "fields": "the facts of `expression`",
    "gate": "says under whose policy the rule stands",
    "else_of": "orders the list of candidate findings; conditions repeat the exclusion",
}
"""Attributes that say nothing of their own, and why."""


def expression_mutants(  # noqa: C901  # one arm per node
    expression: Expression,
) -> Iterator[Expression]:
    """The expression with one node changed, for every node and change."""
    yield from _changes_here(expression)
    match expression:
        case And(terms) | Or(terms):
            for changed in _one_changed(terms):
                yield type(expression)(changed)
        case Items(items):
            yield from map(Items, _one_changed(items))
        case Not(operand):
            yield from map(Not, expression_mutants(operand))
        case Negative(operand):
            yield from map(Negative, expression_mutants(operand))
        case Compare(op, left, right):
            for first, second in _one_changed((left, right)):
                yield Compare(op, first, second)
        case Arithmetic(sign, left, right):
            for first, second in _one_changed((left, right)):
                yield Arithmetic(sign, first, second)
        case Call(function, arguments):
            for changed in _one_changed(arguments):
                yield Call(function, changed)
        case _:
            pass


def _one_changed(parts: tuple[Expression, ...]) -> Iterator[tuple[Expression, ...]]:
    for index, part in enumerate(parts):
        for changed in expression_mutants(part):
            yield (*parts[:index], changed, *parts[index + 1 :])


def _changes_here(  # noqa: C901  # one arm per node
    expression: Expression,
) -> Iterator[Expression]:
    match expression:
        case Constant(value):
            yield from map(Constant, _other_values(value))
        case Fact(name):
            field = TABLE.fields[name]
            alike = [f.name for f in TABLE.fields.values() if f.type == field.type]
            yield from (Fact(other) for other in alike if other != name)
        case And(terms):
            yield Or(terms)
            yield from (And((*terms[:i], *terms[i + 1 :])) for i in range(len(terms)))
        case Or(terms):
            yield And(terms)
            yield from (Or((*terms[:i], *terms[i + 1 :])) for i in range(len(terms)))
        case Not(operand):
            yield operand
        case Items(items):
            yield Items((*items, Constant("another_word")))
            yield from (Items((*items[:i], *items[i + 1 :])) for i in range(len(items)))
        case Compare(op, left, right):
            kinds = ("in", "not in") if isinstance(right, Items) else get_args(Comparator)[:6]
            yield from (Compare(other, left, right) for other in kinds if other != op)
            yield Not(expression)
        case Arithmetic(sign, left, right):
            yield from (Arithmetic(s, left, right) for s in get_args(Operator) if s != sign)
        case Call("lower", (argument,)):
            yield argument
        case Call():
            yield Not(expression)
        case _:
            pass


def _other_values(value: Any) -> list[Any]:
    match value:
        case bool() | None:
            return [not value]
        case int() | float():
            return [value + 1, value + 0.001, -1 - value, value * 10 + 7]
        case str() if value in DISPOSITIONS:
            return [word for word in DISPOSITIONS if word != value]
        case _:
            return [f"{value}_x", value.swapcase()]
