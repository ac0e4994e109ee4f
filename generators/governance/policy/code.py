"""The code form: the rules of a gate as a Python function, and the glossary of its fields.

The condition notation is a subset of Python but for its three constants, so a condition is shown as
it is evaluated: nothing is translated that could be translated wrongly.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from textwrap import indent
from typing import Final

from generators.governance.loader import builtin_rules
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
)
from generators.governance.policy.texts import GlossaryTexts, policy_texts
from generators.governance.table import Count, Field, Rule, RuleTable
from generators.governance.vocabulary import PHASES
from generators.protocol import DEFAULT_PROTOCOL, fill

RESERVED: Final = frozenset({"phase", "finding", "has_upstream", "count_upstream", "lower", "bool"})
"""Names the function uses itself, which no section of facts can have."""

_PYTHON_NAMES: Final = {True: "True", False: "False", None: "None"}


def gate_code(gate: str, rules: Sequence[Rule]) -> str:
    """The function that raises the findings of `rules`, which are in evaluation order."""
    facts = (name for rule in rules for name in (*rule.fields, *_counted_fact(rule)))
    parameters = dict.fromkeys(["phase", *(name.partition(".")[0] for name in facts)])
    body = [rule_code(rule) for rule in rules] or ["pass"]
    return "\n".join(
        [f"def review_{gate}({', '.join(parameters)}):", *(indent(part, "    ") for part in body)]
    )


def rule_code(rule: Rule) -> str:
    """The branch of one rule."""
    condition = _python(rule.expression)
    if set(rule.phases) != set(PHASES):
        phases = Items(tuple(map(Constant, rule.phases)))
        terms = condition.terms if isinstance(condition, And) else (condition,)
        condition = And((Compare("in", Fact("phase"), phases), *terms))
    return f"if {render(condition)}:\n    {_call(rule)}"


def _call(rule: Rule) -> str:
    positional = (rule.id, rule.severity, rule.message, rule.action, rule.owner, rule.evidence)
    arguments = [_text(value) for value in positional]
    if rule.disposition != "REWORK":
        arguments.append(f"disposition={_text(rule.disposition)}")
    if rule.risk_acceptable:
        arguments.append("risk_acceptable=True")
    if rule.count is not None:
        arguments.append(f"count={_count(rule.count)}")
    return f"finding({', '.join(arguments)})"


def _count(count: Count) -> str:
    return count.fact or f"count_upstream({_text(str(count.upstream))})"


def _counted_fact(rule: Rule) -> tuple[str, ...]:
    return (rule.count.fact,) if rule.count and rule.count.fact else ()


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _python(expression: Expression) -> Expression:  # noqa: C901, PLR0911  # one arm per node
    """`expression` with its constants named as Python names them."""
    match expression:
        case Constant(bool() | None as value):
            return Fact(_PYTHON_NAMES[value])
        case Constant() | Fact():
            return expression
        case And(terms):
            return And(tuple(map(_python, terms)))
        case Or(terms):
            return Or(tuple(map(_python, terms)))
        case Not(operand):
            return Not(_python(operand))
        case Negative(operand):
            return Negative(_value(operand))
        case Items(items):
            return Items(tuple(map(_value, items)))
        case Call(function, arguments):
            return Call(function, tuple(map(_value, arguments)))
        case Compare(op, left, right):
            return Compare(op, _value(left), _value(right))
        case Arithmetic(op, left, right):
            return Arithmetic(op, _value(left), _value(right))


def _value(expression: Expression) -> Expression:
    """The same where the value matters: Python's `and` and `or` need not give true or false."""
    python = _python(expression)
    return Call("bool", (python,)) if isinstance(python, And | Or) else python


def glossary(
    gate: str, *, rules: RuleTable | None = None, protocol: str = DEFAULT_PROTOCOL
) -> dict[str, str]:
    """Entries of the fields a reviewer of `gate` is told about, by name, in the table's order."""
    texts = policy_texts(protocol).code.glossary
    fields = (rules or builtin_rules()).glossary(gate)
    return {field.name: _entry(field, texts) for field in fields}


def _entry(field: Field, texts: GlossaryTexts) -> str:
    words = ", ".join(
        fill(texts.word, word=value) for value in field.values if isinstance(value, str)
    )
    kind = fill(texts.kinds[field.type], words=words)
    if field.unit:
        kind = fill(texts.unit, kind=kind, unit=field.unit)
    if field.nullable:
        kind = fill(texts.nullable, kind=kind)
    return fill(texts.entry, field=field.name, kind=kind, meaning=field.meaning)
