"""Behaviour that looks like a slip and is part of the protocol (section 10), one test each."""

from __future__ import annotations

import re
from typing import Any

import pytest

from generators.governance import (
    Approval,
    Mandate,
    UnknownVendorError,
    builtin_rules,
    candidate_findings,
    effective_references,
    evaluate_gate,
    evaluate_route,
)
from tests.generators.governance.worlds import Facts, build, spotless

TABLE = builtin_rules()


def findings(gate: str, phase: Any = "design", **changes: Any) -> tuple[str, ...]:
    """Findings of `gate` on a spotless case with other values for some of its own fields."""
    facts = {f"{gate}.{key}": value for key, value in changes.items()}
    return evaluate_gate(build(spotless() | facts), gate, phase=phase).finding_ids


@pytest.mark.parametrize("days", [364, 366, 400, 1, "365"])
def test_1_key_rotation_passes_unless_never_or_exactly_a_year(days: Any) -> None:
    """SEC-KEY-001 fires on null or exactly 365; longer periods pass."""
    assert findings("security", key_rotation_days=days) == ()
    for bad in (None, 365, 365.0):
        assert findings("security", key_rotation_days=bad) == ("SEC-KEY-001",)


@pytest.mark.parametrize("cap", [0.25, 0, "0.5", "unlimited", 0.6, None])
def test_2_liability_cap_passes_unless_exactly_half(cap: Any) -> None:
    """LEGAL-LIAB-001 fires on a cap equal to 0.5; a smaller one and the text "0.5" pass."""
    assert findings("legal", liability_cap_multiplier=cap) == ()
    assert findings("legal", liability_cap_multiplier=0.5) == ("LEGAL-LIAB-001",)


@pytest.mark.parametrize(
    ("gate", "at_the_limit", "beyond", "rule"),
    [
        ("it", {"technology_eol_months": 12}, {"technology_eol_months": 11}, "IT-EOL-001"),
        ("it", {"capacity_headroom_pct": 15}, {"capacity_headroom_pct": 14}, "IT-CAPACITY-001"),
        ("general", {"roi": 0.05}, {"roi": 0.0499}, "GEN-BC-001"),
        (
            "tech_readiness",
            {"load_test_pct_of_peak": 100},
            {"load_test_pct_of_peak": 99},
            "TR-LOAD-001",
        ),
        (
            "architecture",
            {"measured_latency_ms": 200},
            {"measured_latency_ms": 201},
            "ARCH-PERF-001",
        ),
        (
            "tech_readiness",
            {"measured_restore_hours": 4},
            {"measured_restore_hours": 4.1},
            "TR-RTO-001",
        ),
        (
            "tech_readiness",
            {"measured_data_loss_minutes": 15},
            {"measured_data_loss_minutes": 16},
            "TR-RPO-001",
        ),
        (
            "procurement",
            {"purchasing_budget_eur": 900_000},
            {"purchasing_budget_eur": 899_999},
            "PROC-BUDGET-001",
        ),
    ],
)
def test_3_limits_are_strict(
    gate: str, at_the_limit: dict[str, Any], beyond: dict[str, Any], rule: str
) -> None:
    """A value equal to its limit passes; the next one beyond does not."""
    assert findings(gate, "build_acceptance", **at_the_limit) == ()
    assert findings(gate, "build_acceptance", **beyond) == (rule,)


@pytest.mark.parametrize(
    ("gate", "phase", "field"),
    [
        ("it", "deployment_closure", "change_record_status"),
        ("architecture", "design", "reversibility_status"),
        ("security", "build_acceptance", "pentest_status"),
        ("procurement", "design", "offer.due_diligence"),
        ("procurement", "design", "offer.sanctions"),
        ("legal", "design", "audit_right"),
        ("legal", "design", "ip_ownership"),
        ("legal", "design", "log_export_clause"),
        ("compliance", "design", "audit_trail"),
        ("compliance", "design", "regulatory_mapping"),
        ("compliance", "design", "accessibility_status"),
        ("compliance", "design", "export_control"),
        ("general", "design", "strategic_alignment"),
        ("general", "deployment_closure", "change_plan_status"),
    ],
)
def test_4_rules_that_list_bad_words_let_any_other_pass(gate: str, phase: Any, field: str) -> None:
    """An unheard-of word is no finding where the rule names the bad words."""
    for word in ("unheard_of", "", None, 7):
        assert findings(gate, phase, **{field: word}) == ()


def test_4_rules_that_name_the_good_word_fire_on_any_other() -> None:
    """MFA, runbook and DPIA fire on an unheard-of word; the DPA lets it pass."""
    assert findings("security", mfa="unheard_of") == ("SEC-IAM-001",)
    assert findings("tech_readiness", runbook_status="unheard_of") == ("TR-OPS-001",)
    assert findings("compliance", dpia_required=True, dpia_status="odd") == ("COMP-DPIA-001",)
    personal = build(spotless() | {"project.personal_data": True, "legal.dpa_status": "odd"})
    assert evaluate_gate(personal, "legal", phase="design").finding_ids == ()


def test_5_case_matters_except_for_the_waf_mode() -> None:
    """`Draft` is not `draft`, but `DETECTION` is `Detection`."""
    assert findings("architecture", reversibility_status="Draft") == ()
    assert findings("security", mfa="Mandatory") == ("SEC-IAM-001",)
    for word in ("detection", "DETECTION", "Detection"):
        assert findings("security", waf_mode=word) == ("SEC-WAF-002",)


def test_6_data_loss_is_judged_without_a_restore_and_restore_time_is_not() -> None:
    """Without a successful restore TR-RPO-001 can fire, TR-RTO-001 cannot."""
    found = findings(
        "tech_readiness",
        restore_tested=False,
        measured_restore_hours=99,
        measured_data_loss_minutes=99,
    )
    assert found == ("TR-RESTORE-001", "TR-RPO-001")


def test_7_failover_is_owed_only_by_a_second_region() -> None:
    """A critical service that owes no failover may leave it untested."""
    facts = spotless() | {"project.business_criticality": "Critical"}
    assert facts["tech_readiness.dr_required"] is False
    result = evaluate_gate(build(facts), "tech_readiness", phase="build_acceptance")
    assert result.finding_ids == ()


def test_8_distractors_are_never_read() -> None:
    """Waiver expiry, pentest age, high vulnerabilities and retention are no fields of any rule."""
    read = {name for rule in TABLE.rules.values() for name in rule.fields}
    for name in (
        "it.waiver_expiry_days",
        "security.pentest_age_days",
        "security.high_vulns_open",
        "compliance.retention_years",
    ):
        assert name not in read
    assert findings("it", catalog_status="approved_exception", waiver_present=False) == ()
    assert findings("compliance", audit_trail="partial", regulatory_mapping="partial") == ()
    assert findings("compliance", accessibility_status="not_assessed") == ()


def test_9_rework_needs_no_authorization_and_no_go_does() -> None:
    """GO and REWORK are nobody's to authorise; the other three are."""
    cases: list[tuple[str, Facts]] = [
        ("it", {}),
        ("it", {"it.capacity_headroom_pct": 1}),
        ("it", {"it.run_owner_present": False}),
        ("legal", {"legal.insurance_valid": False}),
        ("architecture", {"architecture.ip_overlap": True}),
    ]
    needs = {}
    for gate, facts in cases:
        result = evaluate_gate(build(spotless() | facts), gate, phase="build_acceptance")
        needs[result.disposition] = result.authorization_required
    assert needs == {
        "GO": False,
        "GO_WITH_RESERVATIONS": True,
        "REWORK": False,
        "SUSPENSION": True,
        "NO_GO": True,
    }


def test_10_opinion_and_blocking_findings_of_a_used_approval_are_stale() -> None:
    """An effective GO_WITH_RESERVATIONS keeps the blocking findings of the original decision."""
    route = TABLE.route("buy")
    place = route.occurrence("BUY-05-IT-1")
    held = Mandate(
        reference="M", occurrence_id=place.occurrence_id, gate="it", phase=place.phase,
        authority="Ida", scope="All.", active=True,
    )  # fmt: skip
    accepted = Approval(
        gate="it", finding_ids=("IT-EOL-001",), conditions=("Soon.",), approval_reference="M"
    )
    found = effective_references(
        build(spotless() | {"it.technology_eol_months": 3}),
        route,
        submitted={place.occurrence_id: "GO_WITH_RESERVATIONS"},
        approvals={place.occurrence_id: [accepted]},
        mandates=[held],
    )[4]
    assert found.decision.disposition == "GO_WITH_RESERVATIONS"
    assert found.decision.blocking_findings == ("IT-EOL-001",)
    assert found.decision.expert_opinion == "FAVORABLE_WITH_RESERVATIONS"


def test_11_one_selection_of_upstream_decisions() -> None:
    """The other selection (earlier results of the phase, General too) agrees on every route."""
    bad = build(spotless() | {"compliance.audit_trail": "missing", "general.roi": 0})
    for route in TABLE.routes.values():
        results = evaluate_route(bad, route)
        for index, result in enumerate(results):
            if result.gate != "general":
                continue
            earlier = results[:index]
            same = [entry.gate for entry in earlier if entry.phase == result.phase]
            last = max((i for i, e in enumerate(earlier) if e.gate == "general"), default=-1)
            other = same or [entry.gate for entry in earlier[last + 1 :]]
            assert [entry.gate for entry in result.upstream_context] == other


def test_18_descriptions_of_counted_findings_are_sentences() -> None:
    """The five findings that quote a number are described with a letter in its place."""
    counted = {rule.id for rule in TABLE.rules.values() if rule.count}
    assert len(counted) == 5
    for gate in TABLE.gates:
        for candidate in candidate_findings(gate):
            quotes = re.search(r": n\b", candidate.description)
            assert bool(quotes) == (candidate.id in counted)


def test_23_selected_vendor_without_an_offer() -> None:
    """A vendor nobody offered for is a named error, not an internal one."""
    case = build(spotless() | {"procurement.selected_vendor": "Nobody"})
    with pytest.raises(UnknownVendorError, match="'Nobody'"):
        evaluate_gate(case, "procurement", phase="design")


def test_24_full_lifecycle_is_known_as_not_certifiable() -> None:
    """The route can be judged, and says of itself that it cannot be certified."""
    route = TABLE.route("full_lifecycle")
    assert len(evaluate_route(build(spotless()), route)) == 26
    assert not route.certifiable
    assert all(TABLE.route(name).certifiable for name in ("buy", "integrate", "build"))
