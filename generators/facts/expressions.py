"""Computed values of the generator as Python source.

The same meaning as the condition notation's interpreter gives, for trees whose names are known in
advance: a dotted name reads a section of the case under construction, another one a constant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from generators.facts.errors import DrawTableError
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
    render,
    walk,
)

GIVEN: Final = {"difficulty": "difficulty", "_": "drawn"}
"""Names every expression may use: the difficulty of the case, and in `then` the drawn value."""


def sections_of(
    expressions: Iterable[Expression | None], *, constants: Collection[str]
) -> set[str]:
    """The sections `expressions` read; a name that is nothing is refused."""
    nodes = [node for tree in expressions if tree is not None for node in walk(tree)]
    names = {node.name for node in nodes if isinstance(node, Fact)}
    for name in sorted(names):
        if "." not in name and name not in GIVEN and name not in constants:
            raise DrawTableError("a name that is neither a fact nor a constant", where=name)
    return {name.partition(".")[0] for name in names if "." in name}


def section_variable(section: str) -> str:
    """The variable that holds a section."""
    return f"in_{section}"


def constant_variable(constant: str) -> str:
    """The variable that holds a constant."""
    return f"the_{constant}"


def source(expression: Expression) -> str:  # noqa: PLR0911  # one arm per node
    """Python for the value of `expression`."""
    match expression:
        case Constant(value):
            return repr(value)
        case Items(items):
            return f"({''.join(source(item) + ', ' for item in items)})"
        case Fact(name):
            return _read(name)
        case And(terms):
            return f"({' and '.join(map(source, terms))})"
        case Or(terms):
            return f"({' or '.join(map(source, terms))})"
        case Not(operand):
            return f"(not {source(operand)})"
        case Negative(operand):
            return f"(-{source(operand)})"
        case Compare(op, left, right) | Arithmetic(op, left, right):
            return f"({source(left)} {op} {source(right)})"
        case Call():
            return _call(expression)


def _read(name: str) -> str:
    section, _, key = name.partition(".")
    if key:
        return f"{section_variable(section)}[{key!r}]"
    return GIVEN.get(name) or constant_variable(name)


def _call(call: Call) -> str:  # noqa: PLR0911  # one arm per function
    if call.function == "value_or":
        return _value_or(call)
    match call.function, list(map(source, call.arguments)):
        case "if", [condition, chosen, other]:
            return f"({chosen} if {condition} else {other})"
        case "min" | "max" | "round" as function, arguments:
            return f"{function}({', '.join(arguments)})"
        case "trunc", [value]:
            return f"int({value})"
        case "lower", [value]:
            return f"str({value}).lower()"
        case "without", [items, unwanted]:
            return f"[item for item in {items} if item != {unwanted}]"
        case "lookup", [table, key]:
            return f"{table}[{key}]"
        case "join", arguments:
            return f"''.join(map(str, ({', '.join(arguments)})))"
        case "collect", [default, *rest]:
            pairs = zip(rest[::2], rest[1::2], strict=True)
            found = "".join(f"({name}, {held}), " for name, held in pairs)
            return f"([name for name, held in ({found}) if held] or [{default}])"
    raise DrawTableError("a function the generator does not have", where=render(call))


def _value_or(call: Call) -> str:
    match call.arguments:
        case (Fact(name), default):
            section, _, key = name.partition(".")
            return f"{section_variable(section)}.get({key!r}, {source(default)})"
    raise DrawTableError("value_or() needs the name of a fact", where=render(call))
