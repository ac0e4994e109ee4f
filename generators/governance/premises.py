"""What a decision rests on: the decisive fields of a gate, and the premises of each finding.

Somebody applying a gate's rules by hand looks facts up in a certain order and stops where a rule is
already settled. The facts looked up are the decisive fields; the premises of a finding are those of
them that its rule tests (DGF-Bench protocol, section 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from generators.governance.case import RISK_OWNER, CaseFacts
from generators.governance.loader import builtin_rules
from generators.governance.notation import Fact, Value
from generators.governance.semantics import UPSTREAM, evaluate
from generators.governance.table import Rule, RuleTable
from generators.governance.vocabulary import Case, Phase


class _Reader:
    """Facts of a case, and which scalars of it have been read, in order."""

    __slots__ = ("_facts", "read")

    def __init__(self, case: Case) -> None:
        self._facts = CaseFacts(case)
        self.read: dict[str, None] = {}

    def __getitem__(self, name: str, /) -> Value:
        value = self._facts[name]
        scalar = isinstance(value, str) or not isinstance(value, Sequence | Mapping)
        if scalar and name not in (RISK_OWNER, UPSTREAM):
            self.read[name] = None
        return value


def decisive_fields(
    case: Case, gate: str, *, phase: Phase, rules: RuleTable | None = None
) -> tuple[str, ...]:
    """Dotted names of the facts that decide `gate` on `case`, in reading order."""
    table = rules or builtin_rules()
    reader = _Reader(case)
    for name in table.gate(gate).reads_first:
        evaluate(Fact(name), reader)
    for rule in table.rules_of(gate, phase):
        evaluate(rule.expression, reader)
    return tuple(reader.read)


def premises(rule: Rule, decisive: Iterable[str]) -> tuple[str, ...]:
    """The decisive fields that `rule` tests, in reading order; none for a rule on upstream."""
    return tuple(name for name in decisive if name in rule.fields)


def premise_keys(rule: Rule, decisive: Iterable[str]) -> tuple[str, ...]:
    """The premises as the facts condition names them: by the last component of each name.

    A finding on upstream decisions rests on the `disposition` of one of them.
    """
    if rule.reads_upstream:
        return ("disposition",)
    return tuple(name.rpartition(".")[2] for name in premises(rule, decisive))
