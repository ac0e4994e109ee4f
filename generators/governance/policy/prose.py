"""The prose form: a rule as one requirement, its condition as a clause without names or code.

A negation is carried inwards until it meets a comparison or a yes/no fact, which then says the
opposite; so a clause never has to be read as "it is not the case that".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from generators.governance.loader import builtin_rules
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
    Or,
    Scalar,
)
from generators.governance.policy.lexicon import Lexicon
from generators.governance.policy.texts import PolicyTexts, ProseTexts, policy_texts, wording
from generators.governance.table import Rule, RuleTable
from generators.governance.vocabulary import PHASES
from generators.protocol import DEFAULT_PROTOCOL, fill

_OPPOSITE: Final[Mapping[Comparator, Comparator]] = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "in": "not in",
    "not in": "in",
}
_MIRRORED: Final[Mapping[Comparator, Comparator]] = {
    "==": "==",
    "!=": "!=",
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
}


def requirement(
    rule: Rule, *, rules: RuleTable | None = None, protocol: str = DEFAULT_PROTOCOL
) -> str:
    """The requirement of `rule`, one of `rules`: when its finding is raised, and what that entails.

    Raises
    ------
    PolicyTextError
        If the condition tests a fact that neither the protocol nor the table describes.
    """
    texts = policy_texts(protocol)
    prose = texts.prose
    lexicon = Lexicon((rules or builtin_rules()).fields, wording(protocol), prose)
    return fill(
        prose.requirement,
        id=rule.id,
        message=_message(rule, prose),
        condition=_Narrator(lexicon, prose).clause(rule.expression, holds=True),
        count=_counted(rule, lexicon, prose),
        reviews=_reviews(rule, texts),
        severity=rule.severity,
        disposition=rule.disposition,
        acceptance=prose.acceptable if rule.risk_acceptable else prose.not_acceptable,
        action=rule.action,
        owner=rule.owner,
        evidence=rule.evidence,
    )


def _message(rule: Rule, prose: ProseTexts) -> str:
    if rule.condition in rule.message:  # the loader's stand-in for a message is code
        return ""
    return fill(prose.message, message=rule.message.replace("{count}", "n").rstrip("."))


def _counted(rule: Rule, lexicon: Lexicon, prose: ProseTexts) -> str:
    if rule.count is None:
        return ""
    if rule.count.fact is not None:
        counted = lexicon.subject(rule.count.fact)
    else:
        counted = fill(prose.counted_upstream, disposition=str(rule.count.upstream))
    return fill(prose.count, counted=counted)


def _reviews(rule: Rule, texts: PolicyTexts) -> str:
    if set(rule.phases) == set(PHASES):
        return texts.prose.every_review
    phases = texts.prose.join.comma.join(texts.phases[phase] for phase in rule.phases)
    return fill(texts.prose.some_reviews, phases=phases)


class _Narrator:
    """Turns conditions into clauses."""

    def __init__(self, lexicon: Lexicon, prose: ProseTexts) -> None:
        self._lexicon = lexicon
        self._prose = prose

    def clause(self, condition: Expression, *, holds: bool) -> str:  # noqa: PLR0911  # one per node
        """What it means that `condition` holds, or that it does not."""
        truth = self._prose.truth
        match condition:
            case Not(operand):
                return self.clause(operand, holds=not holds)
            case And(terms) | Or(terms):
                return self._joined(
                    terms, together=isinstance(condition, And) == holds, holds=holds
                )
            case Compare(op, left, right):
                return self._comparison(op if holds else _OPPOSITE[op], left, right)
            case Fact(name) if self._lexicon.is_yes_no(name):
                return self._lexicon.clause(name, holds=holds)
            case Call("has_upstream", (Constant(str() as disposition),)):
                text = truth.upstream if holds else truth.no_upstream
                return fill(text, disposition=disposition)
            case Constant(value):
                return truth.always if bool(value) == holds else truth.never
            case _:
                text = truth.given if holds else truth.not_given
                return fill(text, operand=self._operand(condition))

    def _joined(self, terms: Sequence[Expression], *, together: bool, holds: bool) -> str:
        join = self._prose.join
        return (join.clauses_and if together else join.clauses_or).join(self._parts(terms, holds))

    def _parts(self, terms: Sequence[Expression], holds: bool) -> list[str]:
        """The clause of each term; a group is bracketed so that it can be read in one way only."""
        clauses = []
        for term in terms:
            inner, positive = _without_not(term, holds)
            if isinstance(inner, And | Or):
                join, together = self._prose.join, isinstance(inner, And) == positive
                group = join.bracketed.join(self._parts(inner.terms, positive))
                clauses.append(fill(join.all_of if together else join.some_of, clauses=group))
            else:
                clauses.append(self.clause(inner, holds=positive))
        return clauses

    def _comparison(self, op: Comparator, left: Expression, right: Expression) -> str:
        if isinstance(left, Constant) and op in _MIRRORED:
            op, left, right = _MIRRORED[op], right, left
        match op:
            case "==" | "!=":
                return self._equality(left, right, same=op == "==")
            case "in" | "not in":
                return self._listing(left, right, among=op == "in")
            case _:
                return self._order(op, left, right)

    def _equality(self, left: Expression, right: Expression, *, same: bool) -> str:
        match left, right:
            case Fact(name), Constant(bool() as wanted) if self._lexicon.is_yes_no(name):
                return self._lexicon.clause(name, holds=wanted == same)
            case _, Constant(value):
                return self._membership(left, [value], among=same)
            case _:
                text = self._prose.compare.same if same else self._prose.compare.different
                return fill(text, left=self._operand(left), right=self._operand(right))

    def _listing(self, left: Expression, right: Expression, *, among: bool) -> str:
        items = right.items if isinstance(right, Items) else (right,)
        values = [item.value for item in items if isinstance(item, Constant)]
        if isinstance(right, Items) and len(values) == len(items):
            return self._membership(left, values, among=among)
        text = self._prose.compare.listed if among else self._prose.compare.not_listed
        return fill(text, left=self._operand(left), right=self._operand(right))

    def _membership(self, left: Expression, values: Sequence[Scalar], *, among: bool) -> str:
        """`left` is one of `values`, or none of them, with what that means for other values."""
        remark, compare = self._prose.remark, self._prose.compare
        if not values:
            return self._prose.truth.never if among else self._prose.truth.always
        fact = _compared(left)
        if isinstance(left, Call) and fact:
            values = [self._lexicon.spelling(fact, value) for value in values]
        clause = fill(
            compare.word if among else compare.not_word,
            left=self._operand(left),
            right=self._any_of(values, fact),
        )
        if isinstance(left, Call):
            clause = fill(remark.any_case, clause=clause)
        if vocabulary := self._lexicon.vocabulary(fact) if fact else ():
            others = [value for value in vocabulary if value not in values]
            text = remark.others_excluded if among else remark.others_included
            return (
                fill(text, clause=clause, others=self._any_of(others, fact)) if others else clause
            )
        if any(map(_is_number, values)) and among:
            return fill(remark.only_number, clause=clause)
        return fill(remark.only if among else remark.all_but, clause=clause)

    def _any_of(self, values: Sequence[Scalar], fact: str | None) -> str:
        """The values in words, the absent one last because it needs the most words."""
        join, exactly = self._prose.join, self._prose.compare.exactly
        words = [
            fill(exactly, right=word) if _is_number(value) else word
            for value in sorted(values, key=lambda value: value is None)
            for word in [self._lexicon.value(value, of=fact)]
        ]
        return series(words, comma=join.comma, last=join.or_)

    def _order(self, op: Comparator, left: Expression, right: Expression) -> str:
        compare, remark = self._prose.compare, self._prose.remark
        text = {
            "<": compare.below,
            "<=": compare.at_most,
            ">": compare.above,
            ">=": compare.at_least,
        }[op]
        included = op in ("<=", ">=")
        match left, right:
            case Fact(fact), Constant(value):
                limit = self._lexicon.value(value, of=fact)
                tail = remark.value_included if included else remark.value_excluded
            case _:
                limit = self._operand(right)
                tail = remark.equality_included if included else remark.equality_excluded
        clause = fill(text, left=self._operand(left), right=limit)
        return fill(tail, clause=clause, right=limit)

    def _operand(self, value: Expression) -> str:  # noqa: PLR0911  # one per node
        """The noun phrase for a value."""
        operand = self._prose.operand
        match value:
            case Fact(name) if not self._lexicon.is_yes_no(name):
                return self._lexicon.subject(name)
            case Constant(literal):
                return self._lexicon.value(literal)
            case Items(items):
                words = [self._operand(item) for item in items]
                return series(words, comma=self._prose.join.comma, last=self._prose.join.and_)
            case Call("lower", (inner,)):
                return self._operand(inner)
            case Negative(inner):
                return fill(operand.negative, operand=self._grouped(inner))
            case Arithmetic(op, left, right):
                text = {
                    "+": operand.plus,
                    "-": operand.minus,
                    "*": operand.times,
                    "/": operand.divided,
                }[op]
                if op == "*" and isinstance(right, Constant):
                    left, right = right, left
                return fill(text, left=self._grouped(left), right=self._grouped(right))
            case _:
                return fill(operand.whether, clause=self.clause(value, holds=True))

    def _grouped(self, value: Expression) -> str:
        text = self._operand(value)
        if isinstance(value, Arithmetic | Negative):
            return fill(self._prose.operand.grouped, operand=text)
        return text


def _without_not(condition: Expression, holds: bool) -> tuple[Expression, bool]:
    while isinstance(condition, Not):
        condition, holds = condition.operand, not holds
    return condition, holds


def _compared(left: Expression) -> str | None:
    """The fact whose values the left side of a comparison has."""
    match left:
        case Fact(fact) | Call("lower", (Fact(fact),)):
            return fact
        case _:
            return None


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def series(words: Sequence[str], *, comma: str, last: str) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return last.join([comma.join(words[:-1]), words[-1]] if len(words) > 1 else list(words))
