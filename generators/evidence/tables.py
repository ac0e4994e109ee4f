"""The tables and JSON documents that the difficulty levers leave alone.

One function per source, named after it. Protocol, dossier section 5.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from generators.evidence.context import DossierContext
from generators.evidence.formats import Row, csv_bytes, json_bytes
from generators.evidence.texts import texts

Rows: TypeAlias = list[dict[str, Any]]
Document: TypeAlias = dict[str, Any]
Content: TypeAlias = Rows | Document | str

ACTION_COLUMNS = (
    "occurrence_id",
    "gate",
    "finding_id",
    "action",
    "owner",
    "status",
    "due_date",
)


_TIERS = ("compute_services", "data_services", "platform_services", "edge_services")

Writer: TypeAlias = Callable[[DossierContext], Content]
W = TypeVar("W", bound=Writer)

_WRITERS: dict[str, Writer] = {}


def build_tables(ctx: DossierContext) -> dict[str, bytes]:
    """The files of this module for one dossier, withheld ones included: path → bytes."""
    sources = ctx.catalog.sources
    built = {sources[name].path: _encode(write(ctx)) for name, write in _WRITERS.items()}
    built[sources["ACTION_REGISTER"].path] = csv_bytes([], ACTION_COLUMNS)
    return built


def _encode(content: Content) -> bytes:
    if isinstance(content, str):
        return content.encode()
    return csv_bytes(content) if isinstance(content, list) else json_bytes(content)


def _source(evidence_id: str) -> Callable[[W], W]:
    """Register what is written for `evidence_id`: rows of a CSV, a JSON document, or text."""

    def register(writer: W) -> W:
        _WRITERS[evidence_id] = writer
        return writer

    return register


# -- general


@_source("BUSINESS_CASE")
def _business_case(ctx: DossierContext) -> Rows:
    general = ctx.case["general"]

    def shown(key: str, value: Any) -> Any:
        return ctx.shown("BUSINESS_CASE", key, value)

    values = {
        "ROI": shown("roi", general["roi"]),
        "NPV_EUR": shown("npv", general["npv_eur"]),
        "Payback_months": shown("payback", general["payback_months"]),
        "Strategic_alignment": shown("strategic_alignment", general["strategic_alignment"]),
        "Portfolio_priority": general["portfolio_priority"],
    }
    return [{"metric": metric, "value": value} for metric, value in values.items()]


# -- it


@_source("ITSM_CHANGE")
def _itsm_change(ctx: DossierContext) -> Rows:
    return [
        {
            "change_id": f"CHG{ctx.seed % 100_000:05d}",
            "planned_go_live": ctx.case["project"]["target_go_live"],
            "status": ctx.case["it"]["change_record_status"],
        }
    ]


# -- architecture


@_source("FLOW_MATRIX")
def _flow_matrix(ctx: DossierContext) -> Rows:
    profile = ctx.case["architecture_profile"]
    edge, data = profile["edge_services"], profile["data_services"]
    protocol = "TLS/Private Link" if profile["private_endpoints"] else "TLS/Public endpoint"
    api_purpose = ctx.wording(texts().api_purpose, "FLOW_MATRIX")
    flows = [("Internet Users", edge[0], "HTTPS/443", "User traffic")] * profile["internet_facing"]
    if profile["api_management"]:
        flows.append((edge[-1], "Azure API Management", "HTTPS/443", api_purpose))
    flows.append((profile["compute_services"][0], data[0], protocol, "Application data"))
    classification = ctx.case["project"]["data_classification"]
    return [
        {
            "classification": classification,
            "destination": destination,
            "protocol": protocol,
            "purpose": purpose,
            "source": source,
        }
        for source, destination, protocol, purpose in flows
    ]


@_source("OPENAPI")
def _openapi(ctx: DossierContext) -> str:
    title = f"{ctx.case['project']['project_name']} API"
    if ": " in title:  # bare, it would start a mapping; a JSON string is a YAML one too
        title = json.dumps(title, ensure_ascii=False)
    return f"""\
openapi: 3.0.3
info:
  title: {title}
  version: 1.0.0
paths:
  /health:
    get:
      responses:
        '200':
          description: OK
  /v1/items:
    get:
      security:
        - oauth2: []
      responses:
        '200':
          description: Success
"""


@_source("DATA_MODEL")
def _data_model(ctx: DossierContext) -> Document:
    architecture, project = ctx.case["architecture"], ctx.case["project"]
    return {
        "data_owner": project["business_owner"] if architecture["data_owner_present"] else None,
        "classification": project["data_classification"],
        "personal_data": project["personal_data"],
        "lineage_complete": architecture["data_lineage_complete"],
    }


@_source("DATA_LINEAGE")
def _data_lineage(ctx: DossierContext) -> Rows:
    model = _data_model(ctx)
    return [
        {
            "lineage_status": "complete" if model["lineage_complete"] else "partial",
            "owner": model["data_owner"],
            "source": "Business source",
            "target": ctx.case["architecture_profile"]["data_services"][0],
        }
    ]


@_source("IP_PLAN")
def _ip_plan(ctx: DossierContext) -> Rows:
    architecture = ctx.case["architecture"]
    overlap = architecture["ip_overlap"]
    return [{"cidr": cidr, "overlap_detected": overlap} for cidr in architecture["private_cidrs"]]


@_source("ADR_REGISTER")
def _adr_register(ctx: DossierContext) -> Rows:
    architecture, profile = ctx.case["architecture"], ctx.case["architecture_profile"]
    decisions = sorted(texts().decision, key=lambda text: ctx.draw("adr", text))
    return [
        {
            "adr_id": f"ADR-{number:03d}",
            "decision": decision.format(
                compute=profile["compute_services"][0],
                data=profile["data_services"][0],
                prefix=profile["resource_prefix"],
                region=profile["primary_region"],
                zone=architecture["dns_zone"],
            ),
            "status": "Accepted",
        }
        for number, decision in enumerate(decisions[: architecture["adr_count"]], start=1)
    ]


@_source("ARCH_DEBT")
def _arch_debt(ctx: DossierContext) -> Rows:
    return [
        {
            "debt_id": f"DEBT-{number + 1:03d}",
            "owner": "Architecture",
            "severity": "medium",
            "target": "Post go-live",
        }
        for number in range(ctx.case["architecture"]["architecture_debt_items"])
    ]


# -- security


@_source("AZURE_RESOURCE_GRAPH")
def _azure_resource_graph(ctx: DossierContext) -> Document:
    profile = ctx.case["architecture_profile"]
    services = [name for tier in _TIERS for name in profile[tier]]

    def is_public(name: str) -> bool:
        # A service may be named in two tiers; what holds data is judged as data everywhere.
        if name in profile["data_services"]:
            return not profile["private_endpoints"]
        return bool(profile["internet_facing"])

    return {
        "resources": [
            {
                "name": name,
                "publicNetworkAccess": is_public(name),
                "region": profile["primary_region"],
                "multiAz": profile["multi_az"],
            }
            for name in services
        ],
        "private_endpoints": profile["private_endpoints"],
        "firewall": profile["azure_firewall"],
    }


@_source("IAM_EXPORT")
def _iam_export(ctx: DossierContext) -> Rows:
    security = ctx.case["security"]
    managed, shared = security["managed_identity"], security["shared_service_principal"]
    return [
        {
            "principal": "workload-mi" if managed else "svc-shared",
            "role": "Contributor" if shared else "Reader",
            "scope": "subscription" if shared else "resource-group",
            "type": "ManagedIdentity" if managed else "ServicePrincipal",
        }
    ]


@_source("CONDITIONAL_ACCESS")
def _conditional_access(ctx: DossierContext) -> Document:
    security = ctx.case["security"]
    return {
        "mfa": security["mfa"],
        "pim": security["pim"],
        "policy_state": "enabled" if security["mfa"] == "mandatory" else "reportOnly",
    }


@_source("NSG_RULES")
def _nsg_rules(ctx: DossierContext) -> Rows:
    source = "Internet" if ctx.case["security"]["internet_exposed"] else "CorpNet"
    columns = ("action", "destination", "direction", "port", "priority", "source")
    rules = (
        ("Allow", "AppSubnet", "Inbound", 443, 100, source),
        ("Deny", "*", "Inbound", "*", 4096, "*"),
    )
    return [dict(zip(columns, rule, strict=True)) for rule in rules]


@_source("WAF_POLICY")
def _waf_policy(ctx: DossierContext) -> Document:
    return {
        "present": ctx.case["security"]["waf_present"],
        "mode": ctx.case["security"]["waf_mode"],
        "managed_rules": "OWASP",
        "bot_protection": ctx.case["architecture_profile"]["semantic_edge"]["bot_protection"],
    }


@_source("SENTINEL_STATUS")
def _sentinel_status(ctx: DossierContext) -> Document:
    security = ctx.case["security"]
    connected = ["Azure Activity", "Entra ID", "Application"]
    return {
        "sentinel": security["sentinel"],
        "logs_to_siem": security["logs_to_siem"],
        "connectors": connected if security["logs_to_siem"] else [],
    }


@_source("FIREWALL_POLICY")
def _firewall_policy(ctx: DossierContext) -> Document:
    profile = ctx.case["architecture_profile"]
    firewall = profile["azure_firewall"]
    return {
        "azure_firewall": firewall,
        "default_egress": "deny" if firewall else "not_applicable",
        "tls_inspection": profile["semantic_network"]["firewall_tls_inspection"],
        "rule_collections": ["web-egress", "private-endpoints", "management"] if firewall else [],
    }


@_source("KEYVAULT_CONFIG")
def _keyvault_config(ctx: DossierContext) -> Document:
    security = ctx.case["security"]
    return {
        "secrets_in_keyvault": security["secrets_in_keyvault"],
        "key_rotation_days": security["key_rotation_days"],
        "private_endpoint": ctx.case["architecture_profile"]["private_endpoints"],
        "managed_identity": security["managed_identity"],
    }


@_source("DEFENDER_FINDINGS")
def _defender_findings(ctx: DossierContext) -> Rows:
    private = ctx.case["architecture_profile"]["private_endpoints"]
    return [
        {
            "finding": "Cloud posture assessment",
            "severity": "Low" if private else "High",
            "status": "Closed" if private else "Open",
        }
    ]


# -- tech readiness


@_source("BACKUP_JOBS")
def _backup_jobs(ctx: DossierContext) -> Rows:
    enabled = ctx.case["tech_readiness"]["backup_enabled"]
    return [
        {
            "enabled": enabled,
            "job": "daily-backup",
            "last_status": "Succeeded" if enabled else "NotConfigured",
            "retention_days": 35,
        }
    ]


@_source("FAILOVER_TEST")
def _failover_test(ctx: DossierContext) -> Rows:
    readiness = ctx.case["tech_readiness"]
    passed = readiness["dr_tested"] or not readiness["dr_required"]
    return [
        {
            "dr_required": readiness["dr_required"],
            "result": "PASS" if passed else "NOT_RUN",
            "secondary_region": ctx.case["architecture_profile"]["secondary_region"] or "N/A",
            "tested": readiness["dr_tested"],
        }
    ]


@_source("CI_PIPELINE")
def _ci_pipeline(ctx: DossierContext) -> Document:
    readiness = ctx.case["tech_readiness"]
    return {
        "unit_test_coverage_pct": readiness["unit_test_coverage_pct"],
        "critical_static_findings": readiness["critical_static_findings"],
        "build_reproducible": True,
    }


@_source("ROLLBACK_TEST")
def _rollback_test(ctx: DossierContext) -> Rows:
    tested = ctx.case["tech_readiness"]["rollback_tested"]
    return [{"result": "PASS" if tested else "NOT_RUN", "rollback_tested": tested}]


@_source("SLO_SLI")
def _slo_sli(ctx: DossierContext) -> Rows:
    readiness = ctx.case["tech_readiness"]
    availability = "99.6%" if readiness["open_blockers"] else "99.95%"
    return [
        {"observed": availability, "sli": "availability", "target": "99.9%"},
        {
            "observed": readiness["p95_ms"],
            "sli": "p95_latency_ms",
            "target": ctx.case["architecture"]["latency_target_ms"],
        },
    ]


@_source("MONITOR_ALERTS")
def _monitor_alerts(ctx: DossierContext) -> Rows:
    readiness = ctx.case["tech_readiness"]
    alerts = (
        ("Service availability", readiness["observability_metrics"], "critical"),
        ("Backup failure", readiness["backup_enabled"], "high"),
        ("Security log ingestion", ctx.case["security"]["logs_to_siem"], "high"),
    )
    return [{"alert": a, "configured": on, "severity": severity} for a, on, severity in alerts]


# -- procurement


@_source("VENDOR_OFFERS")
def _vendor_offers(ctx: DossierContext) -> Rows:
    return [dict(offer) for offer in ctx.case["procurement"]["offers"]]


@_source("SCORING_MATRIX")
def _scoring_matrix(ctx: DossierContext) -> Rows:
    return [
        {
            "functional": offer["functional_score"],
            "security": offer["security_score"],
            "selected": _is_selected(ctx, offer),
            "tco_3y_eur": offer["tco_3y_eur"],
            "vendor": offer["vendor"],
            "weighted_score": offer["weighted_score"],
        }
        for offer in ctx.case["procurement"]["offers"]
    ]


@_source("PRICING_TCO")
def _pricing_tco(ctx: DossierContext) -> Rows:
    return [
        {
            "annualized_eur": round(offer["tco_3y_eur"] / 3, 2),
            "selected": _is_selected(ctx, offer),
            "tco_3y_eur": offer["tco_3y_eur"],
            "vendor": offer["vendor"],
        }
        for offer in ctx.case["procurement"]["offers"]
    ]


@_source("VENDOR_RESPONSES")
def _vendor_responses(ctx: DossierContext) -> Document:
    name = ctx.case["project"]["project_name"]
    wordings = texts().vendor_statement

    def response(offer: Row) -> Document:
        vendor = offer["vendor"]
        statement = ctx.wording(wordings, "VENDOR_RESPONSES", vendor)
        checked = offer["references_checked"]
        return {
            "vendor": vendor,
            "statement": statement.format(vendor=vendor, name=name),
            "claimed_due_diligence": ctx.shown(
                "VENDOR_RESPONSES", f"dd:{vendor}", offer["due_diligence"]
            ),
            "claimed_references_checked": ctx.shown("VENDOR_RESPONSES", f"ref:{vendor}", checked),
        }

    return {
        "note": ctx.wording(texts().vendor_note, "VENDOR_RESPONSES"),
        "responses": [response(offer) for offer in ctx.case["procurement"]["offers"]],
    }


def _is_selected(ctx: DossierContext, offer: Row) -> bool:
    return bool(offer["vendor"] == ctx.case["procurement"]["selected_vendor"])


# -- legal


@_source("SIGNING_AUTHORITY")
def _signing_authority(ctx: DossierContext) -> Rows:
    project = ctx.case["project"]
    return [
        {
            "authority_valid": ctx.case["legal"]["signing_authority_valid"],
            "limit_eur": project["budget_requested_eur"],
            "signatory": project["sponsor"],
        }
    ]


@_source("CONTRACT_PLAYBOOK")
def _contract_playbook(ctx: DossierContext) -> Document:
    playbook = texts().playbook
    return {"required": {topic: ctx.wording(w, "playbook", topic) for topic, w in playbook.items()}}


# -- compliance


@_source("ROPA")
def _ropa(ctx: DossierContext) -> Rows:
    project = ctx.case["project"]
    return [
        {
            "controller": project["business_unit"],
            "personal_data": project["personal_data"],
            "processing": "Core service",
            "processor": ctx.case["procurement"]["selected_vendor"],
            "purpose": "Business operations",
            "retention_years": ctx.case["compliance"]["retention_years"],
        }
    ]


@_source("REG_MAPPING")
def _reg_mapping(ctx: DossierContext) -> Rows:
    compliance = ctx.case["compliance"]
    status = compliance["regulatory_mapping"]
    return [
        {"mapping_status": status, "owner": "GRC", "regulation": regulation}
        for regulation in compliance["applicable_regulations"]
    ]


@_source("RETENTION")
def _retention(ctx: DossierContext) -> Rows:
    compliance = ctx.case["compliance"]
    return [
        {
            "deletion_enforced": compliance["deletion_enforced"],
            "legal_hold": compliance["legal_hold_supported"],
            "record": "Application data",
            "retention_years": compliance["retention_years"],
        }
    ]


@_source("ACCESSIBILITY")
def _accessibility(ctx: DossierContext) -> Rows:
    return [
        {
            "scope": ctx.wording(texts().accessibility_scope, "ACCESSIBILITY"),
            "standard": "WCAG 2.2 AA",
            "status": ctx.case["compliance"]["accessibility_status"],
        }
    ]


@_source("CONTROL_MATRIX")
def _control_matrix(ctx: DossierContext) -> Rows:
    compliance = ctx.case["compliance"]
    pointer = ctx.wording(texts().mapping_pointer, "CONTROL_MATRIX")
    return [
        {
            "control_mapping_status": compliance["regulatory_mapping"],
            "evidence": pointer,
            "evidence_owner": "GRC",
            "obligation": regulation,
        }
        for regulation in compliance["applicable_regulations"]
    ]


@_source("EXPORT_CONTROL")
def _export_control(ctx: DossierContext) -> Rows:
    return [
        {
            "project_region": ctx.case["project"]["primary_region"],
            "review_owner": "Compliance",
            "status": ctx.case["compliance"]["export_control"],
        }
    ]
