"""The prose form says what the rules say, to a person, without names or code."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.governance import DISPOSITIONS, Rule, builtin_rules, parse_rules
from generators.governance.notation import parse
from generators.governance.policy import PolicyTextError, requirement
from tests.generators.governance import oracle
from tests.generators.governance.worlds import Facts, around, facts
from tests.generators.policy.reader import WORDS, read

TABLE = builtin_rules()
RULES = list(TABLE.rules.values())
PUBLISHED = {rule["id"]: rule for rule in oracle.RULES}
SENTENCES = {rule.id: requirement(rule) for rule in RULES}
READINGS = {rule: read(sentence) for rule, sentence in SENTENCES.items()}

LIMITS = {
    "GEN-BC-001": "is below 0.05 (exactly 0.05 excluded)",
    "IT-EOL-001": "is below 12 months (exactly 12 months excluded)",
    "IT-CAPACITY-001": "is below 15 percent (exactly 15 percent excluded)",
    "SEC-VULN-001": "is above 0 (exactly 0 excluded)",
    "SEC-KEY-001": "is exactly 365 days or unlimited because keys are never rotated"
    " (no other value counts, be it lower or higher)",
    "TR-LOAD-001": "is below 100 percent of the production peak"
    " (exactly 100 percent of the production peak excluded)",
    "TR-CODE-001": "is above 0 (exactly 0 excluded)",
    "TR-BLOCKER-001": "is above 0 (exactly 0 excluded)",
    "PROC-MAND-001": "is above 0 (exactly 0 excluded)",
    "PROC-BUDGET-001": "is above 1.5 times the purchasing budget (equality excluded)",
    "LEGAL-LIAB-001": "is exactly 0.5 times the annual fees"
    " (no other value counts, be it lower or higher)",
    "LEGAL-EXIT-001": "is exactly 0 days (no other value counts, be it lower or higher)",
}
"""Limits of the protocol, section 10: on which side a value at the limit falls."""


@given(facts(around), st.lists(st.sampled_from(DISPOSITIONS), max_size=4))
@settings(max_examples=150, deadline=None)
def test_read_back_a_requirement_tests_what_the_published_rule_tests(
    values: Facts, upstream: list[str]
) -> None:
    """On any comparable facts, the sentence holds exactly when the published condition does."""
    for rule, reading in READINGS.items():
        told = reading.test(values, upstream)
        assert told == oracle.holds(PUBLISHED[rule], values.__getitem__, upstream), rule


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_requirement_tells_everything_about_the_rule(rule: Rule) -> None:
    """Id, facts, reviews and what the finding entails are those of the published rule."""
    published, parts = PUBLISHED[rule.id], READINGS[rule.id].parts
    assert set(READINGS[rule.id].facts) == set(published["fields"])
    for name in ("id", "severity", "disposition", "action", "owner", "evidence"):
        assert parts[name] == published[name]
    assert (parts["refused"] == "") is published["risk_acceptable"]
    if published["phases"] == "all":
        assert parts["reviews"] == "all"
    else:
        phases = [phase.replace("_", " ") for phase in published["phases"]]
        assert parts["reviews"] == f"only {', '.join(phases)}"
    assert bool(parts["counted"]) is ("count" in published)


@pytest.mark.parametrize("rule", LIMITS)
def test_limits_are_told_with_the_side_of_equality(rule: str) -> None:
    """Numbers, their units, and what happens at exactly the limit are in the sentence."""
    assert LIMITS[rule] in SENTENCES[rule]


CODE = re.compile(
    r"\b[a-z]+\w*_\w+|[A-Za-z_]\w*\.[a-z_]\w*|[=<>`{}\[\]]|!=|\b(?:True|False|None|null)\b|lower\("
)
"""Names of fields and sections, dotted names, operators, literals of code."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_requirement_has_no_names_and_no_code(rule: Rule) -> None:
    """A person reads it: no field name, dotted name, operator or literal of code."""
    assert CODE.findall(SENTENCES[rule.id]) == []


NEGATION = re.compile(r"\b(?:no|not|none|nobody|nothing|cannot)\b")
NEGATED_OTHERWISE = {
    "security.private_endpoints": ("private endpoints only", "a public network entry"),
    "compliance.residency_compliant": ("lies where the data must stay", "lies outside"),
}


@pytest.mark.parametrize("name", [name for name, words in WORDS.items() if "holds" in words])
def test_yes_no_facts_are_worded_the_right_way_round(name: str) -> None:
    """Of the two clauses of a fact, the one for "false" is the negative one."""
    holds, fails = WORDS[name]["holds"], WORDS[name]["fails"]
    if name in NEGATED_OTHERWISE:
        assert NEGATED_OTHERWISE[name][0] in holds
        assert NEGATED_OTHERWISE[name][1] in fails
    else:
        assert not NEGATION.search(holds)
        assert NEGATION.search(fails)


def test_protocol_has_words_for_exactly_the_published_fields_and_their_values() -> None:
    """No field of the table and no word of its vocabulary falls back on its meaning."""
    assert set(WORDS) == set(TABLE.fields)
    for name, field in TABLE.fields.items():
        assert ("holds" in WORDS[name]) == ("fails" in WORDS[name]) == (field.type == "bool")
        assert ("subject" in WORDS[name]) == (field.type != "bool")
        words = {value for value in field.values if isinstance(value, str)}
        assert set(WORDS[name].get("words", {})) == words
        assert len(set(WORDS[name].get("words", {}).values())) == len(words)
        assert ("absent" in WORDS[name]) == field.nullable
    phrases = [
        phrase
        for words in WORDS.values()
        for key, phrase in words.items()
        if key in ("subject", "holds", "fails")
    ]
    assert len(set(phrases)) == len(phrases), "two facts read the same"


def conditioned(condition: str) -> str:
    """The condition clause of a rule with this condition."""
    rule = msgspec.structs.replace(
        TABLE.rules["GEN-BC-001"], condition=condition, expression=parse(condition)
    )
    text = requirement(rule).partition("Raised when ")[2]
    return text[: text.index(". Reviews")]


OVERLAP = "the planned address ranges overlap with ranges already in use"
APART = "the planned address ranges overlap with none in use"
OWNED = "the governed data domains have a named owner"
UNOWNED = "the governed data domains have no named owner"
ZONES = "the workload is spread over several availability zones"
ONE_ZONE = "the workload is not spread over several availability zones"


@pytest.mark.parametrize(
    ("condition", "clause"),
    [
        (
            (
                "architecture.ip_overlap and (architecture.data_owner_present or "
                "architecture_profile.multi_az)"
            ),
            f"{OVERLAP}, and at least one of these holds: [{OWNED}; {ZONES}]",
        ),
        (
            "not (architecture.ip_overlap and architecture.data_owner_present)",
            f"{APART}, or {UNOWNED}",
        ),
        (
            (
                "architecture.ip_overlap and not (architecture.data_owner_present and "
                "architecture_profile.multi_az)"
            ),
            (f"{OVERLAP}, and at least one of these holds: [{UNOWNED}; {ONE_ZONE}]"),
        ),
        (
            "not it.technology_eol_months < 12",
            (
                "the remaining supported life of the technology is at least 12 months "
                "(exactly 12 months included)"
            ),
        ),
        (
            "12 > it.technology_eol_months",
            (
                "the remaining supported life of the technology is below 12 months "
                "(exactly 12 months excluded)"
            ),
        ),
        (
            'not legal.audit_right in ["full", "limited"]',
            (
                "the customer's right to audit the supplier is anything but full or limited "
                "(that is, confined to reports or absent)"
            ),
        ),
        ("architecture.ip_overlap == false", APART),
        ("architecture.ip_overlap != false", OVERLAP),
        (
            "procurement.offer.tco_3y_eur / 2 - 5 >= procurement.purchasing_budget_eur",
            (
                "(the three-year cost of the chosen offer divided by 2) minus 5 is at least the "
                "purchasing budget (equality included)"
            ),
        ),
        (
            "general.budget_requested_eur == general.budget_approved_eur",
            "the funding requested equals the funding approved",
        ),
        (
            'security.pentest_status == "skipped_for_now"',
            (
                "the penetration test is “skipped for now” "
                "(not when it is passed, passed with findings, pending or missing)"
            ),
        ),
        ("it.capacity_headroom_pct in []", "the impossible happens"),
        ("true", "the review takes place"),
        (
            "security.critical_vulns_open",
            "the number of critical vulnerabilities still open is neither missing nor zero",
        ),
    ],
)
def test_other_conditions_read_in_one_way_only(condition: str, clause: str) -> None:
    """Groups are bracketed, negations carried inwards, limits told from the fact's side."""
    assert conditioned(condition) == clause


OWN_RULES = """
gate = [{ id = "it", label = "IT Gate", glossary_sections = ["it"] }]
route = [{ id = "short", label = "Short", trigger = "need", project_type = "new", \
project_id_code = "SHO", occurrences = [{ gate = "it", phase = "design" }] }]

[[rule]]
id = "IT-OWN-001"
gate = "it"
severity = "high"
disposition = "REWORK"
condition = 'it.exit_rehearsed and it.tickets_open >= 7 and it.season == "spring_tide"'
action = "CLOSE_TICKETS"
owner = "Desk"
evidence = "Ticket export"

[[field]]
name = "it.exit_rehearsed"
type = "bool"
meaning = "The exit was rehearsed."

[[field]]
name = "it.tickets_open"
type = "int"
unit = "tickets"
meaning = "Tickets nobody has closed."

[[field]]
name = "it.season"
type = "enum"
values = ["spring_tide", "neap"]
meaning = "Season of the launch."
"""


def test_unknown_facts_are_worded_by_their_meaning() -> None:
    """Rules of one's own read by the meanings in their file, still without names or code."""
    table = parse_rules(OWN_RULES)
    sentence = requirement(table.rules["IT-OWN-001"], rules=table)
    assert sentence == (
        "IT-OWN-001: Raised when this is so: “The exit was rehearsed”, and the value described as "
        "“Tickets nobody has closed” is at least 7 tickets (exactly 7 tickets included), and the "
        "value described as “Season of the launch” is “spring tide” (not when it is “neap”). "
        "Reviews: all. Severity high; disposition REWORK; the risk may not be accepted. "
        "Action CLOSE_TICKETS, by Desk; evidence: Ticket export."
    )


def test_facts_that_nothing_describes_are_refused() -> None:
    """A condition over a fact neither protocol nor table knows is an error naming the fact."""
    with pytest.raises(PolicyTextError, match=r"no words.*\[it\.mystery\].*\[\[field\]\]"):
        conditioned("it.mystery")
