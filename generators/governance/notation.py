"""The condition notation: expressions over canonical facts, as text and as a small syntax tree.

`security.internet_exposed and not security.waf_present` is such an expression. Rules use it for
their conditions and the fact generator for computed values; other rule files are written in it
too. Here text becomes a tree and a tree becomes text again; what a tree means is in `semantics`.

Grammar, loosest binding first::

    expression = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation   = "not" negation | comparison
    comparison = sum [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" "in" ) sum ]
    sum        = product { ( "+" | "-" ) product }
    product    = sign { ( "*" | "/" ) sign }
    sign       = "-" sign | atom
    atom       = literal | field | function "(" list ")" | "[" list "]" | "(" expression ")"

A comparison cannot be chained, and a comparison under arithmetic needs parentheses.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from generators.governance.errors import NotationError

Scalar: TypeAlias = bool | int | float | str | None
Value: TypeAlias = "Scalar | Sequence[Value] | Mapping[str, Value]"

Comparator: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
Operator: TypeAlias = Literal["+", "-", "*", "/"]


class Node(msgspec.Struct, frozen=True, kw_only=False):
    """A part of an expression."""


class Constant(Node, frozen=True):
    """A literal: text, a number, `true`, `false` or `null`."""

    value: Scalar


class Fact(Node, frozen=True):
    """A fact read by its dotted name, such as `it.waiver_present`."""

    name: str


class Items(Node, frozen=True):
    """A list written out: `["draft", "missing"]`."""

    items: tuple[Expression, ...]


class Not(Node, frozen=True):
    """Holds when the operand does not."""

    operand: Expression


class And(Node, frozen=True):
    """Holds when every term does; terms after the first that fails are not looked at."""

    terms: tuple[Expression, ...]


class Or(Node, frozen=True):
    """Holds when some term does; terms after the first that holds are not looked at."""

    terms: tuple[Expression, ...]


class Compare(Node, frozen=True):
    """Two values compared."""

    op: Comparator
    left: Expression
    right: Expression


class Arithmetic(Node, frozen=True):
    """Two numbers combined."""

    op: Operator
    left: Expression
    right: Expression


class Negative(Node, frozen=True):
    """A number with its sign changed."""

    operand: Expression


class Call(Node, frozen=True):
    """A function of the notation applied to arguments."""

    function: str
    arguments: tuple[Expression, ...]


Expression: TypeAlias = (
    Constant | Fact | Items | Not | And | Or | Compare | Arithmetic | Negative | Call
)

Arity: TypeAlias = tuple[int, int | None]
"""Fewest and most arguments; `None` when there is no upper limit."""

CONDITION_FUNCTIONS: Final[Mapping[str, Arity]] = {"lower": (1, 1), "has_upstream": (1, 1)}
"""Functions a rule may use."""

GENERATOR_FUNCTIONS: Final[Mapping[str, Arity]] = {
    "lower": (1, 1),
    "if": (3, 3),
    "min": (1, None),
    "max": (1, None),
    "round": (2, 2),
    "trunc": (1, 1),
    "without": (2, 2),
    "lookup": (2, 2),
    "join": (2, None),
    "value_or": (2, 2),
    "collect": (1, None),
}
"""Functions the fact generator may use."""

KEYWORDS: Final[Mapping[str, Scalar]] = {"true": True, "false": False, "null": None}
MAX_DEPTH: Final = 50
"""Levels a tree may have; what walks trees relies on it not to run out of stack."""

COMPARATORS: Final[tuple[str, ...]] = get_args(Comparator)
_RESERVED: Final = frozenset({"and", "or", "not", "in"})

_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<text>"(?:[^"\\]|\\.)*")
      | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
      | (?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)
      | (?P<sign>==|!=|<=|>=|[<>()\[\],+*/-])
      | (?P<end>$)
    )""",
    re.VERBOSE | re.ASCII,
)


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


def parse(text: str, functions: Mapping[str, Arity] = CONDITION_FUNCTIONS) -> Expression:
    """The tree of `text`; `functions` are those it may call."""
    try:
        parser = _Parser(text, functions)
        tree: Expression | None = parser.disjunction()
        parser.finish()
    except RecursionError:
        tree = None
    if tree is None or _depth(tree) > MAX_DEPTH:
        raise NotationError(f"nested more than {MAX_DEPTH} levels deep", text=text, column=1)
    return tree


def _depth(tree: Expression) -> int:
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [child for node in level for child in children(node)]
    return depth


def references(expression: Expression) -> tuple[str, ...]:
    """Names of the facts in `expression`, each once, in the order they are written."""
    return tuple(dict.fromkeys(node.name for node in walk(expression) if isinstance(node, Fact)))


def walk(expression: Expression) -> Iterator[Expression]:
    """Every node of `expression`, from left to right, parents before children."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def children(expression: Expression) -> tuple[Expression, ...]:
    """The direct parts of `expression`, from left to right."""
    match expression:
        case And(terms) | Or(terms):
            return terms
        case Compare(_, left, right) | Arithmetic(_, left, right):
            return (left, right)
        case Not(operand) | Negative(operand):
            return (operand,)
        case Items(items):
            return items
        case Call(_, arguments):
            return arguments
        case Constant() | Fact():
            return ()


def render(expression: Expression) -> str:
    """The text of `expression`; parsing it gives the same tree."""
    return _render(expression, 0)


# How tightly each construction binds. A part that binds less tightly than its place asks for is
# put in parentheses.
_OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _ATOM = range(8)


def _render(expression: Expression, place: int) -> str:
    binding, text = _layout(expression)
    return f"({text})" if binding < place else text


def _layout(expression: Expression) -> tuple[int, str]:  # noqa: C901, PLR0911  # one arm per node
    match expression:
        case Constant(value):
            return _ATOM, json.dumps(value, ensure_ascii=False)
        case Fact(name):
            return _ATOM, name
        case Items(items):
            return _ATOM, f"[{', '.join(map(render, items))}]"
        case Call(function, arguments):
            return _ATOM, f"{function}({', '.join(map(render, arguments))})"
        case Or(terms):
            return _OR, " or ".join(_render(term, _AND) for term in terms)
        case And(terms):
            return _AND, " and ".join(_render(term, _NOT) for term in terms)
        case Not(operand):
            return _NOT, f"not {_render(operand, _NOT)}"
        case Compare(op, left, right):
            return _COMPARE, f"{_render(left, _SUM)} {op} {_render(right, _SUM)}"
        case Arithmetic(op, left, right):
            binding = _SUM if op in "+-" else _PRODUCT
            return binding, f"{_render(left, binding)} {op} {_render(right, binding + 1)}"
        case Negative(operand):
            return _SIGN, f"-{_render(operand, _SIGN)}"


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str, functions: Mapping[str, Arity]) -> None:
        self._text = text
        self._functions = functions
        self._tokens = self._tokenize()
        self._next = 0

    def _tokenize(self) -> list[_Token]:
        tokens: list[_Token] = []
        position = 0
        while not tokens or tokens[-1].kind != "end":
            match = _TOKEN.match(self._text, position)
            if match is None:
                rest = self._text[position:]
                column = position + len(rest) - len(rest.lstrip()) + 1
                found = self._text[column - 1]
                problem = "text without a closing quote" if found == '"' else f"stray {found!r}"
                raise NotationError(problem, text=self._text, column=column)
            kind = str(match.lastgroup)
            tokens.append(_Token(kind, match[kind], match.start(kind) + 1))
            position = match.end()
        return tokens

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _advance(self) -> _Token:
        token = self._token
        self._next += 1
        return token

    def _accept(self, *texts: str) -> str | None:
        token = self._token
        if token.kind in ("sign", "name") and token.text in texts:
            return self._advance().text
        return None

    def _expect(self, text: str) -> None:
        if self._accept(text) is None:
            raise self._unexpected(f"expected {text!r}", self._token)

    def _unexpected(self, expected: str, token: _Token) -> NotationError:
        found = "the end" if token.kind == "end" else repr(token.text)
        return NotationError(f"{expected}, found {found}", text=self._text, column=token.column)

    def finish(self) -> None:
        """Make sure nothing is left."""
        if self._token.kind != "end":
            chained = self._token.text in COMPARATORS
            expected = "comparisons cannot be chained" if chained else "expected an operator"
            raise self._unexpected(expected, self._token)

    def disjunction(self) -> Expression:
        """Terms joined by `or`."""
        terms = [self._conjunction()]
        while self._accept("or"):
            terms.append(self._conjunction())
        return terms[0] if len(terms) == 1 else Or(tuple(terms))

    def _conjunction(self) -> Expression:
        terms = [self._negation()]
        while self._accept("and"):
            terms.append(self._negation())
        return terms[0] if len(terms) == 1 else And(tuple(terms))

    def _negation(self) -> Expression:
        return Not(self._negation()) if self._accept("not") else self._comparison()

    def _comparison(self) -> Expression:
        left = self._sum()
        op = self._comparator()
        return left if op is None else Compare(op, left, self._sum())

    def _comparator(self) -> Comparator | None:
        if self._token.text == "not" and self._tokens[self._next + 1].text == "in":
            self._next += 2
            return "not in"
        for op in get_args(Comparator):
            if self._accept(op):
                found: Comparator = op
                return found
        return None

    def _sum(self) -> Expression:
        left = self._product()
        while True:
            if self._accept("+"):
                left = Arithmetic("+", left, self._product())
            elif self._accept("-"):
                left = Arithmetic("-", left, self._product())
            else:
                return left

    def _product(self) -> Expression:
        left = self._sign()
        while True:
            if self._accept("*"):
                left = Arithmetic("*", left, self._sign())
            elif self._accept("/"):
                left = Arithmetic("/", left, self._sign())
            else:
                return left

    def _sign(self) -> Expression:
        return Negative(self._sign()) if self._accept("-") else self._atom()

    def _atom(self) -> Expression:
        token = self._advance()
        match token.kind, token.text:
            case "text", _:
                atom: Expression = Constant(self._unquote(token))
            case "number", _:
                atom = Constant(self._number(token))
            case "name", text if text in KEYWORDS:
                atom = Constant(KEYWORDS[text])
            case "name", text if text not in _RESERVED:
                atom = self._call(token) if self._accept("(") else Fact(text)
            case _, "[":
                atom = Items(self._list("]"))
            case _, "(":
                atom = self.disjunction()
                self._expect(")")
            case _:
                raise self._unexpected("expected a value", token)
        return atom

    def _list(self, close: str) -> tuple[Expression, ...]:
        items: list[Expression] = []
        if self._accept(close):
            return ()
        while True:
            items.append(self.disjunction())
            if self._accept(close):
                return tuple(items)
            self._expect(",")

    def _call(self, name: _Token) -> Expression:
        if name.text not in self._functions:
            known = ", ".join(self._functions)
            problem = f"no function {name.text!r} here, only {known}"
            raise NotationError(problem, text=self._text, column=name.column)
        arguments = self._list(")")
        fewest, most = self._functions[name.text]
        if len(arguments) < fewest or (most is not None and len(arguments) > most):
            limit = fewest if most == fewest else f"{fewest} to {most or 'any number of'}"
            problem = f"{name.text}() takes {limit} arguments, not {len(arguments)}"
            raise NotationError(problem, text=self._text, column=name.column)
        return Call(name.text, arguments)

    def _unquote(self, token: _Token) -> str:
        try:
            text = str(json.loads(token.text))
            text.encode()  # half of a surrogate pair is an escape, but no text
        except ValueError:
            problem = "text with an escape or character that JSON does not have"
            raise NotationError(problem, text=self._text, column=token.column) from None
        return text

    def _number(self, token: _Token) -> int | float:
        number = float(token.text)
        if math.isinf(number):
            raise NotationError("number out of range", text=self._text, column=token.column)
        return int(token.text) if token.text.isdigit() else number
