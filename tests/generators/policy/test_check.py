"""What `coverage` finds in rules that load, yet cannot be told or can never fire."""

from __future__ import annotations

import pytest

from generators.governance import builtin_rules, load_rules, parse_rules
from generators.governance.policy import coverage
from tests.generators.governance.oracle import DATA
from tests.generators.policy.test_prose import OWN_RULES


def faults(text: str) -> list[tuple[str, str]]:
    """Place and problem of each fault in a rules file."""
    return [(fault.where, fault.problem) for fault in coverage(parse_rules(text))]


def test_the_protocols_own_rules_and_the_published_file_have_no_fault() -> None:
    """Every rule is reachable on some route and can be told in both forms."""
    assert coverage(builtin_rules()) == ()
    assert coverage(load_rules(DATA)) == ()


def test_rules_of_ones_own_can_be_without_fault() -> None:
    """Facts of one's own need nothing but a meaning."""
    assert faults(OWN_RULES) == []


COUNTING = """evidence = "Ticket export"
count = "desk.calls"
[[field]]
name = "desk.calls"
type = "int"
meaning = "Calls."
"""
"""The rest of a rule that quotes a fact of another section, and that fact."""


@pytest.mark.parametrize(
    ("old", "new", "where", "problem"),
    [
        (
            'severity = "high"',
            'severity = "high"\nphases = ["framing", "governance"]',
            "rule[0].phases, IT-OWN-001",
            "no route judges the rule: gate 'it' never meets in its phases",
        ),
        (
            '"spring_tide"\'',
            '"springtide"\'',
            "rule[0].condition, IT-OWN-001",
            "it.season is never 'springtide'",
        ),
        (
            '== "spring_tide"\'',
            'not in ["neap", "Neap", 3]\'',
            "rule[0].condition, IT-OWN-001",
            "it.season is never 'Neap'",
        ),
        (
            "it.season",
            "other.season",
            "rule[0].condition, IT-OWN-001",
            "code form: the glossary of gate 'it' leaves out other.season",
        ),
        (
            "it.season",
            "it.class",
            "rule[0].condition, IT-OWN-001",
            "code form: invalid syntax",
        ),
        (
            'evidence = "Ticket export"',
            COUNTING,
            "rule[0].condition, IT-OWN-001",
            "code form: the glossary of gate 'it' leaves out desk.calls",
        ),
        (
            "it.season",
            "bool.season",
            "rule[0].condition, IT-OWN-001",
            "code form: section 'bool' has the name of something in the code",
        ),
        (
            "it.season",
            "phase.season",
            "rule[0].condition, IT-OWN-001",
            "code form: section 'phase' has the name of something in the code",
        ),
    ],
)
def test_a_fault_names_the_place_and_the_problem(
    old: str, new: str, where: str, problem: str
) -> None:
    """Path in the file, rule, and what is wrong."""
    assert (where, problem) in faults(OWN_RULES.replace(old, new))


def test_all_faults_are_told_in_the_order_of_the_file() -> None:
    """Two rules with two faults each give four, the first rule's first."""
    first, field = OWN_RULES.index("[[rule]]"), OWN_RULES.index("[[field]]")
    second = OWN_RULES[first:field].replace("OWN-001", "OWN-002").replace("CLOSE", "COUNT")
    text = OWN_RULES[:field] + second + OWN_RULES[field:]
    broken = text.replace('"spring_tide"\'', '"tide"\'').replace(
        'severity = "high"', 'severity = "high"\nphases = ["framing"]'
    )
    assert [where for where, _ in faults(broken)] == [
        "rule[0].phases, IT-OWN-001",
        "rule[0].condition, IT-OWN-001",
        "rule[1].phases, IT-OWN-002",
        "rule[1].condition, IT-OWN-002",
    ]


def test_null_is_a_value_of_facts_that_may_be_null_only() -> None:
    """A word list with null in it fits a nullable fact, and no other."""
    with_null = OWN_RULES.replace('== "spring_tide"\'', 'in ["spring_tide", null]\'')
    assert faults(with_null) == [("rule[0].condition, IT-OWN-001", "it.season is never None")]
    assert faults(with_null.replace('type = "enum"', 'type = "enum"\nnullable = true')) == []
