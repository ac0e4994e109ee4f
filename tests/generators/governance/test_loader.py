"""Rules files: the built-in table says what is published, and a bad file is refused by path."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from generators.governance import (
    PHASES,
    RuleTable,
    RuleTableError,
    UnknownIdError,
    builtin_rules,
    load_rules,
    parse_rules,
)
from generators.governance.loader import BUILTIN
from tests.generators.governance.oracle import DATA, FIELDS, GATES, PUBLISHED, ROUTES, RULES

TEXT = files("generators.governance").joinpath(BUILTIN).read_text("utf-8")

BOTH = pytest.mark.parametrize(
    "table", [builtin_rules(), load_rules(DATA)], ids=["built-in", "published"]
)


@BOTH
@pytest.mark.parametrize("published", RULES, ids=[rule["id"] for rule in RULES])
def test_rules_are_the_published_ones(table: RuleTable, published: dict[str, Any]) -> None:
    """Every attribute of every rule, read from either file, is the published one."""
    rule = table.rule(published["id"])
    count = published.get("count")
    counted = rule.count and (rule.count.fact or f"number of upstream {rule.count.upstream}")
    assert {
        "gate": rule.gate,
        "severity": rule.severity,
        "disposition": rule.disposition,
        "risk_acceptable": rule.risk_acceptable,
        "phases": list(rule.phases),
        "fields": list(rule.fields),
        "condition": rule.condition,
        "action": rule.action,
        "owner": rule.owner,
        "evidence": rule.evidence,
        "else_of": rule.else_of,
        "count": counted,
    } == {
        **{key: published[key] for key in ("gate", "severity", "disposition", "risk_acceptable")},
        "phases": list(PHASES) if published["phases"] == "all" else published["phases"],
        **{key: published[key] for key in ("fields", "condition", "action", "owner", "evidence")},
        "else_of": published.get("else_of"),
        "count": count,
    }


@BOTH
@pytest.mark.parametrize("published", FIELDS, ids=[field["name"] for field in FIELDS])
def test_fields_are_the_published_ones(table: RuleTable, published: dict[str, Any]) -> None:
    """Every attribute of every field, read from either file, is the published one."""
    field = table.fields[published["name"]]
    assert list(field.values) == published.get("values", [])
    assert [type(value) for value in field.values] == [
        type(value) for value in published.get("values", [])
    ]
    assert (field.type, field.unit, field.range, field.nullable, list(field.rules)) == (
        published["type"],
        published.get("unit"),
        published.get("range"),
        published["nullable"],
        published["rules"],
    )
    assert field.name == f"{field.section}.{field.name.partition('.')[2]}"
    assert field.name.endswith(f".{field.key}")


@BOTH
def test_gates_are_the_published_ones(table: RuleTable) -> None:
    """Gates come in the published order, with label, rule order, first reads and glossary."""
    assert list(table.gates) == list(GATES)
    for gate in table.gates.values():
        published = GATES[gate.id]
        assert gate.label == published["label"]
        for key in ("rules", "reads_first", "glossary_sections"):
            assert list(getattr(gate, key)) == published[key]
    assert list(table.fields) == [field["name"] for field in FIELDS]


@BOTH
def test_routes_are_the_published_ones(table: RuleTable) -> None:
    """Routes, their triggers and codes, and every occurrence with its id are as published."""
    assert list(table.routes) == list(ROUTES)
    for route in table.routes.values():
        published = ROUTES[route.id]
        for key in ("label", "trigger", "project_type", "project_id_code"):
            assert getattr(route, key) == published[key]
        assert [
            {
                "position": occurrence.position,
                "gate": occurrence.gate,
                "phase": occurrence.phase,
                "occurrence_id": occurrence.occurrence_id,
            }
            for occurrence in route.occurrences
        ] == published["occurrences"]
        assert all(o.gate_label == GATES[o.gate]["label"] for o in route.occurrences)


def test_vocabulary_is_the_published_one() -> None:
    """The protocol's words are those published; a file that says otherwise is refused."""
    assert load_rules(DATA).protocol == PUBLISHED["meta"]["decision_protocol"]
    swapped = DATA.read_text("utf-8").replace('"SUSPENSION", "NO_GO"]', '"NO_GO", "SUSPENSION"]')
    with pytest.raises(RuleTableError, match=r"meta\.disposition_priority"):
        parse_rules(swapped)


def test_messages_and_meanings_are_sentences_of_this_project() -> None:
    """Every rule has a message and every field a meaning; no published sentence is repeated."""
    table = builtin_rules()
    messages = [rule.message for rule in table.rules.values()]
    meanings = {field.meaning for field in table.fields.values()}
    assert len(set(messages)) == len(messages)
    assert len(meanings) == len(table.fields)
    assert not meanings & {field["meaning"] for field in FIELDS}
    assert all(
        ("{count}" in rule.message) == (rule.count is not None) for rule in table.rules.values()
    )


def test_messages_can_be_exchanged() -> None:
    """Another text may replace the message of a rule, and nothing else changes."""
    table = builtin_rules().with_messages({"IT-EOL-001": "Too old", "SEC-VULN-001": "{count}!"})
    assert table.rule("IT-EOL-001").message == "Too old"
    assert table.rule("IT-RUN-001") == builtin_rules().rule("IT-RUN-001")
    with pytest.raises(UnknownIdError, match="NO-SUCH-RULE"):
        builtin_rules().with_messages({"NO-SUCH-RULE": "x"})
    with pytest.raises(RuleTableError, match="counts nothing"):
        builtin_rules().with_messages({"IT-EOL-001": "{count} months"})
    with pytest.raises(RuleTableError, match="blank"):
        builtin_rules().with_messages({"IT-EOL-001": " "})


def test_a_rule_without_a_message_quotes_its_condition() -> None:
    """A file without messages still gives findings that say something."""
    assert load_rules(DATA).rule("IT-EOL-001").message == "Holds: it.technology_eol_months < 12"


RULE = 'id = "IT-EOL-001"\n'


@pytest.mark.parametrize(
    ("old", "new", "path", "problem"),
    [
        ("gate = [", "gates = [", "rules.toml", "unknown field `gates`"),
        (RULE, f"{RULE}colour = 1\n", "rule[12]", "unknown field `colour`"),
        (RULE, 'id = "IT-RUN-001"\n', "rule[12].id", "duplicate id 'IT-RUN-001'"),
        ('"IT Gate",', '"IT Gate", x = 1,', "gate[1]", "unknown field `x`"),
        ('id = "legal", ', 'id = "it", ', "gate[6].id", "duplicate id 'it'"),
        ('gate = "legal"\n', 'gate = "lawyers"\n', "rule[46].gate", "unknown name 'lawyers'"),
        ('phases = ["deployment_', 'phases = ["after_', "rule[6].phases[0]", "Invalid enum value"),
        ('phases = ["deployment_closure"]', "phases = []", "rule[6].phases", "needs a phase"),
        ("months < 12", "months <", "rule[12].condition, column 27", "expected a value"),
        ("it.technology_eol_months <", "it.age <", "rule[12].condition", "unknown name 'it.age'"),
        ("eol_months < 12'", "eol_months < lower(1)'\nfields = []", "rule[12].fields", "states ()"),
        (
            "eol_months < 12",
            'eol_months < has_upstream("GO")',
            "rule[12].condition",
            "only the gate",
        ),
        ('has_upstream("NO_GO")', 'has_upstream("NO")', "rule[3].condition", "takes a disposition"),
        ('disposition = "NO_GO"', 'disposition = "NO"', "rule[3].disposition", "Invalid enum"),
        ('severity = "medium"', 'severity = "low"', "rule[2].severity", "Invalid enum"),
        ('else_of = "PROC-SAN-001"', 'else_of = "PROC-DD-001"', "rule[42].else_of", "no rule"),
        ('else_of = "PROC-SAN-001"', 'else_of = "IT-RUN-001"', "rule[42].else_of", "no rule"),
        (
            'count = "security.critical_vulns_open"',
            'count = "a.b"',
            "rule[27].count",
            "unknown name",
        ),
        ('"number of upstream NO_GO"', '"number of upstream NO"', "rule[3].count", "unknown name"),
        (
            'action = "ENFORCE_MFA"',
            'action = "IMPLEMENT_WAF"',
            "rule[24].action",
            "duplicate action",
        ),
        ('name = "it.waiver_present"', 'name = "waiver"', "rule[7].condition", "unknown name"),
        ('name = "general.roi"', 'name = "it.waiver_present"', "field[6].name", "duplicate name"),
        ('type = "float"', 'type = "real"', "field[3].type", "Invalid enum"),
        (
            '{ gate = "legal", phase = "design" }',
            '{ gate = "law", phase = "design" }',
            "route[0].occ",
            "'law'",
        ),
        (
            'phase = "design" },',
            'phase = "design", position = 2 },',
            "route[0].occurrences[0].pos",
            "states 2",
        ),
        ('glossary_sections = ["it"]', 'glossary_sections = ["its"]', "gate[1].glossary", "'its'"),
        ('["procurement.selected_vendor"]', '["a.b"]', "gate[5].reads_first", "'a.b'"),
        ('"IT Gate", ', '"IT Gate", rules = [], ', "gate[1].rules", "states ()"),
        (
            'message = "Off-catalog',
            'message = "{count} off',
            "message of IT-CATALOG",
            "counts nothing",
        ),
        (
            "[[field]]",
            '[[field]]\nname = "Age"\ntype = "int"\nmeaning = "m"\n[[field]]',
            "field[0].name",
            "not a fact",
        ),
        ("[[field]]", "[[field", "rules.toml", "not TOML"),
        ("[[field]]", f"x = {'9' * 5000}\n[[field]]", "rules.toml", "not TOML"),
        ("[[field]]", f"x = {'[' * 5000}\n[[field]]", "rules.toml", "nested too deeply"),
        ('disposition = "NO_GO"', 'disposition = "GO"', "rule[3].disposition", "Invalid enum"),
        (
            'phases = ["deployment_closure"]',
            'phases = ["design", "design"]',
            "rule[6].phases",
            "named twice",
        ),
        (
            "[[field]]",
            '[[field]]\nname = "upstream.dispositions"\ntype = "int"\nmeaning = "m"\n[[field]]',
            "field[0].name",
            "is taken",
        ),
        (
            "[[field]]",
            '[[field]]\nname = "a.b"\ntype = "bool"\nvalues = ["x"]\nmeaning = "m"\n[[field]]',
            "field[0].values",
            "true or false",
        ),
        (
            "meta.decision",
            'meta.unreachable = { somewhere = ["NO-RULE"] }\nmeta.decision',
            "meta.unreachable.somewhere",
            "'NO-RULE'",
        ),
    ],
)
def test_bad_files_are_refused_by_path(old: str, new: str, path: str, problem: str) -> None:
    """A mistake in a rules file is one line with the path to it; nothing is loaded."""
    assert old in TEXT
    with pytest.raises(RuleTableError) as caught:
        parse_rules(TEXT.replace(old, new, 1))
    assert path in str(caught.value.where)
    assert problem in caught.value.problem
    assert "\n" not in str(caught.value).replace("\\n", "")


@pytest.mark.parametrize(
    ("old", "new", "path", "problem"),
    [
        ('id = "legal", ', 'id = "../legal", ', "gate[6].id", "not an id"),
        ('id = "legal", ', 'id = "Legal", ', "gate[6].id", "not an id"),
        ('id = "legal", ', 'id = "l\u0435gal", ', "gate[6].id", "not an id"),  # a Cyrillic letter
        ('id = "buy"', 'id = "b/y"', "route[0].id", "not an id"),
        ('project_id_code = "BUY"', 'project_id_code = "B Y"', "route[0].project_id", "not an id"),
        (RULE, 'id = "IT EOL"\n', "rule[12].id", "not an id"),
        ('action = "ENFORCE_MFA"', 'action = "a\\"b"', "rule[24].action", "not an id"),
        (RULE, 'id = "IT\\u001b[2J"\n', "rule[12].id", "U+001B"),
        ('"IT Gate",', '"IT\\u202eGate",', "gate[1].label", "U+202E"),
        ('message = "Off', 'message = "A\\n\\n## B', "rule[7].message", "U+000A"),
        ("months < 12", "months\x7f < 12", "rules.toml", "not TOML"),
        ('"IT Gate",', '" ",', "gate[1].label", "blank"),
        ('meaning = "', 'meaning = ""\nunit = "', "field[0].meaning", "blank"),
    ],
)
def test_ids_are_plain_and_texts_can_be_seen(old: str, new: str, path: str, problem: str) -> None:
    """Ids fit into code and file names; no text hides a character or makes a line of its own."""
    test_bad_files_are_refused_by_path(old, new, path, problem)


def test_conditions_may_have_several_lines() -> None:
    """A long condition can be laid out."""
    laid_out = TEXT.replace(
        "'it.technology_eol_months < 12'", "'''\nit.technology_eol_months\n    < 12'''"
    )
    assert laid_out != TEXT
    rule = parse_rules(laid_out).rule("IT-EOL-001")
    assert rule.expression == builtin_rules().rule("IT-EOL-001").expression


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    """The mark some editors put first is no mistake."""
    path = tmp_path / "marked.toml"
    path.write_text(TEXT, "utf-8-sig")
    assert load_rules(path).rules.keys() == builtin_rules().rules.keys()


def test_stated_attributes_must_agree_with_derived_ones() -> None:
    """A file that states what follows from the rest is refused when the two differ."""
    text = DATA.read_text("utf-8")
    for old, new, path in [
        ("off_route = true", "off_route = false", "rule[6].off_route"),
        ('occurrence_id = "BUY-02-LEGAL-1"', 'occurrence_id = "L"', "occurrences[1].occurrence_id"),
        ('rules = ["GEN-STRAT-001"]', "rules = []", "field[0].rules"),
        ('fields = ["general.roi"]', "fields = []", "rule[2].fields"),
    ]:
        assert old in text
        with pytest.raises(RuleTableError) as caught:
            parse_rules(text.replace(old, new, 1), name="mine.toml")
        assert str(caught.value.where).startswith("mine.toml, ")
        assert path in str(caught.value.where)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    """A missing file, and one that is not text, end in one line that names the file."""
    with pytest.raises(RuleTableError, match=r"missing\.toml"):
        load_rules(tmp_path / "missing.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(RuleTableError, match=r"binary\.toml"):
        load_rules(tmp_path / "binary.toml")


def test_unknown_names_list_what_there_is() -> None:
    """Asking for a gate, route, rule or phase that does not exist says which do."""
    table = builtin_rules()
    for ask in (table.gate, table.route, table.rule, table.rules_of, table.glossary):
        with pytest.raises(UnknownIdError, match=r"'nothing'.*one of"):
            ask("nothing")
    with pytest.raises(UnknownIdError, match="phase 'nothing'"):
        table.rules_of("it", "nothing")
