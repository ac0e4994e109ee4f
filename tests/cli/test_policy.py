"""`dgf policy`: the rules listed, told and checked, for the built-in table and for others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generators.governance import PHASES, Disposition, Phase, Severity, builtin_rules
from generators.governance.policy import policy, requirement, rule_code
from tests.cli.invoke import Dgf
from tests.generators.governance import oracle
from tests.generators.policy.test_prose import OWN_RULES

TABLE = builtin_rules()
OWNERS = (
    ("BUDGET_APPROVAL", "Finance"),
    ("TECH_CATALOG", "Enterprise Architecture"),
    ("LICENSE_POSITION", "IT Asset Management"),
    ("RESTORE_TEST", "Site Reliability Engineering"),
    ("LOAD_TEST", "Performance Engineering"),
    ("DUE_DILIGENCE", "Vendor Risk Management"),
    ("CONTRACT_REGISTER", "Legal"),
    ("COMPLIANCE_REGISTER", "GRC"),
    ("OPERATIONS_READINESS", "IT Operations"),
)
"""Records with an owner, as published, in the order of the evidence graph."""


class ListedRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule as `dgf policy list --json` promises it."""

    id: str
    gate: str
    severity: Severity
    disposition: Disposition
    risk_acceptable: bool
    phases: list[Phase]
    fields: list[str]
    condition: str
    action: str
    owner: str
    evidence: str
    message: str
    else_of: str | None
    count: dict[str, str | None] | None
    routes: list[str]


@pytest.fixture
def dgf(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Dgf:
    """The command."""
    return Dgf(monkeypatch, capsys)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A rules file of one's own."""
    path = tmp_path / "own.toml"
    path.write_text(OWN_RULES, "utf-8")
    return path


def test_list_gives_every_rule_to_machines(dgf: Dgf) -> None:
    """All 61 rules in the order of the table, with the published attributes."""
    ran = dgf("policy", "list", "--json")
    assert ran.code == 0
    listed = msgspec.json.decode(ran.out, type=list[ListedRule])
    assert [rule.id for rule in listed] == [rule["id"] for rule in oracle.RULES]
    for rule, published in zip(listed, oracle.RULES, strict=True):
        assert rule.disposition == published["disposition"]
        assert rule.risk_acceptable == published["risk_acceptable"]
        phases = published["phases"]
        assert rule.phases == (list(PHASES) if phases == "all" else phases)
    unreachable = [rule.id for rule in listed if rule.routes == ["full_lifecycle"]]
    assert set(unreachable) == set(oracle.PUBLISHED["meta"]["unreachable"]["three_routes"])


def test_list_shows_people_one_rule_a_line(dgf: Dgf) -> None:
    """A heading, then the rules of the gate."""
    ran = dgf("policy", "list", "--gate", "security")
    heading, *lines = ran.out.splitlines()
    assert heading.split() == [
        "ID",
        "GATE",
        "SEVERITY",
        "DISPOSITION",
        "RISK",
        "ACTION",
        "ROUTES",
        "PHASES",
    ]
    assert [line.split()[0] for line in lines] == oracle.GATES["security"]["rules"]
    assert "REMEDIATE_CRITICAL_VULNERABILITIES" in ran.out


@pytest.mark.parametrize("form", ["code", "prose"])
@pytest.mark.parametrize("gate", TABLE.gates)
def test_show_prints_what_the_reviewer_reads(dgf: Dgf, gate: str, form: Any) -> None:
    """Word for word, for people and in the JSON form."""
    expected = policy(gate, form=form, record_owners=OWNERS).text
    assert dgf("policy", "show", gate, "--form", form).out == expected + "\n"
    shown = json.loads(dgf("policy", "show", gate, "--form", form, "--json").out)
    assert shown["text"] == expected
    assert (shown["gate"], shown["form"], shown["protocol"]) == (gate, form, "2026.12")


def test_show_has_the_switches_of_the_policy(dgf: Dgf) -> None:
    """Phase, condition and conventions change the text as they change the policy."""
    shown = dgf("policy", "show", "it", "--phase", "design", "--no-conventions").out
    assert (
        shown == policy("it", phase="design", conventions=False, record_owners=OWNERS).text + "\n"
    )
    shown = dgf("policy", "show", "it", "--condition", "facts", "--conventions").out
    assert shown == policy("it", condition="facts").text + "\n"


def test_show_tells_one_rule(dgf: Dgf) -> None:
    """A rule's id shows its branch of the code, or its requirement."""
    rule = TABLE.rules["IT-CMDB-001"]
    assert dgf("policy", "show", rule.id).out == rule_code(rule) + "\n"
    assert dgf("policy", "show", rule.id, "--form", "prose").out == requirement(rule) + "\n"
    shown = json.loads(dgf("policy", "show", rule.id, "--json", "--phase", "design").out)
    assert shown["text"] == rule_code(rule)
    assert shown["owner"] == "ITSM"


def test_rules_of_ones_own_are_listed_and_shown(dgf: Dgf, own: Path) -> None:
    """`--rules` takes the place of the built-in table."""
    (rule,) = json.loads(dgf("policy", "list", "--rules", own, "--json").out)
    assert (rule["id"], rule["routes"]) == ("IT-OWN-001", ["short"])
    shown = dgf("policy", "show", "it", "--rules", own, "--form", "prose").out
    assert "“Tickets nobody has closed” is at least 7 tickets" in shown


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["list", "--gate", "legals"], "unknown gate 'legals': one of general, it"),
        (["show", "NO-SUCH-001"], "no gate and no rule is called 'NO-SUCH-001'"),
        (["show", "it", "--phase", "later"], "unknown phase 'later': one of opportunity"),
        (["show", "IT-CMDB-001", "--phase", "later"], "unknown phase 'later'"),
        (["show", "IT-CMDB-001", "--phase", "framing"], "not judged in phase 'framing'"),
        (["show", "it", "--protocol", "1999.01"], "unknown protocol '1999.01': one of 2026.12"),
        (["check", "--protocol", "1999.01"], "unknown protocol '1999.01'"),
        (["show", "it", "--form", "verse"], "Invalid value for '--form'"),
        (["check", "no-such-file.toml"], "no-such-file.toml' does not exist"),
        (["list", "--rules", "."], "is a directory"),
    ],
)
def test_wrong_ids_and_files_are_usage_errors(dgf: Dgf, arguments: list[str], error: str) -> None:
    """Exit code 2, what is wrong, nothing on standard output."""
    ran = dgf("policy", *arguments)
    assert ran.code == 2
    assert error in " ".join(ran.err.replace("│", " ").split())
    assert ran.out == ""


def test_check_passes_the_built_in_rules(dgf: Dgf) -> None:
    """What is shipped holds, and the line says what was checked."""
    ran = dgf("policy", "check")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("holds: 61 rules of 8 gates on 4 routes; texts of protocol 2026.12")
    found = json.loads(dgf("policy", "check", "--json").out)
    assert (found["holds"], found["faults"], found["rules"]) == (True, [], "built-in")


def test_check_passes_the_published_rules_file(dgf: Dgf) -> None:
    """The longer form in which the protocol is published is a rules file too."""
    assert dgf("policy", "check", oracle.DATA).code == 0


def test_check_passes_the_rules_file_of_the_documentation(dgf: Dgf, tmp_path: Path) -> None:
    """The example on the page about rules is one that holds."""
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text("utf-8")
    example = tmp_path / "example.toml"
    example.write_text(page.partition("```toml\n")[2].partition("```")[0], "utf-8")
    ran = dgf("policy", "check", example)
    assert (ran.code, ran.out[:39]) == (0, "holds: 1 rule of 1 gate on 1 route; tex")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("[[rule]]", "[[rule", "not TOML"),
        (
            'severity = "high"',
            'severity = "grave"',
            "[own.toml, rule[0].severity, IT-OWN-001]: one of medium, high, critical",
        ),
        (
            'owner = "Desk"',
            'colour = "red"',
            "[own.toml, rule[0], IT-OWN-001]: its keys are id, gate, severity",
        ),
        ('type = "int"', 'type = "whole"', "field[1].type]: one of bool, int"),
        ("it.tickets_open >= 7", "it.ticket_open >= 7", "did you mean 'it.tickets_open'"),
        (" >= 7 ", " >= ", "rule[0].condition"),
        ("it.tickets_open >= 7", "it.nothing", "unknown name 'it.nothing'"),
        (
            '"spring_tide"\'',
            '"tide"\'',
            "it.season is never 'tide' [rule[0].condition, IT-OWN-001]",
        ),
        ('gate = "it"\nsev', 'gate = "it"\nphases = ["framing"]\nsev', "no route judges the rule"),
    ],
)
def test_check_tells_each_fault_in_a_line_with_its_place(
    dgf: Dgf, own: Path, old: str, new: str, line: str
) -> None:
    """Exit code 1; one line, with the path in the file; the same as JSON."""
    assert old in OWN_RULES
    own.write_text(OWN_RULES.replace(old, new), "utf-8")
    ran = dgf("policy", "check", own)
    assert (ran.code, ran.err) == (1, "")
    assert line in ran.out
    assert ran.out.count("\n") == 1
    found = json.loads(dgf("policy", "check", own, "--json").out)
    assert found["holds"] is False
    assert set(found["faults"][0]) == {"where", "problem", "hint"}


def test_check_finds_edited_texts(dgf: Dgf, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shipped text that is not the sealed one is a fault of the check."""
    monkeypatch.setattr(
        "generators.protocol.digests.sealed", lambda: {"2026.12": {"policy": "0" * 64}}
    )
    ran = dgf("policy", "check")
    assert ran.code == 1
    assert "were edited" in ran.out
    assert "[2026.12/policy]" in ran.out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Desk"', r'"\u001b[2JDesk\u202e"'),
        ('id = "IT-OWN-001"', r'id = "IT\u001b]0;x\u0007"'),
        ("evidence =", r'"\u001b[2J\u202e" = 1' + "\nevidence ="),
        ('"spring_tide"\'', '"\\\\u001b[31m\\\\u202e"\''),
    ],
    ids=["text", "id", "key", "condition"],
)
def test_a_rules_file_cannot_steer_the_terminal(dgf: Dgf, own: Path, old: str, new: str) -> None:
    """Escape sequences and direction marks in a hostile file are shown, not sent."""
    hostile = own.with_name("own\x1b[2J\u202e.toml")
    hostile.write_text(OWN_RULES.replace(old, new), "utf-8")
    for arguments in (
        ["list", "--rules", hostile],
        ["show", "it", "--form", "prose", "--rules", hostile],
        ["show", "it", "--rules", hostile],
        ["check", hostile],
        ["list", "--rules", hostile, "--json"],
        ["check", hostile, "--json"],
    ):
        ran = dgf("policy", *arguments)
        assert ran.out + ran.err
        assert not set("\x1b\x07\u202e") & {*ran.out, *ran.err}, arguments


def test_no_gate_is_not_every_gate(dgf: Dgf) -> None:
    """An empty name, as of an unset variable, does not list all rules."""
    ran = dgf("policy", "list", "--gate", "")
    assert (ran.code, ran.out) == (2, "")
    assert "unknown gate ''" in ran.err
