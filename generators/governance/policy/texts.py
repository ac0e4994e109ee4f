"""The two text families a policy is made of, as records: `policy` and `wording` of a protocol.

What each text is for, and which places in braces it has, is said in the files themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

from generators.governance.vocabulary import Record
from generators.protocol import DEFAULT_PROTOCOL, texts


class SectionText(Record, frozen=True):
    """A section of the policy."""

    title: str
    text: str


class GlossaryTexts(Record, frozen=True):
    """Parts of a glossary entry."""

    entry: str
    kinds: Mapping[str, str]
    unit: str
    nullable: str
    word: str


class CodeTexts(Record, frozen=True):
    """Texts of the code form; `names` explains what appears in code, by the text to look for."""

    names: Mapping[str, str]
    glossary: GlossaryTexts


class JoinTexts(Record, frozen=True):
    """How values and clauses are strung together."""

    comma: str
    and_: str
    or_: str
    clauses_and: str
    clauses_or: str
    all_of: str
    some_of: str
    bracketed: str


class CompareTexts(Record, frozen=True):
    """Clauses for comparisons."""

    word: str
    not_word: str
    exactly: str
    below: str
    at_most: str
    above: str
    at_least: str
    same: str
    different: str
    listed: str
    not_listed: str


class RemarkTexts(Record, frozen=True):
    """What a clause adds on values that count, do not count, or lie on the limit."""

    others_excluded: str
    others_included: str
    only: str
    only_number: str
    all_but: str
    value_included: str
    value_excluded: str
    equality_included: str
    equality_excluded: str
    any_case: str


class OperandTexts(Record, frozen=True):
    """Noun phrases for values."""

    plus: str
    minus: str
    times: str
    divided: str
    negative: str
    grouped: str
    whether: str
    null: str
    yes: str
    no: str
    quoted: str


class TruthTexts(Record, frozen=True):
    """Clauses for what is not a comparison."""

    upstream: str
    no_upstream: str
    given: str
    not_given: str
    always: str
    never: str


class UnknownTexts(Record, frozen=True):
    """How a fact reads that the protocol has no words for."""

    subject: str
    holds: str
    fails: str
    unit: str


class ProseTexts(Record, frozen=True):
    """Texts of the prose form."""

    requirement: str
    message: str
    count: str
    counted_upstream: str
    acceptable: str
    not_acceptable: str
    every_review: str
    some_reviews: str
    join: JoinTexts
    compare: CompareTexts
    remark: RemarkTexts
    operand: OperandTexts
    truth: TruthTexts
    unknown: UnknownTexts


class PolicyTexts(Record, frozen=True):
    """The family `policy`: sections in reading order, then the parts they are filled with."""

    scope: SectionText
    rules: SectionText
    finding: SectionText
    glossary: SectionText
    requirements: SectionText
    decision: SectionText
    evidence_snapshot: SectionText
    evidence_records: SectionText
    approval: SectionText
    upstream: SectionText
    sources: SectionText
    reading: SectionText
    provenance: SectionText
    code: CodeTexts
    prose: ProseTexts
    phases: Mapping[str, str]


class FactWords(Record, frozen=True):
    """How prose speaks of one fact: `holds` and `fails` of a yes/no fact, else the others."""

    subject: str | None = None
    words: Mapping[str, str] = {}
    absent: str | None = None
    holds: str | None = None
    fails: str | None = None


class Wording(Record, frozen=True):
    """The family `wording`: words per fact, and per unit of a number."""

    units: Mapping[str, str]
    fields: Mapping[str, FactWords]


def policy_texts(protocol: str = DEFAULT_PROTOCOL) -> PolicyTexts:
    """The texts of the policy in `protocol`."""
    found: PolicyTexts = texts("policy", PolicyTexts, protocol=protocol)
    return found


def wording(protocol: str = DEFAULT_PROTOCOL) -> Wording:
    """The words for facts in `protocol`."""
    found: Wording = texts("wording", Wording, protocol=protocol)
    return found
