"""The condition notation as text: what parses, to which tree, and how refusals read."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.governance.errors import NotationError
from generators.governance.notation import (
    GENERATOR_FUNCTIONS,
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
    children,
    parse,
    references,
    render,
    walk,
)
from tests.generators.governance.oracle import PUBLISHED, RULES

A, B, C = Fact("s.a"), Fact("s.b"), Fact("s.c")

NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,5}(\.[a-z_][a-z0-9_]{0,5}){0,2}", fullmatch=True)
FREE = NAMES.filter(lambda name: name not in {"and", "or", "not", "in", "true", "false", "null"})
LITERALS = (
    st.none()
    | st.booleans()
    | st.integers(0, 10**20)
    | st.floats(0, allow_nan=False, allow_infinity=False)
    | st.text()
)


def _compound(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    terms = st.lists(inner, min_size=2, max_size=3).map(tuple)
    comparators = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "not in"])
    return (
        st.builds(Not, inner)
        | st.builds(Negative, inner)
        | st.builds(And, terms)
        | st.builds(Or, terms)
        | st.builds(Compare, comparators, inner, inner)
        | st.builds(Arithmetic, st.sampled_from("+-*/"), inner, inner)
        | st.builds(Items, st.lists(inner, max_size=3).map(tuple))
        | st.builds(Call, st.just("collect"), terms)
        | st.builds(Call, st.just("lower"), st.tuples(inner))
    )


TREES: st.SearchStrategy[Expression] = st.recursive(
    st.builds(Constant, LITERALS) | st.builds(Fact, FREE), _compound, max_leaves=12
)


@given(TREES)
def test_rendered_trees_parse_to_themselves(tree: Expression) -> None:
    """Text and tree are two forms of one expression: rendering then parsing loses nothing."""
    assert parse(render(tree), GENERATOR_FUNCTIONS) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("s.a and s.b or s.c", Or((And((A, B)), C))),
        ("s.a or s.b and s.c", Or((A, And((B, C))))),
        ("s.a and (s.b or s.c)", And((A, Or((B, C))))),
        ("not s.a and s.b", And((Not(A), B))),
        ("not s.a == s.b", Not(Compare("==", A, B))),
        ("not not s.a", Not(Not(A))),
        ("s.a not in [1]", Compare("not in", A, Items((Constant(1),)))),
        ("s.a + s.b * s.c", Arithmetic("+", A, Arithmetic("*", B, C))),
        ("s.a - s.b - s.c", Arithmetic("-", Arithmetic("-", A, B), C)),
        ("s.a > s.b * 1.5", Compare(">", A, Arithmetic("*", B, Constant(1.5)))),
        ("-s.a * s.b", Arithmetic("*", Negative(A), B)),
        ("s.a and s.b and s.c", And((A, B, C))),
        ("[]", Items(())),
        (' "a \\"b\\" \\u00e9" ', Constant('a "b" é')),
        ("null", Constant(None)),
        ("nullable", Fact("nullable")),
        ("(s.a)", A),
    ],
)
def test_precedence(text: str, tree: Expression) -> None:
    """Tightest to loosest: sign, `* /`, `+ -`, comparison, `not`, `and`, `or`; left to right."""
    assert parse(text) == tree


def test_whole_and_decimal_numbers_stay_apart() -> None:
    """`1` is a whole number and `1.0` is not, so that drawn values keep their kind."""
    kinds = [
        type(node.value) for node in walk(parse("[1, 1.0, 1e2]")) if isinstance(node, Constant)
    ]
    assert kinds == [int, float, float]


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "expected a value, found the end"),
        ("s.a ==", 7, "expected a value, found the end"),
        ("s.a < s.b < s.c", 11, "comparisons cannot be chained, found '<'"),
        ("s.a == s.b in [1]", 12, "comparisons cannot be chained, found 'in'"),
        ("s.a s.b", 5, "expected an operator, found 's.b'"),
        ("s.a not s.b", 5, "expected an operator, found 'not'"),
        ("(s.a", 5, "expected ')', found the end"),
        ("[1, 2", 6, "expected ',', found the end"),
        ("[1,]", 4, "expected a value, found ']'"),
        ("s.a and or s.b", 9, "expected a value, found 'or'"),
        ("s.a == 'x'", 8, 'stray "\'"'),
        ("s.a $ 1", 5, "stray '$'"),
        ('s.a == "x', 8, "text without a closing quote"),
        (r's.a == "\x"', 8, "text with an escape or character that JSON does not have"),
        ("s.a < 1e999", 7, "number out of range"),
        (f"s.a < {'9' * 5000}", 7, "number out of range"),
        (r's.a == "\ud800"', 8, "text with an escape or character that JSON does not have"),
        ("s.a. == 1", 4, "stray '.'"),
        ("lower(s.a, s.b)", 1, "lower() takes 1 arguments, not 2"),
        ("  trunc(s.a)", 3, "no function 'trunc' here, only lower, has_upstream"),
    ],
)
def test_refusals_point_at_the_place(text: str, column: int, problem: str) -> None:
    """A refusal gives the reason, and the column at which the text stops fitting."""
    with pytest.raises(NotationError) as caught:
        parse(text)
    assert (caught.value.column, caught.value.problem) == (column, problem)
    assert f"column {column} of" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["(" * 5000 + "1" + ")" * 5000, "not " * 60 + "s.a", "-" * 5000 + "1", "1" + " + 1" * 60],
)
def test_deep_nesting_is_refused(text: str) -> None:
    """However an expression is nested, it is refused before anything runs out of stack."""
    with pytest.raises(NotationError, match="nested more than 50 levels deep") as caught:
        parse(text)
    assert len(str(caught.value)) < 300


def test_functions_of_the_generator_take_as_many_arguments_as_they_need() -> None:
    """`if` wants three arguments, `max` at least one."""
    for text in ("if(s.a, 1)", "max()", "round(1)"):
        with pytest.raises(NotationError, match="arguments"):
            parse(text, GENERATOR_FUNCTIONS)
    assert parse("if(s.a, 1, 2)", GENERATOR_FUNCTIONS) == Call("if", (A, Constant(1), Constant(2)))


def test_refusals_survive_a_process_border() -> None:
    """A refusal raised in a worker arrives with its column."""
    with pytest.raises(NotationError) as caught:
        parse("s.a ==")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.column, copy.text) == (str(caught.value), 7, "s.a ==")


@pytest.mark.parametrize("rule", RULES, ids=[rule["id"] for rule in RULES])
def test_published_conditions_name_their_fields_in_order(rule: dict[str, list[str]]) -> None:
    """References of a condition are the published fields of the rule, in reading order."""
    assert list(references(parse(str(rule["condition"])))) == rule["fields"]


def test_published_generator_expressions_parse() -> None:
    """Every condition and computed value of the published fact draws is in the notation."""
    draws = PUBLISHED["generator"]["draws"]
    texts = [draw[key] for draw in draws for key in ("when", "else", "then") if key in draw]
    texts += [d["draw"].removeprefix("calc ") for d in draws if d["draw"].startswith("calc ")]
    assert len(texts) > 200
    for text in texts:
        assert render(parse(text, GENERATOR_FUNCTIONS)).split() == _respaced(text).split()


def _respaced(text: str) -> str:
    """The text with numbers as Python writes them; nothing else is in another form."""
    return text.replace("0.30 ", "0.3 ").replace("0.20 ", "0.2 ")


@given(TREES)
def test_walk_visits_each_part_once_from_left_to_right(tree: Expression) -> None:
    """Walking a tree lists the node, then each child's walk in order."""
    expected = [tree, *(node for child in children(tree) for node in walk(child))]
    assert list(walk(tree)) == expected
