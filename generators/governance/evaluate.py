"""The result of a gate: findings, disposition, opinion, actions and authorization for one case.

Evaluation runs compiled rules and looks up what the fired ones amount to; both are made once per
table, gate and phase. A case the compiled form cannot judge is judged by the interpreter, which
either decides or says which fact is at fault.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Protocol

from generators.governance.case import VENDOR, CaseFacts, read_fact, retained_offer
from generators.governance.compiled import compile_rules
from generators.governance.errors import FactError, UnknownIdError
from generators.governance.loader import builtin_rules
from generators.governance.notation import Fact
from generators.governance.semantics import evaluate, holds
from generators.governance.table import Count, Rule, RuleTable
from generators.governance.vocabulary import (
    BLOCKING,
    GENERAL,
    NEEDS_AUTHORIZATION,
    PHASES,
    Case,
    Disposition,
    Opinion,
    Phase,
    Record,
    Severity,
    worst_of,
)


class Finding(Record, frozen=True, kw_only=True):
    """A fired rule, as a gate reports it."""

    id: str
    severity: Severity
    message: str
    required_action: str
    action_owner: str
    evidence_required: str
    disposition: Disposition
    risk_acceptance_allowed: bool


class RequiredAction(Record, frozen=True, kw_only=True):
    """What has to be done about a finding, and by whom."""

    action: str
    owner: str
    finding_id: str


class UpstreamDisposition(Record, frozen=True, kw_only=True):
    """A decision General took into account; `disposition` is null when none was submitted."""

    gate: str
    disposition: str | None


class GateResult(Record, frozen=True, kw_only=True):
    """The reference decision of a gate. The order of the fields is that of the JSON form.

    `approval_reference` stays null: a reference decision has nobody's approval.
    """

    gate: str
    phase: Phase
    expert_opinion: Opinion
    disposition: Disposition
    findings: tuple[Finding, ...]
    blocking_findings: tuple[str, ...]
    required_actions: tuple[RequiredAction, ...]
    risk_owner: str | None
    authorization_required: bool
    approval_reference: str | None
    upstream_context: tuple[UpstreamDisposition, ...]

    @property
    def finding_ids(self) -> tuple[str, ...]:
        """Ids of the findings, in evaluation order."""
        return tuple(finding.id for finding in self.findings)


class Decided(Protocol):
    """Anything that says what a gate decided: a result, a handoff, a submission."""

    @property
    def gate(self) -> str:
        """The gate that decided."""
        ...

    @property
    def disposition(self) -> str | None:
        """Its decision, if it took one."""
        ...


class _Verdict(Record, frozen=True, kw_only=True):
    """What fired rules amount to, whatever the case they fired on."""

    expert_opinion: Opinion
    disposition: Disposition
    findings: tuple[Finding, ...]
    blocking_findings: tuple[str, ...]
    required_actions: tuple[RequiredAction, ...]
    authorization_required: bool


def evaluate_gate(
    case: Case,
    gate: str,
    *,
    phase: Phase,
    upstream: Sequence[Decided] = (),
    rules: RuleTable | None = None,
) -> GateResult:
    """The reference decision of `gate` on `case`.

    `upstream` is what General has received, in order; other gates do not look at it.
    """
    received = upstream if gate == GENERAL else ()
    dispositions = tuple([decision.disposition for decision in received])
    verdict = _plan(rules or builtin_rules(), gate, phase).verdict(case, dispositions)
    return GateResult(
        gate=gate,
        phase=phase,
        expert_opinion=verdict.expert_opinion,
        disposition=verdict.disposition,
        findings=verdict.findings,
        blocking_findings=verdict.blocking_findings,
        required_actions=verdict.required_actions,
        risk_owner=_risk_owner(case),
        authorization_required=verdict.authorization_required,
        approval_reference=None,
        upstream_context=tuple(
            [
                UpstreamDisposition(gate=decision.gate, disposition=decision.disposition)
                for decision in received
            ]
        ),
    )


def interpret_rules(
    case: Case,
    gate: str,
    *,
    phase: Phase,
    upstream: Sequence[str | None] = (),
    rules: RuleTable | None = None,
) -> tuple[Rule, ...]:
    """The rules of `gate` that fire on `case`, by the interpreter.

    This is the definition, and the slow way. `upstream` are the dispositions General has received.
    """
    table = rules or builtin_rules()
    facts = CaseFacts(case, upstream)
    first = table.gate(gate).reads_first
    for name in first:
        evaluate(Fact(name), facts)
    if VENDOR in first:
        retained_offer(case)
    return tuple(rule for rule in table.rules_of(gate, phase) if holds(rule.expression, facts))


def _risk_owner(case: Case) -> str | None:
    try:
        name: str | None = case["project"]["risk_owner"]
    except (KeyError, TypeError):
        return None
    return name


@functools.lru_cache(maxsize=1024)
def _plan(rules: RuleTable, gate: str, phase: Phase) -> _Plan:
    return _Plan(rules, gate, phase)


class _Plan:
    """The rules of one gate at one phase, ready to judge cases."""

    def __init__(self, table: RuleTable, gate: str, phase: Phase) -> None:
        if phase not in PHASES:
            raise UnknownIdError.among("phase", phase, PHASES)
        self._table = table
        self._gate = gate
        self._phase = phase
        self._rules = table.rules_of(gate, phase)
        self._judge = compile_rules(self._rules, table.gate(gate).reads_first)
        self._counts = tuple(
            (1 << bit, rule.count) for bit, rule in enumerate(self._rules) if rule.count is not None
        )
        # Bounded, because a count can be any number.
        self._settle = functools.lru_cache(maxsize=4096)(self._settle_once)

    def verdict(self, case: Case, upstream: tuple[str | None, ...]) -> _Verdict:
        """What the rules that fire on `case` amount to."""
        try:
            fired = self._judge(case, upstream)
        except (KeyError, TypeError, FactError):
            fired = self._interpreted(case, upstream)
        # As text, because 1, 1.0 and true are one key but three messages.
        quoted = [_quoted(count, case, upstream) for bit, count in self._counts if fired & bit]
        return self._settle(fired, *quoted)

    def _interpreted(self, case: Case, upstream: tuple[str | None, ...]) -> int:
        found = interpret_rules(
            case, self._gate, phase=self._phase, upstream=upstream, rules=self._table
        )
        return sum(1 << self._rules.index(rule) for rule in found)

    def _settle_once(self, fired: int, *quoted: str) -> _Verdict:
        rules = [rule for bit, rule in enumerate(self._rules) if fired >> bit & 1]
        numbers = iter(quoted)
        findings = tuple(_finding(rule, next(numbers) if rule.count else "") for rule in rules)
        worst = worst_of(rule.disposition for rule in rules)
        return _Verdict(
            expert_opinion=_opinion(worst, findings),
            disposition=worst,
            findings=findings,
            blocking_findings=tuple(rule.id for rule in rules if rule.disposition in BLOCKING),
            required_actions=tuple(
                RequiredAction(action=rule.action, owner=rule.owner, finding_id=rule.id)
                for rule in rules
            ),
            authorization_required=worst in NEEDS_AUTHORIZATION,
        )


def _quoted(count: Count, case: Case, upstream: Sequence[str | None]) -> str:
    if count.fact is None:
        return str(upstream.count(count.upstream))
    try:
        return str(read_fact(case, count.fact))
    except ValueError:  # the standard library does not write out every whole number
        raise FactError("number of thousands of digits", where=count.fact) from None


def _finding(rule: Rule, number: str) -> Finding:
    return Finding(
        id=rule.id,
        severity=rule.severity,
        message=rule.message.replace("{count}", number),
        required_action=rule.action,
        action_owner=rule.owner,
        evidence_required=rule.evidence,
        disposition=rule.disposition,
        risk_acceptance_allowed=rule.risk_acceptable,
    )


def _opinion(worst: Disposition, findings: Sequence[Finding]) -> Opinion:
    if not findings:
        return "FAVORABLE"
    if worst == "GO_WITH_RESERVATIONS":
        return "FAVORABLE_WITH_RESERVATIONS"
    acceptable = all(finding.risk_acceptance_allowed for finding in findings)
    return "FAVORABLE_WITH_RESERVATIONS" if worst != "NO_GO" and acceptable else "UNFAVORABLE"
