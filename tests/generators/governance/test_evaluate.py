"""Gate results: rule-exact for any facts, told by an oracle that has no code of the project."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.governance import (
    DISPOSITIONS,
    PHASES,
    Case,
    Decision,
    FactError,
    Phase,
    RuleTable,
    UnknownIdError,
    UnknownVendorError,
    builtin_rules,
    evaluate_gate,
    interpret_rules,
    load_rules,
    parse_rules,
)
from generators.governance.case import CaseFacts
from generators.governance.notation import Compare, walk
from generators.governance.semantics import evaluate, holds, is_number
from tests.generators.governance import oracle
from tests.generators.governance.worlds import (
    WORLDS,
    Facts,
    anything,
    around,
    build,
    draw,
    facts,
    spotless,
    within,
)

TABLE = builtin_rules()
SPECIALISTS = [gate for gate in TABLE.gates if gate != "general"]
UPSTREAM = st.lists(
    st.tuples(st.sampled_from(SPECIALISTS), st.sampled_from([*DISPOSITIONS, None])), max_size=5
)


Received: TypeAlias = Sequence[tuple[str, str | None]]


def decisions(upstream: Received) -> list[Decision]:
    """Decisions received, as General is handed them."""
    return [Decision(gate=gate, phase="design", disposition=word) for gate, word in upstream]


def assert_exact(case: dict[str, Any], upstream: Received) -> None:
    """All gates at all phases give what the published table gives."""
    for gate in TABLE.gates:
        for phase in PHASES:
            found = evaluate_gate(case, gate, phase=phase, upstream=decisions(upstream))
            assert oracle.plain(found) == oracle.result(case, gate, phase, upstream)


@settings(max_examples=40)
@given(facts(within) | facts(around), UPSTREAM)
def test_rule_exact(chosen: Facts, upstream: Received) -> None:
    """8 gates at 6 phases: the same result as the published table, on and off the vocabularies."""
    assert_exact(build(chosen), upstream)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("world", WORLDS)
def test_rule_exact_in_volume(world: str) -> None:
    """The acceptance volume: 20,000 cases, 960,000 evaluations per fact set, no difference."""
    rng = random.Random(20_000)
    for _ in range(20_000):
        upstream = [(g, rng.choice([*DISPOSITIONS, None])) for g in rng.sample(SPECIALISTS, 4)]
        assert_exact(WORLDS[world](rng), upstream)


def _answer(judge: Callable[[], Any]) -> Any:
    """What `judge` says, or `FactError` when it cannot say."""
    try:
        return judge()
    except FactError:
        return FactError


def _oracle(case: dict[str, Any], gate: str, phase: Phase, upstream: Received) -> Any:
    """What the published table says, or `FactError` when Python cannot say."""
    try:
        return oracle.result(case, gate, phase, upstream)
    except (TypeError, KeyError, OverflowError):
        return FactError


@settings(max_examples=40)
@given(facts(anything), st.sets(st.sampled_from(list(TABLE.fields)), max_size=2), UPSTREAM)
def test_wrong_kinds_and_absent_facts_are_named_errors(
    chosen: Facts, absent: set[str], upstream: Received
) -> None:
    """Where Python cannot judge a gate there is a `FactError`; everywhere else the same result."""
    case = build({name: value for name, value in chosen.items() if name not in absent})
    for gate, phase in itertools.product(TABLE.gates, PHASES):
        judge = partial(evaluate_gate, case, gate, phase=phase, upstream=decisions(upstream))
        found = _answer(lambda judge=judge: oracle.plain(judge()))  # type: ignore[misc]  # bound now
        assert found == _oracle(case, gate, phase, upstream)


def _fast(case: Case, gate: str, words: Sequence[str], table: RuleTable) -> tuple[str, ...]:
    upstream = decisions([("it", word) for word in words])
    return evaluate_gate(case, gate, phase="design", upstream=upstream, rules=table).finding_ids


def _slow(case: Case, gate: str, words: Sequence[str], table: RuleTable) -> tuple[str, ...]:
    found = interpret_rules(case, gate, phase="design", upstream=words, rules=table)
    return tuple(rule.id for rule in found)


@settings(max_examples=40)
@given(facts(anything), st.lists(st.sampled_from(DISPOSITIONS), max_size=3))
def test_compiled_rules_agree_with_the_interpreter(chosen: Facts, words: list[str]) -> None:
    """Compiled built-in rules fire what the interpreter fires on the published table."""
    published = load_rules(oracle.DATA)
    for gate in TABLE.gates:
        fast = _answer(partial(_fast, build(chosen), gate, words, TABLE))
        assert fast == _answer(partial(_slow, build(chosen), gate, words, published))


def test_every_rule_fires_and_every_boundary_is_met_on_both_sides() -> None:
    """The cases of these tests reach each rule both ways, and each limit below, at and above it."""
    rng = random.Random(7)
    fired: dict[str, set[bool]] = {rule: set() for rule in TABLE.rules}
    sides: dict[str, set[int]] = {}
    for _ in range(600):
        case = build(draw(rng, around))
        words = [rng.choice(DISPOSITIONS) for _ in range(rng.randint(0, 3))]
        env = CaseFacts(case, words)
        for rule in TABLE.rules.values():
            fired[rule.id].add(holds(rule.expression, env))
            for node in walk(rule.expression):
                if isinstance(node, Compare) and node.op in ("<", "<=", ">", ">="):
                    left, right = evaluate(node.left, env), evaluate(node.right, env)
                    assert is_number(left)
                    assert is_number(right)
                    sides.setdefault(rule.id, set()).add((left > right) - (left < right))
    assert all(seen == {True, False} for seen in fired.values())
    assert len(sides) == 13
    assert all(seen == {-1, 0, 1} for seen in sides.values()), sides


def test_spotless_case() -> None:
    """Nothing fires on good facts: GO, favorable, nothing to do, nobody to ask."""
    for gate in TABLE.gates:
        for phase in PHASES:
            result = evaluate_gate(build(spotless()), gate, phase=phase)
            assert result.finding_ids == ()
            assert (result.disposition, result.expert_opinion) == ("GO", "FAVORABLE")
            assert not result.authorization_required


BAD: dict[str, Facts] = {
    "GEN-STRAT-001": {"general.strategic_alignment": "weak"},
    "GEN-BUDGET-001": {"general.budget_requested_eur": 900_001},
    "GEN-BC-001": {"general.roi": 0.049},
    "GEN-BENEFITS-001": {"general.change_plan_status": "missing"},
    "IT-CATALOG-001": {"it.catalog_status": "non_standard"},
    "IT-RATIONAL-001": {"it.duplicate_capability": True},
    "IT-LICENSE-001": {"it.license_compliant": False},
    "IT-CMDB-001": {"it.cmdb_record_present": False},
    "IT-RUN-001": {"it.run_owner_present": False},
    "IT-EOL-001": {"it.technology_eol_months": 11},
    "IT-CAPACITY-001": {"it.capacity_headroom_pct": 14},
    "IT-CHANGE-001": {"it.change_record_status": "draft"},
    "ARCH-IP-001": {"architecture.ip_overlap": True},
    "ARCH-API-001": {"architecture.api_gateway_required": True},
    "ARCH-DATA-001": {"architecture.data_owner_present": False},
    "ARCH-PERF-001": {"architecture.measured_latency_ms": 201},
    "ARCH-HA-001": {"architecture_profile.multi_az": False},
    "ARCH-REV-001": {"architecture.reversibility_status": "draft"},
    "SEC-WAF-001": {"security.waf_present": False},
    "SEC-WAF-002": {"security.waf_mode": "Detection"},
    "SEC-NET-001": {
        "project.data_classification": "Restricted",
        "security.private_endpoints": False,
    },
    "SEC-IAM-001": {"security.mfa": "optional"},
    "SEC-IAM-002": {"security.shared_service_principal": True},
    "SEC-LOG-001": {"security.logs_to_siem": False},
    "SEC-VULN-001": {"security.critical_vulns_open": 1},
    "SEC-PENTEST-001": {"security.pentest_status": "pending"},
    "SEC-KEY-001": {"security.key_rotation_days": 365},
    "TR-BACKUP-001": {"tech_readiness.backup_enabled": False},
    "TR-RESTORE-001": {"tech_readiness.restore_tested": False},
    "TR-RTO-001": {"tech_readiness.measured_restore_hours": 4.01},
    "TR-RPO-001": {"tech_readiness.measured_data_loss_minutes": 16},
    "TR-DR-001": {"tech_readiness.dr_required": True},
    "TR-LOAD-001": {"tech_readiness.load_test_pct_of_peak": 99},
    "TR-CODE-001": {"tech_readiness.critical_static_findings": 1},
    "TR-OPS-001": {"tech_readiness.on_call_defined": False},
    "TR-ROLLBACK-001": {"tech_readiness.rollback_tested": False},
    "TR-BLOCKER-001": {"tech_readiness.open_blockers": 1},
    "PROC-MAND-001": {"procurement.offer.mandatory_criteria_failed": 1},
    "PROC-SAN-001": {"procurement.offer.sanctions": "hit"},
    "PROC-SAN-002": {"procurement.offer.sanctions": "pending"},
    "PROC-DD-001": {"procurement.offer.due_diligence": "partial"},
    "PROC-BUDGET-001": {"procurement.offer.tco_3y_eur": 1_350_001},
    "PROC-REF-001": {"procurement.offer.references_checked": False},
    "LEGAL-DPA-001": {"project.personal_data": True, "legal.dpa_status": "draft"},
    "LEGAL-LIAB-001": {"legal.liability_cap_multiplier": 0.5},
    "LEGAL-AUDIT-001": {"legal.audit_right": "reports_only"},
    "LEGAL-EXIT-001": {"legal.exit_assistance_days": 0},
    "LEGAL-IP-001": {"legal.ip_ownership": "ambiguous"},
    "LEGAL-INS-001": {"legal.insurance_valid": False},
    "LEGAL-SIGN-001": {"legal.signing_authority_valid": False},
    "LEGAL-LOG-001": {"legal.log_export_clause": "missing"},
    "COMP-DPIA-001": {"compliance.dpia_required": True, "compliance.dpia_status": "draft"},
    "COMP-RESID-001": {"compliance.residency_compliant": False},
    "COMP-AUDIT-001": {"compliance.audit_trail": "missing"},
    "COMP-MAP-001": {"compliance.regulatory_mapping": "missing"},
    "COMP-A11Y-001": {"compliance.accessibility_status": "major_findings"},
    "COMP-EXPORT-001": {"compliance.export_control": "restricted"},
    "COMP-EXPORT-002": {"compliance.export_control": "pending"},
}
"""The smallest change to a spotless case that makes each rule fire, and it alone."""


@pytest.mark.parametrize("rule_id", BAD)
def test_each_rule_alone(rule_id: str) -> None:
    """One bad fact gives exactly its finding, and only at the phases of the rule."""
    rule = TABLE.rule(rule_id)
    case = build(spotless() | BAD[rule_id])
    for phase in PHASES:
        result = evaluate_gate(case, rule.gate, phase=phase)
        assert result.finding_ids == ((rule_id,) if phase in rule.phases else ())
        if phase in rule.phases:
            assert result.disposition == rule.disposition
            assert [action.action for action in result.required_actions] == [rule.action]


def test_messages_quote_their_number() -> None:
    """Five findings quote a number: open vulnerabilities, open blockers, upstream decisions."""
    case = build(spotless() | {"security.critical_vulns_open": 3})
    result = evaluate_gate(case, "security", phase="design")
    assert result.findings[0].message == "Critical vulnerabilities are open: 3"
    received = decisions([("it", "REWORK"), ("legal", "GO"), ("security", "REWORK")])
    general = evaluate_gate(build(spotless()), "general", phase="governance", upstream=received)
    assert general.findings[0].message.endswith("(REWORK: 2)")


def test_equal_numbers_of_different_kinds_keep_their_own_message() -> None:
    """A message depends on its own case only, not on an equal number judged before."""
    messages = []
    for count in (1, True, 1.0):
        case = build(spotless() | {"security.critical_vulns_open": count})
        messages.append(evaluate_gate(case, "security", phase="design").findings[0].message)
    assert len(set(messages)) == 3


def test_a_number_nobody_can_write_out_is_a_named_error() -> None:
    """A whole number beyond what the standard library prints does not end in a bare error."""
    case = build(spotless() | {"security.critical_vulns_open": 10**5000})
    with pytest.raises(FactError, match=r"security\.critical_vulns_open"):
        evaluate_gate(case, "security", phase="design")


def test_specialists_do_not_look_upstream() -> None:
    """Only General takes upstream decisions into account or repeats them."""
    received = decisions([("legal", "NO_GO")])
    result = evaluate_gate(build(spotless()), "it", phase="design", upstream=received)
    assert (result.disposition, result.upstream_context) == ("GO", ())


RESULT_KEYS = """gate phase expert_opinion disposition findings blocking_findings required_actions
risk_owner authorization_required approval_reference upstream_context"""
FINDING_KEYS = """id severity message required_action action_owner evidence_required disposition
risk_acceptance_allowed"""


def test_result_form() -> None:
    """A result has the published keys in the published order."""
    case = build(spotless() | BAD["LEGAL-SIGN-001"])
    form = msgspec.to_builtins(evaluate_gate(case, "legal", phase="design"))
    assert list(form) == RESULT_KEYS.split()
    assert list(form["findings"][0]) == FINDING_KEYS.split()
    assert list(form["required_actions"][0]) == ["action", "owner", "finding_id"]
    assert form["risk_owner"] == "Ida Holm-7-RO"


@pytest.mark.parametrize("phase", ["lunch", None])
def test_unknown_gate_and_phase_are_named_errors(phase: Any) -> None:
    """A gate or phase that does not exist is refused with the names that do."""
    with pytest.raises(UnknownIdError, match=r"gate 'board'.*one of general, it"):
        evaluate_gate(build(spotless()), "board", phase="design")
    with pytest.raises(UnknownIdError, match=f"phase {phase!r}"):
        evaluate_gate(build(spotless()), "it", phase=phase)


@pytest.mark.parametrize("offers", [[], [{"vendor": "Arbel"}]])
def test_selected_vendor_without_an_offer_is_a_named_error(offers: list[Any]) -> None:
    """A selected vendor that is absent from the offers is said so, at procurement only."""
    case = build(spotless())
    case["procurement"]["offers"] = offers
    with pytest.raises(UnknownVendorError, match=r"'Brisco'.*selected_vendor"):
        evaluate_gate(case, "procurement", phase="design")
    assert evaluate_gate(case, "legal", phase="design").disposition == "GO"


@pytest.mark.parametrize("section", [None, "text", [], {"offers": None}, {"selected_vendor": 1}])
def test_malformed_sections_are_named_errors(section: Any) -> None:
    """A section that is no object, or has no list of offers, is a named error too."""
    case = build(spotless()) | {"procurement": section}
    with pytest.raises(FactError):
        evaluate_gate(case, "procurement", phase="design")
    with pytest.raises(FactError, match="fact absent"):
        evaluate_gate({**case, "legal": section}, "legal", phase="design")


def test_first_offer_of_the_vendor_counts() -> None:
    """If a vendor made two offers, the first one is judged."""
    case = build(spotless())
    second = {**case["procurement"]["offers"][1], "sanctions": "hit"}
    case["procurement"]["offers"].append(second)
    assert evaluate_gate(case, "procurement", phase="design").disposition == "GO"


OWN = """
gate = [{ id = "it", label = "IT", glossary_sections = ["it"] }]
route = []
[[field]]
name = "it.age"
type = "int"
meaning = "Age."
[[field]]
name = "it.deep.words"
type = "enum"
meaning = "Words."
[[field]]
name = "procurement.offer.price"
type = "int"
meaning = "Price."
[[rule]]
id = "OLD"
gate = "it"
severity = "high"
disposition = "REWORK"
condition = '(it.age > 1 or it.deep.words == "x") == true and -it.age / 2 - 1 < 0 + 1 * 3'
action = "RENEW"
owner = "IT"
evidence = "Register"
count = "it.age"
message = "{count} years"
[[rule]]
id = "WORDS"
gate = "it"
severity = "high"
disposition = "NO_GO"
condition = 'it.age in it.deep.words or it.age not in it.deep.words and [lower(it.age)] == ["7"]'
action = "TALK"
owner = "IT"
evidence = "Minutes"
[[rule]]
id = "PRICE"
gate = "it"
severity = "medium"
disposition = "GO_WITH_RESERVATIONS"
condition = 'it.age == 0 and procurement.offer.price > 5'
action = "HAGGLE"
owner = "Buyer"
evidence = "Offer"
count = "procurement.offer.price"
message = "Costs {count}"
"""

PRICES = st.sampled_from([None, 4, 6, "6"])


@given(
    st.sampled_from([None, 0, 1, 7, 2.5, -9, "7", True, [1]]),
    st.sampled_from([["x"], [7, 1], [], "x", "77", None]),
    PRICES,
    st.booleans(),
)
def test_rules_of_others_are_compiled_with_the_same_meaning(
    age: Any, words: Any, price: Any, sold: bool
) -> None:
    """Any rule the notation allows fires alike compiled and interpreted, errors included."""
    table = parse_rules(OWN)
    procurement = {
        "selected_vendor": "A" if sold else "B",
        "offers": [{"vendor": "A", "price": price}],
    }
    case = {"it": {"age": age, "deep": {"words": words}}, "procurement": procurement}
    fast = _answer(partial(_fast, case, "it", (), table))
    assert fast == _answer(partial(_slow, case, "it", (), table))


def test_rules_of_others_quote_facts_of_the_offer() -> None:
    """A message may quote a fact of the retained offer; a case without a project has no owner."""
    table = parse_rules(OWN)
    offers = {"selected_vendor": "A", "offers": [{"vendor": "A", "price": 6}]}
    case = {"it": {"age": 0, "deep": {"words": [0]}}, "procurement": offers}
    result = evaluate_gate(case, "it", phase="design", rules=table)
    assert [finding.message for finding in result.findings][1:] == ["Costs 6"]
    assert result.risk_owner is None
    price = {"selected_vendor": "A", "offers": [{"vendor": "A"}]}
    with pytest.raises(FactError, match=r"procurement\.offer\.price"):
        evaluate_gate({**case, "procurement": price}, "it", phase="design", rules=table)
