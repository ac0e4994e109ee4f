"""A small hand-made world for the tests of evidence: enough of a canonical case for every writer.

The values are chosen so that every branch of a writer can be reached by changing one of them.
"""

from __future__ import annotations

import copy
from typing import Any

from generators.evidence import DossierContext
from generators.governance import builtin_rules

_OFFERS = [
    {
        "vendor": f"Vendor {letter} AB12C-{number}",
        "functional_score": 70 + number,
        "security_score": 60 + number,
        "tco_3y_eur": 600_000 + 100_000 * number,
        "mandatory_criteria_failed": number % 2,
        "sanctions": "clear",
        "references_checked": number % 2 == 0,
        "due_diligence": "complete",
        "weighted_score": 70.5 + number,
    }
    for number, letter in enumerate("ABCD", start=1)
]

_CASE: dict[str, Any] = {
    "schema_version": "2.0-facts-first",
    "seed": 4242,
    "difficulty": 4,
    "project": {
        "project_id": "DGF-BUY-004242",
        "project_name": "Project Heron, Claims [AB12C]",
        "project_code": "AB12C",
        "business_unit": "Finance",
        "sponsor": "Ada Sponsor",
        "project_manager": "Ben Manager",
        "business_owner": "Cora Owner",
        "service_owner": "Dan Service",
        "risk_owner": "Eve Risk",
        "start_date": "2026-09-21",
        "target_go_live": "2027-05-01",
        "budget_requested_eur": 900_000,
        "data_classification": "Confidential",
        "business_criticality": "High",
        "primary_region": "West Europe",
        "personal_data": True,
    },
    "architecture_profile": {
        "edge_services": ["Azure Front Door", "Azure WAF"],
        "compute_services": ["AKS"],
        "data_services": ["Azure SQL Database", "Event Hubs"],
        "platform_services": ["Event Hubs"],
        "resource_prefix": "hrn4242",
        "primary_region": "West Europe",
        "secondary_region": None,
        "multi_region": False,
        "multi_az": True,
        "internet_facing": True,
        "private_endpoints": True,
        "azure_firewall": True,
        "api_management": True,
        "semantic_edge": {"bot_protection": False},
        "semantic_network": {"firewall_tls_inspection": True},
    },
    "general": {
        "strategic_alignment": "strong",
        "portfolio_priority": "P1",
        "budget_requested_eur": 900_000,
        "budget_approved_eur": 765_000,
        "roi": 0.125,
        "npv_eur": 120_000,
        "payback_months": 24,
        "change_plan_status": "complete",
    },
    "it": {
        "catalog_status": "non_standard",
        "waiver_present": True,
        "waiver_expiry_days": 90,
        "duplicate_capability": False,
        "license_compliant": True,
        "annual_license_cost_eur": 100_000,
        "cmdb_record_present": True,
        "run_owner_present": True,
        "support_model": "product_team",
        "capacity_headroom_pct": 30,
        "technology_eol_months": 36,
        "change_record_status": "approved",
        "service_continuity_class": "silver",
        "hosting_model": "aks",
    },
    "architecture": {
        "api_gateway_required": True,
        "api_gateway_present": True,
        "ip_overlap": False,
        "data_owner_present": True,
        "data_lineage_complete": True,
        "latency_target_ms": 100,
        "measured_latency_ms": 95,
        "architecture_debt_items": 2,
        "adr_count": 3,
        "reversibility_status": "tested",
        "dns_zone": "dgf-buy-004242.corp.example",
        "private_cidrs": ["10.1.0.0/24", "10.1.1.0/24", "10.1.2.0/24"],
    },
    "security": {
        "internet_exposed": True,
        "waf_present": True,
        "waf_mode": "Prevention",
        "private_endpoints": True,
        "mfa": "mandatory",
        "pim": True,
        "sentinel": True,
        "logs_to_siem": True,
        "managed_identity": True,
        "shared_service_principal": False,
        "secrets_in_keyvault": True,
        "key_rotation_days": 90,
        "critical_vulns_open": 2,
        "high_vulns_open": 3,
        "pentest_status": "pass",
    },
    "tech_readiness": {
        "backup_enabled": True,
        "restore_tested": True,
        "target_rto_hours": 4,
        "measured_restore_hours": 3.4,
        "target_rpo_minutes": 60,
        "measured_data_loss_minutes": 30,
        "dr_required": False,
        "dr_tested": False,
        "load_test_pct_of_peak": 100,
        "p95_ms": 180,
        "test_completion_pct": 95,
        "critical_static_findings": 0,
        "unit_test_coverage_pct": 80,
        "observability_metrics": True,
        "runbook_status": "approved",
        "on_call_defined": True,
        "handover_signed": True,
        "rollback_tested": True,
        "open_blockers": 1,
    },
    "procurement": {
        "selected_vendor": "Vendor B AB12C-2",
        "purchasing_budget_eur": 900_000,
        "offers": _OFFERS,
    },
    "legal": {
        "dpa_status": "signed",
        "liability_cap_multiplier": 2,
        "security_carveout": True,
        "audit_right": "full",
        "exit_assistance_days": 90,
        "ip_ownership": "customer",
        "insurance_valid": True,
        "signing_authority_valid": True,
        "log_export_clause": "included",
        "contract_version": "MSA-AB12C-4.2",
    },
    "compliance": {
        "applicable_regulations": ["GDPR", "DORA"],
        "required_residency": "EU",
        "residency_compliant": True,
        "dpia_required": True,
        "dpia_status": "complete",
        "audit_trail": "complete",
        "regulatory_mapping": "complete",
        "accessibility_status": "pass",
        "export_control": "clear",
        "retention_years": 5,
        "legal_hold_supported": True,
        "deletion_enforced": False,
    },
}


def make_context(
    *, seed: int = 4242, difficulty: int = 4, route: str = "buy", **changes: dict[str, Any]
) -> DossierContext:
    """The context of the hand-made case, with `section={key: value}` changes applied."""
    case = copy.deepcopy(_CASE)
    case |= {"seed": seed, "difficulty": difficulty}
    for section, values in changes.items():
        case[section] |= values
    return DossierContext(case, case_id=f"case-{seed}", route=builtin_rules().route(route))
