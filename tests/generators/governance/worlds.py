"""Cases for tests: facts within vocabularies, at limits, outside them, and of a wrong kind."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from hypothesis import strategies as st

from generators.facts import make_case
from tests.generators.governance.oracle import FIELDS, GATES, ROUTES

Facts: TypeAlias = dict[str, Any]

VENDORS = ("Arbel", "Brisco", "Corvane", "Delmont")

RANGES: Mapping[str, Sequence[Any]] = {
    "general.budget_requested_eur": (250_000, 900_000, 1_000_000, 7_000_000),
    "general.budget_approved_eur": (250_000, 630_000, 900_000, 1_000_000, 7_700_000),
    "general.roi": (-0.03, 0.0, 0.049, 0.05, 0.051, 0.42),
    "tech_readiness.measured_restore_hours": (0.14, 0.25, 0.5, 1, 2.0, 4, 7.0, 24, 42.0),
    "tech_readiness.measured_data_loss_minutes": (0, 5, 15, 21, 30, 60, 240, 1440, 2880),
    "procurement.offer.tco_3y_eur": (250_000, 375_000, 1_350_000, 1_350_001, 2_800_000),
    "procurement.purchasing_budget_eur": (250_000, 900_000, 1_500_000, 7_000_000),
    "procurement.selected_vendor": VENDORS,
}
"""Values of fields whose vocabulary the table gives as a range."""

LIMITS: Mapping[str, Sequence[Any]] = {
    "general.budget_requested_eur": (899_999, 900_000, 900_001),
    "general.budget_approved_eur": (900_000, 900_000.0),
    "general.roi": (0.0499999, 0.05, 0.0500001, -1, 5),
    "it.technology_eol_months": (11, 12, 12.0, 13, 11.999, -1, 0),
    "it.capacity_headroom_pct": (14, 15, 15.0, 16, 14.999, 0),
    "architecture.measured_latency_ms": (99, 100, 101, 100.5),
    "architecture.latency_target_ms": (100, 100.0),
    "security.critical_vulns_open": (-1, 0, 0.0, 0.5, 1, True, False),
    "security.key_rotation_days": (None, 364, 365, 365.0, 366, 400, 0),
    "tech_readiness.measured_restore_hours": (3.99, 4, 4.01),
    "tech_readiness.target_rto_hours": (4, 4.0),
    "tech_readiness.measured_data_loss_minutes": (14, 15, 16),
    "tech_readiness.target_rpo_minutes": (15, 15.0),
    "tech_readiness.load_test_pct_of_peak": (99, 99.9, 100, 101),
    "tech_readiness.critical_static_findings": (-1, 0, 1),
    "tech_readiness.open_blockers": (-1, 0, 1),
    "procurement.offer.mandatory_criteria_failed": (-1, 0, 1),
    "procurement.offer.tco_3y_eur": (1_349_999, 1_350_000, 1_350_001),
    "procurement.purchasing_budget_eur": (900_000, 900_000.0),
    "legal.liability_cap_multiplier": (0.25, 0.5, 0.50001, "0.5", "unlimited", None, 1, True),
    "legal.exit_assistance_days": (-1, 0, 0.0, 1, False, None),
}
"""Numbers at and around each limit, and odd values that are still comparable."""

ODD_WORDS: Sequence[Any] = ("", "unknown", "none", "None", None, 0, 1, True, False, 3.5)
"""What a word or a flag is not supposed to be."""

WRONG_KINDS: Sequence[Any] = ("12", "", None, [], [1], {}, {"value": 1})
"""What a number is not supposed to be."""


def within(field: Mapping[str, Any]) -> list[Any]:
    """The vocabulary of a published field."""
    values = list(field.get("values", RANGES.get(field["name"], ())))
    return [*values, None] if field["nullable"] else values


def around(field: Mapping[str, Any]) -> list[Any]:
    """The vocabulary, limits, and values outside it that can still be compared."""
    name, kind = field["name"], field["type"]
    if kind == "string":
        return within(field)
    if name in LIMITS:
        return [*LIMITS[name], *within(field)]
    words = [value for value in within(field) if isinstance(value, str)]
    changed = [change(word) for word in words for change in (str.upper, str.lower, str.title)]
    return [*within(field), *changed, *ODD_WORDS]


def anything(field: Mapping[str, Any]) -> list[Any]:
    """All of these, and values of a wrong kind."""
    return around(field) if field["type"] == "string" else [*around(field), *WRONG_KINDS]


Choices: TypeAlias = Callable[[Mapping[str, Any]], list[Any]]


def build(facts: Facts) -> dict[str, Any]:
    """The case with these facts by dotted name; other vendors' offers would be refused."""
    case: dict[str, Any] = {"project": {"risk_owner": "Ida Holm-7-RO"}}
    offer: dict[str, Any] = {}
    for name, value in facts.items():
        if name.startswith("procurement.offer."):
            offer[name.split(".")[2]] = value
        else:
            section, key = name.split(".")
            case.setdefault(section, {})[key] = value
    selected = facts.get("procurement.selected_vendor")
    bad = {"mandatory_criteria_failed": 2, "sanctions": "hit", "due_diligence": "pending"}
    case.setdefault("procurement", {})["offers"] = [
        {"vendor": name, **(offer if name == selected else bad)} for name in VENDORS
    ]
    return case


def draw(rng: random.Random, choices: Choices) -> Facts:
    """Facts drawn field by field."""
    return {field["name"]: rng.choice(choices(field)) for field in FIELDS}


World: TypeAlias = Callable[[random.Random], dict[str, Any]]

WORLDS: Mapping[str, World] = {
    "within": lambda rng: build(draw(rng, within)),
    "around": lambda rng: build(draw(rng, around)),
    "generated": lambda rng: make_case(
        rng.randrange(2**32),
        route=rng.choice(list(ROUTES)),
        difficulty=rng.randint(1, 5),
        architecture_attempt=rng.randrange(50),
        fact_attempts={gate: rng.randrange(50) for gate in GATES},
    ),
}
"""The three sets of cases the protocol's acceptance figures are counted on."""


def facts(choices: Choices) -> st.SearchStrategy[Facts]:
    """Facts drawn field by field, for hypothesis."""
    return st.fixed_dictionaries({f["name"]: st.sampled_from(choices(f)) for f in FIELDS})


def spotless() -> Facts:
    """Facts on which no rule of any gate fires."""
    return {
        "general.strategic_alignment": "strong",
        "general.budget_requested_eur": 900_000,
        "general.budget_approved_eur": 900_000,
        "general.roi": 0.2,
        "general.change_plan_status": "complete",
        "it.catalog_status": "standard",
        "it.waiver_present": False,
        "it.duplicate_capability": False,
        "it.license_compliant": True,
        "it.cmdb_record_present": True,
        "it.run_owner_present": True,
        "it.technology_eol_months": 36,
        "it.capacity_headroom_pct": 30,
        "it.change_record_status": "approved",
        "architecture.ip_overlap": False,
        "architecture.api_gateway_required": False,
        "architecture.api_gateway_present": False,
        "architecture.data_owner_present": True,
        "architecture.measured_latency_ms": 95,
        "architecture.latency_target_ms": 200,
        "architecture.reversibility_status": "tested",
        "architecture_profile.multi_az": True,
        "architecture_profile.multi_region": False,
        "project.business_criticality": "High",
        "project.data_classification": "Internal",
        "project.personal_data": False,
        "security.internet_exposed": True,
        "security.waf_present": True,
        "security.waf_mode": "Prevention",
        "security.private_endpoints": True,
        "security.mfa": "mandatory",
        "security.shared_service_principal": False,
        "security.logs_to_siem": True,
        "security.critical_vulns_open": 0,
        "security.pentest_status": "pass",
        "security.key_rotation_days": 90,
        "tech_readiness.backup_enabled": True,
        "tech_readiness.restore_tested": True,
        "tech_readiness.measured_restore_hours": 2,
        "tech_readiness.target_rto_hours": 4,
        "tech_readiness.measured_data_loss_minutes": 5,
        "tech_readiness.target_rpo_minutes": 15,
        "tech_readiness.dr_required": False,
        "tech_readiness.dr_tested": False,
        "tech_readiness.load_test_pct_of_peak": 125,
        "tech_readiness.critical_static_findings": 0,
        "tech_readiness.runbook_status": "approved",
        "tech_readiness.on_call_defined": True,
        "tech_readiness.handover_signed": True,
        "tech_readiness.rollback_tested": True,
        "tech_readiness.open_blockers": 0,
        "procurement.selected_vendor": "Brisco",
        "procurement.offer.mandatory_criteria_failed": 0,
        "procurement.offer.sanctions": "clear",
        "procurement.offer.due_diligence": "complete",
        "procurement.offer.tco_3y_eur": 1_350_000,
        "procurement.offer.references_checked": True,
        "procurement.purchasing_budget_eur": 900_000,
        "legal.dpa_status": "not_required",
        "legal.liability_cap_multiplier": 2,
        "legal.security_carveout": False,
        "legal.audit_right": "full",
        "legal.exit_assistance_days": 90,
        "legal.ip_ownership": "customer",
        "legal.insurance_valid": True,
        "legal.signing_authority_valid": True,
        "legal.log_export_clause": "included",
        "compliance.dpia_required": False,
        "compliance.dpia_status": "not_required",
        "compliance.residency_compliant": True,
        "compliance.audit_trail": "complete",
        "compliance.regulatory_mapping": "complete",
        "compliance.accessibility_status": "pass",
        "compliance.export_control": "clear",
    }
