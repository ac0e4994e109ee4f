"""Tables and documents of the Security Gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.formats import Content, Document, Rows

_TIERS = ("compute_services", "data_services", "platform_services", "edge_services")


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


def _conditional_access(ctx: DossierContext) -> Document:
    security = ctx.case["security"]
    return {
        "mfa": security["mfa"],
        "pim": security["pim"],
        "policy_state": "enabled" if security["mfa"] == "mandatory" else "reportOnly",
    }


def _nsg_rules(ctx: DossierContext) -> Rows:
    source = "Internet" if ctx.case["security"]["internet_exposed"] else "CorpNet"
    columns = ("action", "destination", "direction", "port", "priority", "source")
    rules = (
        ("Allow", "AppSubnet", "Inbound", 443, 100, source),
        ("Deny", "*", "Inbound", "*", 4096, "*"),
    )
    return [dict(zip(columns, rule, strict=True)) for rule in rules]


def _waf_policy(ctx: DossierContext) -> Document:
    return {
        "present": ctx.case["security"]["waf_present"],
        "mode": ctx.case["security"]["waf_mode"],
        "managed_rules": "OWASP",
        "bot_protection": ctx.case["architecture_profile"]["semantic_edge"]["bot_protection"],
    }


def _sentinel_status(ctx: DossierContext) -> Document:
    security = ctx.case["security"]
    connected = ["Azure Activity", "Entra ID", "Application"]
    return {
        "sentinel": security["sentinel"],
        "logs_to_siem": security["logs_to_siem"],
        "connectors": connected if security["logs_to_siem"] else [],
    }


def _firewall_policy(ctx: DossierContext) -> Document:
    profile = ctx.case["architecture_profile"]
    firewall = profile["azure_firewall"]
    return {
        "azure_firewall": firewall,
        "default_egress": "deny" if firewall else "not_applicable",
        "tls_inspection": profile["semantic_network"]["firewall_tls_inspection"],
        "rule_collections": ["web-egress", "private-endpoints", "management"] if firewall else [],
    }


def _keyvault_config(ctx: DossierContext) -> Document:
    security = ctx.case["security"]
    return {
        "secrets_in_keyvault": security["secrets_in_keyvault"],
        "key_rotation_days": security["key_rotation_days"],
        "private_endpoint": ctx.case["architecture_profile"]["private_endpoints"],
        "managed_identity": security["managed_identity"],
    }


def _defender_findings(ctx: DossierContext) -> Rows:
    private = ctx.case["architecture_profile"]["private_endpoints"]
    return [
        {
            "finding": "Cloud posture assessment",
            "severity": "Low" if private else "High",
            "status": "Closed" if private else "Open",
        }
    ]


WRITERS: Final[dict[str, Callable[[DossierContext], Content]]] = {
    "AZURE_RESOURCE_GRAPH": _azure_resource_graph,
    "IAM_EXPORT": _iam_export,
    "CONDITIONAL_ACCESS": _conditional_access,
    "NSG_RULES": _nsg_rules,
    "WAF_POLICY": _waf_policy,
    "SENTINEL_STATUS": _sentinel_status,
    "FIREWALL_POLICY": _firewall_policy,
    "KEYVAULT_CONFIG": _keyvault_config,
    "DEFENDER_FINDINGS": _defender_findings,
}
"""Evidence id → what is written for it."""
