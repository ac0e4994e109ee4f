"""A whole policy: its sections, what switches them, and that its wording never drifts."""

from __future__ import annotations

import hashlib
import itertools
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from generators.governance import (
    NEEDS_AUTHORIZATION,
    PHASES,
    Condition,
    UnknownIdError,
    builtin_rules,
    parse_rules,
)
from generators.governance.policy import Form, PolicyText, policy, requirement, rule_code
from generators.protocol import protocols
from tests.generators.governance import oracle
from tests.generators.policy.test_prose import OWN_RULES

TABLE = builtin_rules()
FORMS: tuple[Form, ...] = get_args(Form)
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
OWNERS = (("LOAD_TEST", "Performance Engineering"), ("BUDGET_APPROVAL", "Finance"))

SEALED = Path(__file__).with_name("rendered.toml")


def keys(text: PolicyText) -> list[str]:
    """Names of the sections, in order."""
    return [section.key for section in text.sections]


def test_code_form_has_the_code_its_arguments_and_the_glossary() -> None:
    """With documents, everything that is needed to apply the code to them is there."""
    assert keys(policy("legal", record_owners=OWNERS)) == [
        "scope",
        "rules",
        "finding",
        "glossary",
        "decision",
        "evidence",
        "approval",
        "upstream",
        "sources",
        "reading",
        "provenance",
    ]


def test_prose_form_has_requirements_instead() -> None:
    """Code, arguments and glossary belong to the other form."""
    assert keys(policy("legal", form="prose", record_owners=OWNERS)) == [
        "scope",
        "requirements",
        "decision",
        "evidence",
        "approval",
        "upstream",
        "sources",
        "reading",
        "provenance",
    ]


@pytest.mark.parametrize("form", FORMS)
def test_a_snapshot_needs_no_advice_on_records(form: Form) -> None:
    """With facts given, nothing is said about documents, records or their owners."""
    text = policy("it", form=form, condition="facts", record_owners=OWNERS)
    assert {"glossary", "sources", "reading", "provenance"}.isdisjoint(keys(text))
    assert "REVIEW_FACTS_IT" in text.text
    for condition in ("docs", "attack"):
        assert "REVIEW_FACTS" not in policy("it", form=form, condition=condition).text


@pytest.mark.parametrize("gate", TABLE.gates)
def test_the_condition_cannot_be_told_from_the_policy(gate: str) -> None:
    """A reviewer of planted content reads the very policy of its clean twin."""
    for form in FORMS:
        attacked, clean = policy(gate, form=form, condition="attack"), policy(gate, form=form)
        assert attacked.text == clean.text
        assert not re.search(r"attack|planted|inject|manipul", attacked.text, re.IGNORECASE)


def test_reading_conventions_are_one_section_that_can_be_left_out() -> None:
    """Without them everything else stays, record owners included."""
    with_them = policy("it", record_owners=OWNERS)
    without = policy("it", record_owners=OWNERS, conventions=False)
    assert set(keys(with_them)) - set(keys(without)) == {"reading"}
    assert [s for s in with_them.sections if s.key != "reading"] == list(without.sections)


def test_reading_conventions_tell_how_records_are_to_be_read() -> None:
    """Shared records, dated histories, units and local words are each told."""
    (reading,) = [s.text for s in policy("it").sections if s.key == "reading"]
    for point in ("rows of this project", "selected vendor", "history", "latest", "units", "words"):
        assert point in reading


def test_owners_of_records_are_told_in_the_order_given() -> None:
    """Each record with its owner, and that entries by others do not count."""
    (section,) = [s for s in policy("it", record_owners=OWNERS).sections if s.key == "provenance"]
    assert section.text.endswith("- LOAD_TEST: Performance Engineering\n- BUDGET_APPROVAL: Finance")
    assert "is to be ignored, however recent" in section.text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gate", TABLE.gates)
def test_a_policy_holds_every_rule_of_its_gate_and_no_other(gate: str, form: Form) -> None:
    """All rules of the gate, whatever the phase, in evaluation order."""
    text = policy(gate, form=form).text
    found = [word for word in re.findall(r"[A-Z][A-Z0-9-]+", text) if word in TABLE.rules]
    assert list(dict.fromkeys(found)) == oracle.GATES[gate]["rules"]


@pytest.mark.parametrize("form", FORMS)
def test_rules_of_one_phase_can_be_shown_alone(form: Form) -> None:
    """With a phase, the rules that it judges, and no other."""
    for gate, phase in itertools.product(TABLE.gates, PHASES):
        text = policy(gate, form=form, phase=phase).text
        for rule in TABLE.rules_of(gate):
            told = requirement(rule) if form == "prose" else rule_code(rule).partition("\n")[0]
            assert (told in text) == (phase in rule.phases)


def test_a_gate_without_rules_at_a_phase_has_code_that_does_nothing() -> None:
    """The function is still Python."""
    table = parse_rules(OWN_RULES.replace("[[rule]]", '[[rule]]\nphases = ["design"]'))
    text = policy("it", phase="framing", rules=table).text
    assert "def review_it(phase):\n    pass" in text


@pytest.mark.parametrize("form", FORMS)
def test_the_decision_rule_is_told(form: Form) -> None:
    """Most severe wins, GO when nothing fires, one action per finding, what needs authorization."""
    (text,) = [s.text for s in policy("it", form=form).sections if s.key == "decision"]
    assert "GO, GO_WITH_RESERVATIONS, REWORK, SUSPENSION, NO_GO" in text
    assert "most severe one" in text
    assert "Without any finding the decision is GO." in text
    assert "one action code per finding" in text
    assert "GO_WITH_RESERVATIONS, SUSPENSION and NO_GO need an authorization" in text
    assert "GO and REWORK do not" in text
    assert len(NEEDS_AUTHORIZATION) == 3


@pytest.mark.parametrize("gate", TABLE.gates)
def test_prose_form_has_no_field_name_anywhere(gate: str) -> None:
    """Beside requirements, the other sections speak no code either."""
    text = policy(gate, form="prose", record_owners=OWNERS).text
    assert "`" not in text
    for name in TABLE.fields:
        assert name not in text
        if "_" in name:
            assert name.rpartition(".")[2] not in text or "_" not in name.rpartition(".")[2]


def test_unknown_gates_phases_and_protocols_are_refused() -> None:
    """The error lists what there is."""
    with pytest.raises(UnknownIdError, match="unknown gate 'legals': one of general, it"):
        policy("legals")
    with pytest.raises(UnknownIdError, match="unknown form 'poem': one of code, prose"):
        policy("legal", form="poem")
    with pytest.raises(UnknownIdError, match="unknown condition 'doc'"):
        policy("legal", condition="doc")
    with pytest.raises(UnknownIdError, match="unknown phase 'later'"):
        policy("legal", phase="later")


def rendered(form: Form, protocol: str) -> str:
    """SHA-256 over the form's policies of all gates, in every condition and with every switch."""
    choices = itertools.product(TABLE.gates, CONDITIONS, (True, False), ((), OWNERS))
    policies = (
        policy(
            gate,
            form=form,
            condition=condition,
            conventions=conventions,
            record_owners=owners,
            protocol=protocol,
        )
        for gate, condition, conventions, owners in choices
    )
    return hashlib.sha256("\0".join(p.text for p in policies).encode()).hexdigest()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("protocol", protocols())
def test_no_policy_on_record_was_reworded(protocol: str, form: Form) -> None:
    """The policies of each protocol read as they did when it was released."""
    sealed = tomllib.loads(SEALED.read_text("utf-8"))[protocol][form]
    assert rendered(form, protocol) == sealed, (
        f"the {form} policies of protocol {protocol} read differently than when they were sealed: "
        "a rule, a meaning, or the way sentences are made has changed. Runs on record name this "
        "protocol, so give the change a protocol of its own; if it never left this repository, "
        f"write the new digest into {SEALED.name}"
    )
