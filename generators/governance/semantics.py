"""What an expression of the condition notation means: a tree-walking evaluator.

This is the definition; the compiled form in `compiled` must agree with it on every case.

Values are JSON values. Where the notation leaves a case open, it is settled here:

- equality: text exactly and with case; numbers by value (`1 == 1.0`); `true` and `false` count
  as 1 and 0 when compared with a number; `null` equals only itself; values of different kinds
  are unequal, which is an answer and not an error;
- order (`<`, `<=`, `>`, `>=`): numbers (booleans count as 1 and 0) with numbers, text with text
  by code point; anything else, `null` included, is a `FactError`: a rule that cannot be judged
  must not pass in silence;
- truth: `null`, `false`, 0, empty text and empty lists do not hold, everything else does;
- `and`, `or` and `not` give `true` or `false`, and stop as soon as the answer is known;
- arithmetic takes numbers only; a division by zero, and a whole number beyond double precision
  where a double is needed, are `FactError`s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, TypeGuard

from generators.governance.errors import FactError
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
    Value,
    render,
)

UPSTREAM: Final = "upstream.dispositions"
"""Reserved name under which an environment holds the dispositions `has_upstream` looks at."""


SHOWN: Final = 40
"""Characters of a value that an error repeats."""


class Environment(Protocol):
    """Where facts are read from by dotted name; a `dict` will do."""

    def __getitem__(self, name: str, /) -> Value:
        """The value of the fact; `KeyError` when it is absent."""
        ...


def evaluate(expression: Expression, env: Environment) -> Value:  # noqa: C901, PLR0911  # one arm per node
    """The value of `expression`, reading facts from `env` in order and only as needed."""
    match expression:
        case Constant(value):
            return value
        case Fact(name):
            return _read(name, env)
        case Not(operand):
            return not holds(operand, env)
        case And(terms):
            return all(holds(term, env) for term in terms)
        case Or(terms):
            return any(holds(term, env) for term in terms)
        case Compare(op, left, right):
            return _compare(expression, op, evaluate(left, env), evaluate(right, env))
        case Items(items):
            return [evaluate(item, env) for item in items]
        case Arithmetic(op, left, right):
            return _combine(expression, op, evaluate(left, env), evaluate(right, env))
        case Negative(operand):
            return _combine(expression, "*", -1, evaluate(operand, env))
        case Call(function, arguments):
            return _call(function, arguments, env)


def holds(expression: Expression, env: Environment) -> bool:
    """Whether `expression` holds."""
    return bool(evaluate(expression, env))


def _read(name: str, env: Environment) -> Value:
    try:
        return env[name]
    except KeyError:
        raise FactError("fact absent", where=name) from None


def _compare(expression: Compare, op: str, left: Value, right: Value) -> bool:
    try:
        return COMPARISONS[op](left, right)
    except TypeError:
        kinds = f"{_kind(left)} and {_kind(right)}"
        raise FactError(
            f"{kinds} cannot be compared with {op!r}",
            where=render(expression),
            hint="give a list" if op in ("in", "not in") else "give both facts as numbers",
        ) from None


def _combine(expression: Expression, op: str, left: Value, right: Value) -> int | float:
    try:
        return arithmetic(op, left, right)
    except FactError as error:
        raise FactError(error.problem, where=render(expression)) from None


def contains(container: Value, item: Value) -> bool:
    """Whether a list has an item equal to `item`; text is not a list."""
    if isinstance(container, str) or not isinstance(container, Sequence):
        raise TypeError
    return item in container


COMPARISONS: Final[Mapping[str, Callable[[Value, Value], bool]]] = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,  # type: ignore[operator]  # TypeError is the answer
    "<=": lambda left, right: left <= right,  # type: ignore[operator]  # same
    ">": lambda left, right: left > right,  # type: ignore[operator]  # same
    ">=": lambda left, right: left >= right,  # type: ignore[operator]  # same
    "in": lambda left, right: contains(right, left),
    "not in": lambda left, right: not contains(right, left),
}


def arithmetic(op: str, left: Value, right: Value) -> int | float:
    """Two numbers combined by one of `+ - * /`."""
    first, second = _number(op, left), _number(op, right)
    try:
        match op:
            case "+":
                return first + second
            case "-":
                return first - second
            case "*":
                return first * second
            case _:
                return first / second
    except ArithmeticError:
        problem = f"no result of {_kind(left)} {op} {_kind(right)} in double precision"
        raise FactError(problem) from None


def is_number(value: Value) -> TypeGuard[int | float]:
    """Whether `value` counts as a number; booleans do, as 1 and 0."""
    return isinstance(value, int | float)


def _number(role: str, value: Value) -> int | float:
    if is_number(value):
        return value
    raise FactError(f"{_kind(value)} where {role!r} needs a number")


def _kind(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if is_number(value):
        return f"number {_digits(value)}"
    if isinstance(value, str):
        return f"text {value[:SHOWN]!r}"
    return "an object" if isinstance(value, Mapping) else "a list"


def _digits(value: float) -> str:
    try:
        text = repr(value)
    except ValueError:  # the standard library does not write out every whole number
        return "of thousands of digits"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def lower(value: Value) -> str:
    """The text form of `value` in lower case."""
    return str(value).lower()


def _call(function: str, arguments: Sequence[Expression], env: Environment) -> Value:
    match function:
        case "if":
            condition, chosen, other = arguments
            return evaluate(chosen if holds(condition, env) else other, env)
        case "value_or":
            return _value_or(arguments[0], arguments[1], env)
        case "collect":
            names, conditions = arguments[1::2], arguments[2::2]
            pairs = zip(names, conditions, strict=True)
            found = [evaluate(name, env) for name, condition in pairs if holds(condition, env)]
            return found or [evaluate(arguments[0], env)]
        case "has_upstream":
            return contains(_read(UPSTREAM, env), evaluate(arguments[0], env))
        case _:
            return _FUNCTIONS[function]([evaluate(argument, env) for argument in arguments])


def _value_or(fact: Expression, default: Expression, env: Environment) -> Value:
    if not isinstance(fact, Fact):
        raise FactError("value_or() needs the name of a fact", where=render(fact))
    try:
        return env[fact.name]
    except KeyError:
        return evaluate(default, env)


def _extreme(choose: Callable[[list[int | float]], int | float]) -> Callable[[list[Value]], Value]:
    return lambda values: choose([_number("min or max", value) for value in values])


def _round(values: list[Value]) -> Value:
    return round(_number("round", values[0]), int(_number("round", values[1])))


def _without(values: list[Value]) -> Value:
    items, unwanted = values
    if isinstance(items, str) or not isinstance(items, Sequence):
        raise FactError(f"{_kind(items)} where without() needs a list")
    return [item for item in items if item != unwanted]


def _lookup(values: list[Value]) -> Value:
    table, key = values
    if not isinstance(table, Mapping) or not isinstance(key, str) or key not in table:
        raise FactError(f"lookup() finds no {key!r}")
    return table[key]


_FUNCTIONS: Final[Mapping[str, Callable[[list[Value]], Value]]] = {
    "lower": lambda values: lower(values[0]),
    "min": _extreme(min),
    "max": _extreme(max),
    "round": _round,
    "trunc": lambda values: math.trunc(_number("trunc", values[0])),
    "without": _without,
    "lookup": _lookup,
    "join": lambda values: "".join(map(str, values)),
}
"""Functions that want all their arguments evaluated, in order."""
