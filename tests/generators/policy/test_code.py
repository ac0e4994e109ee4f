"""The code form is the policy: run as Python, it raises what the published rules raise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.governance import DISPOSITIONS, PHASES, Rule, RuleTable, builtin_rules
from generators.governance.notation import parse
from generators.governance.policy import glossary, policy, rule_code
from generators.governance.policy.code import gate_code
from tests.generators.governance import oracle
from tests.generators.governance.worlds import Facts, around, build, facts

TABLE = builtin_rules()
FINDING = ("id", "severity", "message", "action", "owner", "evidence")


def run(
    gate: str, values: Facts, *, phase: str, upstream: Sequence[str], rules: RuleTable = TABLE
) -> list[dict[str, Any]]:
    """Findings that the code shown to the reviewer of `gate` raises, executed by Python."""
    code = gate_code(gate, rules.rules_of(gate))
    assert code in policy(gate, rules=rules).text
    found: list[dict[str, Any]] = []

    def finding(*positional: str, **named: Any) -> None:
        defaults = {"disposition": "REWORK", "risk_acceptable": False, "count": None}
        found.append({**dict(zip(FINDING, positional, strict=True)), **defaults, **named})

    scope: dict[str, Any] = {
        "finding": finding,
        "lower": lambda value: str(value).lower(),
        "has_upstream": lambda word: word in upstream,
        "count_upstream": upstream.count,
    }
    exec(compile(code, gate, "exec"), scope)
    sections = _sections(values)
    names = scope[f"review_{gate}"].__code__.co_varnames
    scope[f"review_{gate}"](phase, *(sections[name] for name in names if name != "phase"))
    return found


def _sections(values: Facts) -> dict[str, SimpleNamespace]:
    case = build(values)
    selected = values.get("procurement.selected_vendor")
    offers = case["procurement"]["offers"]
    offer = next(offer for offer in offers if offer["vendor"] == selected)
    case["procurement"]["offer"] = SimpleNamespace(**offer)
    return {name: SimpleNamespace(**section) for name, section in case.items()}


@given(facts(around), st.sampled_from(PHASES), st.lists(st.sampled_from(DISPOSITIONS), max_size=4))
@settings(max_examples=100, deadline=None)
def test_executed_code_raises_the_published_findings(
    values: Facts, phase: str, upstream: list[str]
) -> None:
    """On any comparable facts: same findings, same attributes, same order, and the counts."""
    for gate in TABLE.gates:
        raised = run(gate, values, phase=phase, upstream=upstream)
        expected = [
            rule
            for rule in oracle.rules_at(gate, phase)
            if oracle.holds(rule, values.__getitem__, upstream)
        ]
        assert [finding["id"] for finding in raised] == [rule["id"] for rule in expected]
        for finding, rule in zip(raised, expected, strict=True):
            for name in ("severity", "action", "owner", "evidence", "disposition"):
                assert finding[name] == rule[name]
            assert finding["risk_acceptable"] == rule["risk_acceptable"]
            assert finding["count"] == _count(rule, values, upstream)


def _count(rule: Mapping[str, Any], values: Facts, upstream: Sequence[str]) -> Any:
    source = rule.get("count")
    if source is None:
        return None
    word = source.removeprefix("number of upstream ")
    return values[source] if word == source else upstream.count(word)


def _one(rule: Rule, condition: str, **changes: Any) -> str:
    changed = msgspec.structs.replace(
        rule, condition=condition, expression=parse(condition), **changes
    )
    return rule_code(changed).partition(":\n")[0]


@pytest.mark.parametrize(
    ("condition", "phases", "code"),
    [
        ("it.a or it.b", ("design",), 'if phase in ["design"] and (it.a or it.b)'),
        ("it.a and it.b", ("design",), 'if phase in ["design"] and it.a and it.b'),
        ("it.a in [null, true, 1]", PHASES, "if it.a in [None, True, 1]"),
        ("(it.a or it.b) == true", PHASES, "if bool(it.a or it.b) == True"),
        ("not (it.a and it.b)", PHASES, "if not (it.a and it.b)"),
        ("-it.a * (it.b - 2) > 3", PHASES, "if -it.a * (it.b - 2) > 3"),
    ],
)
def test_conditions_are_python(condition: str, phases: tuple[str, ...], code: str) -> None:
    """Constants, grouping and truth values come out as Python has them."""
    assert _one(TABLE.rules["IT-EOL-001"], condition, phases=phases) == code


@pytest.mark.parametrize("gate", TABLE.gates)
def test_glossary_is_confined_to_the_sections_of_the_gate(gate: str) -> None:
    """A reviewer is told about its own sections, and about every fact its rules test."""
    shown = glossary(gate)
    assert {name.partition(".")[0] for name in shown} == set(
        oracle.GATES[gate]["glossary_sections"]
    )
    assert {name for rule in TABLE.rules_of(gate) for name in rule.fields} <= set(shown)
    for name, entry in shown.items():
        field = TABLE.fields[name]
        assert f"`{name}`" in entry
        assert field.meaning in entry
        assert field.unit is None or field.unit in entry
        assert ("null" in entry.partition("): ")[0]) is field.nullable
        words = [value for value in field.values if isinstance(value, str)]
        assert all(f"`{word}`" in entry for word in words)


def test_names_in_the_code_are_explained_where_they_occur() -> None:
    """What stands for something else is explained at the gates that use it, and only there."""
    texts = {gate: policy(gate).text for gate in TABLE.gates}
    assert {gate for gate, text in texts.items() if "`has_upstream(D)`" in text} == {"general"}
    assert {gate for gate, text in texts.items() if "`count_upstream(D)`" in text} == {"general"}
    assert {gate for gate, text in texts.items() if "`lower(x)`" in text} == {"security"}
    assert {gate for gate, text in texts.items() if "`procurement.offer`" in text} == {
        "procurement"
    }
    assert all("`phase` is the phase" in text for text in texts.values())
