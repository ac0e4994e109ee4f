"""What expressions mean: values, order, truth, short-circuit, arithmetic, functions."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from generators.governance.errors import FactError
from generators.governance.notation import GENERATOR_FUNCTIONS, Value, parse
from generators.governance.semantics import UPSTREAM, evaluate


def value(text: str, **facts: Value) -> Value:
    """The value of `text` where `s_a` stands for the fact `s.a`."""
    env = {name.replace("_", ".", 1): fact for name, fact in facts.items()}
    return evaluate(parse(text, {**GENERATOR_FUNCTIONS, "has_upstream": (1, 1)}), env)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 == 1.0", True),
        ("0.1 + 0.2 == 0.3", False),
        ("null == null", True),
        ("null == 0", False),
        ("null == false", False),
        ('null == ""', False),
        ('"High" == "high"', False),
        ('"1" == 1', False),
        ('"0.5" != 0.5', True),
        ("true == 1", True),
        ("false == 0", True),
        ('true == "true"', False),
        ("null in [null, 365]", True),
        ("365.0 in [null, 365]", True),
        ('"a" in []', False),
        ('"a" not in ["b"]', True),
        ("[1, 2] == [1, 2.0]", True),
    ],
)
def test_equality(text: str, expected: bool) -> None:
    """Text by letter, numbers by value, null only with itself; different kinds are unequal."""
    assert value(text) is expected


@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("left", [None, "12", [12], {"n": 12}])
def test_order_between_kinds_is_a_named_error(op: str, left: Value) -> None:
    """Ordering what has no order names the comparison instead of deciding in silence."""
    with pytest.raises(FactError) as caught:
        value(f"s.a {op} 12", s_a=left)
    assert caught.value.where == f"s.a {op} 12"
    assert "cannot be compared" in caught.value.problem


def test_order_within_kinds() -> None:
    """Numbers order by value (booleans as 1 and 0), text by code point; NaN never holds."""
    assert value("s.a > 0", s_a=True) is True
    assert value("s.a > 0", s_a=False) is False
    assert value('"Z" < "a"') is True
    assert value("s.a < 1 or s.a >= 1", s_a=math.nan) is False


def test_membership_wants_a_list() -> None:
    """A word is in a list of words; being part of a longer word does not count, and is an error."""
    assert value('"GDPR" in s.a', s_a=["GDPR", "NIS2"]) is True
    with pytest.raises(FactError):
        value('"GD" in s.a', s_a="GDPR")


@pytest.mark.parametrize("empty", [None, False, 0, 0.0, "", []])
@pytest.mark.parametrize("full", [True, 1, -0.5, "false", [0]])
def test_truth(empty: Value, full: Value) -> None:
    """Null, false, zero and empty do not hold, anything else does; connectives give booleans."""
    assert value("not s.a and s.b", s_a=empty, s_b=full) is True
    assert value("s.a or not s.b", s_a=empty, s_b=full) is False
    assert value("if(s.a, 1, 2)", s_a=full) == 1


class _Reads(dict[str, Any]):
    """An environment that remembers what was asked of it."""

    def __init__(self, facts: dict[str, Any]) -> None:
        super().__init__(facts)
        self.order: list[str] = []

    def __getitem__(self, name: str) -> Any:
        self.order.append(name)
        return super().__getitem__(name)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("f.no and t.yes", ["f.no"]),
        ("t.yes and f.no", ["t.yes", "f.no"]),
        ("t.yes or f.no", ["t.yes"]),
        ("f.no or f.no2 or t.yes or t.never", ["f.no", "f.no2", "t.yes"]),
        ("t.yes == f.no", ["t.yes", "f.no"]),
        ("t.yes in [f.no, f.no2]", ["t.yes", "f.no", "f.no2"]),
        ("if(t.yes, f.no, t.never)", ["t.yes", "f.no"]),
        ("value_or(t.yes, t.never)", ["t.yes"]),
    ],
)
def test_reading_stops_when_the_answer_is_known(text: str, read: list[str]) -> None:
    """Facts are read from left to right, and not at all once the outcome is settled."""
    env = _Reads({"f.no": False, "f.no2": False, "t.yes": True})
    evaluate(parse(text, GENERATOR_FUNCTIONS), env)
    assert env.order == read


def test_absent_fact_is_a_named_error() -> None:
    """A fact that is read and not there is named."""
    with pytest.raises(FactError, match=r"fact absent \[s\.a\]"):
        value("s.b or s.a", s_b=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("7 / 2", 3.5),
        ("2 - 3 - 4", -5),
        ("-3 + 1", -2),
        ("900000 * 1.5", 1_350_000.0),
        ("1 + true", 2),
    ],
)
def test_arithmetic(text: str, expected: float) -> None:
    """The four operations on numbers, products before sums, from left to right."""
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "fact", "said"),
    [
        ("1 + s.a > 2", "ab", r"text 'ab' where '\+' needs a number \[1 \+ s\.a\]"),
        ("1 / s.a > 2", 0, r"double precision \[1 / s\.a\]"),
        ("s.a in s.a", "ab", r"\[s\.a in s\.a\]: give a list"),
        ("s.a < 2", "x" * 500, r"^text 'x{40}' and number 2 cannot"),
        ("s.a * 1.5", 10**400, r"^no result of number 10{39}… "),
        pytest.param("s.a * 1.5", 10**5000, "^no result of number of thousands of", id="huge"),
    ],
)
def test_errors_say_where_in_the_condition(text: str, fact: Value, said: str) -> None:
    """The part that cannot be judged, what to give instead, and no more of a value than fits."""
    with pytest.raises(FactError, match=said):
        value(text, s_a=fact)


@pytest.mark.parametrize("text", ["s.a * 2", "2 - s.a", "-s.a", "trunc(s.a)", "max(1, s.a)"])
def test_arithmetic_refuses_what_is_not_a_number(text: str) -> None:
    """Text is never repeated or joined by arithmetic; it is an error that says so."""
    with pytest.raises(FactError, match="needs a number"):
        value(text, s_a="ab")


def test_arithmetic_beyond_doubles_is_a_named_error() -> None:
    """No division by zero, and no whole number too large for a double, ends in a bare error."""
    with pytest.raises(FactError, match="double precision"):
        value("1 / s.a", s_a=0)
    with pytest.raises(FactError, match="double precision"):
        value("s.a * 1.5", s_a=10**400)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('lower("DETECTION")', "detection"),
        ("lower(12)", "12"),
        ("min(3, 2, 2.5)", 2),
        ("max(0.25, 4)", 4),
        ("round(2.675, 2)", 2.67),
        ("round(0.5, 0)", 0.0),
        ("round(1.5, 0)", 2.0),
        ("trunc(-2.7)", -2),
        ("trunc(2.7)", 2),
        ('without(["a", "b", "c"], "b")', ["a", "c"]),
        ('join("hostgrp-", 7)', "hostgrp-7"),
        ("value_or(s.none, 4)", 4),
        ("value_or(s.a, 4)", 0),
        ('lookup(table, "k")', ["v"]),
        ('collect("none", "A", s.a, "B", true, "C", 1 == 1)', ["B", "C"]),
        ('collect("none", "A", s.a)', ["none"]),
    ],
)
def test_functions(text: str, expected: Value) -> None:
    """Each function gives what the protocol says, with Python's rounding."""
    found = evaluate(parse(text, GENERATOR_FUNCTIONS), {"s.a": 0, "table": {"k": ["v"]}})
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("text", ['lookup(table, "z")', "lookup(table, 1)", 'lookup("k", "k")'])
def test_lookup_names_a_missing_key(text: str) -> None:
    """A key that a table does not have is a named error."""
    with pytest.raises(FactError, match="lookup"):
        evaluate(parse(text, GENERATOR_FUNCTIONS), {"table": {"k": 1}})


def test_misused_functions_are_named_errors() -> None:
    """`value_or` wants a fact's name, `without` a list."""
    with pytest.raises(FactError, match="name of a fact"):
        value("value_or(1, 2)")
    with pytest.raises(FactError, match="needs a list"):
        value('without("abc", "b")')


def test_has_upstream() -> None:
    """`has_upstream` holds when some decision received has the disposition."""
    condition = parse('has_upstream("REWORK")')
    assert evaluate(condition, {UPSTREAM: ("GO", None, "REWORK")}) is True
    assert evaluate(condition, {UPSTREAM: ("GO", None)}) is False


NUMBERS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, 0.5, 1.0, math.inf, math.nan, 1e308, 10**400])
)
WORDS = st.sampled_from(["", "a", "A", "1"])
TERMS = st.recursive(
    st.sampled_from(["x", "y", "z", "1", "0.5", "True"]),
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
    max_leaves=3,
)
VALUES = TERMS | st.sampled_from(["w", '"a"', "None"])
COMPARATORS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
ATOMS = (
    st.builds("({} {} {})".format, VALUES, COMPARATORS, VALUES)
    | st.builds("({} in [{}, {}])".format, VALUES, VALUES, VALUES)
    | VALUES
)
FORMULAS = st.recursive(
    ATOMS,
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner)
        | st.builds("(not {})".format, inner)
    ),
    max_leaves=6,
)


@given(FORMULAS, st.tuples(NUMBERS, NUMBERS, NUMBERS), WORDS)
@example("(x < y)", (None, 1, 0), "")
@example("(x == 0 or (y / x) > 1)", (0, 1, 0), "")
def test_agrees_with_python(text: str, numbers: tuple[Any, Any, Any], word: str) -> None:
    """Python judges the same formula alike, and fails where the notation names an error."""
    env = {**dict(zip("xyz", numbers, strict=True)), "w": word}
    try:
        expected: bool | type = bool(eval(text, {"__builtins__": {}}, env))
    except (TypeError, ArithmeticError):
        expected = FactError
    try:
        ours = parse(text.replace("None", "null").replace("True", "true"))
        found: bool | type = bool(evaluate(ours, env))
    except FactError:
        found = FactError
    assert found is expected
