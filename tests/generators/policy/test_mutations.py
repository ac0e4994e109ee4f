"""No attribute of any rule can change without both forms of the policy changing."""

from __future__ import annotations

import random
from typing import Any, get_args

import msgspec
import pytest

from generators.governance import FactError, Field, Rule, RuleTable, builtin_rules
from generators.governance.notation import And, Constant, Expression, Fact, Not, Or
from generators.governance.policy import Form, glossary, policy, requirement, rule_code
from generators.governance.semantics import UPSTREAM, holds
from tests.generators.governance.worlds import Facts, around, draw
from tests.generators.policy.mutants import ELSEWHERE, MUTATIONS, rule_mutants

TABLE = builtin_rules()
RULES = list(TABLE.rules.values())
FORMS: tuple[Form, ...] = get_args(Form)


def _worlds() -> list[Facts]:
    rng = random.Random(20261201)
    drawn = [draw(rng, around) for _ in range(400)]
    upstream = [["GO"], ["NO_GO", "REWORK"], ["SUSPENSION"], ["REWORK"], []]
    return [{**facts, UPSTREAM: upstream[i % 5]} for i, facts in enumerate(drawn)]


WORLDS = _worlds()


def meaning(expression: Expression) -> list[bool | None]:
    """Whether the condition holds in each of many worlds; None where it cannot be judged."""

    def judged(facts: Facts) -> bool | None:
        try:
            return holds(expression, facts)
        except FactError:
            return None

    return [judged(facts) for facts in WORLDS]


def test_every_attribute_of_a_rule_is_mutated() -> None:
    """A new attribute is either mutated below, or it is said why it tells nothing of its own."""
    assert {*MUTATIONS, *ELSEWHERE} == set(Rule.__struct_fields__)
    assert MUTATIONS.keys().isdisjoint(ELSEWHERE)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_change_of_a_rule_shows_in_both_forms(rule: Rule) -> None:
    """Each single change gives other code and another requirement; equal ones mean the same."""
    told: dict[str, Expression] = {requirement(rule): rule.expression}
    changes = 0
    for name, mutant in rule_mutants(rule):
        changes += 1
        assert rule_code(mutant) != rule_code(rule), name
        sentence = requirement(mutant)
        if sentence in told:
            assert name.startswith("expression: "), name
            assert meaning(told[sentence]) == meaning(mutant.expression), name
        told[sentence] = mutant.expression
    assert changes > 15


FIELD_CHANGES: dict[str, Any] = {
    "name": lambda field: f"{field.name}_x",
    "type": lambda field: "string" if field.type != "string" else "int",
    "unit": lambda field: "leagues",
    "values": lambda field: (*field.values, "brand_new"),
    "nullable": lambda field: not field.nullable,
    "meaning": lambda field: f"{field.meaning} More.",
}
UNTOLD = {"range": "what the generator draws", "rules": "the rules that test the field"}


def test_every_attribute_of_a_field_is_changed() -> None:
    """A new attribute of a field is changed below, or it is said why no reviewer is told it."""
    assert {*FIELD_CHANGES, *UNTOLD} == set(Field.__struct_fields__)


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        (field.name, attribute)
        for field in TABLE.fields.values()
        for attribute in FIELD_CHANGES
        if attribute != "values" or field.type in ("enum", "number or word")
    ],
)
def test_a_change_of_a_field_shows_in_the_glossary(name: str, attribute: str) -> None:
    """Name, type, unit, vocabulary, null and meaning of a field are told with the code form."""
    field = TABLE.fields[name]
    changed = msgspec.structs.replace(field, **{attribute: FIELD_CHANGES[attribute](field)})
    gate = next(gate for gate in TABLE.gates if field in TABLE.glossary(gate))
    table = msgspec.structs.replace(TABLE, fields={**TABLE.fields, name: changed})
    assert glossary(gate, rules=table) != glossary(gate)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_change_of_a_vocabulary_shows_in_prose(rule: Rule) -> None:
    """A word more in the vocabulary of a fact is a case more that its rules exempt or catch."""
    for name in rule.fields:
        field = TABLE.fields[name]
        if field.type == "enum":
            wider = msgspec.structs.replace(field, values=(*field.values, "brand_new"))
            table = msgspec.structs.replace(TABLE, fields={**TABLE.fields, name: wider})
            assert "“brand new”" in requirement(rule, rules=table)


@pytest.mark.parametrize("form", FORMS)
def test_the_policy_of_a_gate_shows_its_changed_rule(form: Form) -> None:
    """What holds for the text of a rule holds for the policy an agent reads, and only there."""
    changed = msgspec.structs.replace(TABLE.rules["IT-EOL-001"], disposition="NO_GO")
    table: RuleTable = msgspec.structs.replace(TABLE, rules={**TABLE.rules, changed.id: changed})
    assert policy("it", form=form, rules=table).text != policy("it", form=form).text
    assert policy("legal", form=form, rules=table).text == policy("legal", form=form).text


def test_the_worlds_tell_conditions_apart() -> None:
    """The sample is rich enough: a condition, its opposite and its neighbours differ in it."""
    risky = Fact("security.internet_exposed")
    other = Fact("security.waf_present")
    told = {
        tuple(meaning(condition))
        for condition in (
            risky,
            Not(risky),
            And((risky, other)),
            Or((risky, other)),
            Constant(True),
            Constant(False),
        )
    }
    assert len(told) == 6
