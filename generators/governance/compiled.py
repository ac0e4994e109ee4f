"""Rules as Python functions, for evaluating millions of gates.

One function per set of rules: it reads a case directly and returns the fired rules as bits. It says
the same as `semantics` wherever it answers; where a fact is absent or cannot be compared it raises
whatever Python raises, and the caller asks `semantics`, which decides or names the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from generators.governance.case import OFFER, VENDOR, retained_offer
from generators.governance.notation import (
    And,
    Arithmetic,
    Call,
    Compare,
    Constant,
    Expression,
    Fact,
    Items,
    Negative,
    Not,
    Or,
)
from generators.governance.semantics import arithmetic, contains, lower
from generators.governance.table import Rule
from generators.governance.vocabulary import Case

Fired: TypeAlias = Callable[[Case, Sequence[str | None]], int]
"""From a case and upstream dispositions to fired rules: bit n is the n-th rule."""

_NAMES: Final = {
    "arithmetic": arithmetic,
    "contains": contains,
    "lower": lower,
    "retained_offer": retained_offer,
}


def compile_rules(rules: Sequence[Rule], reads_first: Sequence[str] = ()) -> Fired:
    """The function that judges `rules` together."""
    facts = {*reads_first, *(name for rule in rules for name in rule.fields)}
    lines = ["def judge(case, upstream):", "    fired = 0"]
    sections = {name.partition(".")[0] for name in facts if not name.startswith(OFFER)}
    lines += [f"    {_local(section)} = case[{section!r}]" for section in sorted(sections)]
    if VENDOR in reads_first or any(name.startswith(OFFER) for name in facts):
        lines.append("    offer = retained_offer(case)")
    lines += [f"    {_read(name)}" for name in reads_first]
    for bit, rule in enumerate(rules):
        lines.append(f"    if {_source(rule.expression)}:")
        lines.append(f"        fired |= {1 << bit}")
    lines.append("    return fired")
    return _define(lines)


def _define(lines: Sequence[str]) -> Fired:
    scope: dict[str, Any] = dict(_NAMES)
    # The text comes from a parsed tree: names the grammar allows, and literals written by repr.
    exec("\n".join(lines), scope)  # noqa: S102  # see the line above
    judge: Fired = scope["judge"]
    return judge


def _local(section: str) -> str:
    return f"in_{section}"


def _source(expression: Expression) -> str:  # noqa: C901, PLR0911, PLR0912  # one arm per node
    """Python for `expression` where only its truth matters."""
    match expression:
        case And(terms):
            return f"({' and '.join(map(_source, terms))})"
        case Or(terms):
            return f"({' or '.join(map(_source, terms))})"
        case Not(operand):
            return f"(not {_source(operand)})"
        case Compare("in" | "not in" as op, left, Items(items)):
            return f"({_value(left)} {op} [{', '.join(map(_value, items))}])"
        case Compare("in" | "not in" as op, left, right):
            return f"(contains({_value(right)}, {_value(left)}) is {op == 'in'})"
        case Compare(op, left, right):
            return f"({_value(left)} {op} {_value(right)})"
        case Call("has_upstream", (argument,)):
            return f"({_value(argument)} in upstream)"
        case Call(function, arguments):  # only `lower` is left
            return f"{function}({', '.join(map(_value, arguments))})"
        case Constant(value):
            return repr(value)
        case Fact(name):
            return _read(name)
        case Items(items):
            return f"[{', '.join(map(_value, items))}]"
        case Arithmetic(op, left, right):
            return f"arithmetic({op!r}, {_value(left)}, {_value(right)})"
        case Negative(operand):
            return f"arithmetic('*', -1, {_value(operand)})"


def _value(expression: Expression) -> str:
    """Python for `expression` where its value matters: `and` and `or` give a boolean."""
    source = _source(expression)
    return f"bool({source})" if isinstance(expression, And | Or) else source


def _read(name: str) -> str:
    if name.startswith(OFFER):
        start, rest = "offer", name.removeprefix(OFFER)
    else:
        section, _, rest = name.partition(".")
        start = _local(section)
    return start + "".join(f"[{part!r}]" for part in rest.split("."))
