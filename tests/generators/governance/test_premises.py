"""Decisive fields and premises: the table of section 5, and Python's own reading order."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings

from generators.governance import (
    PHASES,
    FactError,
    Phase,
    builtin_rules,
    decisive_fields,
    evaluate_gate,
    parse_rules,
    premise_keys,
    premises,
)
from generators.governance.notation import Value
from tests.generators.governance import oracle
from tests.generators.governance.worlds import WORLDS, Facts, around, build, facts, spotless

TABLE = builtin_rules()
NOT_CLOSURE: list[Phase] = [phase for phase in PHASES if phase != "deployment_closure"]
CLOSING: list[Phase] = ["build_acceptance", "deployment_closure"]
LATE: list[Phase] = ["design", *CLOSING]

COND = "?"
"""Marks a field that is read only if the condition below says so."""

ORDER: dict[str, str] = {
    "general": (
        "strategic_alignment budget_requested_eur budget_approved_eur roi? change_plan_status?"
    ),
    "it": (
        "catalog_status waiver_present? duplicate_capability license_compliant "
        "cmdb_record_present? run_owner_present? technology_eol_months capacity_headroom_pct? "
        "change_record_status?"
    ),
    "architecture": (
        "ip_overlap api_gateway_required api_gateway_present? data_owner_present "
        "measured_latency_ms latency_target_ms project.business_criticality "
        "architecture_profile.multi_az? architecture_profile.multi_region? reversibility_status"
    ),
    "security": (
        "internet_exposed waf_present? waf_mode? project.data_classification private_endpoints? "
        "mfa shared_service_principal logs_to_siem critical_vulns_open pentest_status? "
        "key_rotation_days"
    ),
    "tech_readiness": (
        "backup_enabled restore_tested measured_restore_hours? target_rto_hours? "
        "measured_data_loss_minutes target_rpo_minutes dr_required dr_tested? "
        "load_test_pct_of_peak critical_static_findings runbook_status on_call_defined? "
        "handover_signed? rollback_tested open_blockers"
    ),
    "procurement": (
        "selected_vendor offer.mandatory_criteria_failed offer.sanctions offer.due_diligence "
        "offer.tco_3y_eur purchasing_budget_eur offer.references_checked"
    ),
    "legal": (
        "project.personal_data dpa_status? liability_cap_multiplier security_carveout? audit_right "
        "exit_assistance_days ip_ownership insurance_valid signing_authority_valid "
        "log_export_clause project.business_criticality?"
    ),
    "compliance": (
        "dpia_required dpia_status? residency_compliant audit_trail regulatory_mapping "
        "accessibility_status export_control"
    ),
}
"""The table of section 5: what is read, in order; `?` when only under a condition."""


def read_if(name: str, fact: Facts, phase: Phase) -> bool:
    """The last column of that table: when a conditional field is read."""
    sensitive = fact["project.data_classification"] in ("Confidential", "Restricted")
    critical = fact["project.business_criticality"] in ("High", "Critical")
    exposed = fact["security.internet_exposed"]
    approved = fact["tech_readiness.runbook_status"] == "approved"
    conditions: dict[str, Value] = {
        "general.roi": phase in NOT_CLOSURE,
        "general.change_plan_status": phase == "deployment_closure",
        "it.waiver_present": fact["it.catalog_status"] == "non_standard",
        "it.cmdb_record_present": phase in LATE,
        "it.run_owner_present": phase in CLOSING,
        "it.capacity_headroom_pct": phase in CLOSING,
        "it.change_record_status": phase == "deployment_closure",
        "architecture.api_gateway_present": fact["architecture.api_gateway_required"],
        "architecture_profile.multi_az": critical,
        "architecture_profile.multi_region": critical and not fact["architecture_profile.multi_az"],
        "security.waf_present": exposed,
        "security.waf_mode": exposed and fact["security.waf_present"],
        "security.private_endpoints": sensitive,
        "security.pentest_status": phase == "build_acceptance",
        "tech_readiness.measured_restore_hours": fact["tech_readiness.restore_tested"],
        "tech_readiness.target_rto_hours": fact["tech_readiness.restore_tested"],
        "tech_readiness.dr_tested": fact["tech_readiness.dr_required"],
        "tech_readiness.on_call_defined": approved,
        "tech_readiness.handover_signed": approved and fact["tech_readiness.on_call_defined"],
        "legal.dpa_status": fact["project.personal_data"],
        "legal.security_carveout": fact["legal.liability_cap_multiplier"] == 0.5,
        "project.business_criticality": fact["legal.log_export_clause"] == "missing",
        "compliance.dpia_status": fact["compliance.dpia_required"],
    }
    return bool(conditions[name])


def expected_order(gate: str, phase: Phase, fact: Facts) -> list[str]:
    """The decisive fields the table gives for these facts."""
    order = []
    for entry in ORDER[gate].split():
        short = entry.removesuffix(COND)
        own = short.split(".")[0] not in ("project", "architecture_profile")
        name = f"{gate}.{short}" if own else short
        if not entry.endswith(COND) or read_if(name, fact, phase):
            order.append(name)
    return order


@settings(max_examples=60)
@given(facts(around))
def test_decisive_fields_are_those_of_the_published_table(chosen: Facts) -> None:
    """Each gate reads, at each phase, the fields the table lists, in its order."""
    case = build(chosen)
    for gate, phase in itertools.product(TABLE.gates, PHASES):
        expected = expected_order(gate, phase, chosen)
        assert list(decisive_fields(case, gate, phase=phase)) == expected
        assert oracle.reading_order(case, gate, phase) == expected


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("world", WORLDS)
def test_decisive_fields_and_premises_in_volume(world: str) -> None:
    """The acceptance volume: 960,000 occurrences per fact set, read in Python's own order."""
    rng = random.Random(20_000)
    published = {rule["id"]: rule["fields"] for rule in oracle.RULES}
    for _ in range(20_000):
        case = WORLDS[world](rng)
        for gate, phase in itertools.product(TABLE.gates, PHASES):
            read = oracle.reading_order(case, gate, phase)
            decisive = decisive_fields(case, gate, phase=phase)
            assert list(decisive) == read
            for rule in oracle.fired(case, gate, phase):
                expected = [name for name in read if name in published[rule["id"]]]
                assert list(premises(TABLE.rule(rule["id"]), decisive)) == expected


@settings(max_examples=40)
@given(facts(around))
def test_premises_of_fired_findings(chosen: Facts) -> None:
    """A finding's premises are the decisive fields its rule tests, dotted or by last component."""
    case = build(chosen)
    published = {rule["id"]: rule["fields"] for rule in oracle.RULES}
    for gate, phase in itertools.product(TABLE.gates, PHASES):
        decisive = decisive_fields(case, gate, phase=phase)
        for name in evaluate_gate(case, gate, phase=phase).finding_ids:
            found = premises(TABLE.rule(name), decisive)
            assert list(found) == [field for field in decisive if field in published[name]]
            assert found, "a finding rests on something"
            assert premise_keys(TABLE.rule(name), decisive) == tuple(
                field.split(".")[-1] for field in found
            )


@pytest.mark.parametrize(
    ("rule", "facts", "expected"),
    [
        ("TR-OPS-001", {"tech_readiness.runbook_status": "draft"}, ["runbook_status"]),
        (
            "TR-OPS-001",
            {"tech_readiness.handover_signed": False},
            ["runbook_status", "on_call_defined", "handover_signed"],
        ),
        (
            "TR-RTO-001",
            {"tech_readiness.measured_restore_hours": 5},
            ["restore_tested", "measured_restore_hours", "target_rto_hours"],
        ),
        (
            "IT-CATALOG-001",
            {"it.catalog_status": "non_standard"},
            ["catalog_status", "waiver_present"],
        ),
    ],
)
def test_premises_can_be_shorter_than_the_fields(
    rule: str, facts: Facts, expected: list[str]
) -> None:
    """What a settled rule did not read is no premise; a branch includes what it follows."""
    found = TABLE.rule(rule)
    case = build(spotless() | facts)
    decisive = decisive_fields(case, found.gate, phase="design")
    assert list(premise_keys(found, decisive)) == expected
    assert list(premises(found, decisive)) == [f"{found.gate}.{key}" for key in expected]


def test_upstream_findings_rest_on_a_disposition() -> None:
    """A GEN-UPSTREAM finding has no premise in the case, but a `disposition` received."""
    decisive = decisive_fields(build(spotless()), "general", phase="governance")
    for name in ("GEN-UPSTREAM-NOGO", "GEN-UPSTREAM-SUSPEND", "GEN-UPSTREAM-REWORK"):
        assert premises(TABLE.rule(name), decisive) == ()
        assert premise_keys(TABLE.rule(name), decisive) == ("disposition",)


def test_last_components_are_unambiguous_within_a_gate() -> None:
    """No gate reads two fields with one last name, so short premises cannot be confused."""
    for gate in TABLE.gates.values():
        names = {*gate.reads_first, *(f for rule in TABLE.rules_of(gate.id) for f in rule.fields)}
        assert len({name.rpartition(".")[2] for name in names}) == len(names)


def test_lists_and_the_risk_owner_are_not_decisive() -> None:
    """Only scalars are decisive, and the risk owner never is, even if a rule reads them."""
    fields = "".join(
        f'[[field]]\nname = "{name}"\ntype = "string"\nmeaning = "m"\n'
        for name in ("project.risk_owner", "it.tags", "it.age")
    )
    rule = (
        '[[rule]]\nid = "R"\ngate = "it"\nseverity = "high"\ndisposition = "REWORK"\n'
        'condition = \'"x" in it.tags or project.risk_owner == "" or it.age > 3\'\n'
        'action = "A"\nowner = "O"\nevidence = "E"\n'
    )
    gates = 'gate = [{ id = "it", label = "IT", glossary_sections = ["it"] }]\nroute = []\n'
    table = parse_rules(gates + fields + rule)
    case = {"project": {"risk_owner": "Ida"}, "it": {"tags": ["y"], "age": 4}}
    assert decisive_fields(case, "it", phase="design", rules=table) == ("it.age",)


def test_absent_decisive_facts_are_named() -> None:
    """Asking what decides a case that cannot be judged names the fact that is missing."""
    chosen = spotless()
    del chosen["it.license_compliant"]
    with pytest.raises(FactError, match=r"it\.license_compliant"):
        decisive_fields(build(chosen), "it", phase="design")
