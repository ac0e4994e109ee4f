"""Which services stand in which zone of the diagram, and what its panels say.

The order of zones is the order of the diagram's labels. Everything shown is true: the diagram is
drawn from the case and no hidden mode touches it. Protocol, dossier section 6.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from generators.diagram.networks import network_zones
from generators.diagram.zones import Flow, Place, Zone, chosen
from generators.governance import Case

REGION: Final[Place] = (535, 135, 975, 875)
_OUTSIDE: Final[Place] = (24, 135, 230, 450)
_INGRESS: Final[Place] = (280, 135, 230, 450)
_PLAN: Final[Place] = (24, 605, 486, 190)
_ACCESS: Final[Place] = (24, 815, 486, 195)
_OPERATIONS: Final[Place] = (560, 785, 925, 205)
_RESILIENCE: Final[Place] = (1535, 135, 421, 630)
_RECOVERY: Final[Place] = (1535, 785, 421, 225)
_SUMMARY: Final[Place] = (24, 1030, 1932, 266)


class Topology(msgspec.Struct, frozen=True, kw_only=True):
    """All that is drawn."""

    heading: tuple[str, ...]
    """Project name, then two lines of particulars."""
    prefix: str
    zones: tuple[Zone, ...]
    flows: tuple[Flow, ...]
    summary: Zone
    facts: tuple[tuple[str, str], ...]
    """Labels and values of the summary."""


def topology_of(case: Case) -> Topology:
    """The topology of a case."""
    project, profile = case["project"], case["architecture_profile"]
    inner, flows = network_zones(case)
    return Topology(
        heading=(
            project["project_name"],
            _joined(
                project["project_id"],
                profile["architecture_id"],
                profile["solution_type"],
                profile["network_profile"],
                f"drawing version {profile['version']}",
            ),
            _joined(
                profile["primary_region"],
                profile["resilience_profile"],
                profile["compute_profile"],
                f"signature {profile['architecture_signature']}",
            ),
        ),
        prefix=profile["resource_prefix"],
        zones=(
            _outside(profile),
            _ingress(profile),
            _address_plan(case),
            _access_paths(profile),
            _region(profile),
            *inner,
            _operations(profile),
            _resilience(profile),
            _recovery(profile),
        ),
        flows=(
            Flow(start=(256, 350), length=22),
            Flow(start=(512, 350), length=22),
            *flows,
        ),
        summary=Zone(place=_SUMMARY, title="Architecture summary", tone="outside"),
        facts=_facts(case),
    )


def _joined(*parts: str) -> str:
    return "  ·  ".join(parts)


def _outside(profile: Mapping[str, Any]) -> Zone:
    private_lines = profile["expressroute"] or profile["vpn"]
    return Zone(
        place=_OUTSIDE,
        title="Users and identity",
        tone="outside",
        services=chosen(
            ("Internet Users", profile["internet_facing"]),
            ("Corporate Users", not profile["internet_facing"]),
            ("Microsoft Entra ID", profile["entra_id"]),
            ("Corporate Network", private_lines or profile["network_profile"] == "virtual_wan"),
        ),
    )


def _ingress(profile: Mapping[str, Any]) -> Zone:
    return Zone(
        place=_INGRESS,
        title="Ingress and edge",
        tone="edge",
        services=(
            *profile["edge_services"],
            *chosen(("DDoS Protection", profile["ddos_protection"] and profile["internet_facing"])),
        ),
    )


def _address_plan(case: Case) -> Zone:
    hub, app, data = case["architecture"]["private_cidrs"][:3]
    first = (
        "Management" if case["architecture_profile"]["network_profile"] == "single_vnet" else "Hub"
    )
    return Zone(
        place=_PLAN,
        title="Address plan",
        tone="network",
        lines=(
            f"{first}: {hub}",
            f"Application: {app}",
            f"Data: {data}",
            f"DNS zone: {case['architecture']['dns_zone']}",
        ),
    )


def _access_paths(profile: Mapping[str, Any]) -> Zone:
    edge, compute, data = (
        profile[kind][0] for kind in ("edge_services", "compute_services", "data_services")
    )
    entry = f"Users → {edge} → {compute}" if profile["internet_facing"] else f"Users → {compute}"
    link = "private endpoint" if profile["private_endpoints"] else "service endpoint"
    return Zone(
        place=_ACCESS,
        title="Access paths",
        tone="edge",
        lines=(
            entry,
            f"{compute} → {data}",
            f"Data link: {link}",
            "Operators → " + ("Azure Bastion" if profile["bastion"] else "management network"),
            "Branches → " + _branch_access(profile),
        ),
    )


def _branch_access(profile: Mapping[str, Any]) -> str:
    links = [
        name for name, used in (("ExpressRoute", "expressroute"), ("VPN", "vpn")) if profile[used]
    ]
    return " and ".join(links) if links else "no private line"


def _region(profile: Mapping[str, Any]) -> Zone:
    zones = "several availability zones" if profile["multi_az"] else "one availability zone"
    return Zone(
        place=REGION,
        title=f"Primary region: {profile['primary_region']}",
        note=f"Deployed to {zones}",
        tone="compute",
        style="dashed",
    )


def _operations(profile: Mapping[str, Any]) -> Zone:
    services = chosen(
        ("Application Insights", profile["application_insights"]),
        ("Azure Monitor", True),
        ("Log Analytics", True),
        ("Microsoft Sentinel", profile["sentinel"]),
        ("Defender for Cloud", profile["defender_for_cloud"]),
        ("Azure Backup / RSV", profile["backup_enabled"]),
    )
    return Zone(
        place=_OPERATIONS,
        title="Operations",
        tone="operations",
        services=services,
        columns=3,
    )


def _resilience(profile: Mapping[str, Any]) -> Zone:
    vault = ("Recovery Vault", profile["backup_enabled"])
    services: tuple[str, ...]
    match profile["resilience_profile"]:
        case "multi_region_active_active":
            title = "Second active region"
            services = ("Global Routing / Health", "Active Workload", "Replicated Data")
        case "multi_region_active_passive":
            title = "Standby region"
            site_recovery = ("Azure Site Recovery", profile["azure_site_recovery"])
            services = ("Standby Workload", "Replicated Data", *chosen(site_recovery, vault))
        case "single_region_multi_az":
            title = "Availability zones"
            services = tuple(f"Availability Zone {n}" for n in profile["availability_zones"])
        case "backup_only":
            title = "Recovery from backup"
            services = chosen(vault)
        case _:
            title = "Single region, single zone"
            services = ("Availability Zone 1",)
    return Zone(
        place=_RESILIENCE,
        title=title,
        note=profile["secondary_region"] or profile["primary_region"],
        tone="resilience",
        services=services,
    )


def _recovery(profile: Mapping[str, Any]) -> Zone:
    if profile["multi_region"]:
        test = _tested("Failover", tested=profile["dr_tested"])
    else:
        test = _tested("Restore", tested=profile["restore_tested"])
    return Zone(
        place=_RECOVERY,
        title="Recovery objectives",
        tone="resilience",
        lines=(
            f"Mode: {profile['dr_mode']}",
            _joined(f"RTO {profile['rto_hours']} h", f"RPO {profile['rpo_minutes']} min"),
            f"Replication: {profile['data_replication']}",
            test,
        ),
    )


def _tested(what: str, *, tested: bool) -> str:
    return f"{what} tested" if tested else f"{what} not tested"


def _facts(case: Case) -> tuple[tuple[str, str], ...]:
    profile = case["architecture_profile"]
    return (
        ("Architecture", profile["architecture_id"]),
        ("Design version", case["architecture"]["hld_version"]),
        ("Solution type", profile["solution_type"]),
        ("Edge pattern", profile["edge_pattern"]),
        ("Compute profile", profile["compute_profile"]),
        ("Data profile", profile["data_profile"]),
        ("Network profile", profile["network_profile"]),
        ("Resilience profile", profile["resilience_profile"]),
        ("Private endpoints", _yes(profile["private_endpoints"])),
        ("Azure Firewall", _yes(profile["azure_firewall"])),
        ("ExpressRoute", _yes(profile["expressroute"])),
        ("VPN", _yes(profile["vpn"])),
        ("RTO", f"{profile['rto_hours']} h"),
        ("RPO", f"{profile['rpo_minutes']} min"),
        ("DR tested", _yes(profile["dr_tested"])),
        ("Resource prefix", profile["resource_prefix"]),
    )


def _yes(flag: object) -> str:
    return "yes" if flag else "no"
