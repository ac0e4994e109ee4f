"""A whole policy: the sections an agent reads, in order, for one gate and one form."""

from __future__ import annotations

import functools
from typing import Literal, TypeAlias, get_args

from generators.governance.errors import UnknownIdError
from generators.governance.loader import builtin_rules
from generators.governance.policy.code import gate_code, glossary
from generators.governance.policy.prose import requirement, series
from generators.governance.policy.texts import PolicyTexts, SectionText, policy_texts
from generators.governance.table import Rule, RuleTable
from generators.governance.vocabulary import (
    DISPOSITIONS,
    NEEDS_AUTHORIZATION,
    Condition,
    Record,
)
from generators.protocol import DEFAULT_PROTOCOL, fill

Form: TypeAlias = Literal["code", "prose"]


class Section(Record, frozen=True):
    """A titled part of a policy; `key` is its name in every protocol."""

    key: str
    title: str
    text: str


class PolicyText(Record, frozen=True):
    """The policy of one gate."""

    protocol: str
    rules: str
    """Name of the decision protocol the rules belong to."""
    gate: str
    form: Form
    sections: tuple[Section, ...]

    @property
    def text(self) -> str:
        """What the agent reads."""
        return "\n\n".join(f"## {section.title}\n\n{section.text}" for section in self.sections)


@functools.cache
def policy(
    gate: str,
    *,
    form: Form = "code",
    condition: Condition = "docs",
    phase: str | None = None,
    conventions: bool = True,
    record_owners: tuple[tuple[str, str], ...] = (),
    rules: RuleTable | None = None,
    protocol: str = DEFAULT_PROTOCOL,
) -> PolicyText:
    """The policy of `gate`.

    Parameters
    ----------
    gate
        Id of the gate.
    form
        Code and a glossary, or prose.
    condition
        What the reviewer is given. Documents read the same whether or not content is planted.
    phase
        Leaves out the rules that are not judged in this phase. Agents get all of them: to see
        which ones apply is part of the review.
    conventions
        Whether the reader is told how to read records.
    record_owners
        Pairs of evidence id and the only party whose entries in that record count.
    rules
        The rules; by default the protocol's own.
    protocol
        Whose texts to use.
    """
    if form not in get_args(Form):
        raise UnknownIdError.among("form", form, get_args(Form))
    if condition not in get_args(Condition):
        raise UnknownIdError.among("condition", condition, get_args(Condition))
    table = rules or builtin_rules()
    texts = policy_texts(protocol)
    documents = condition != "facts"
    own = table.rules_of(gate, phase)
    if form == "prose":
        sections = [_requirements(table, gate, own, protocol)]
    else:
        sections = _code(table, gate, own, protocol)
        if documents:
            entries = "\n".join(glossary(gate, rules=table, protocol=protocol).values())
            sections.append(_section("glossary", texts.glossary, entries=entries))
    evidence = texts.evidence_records if documents else texts.evidence_snapshot
    sections = [
        _section("scope", texts.scope),
        *sections,
        _decision(texts),
        _section("evidence", evidence, gate_code=gate.upper()),
        _section("approval", texts.approval),
        _section("upstream", texts.upstream),
    ]
    if documents:
        sections.append(_section("sources", texts.sources))
        if conventions:
            sections.append(_section("reading", texts.reading))
        if record_owners:
            owners = "\n".join(f"- {record}: {owner}" for record, owner in record_owners)
            sections.append(_section("provenance", texts.provenance, owners=owners))
    return PolicyText(
        protocol=protocol, rules=table.protocol, gate=gate, form=form, sections=tuple(sections)
    )


def _requirements(table: RuleTable, gate: str, rules: tuple[Rule, ...], protocol: str) -> Section:
    lines = [f"- {requirement(rule, rules=table, protocol=protocol)}" for rule in rules]
    return _section(
        "requirements",
        policy_texts(protocol).requirements,
        gate=table.gate(gate).label,
        requirements="\n".join(lines),
    )


def _code(table: RuleTable, gate: str, rules: tuple[Rule, ...], protocol: str) -> list[Section]:
    texts = policy_texts(protocol)
    code = gate_code(gate, rules)
    names = " ".join(text for mark, text in texts.code.names.items() if mark in code)
    return [
        _section("rules", texts.rules, gate=table.gate(gate).label, code=code, names=names),
        _section("finding", texts.finding, count="{count}"),
    ]


def _decision(texts: PolicyTexts) -> Section:
    join = texts.prose.join
    free = [word for word in DISPOSITIONS if word not in NEEDS_AUTHORIZATION]
    return _section(
        "decision",
        texts.decision,
        priority=join.comma.join(DISPOSITIONS),
        mildest=DISPOSITIONS[0],
        authorization=series(NEEDS_AUTHORIZATION, comma=join.comma, last=join.and_),
        no_authorization=series(free, comma=join.comma, last=join.and_),
    )


def _section(key: str, section: SectionText, **values: str) -> Section:
    return Section(key=key, title=fill(section.title, **values), text=fill(section.text, **values))
