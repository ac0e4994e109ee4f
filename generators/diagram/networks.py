"""The inside of the primary region: one layout for each network profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from generators.diagram.zones import Flow, Zone, chosen
from generators.governance import Case

_TIERS: Final = {
    "web_platform": ("Web and application tier", "Data tier"),
    "api_platform": ("API and service tier", "Persistence tier"),
    "enterprise_backoffice": ("Back-office tier", "Records tier"),
    "data_platform": ("Processing tier", "Data and analytics tier"),
    "agentic_ai": ("Agents and orchestration", "Knowledge and state"),
    "integration_platform": ("Integration runtime", "Messages and state"),
}


def network_zones(case: Case) -> tuple[tuple[Zone, ...], tuple[Flow, ...]]:
    """The inside of the primary region, but for its operations."""
    profile = case["architecture_profile"]
    tiers = _TIERS.get(profile["solution_type"], ("Application tier", "Data tier"))
    hub, app, data = case["architecture"]["private_cidrs"][:3]
    match profile["network_profile"]:
        case "single_vnet":
            return _single_network(profile, tiers, app=app, data=data)
        case "virtual_wan":
            return _virtual_wan(profile, tiers)
        case _:
            return _hub_and_spoke(profile, tiers, hub=hub)


def _hub_and_spoke(
    profile: Mapping[str, Any], tiers: tuple[str, str], *, hub: str
) -> tuple[tuple[Zone, ...], tuple[Flow, ...]]:
    zones = (
        Zone(
            place=(560, 205, 220, 560),
            title="Hub network",
            note=hub,
            tone="network",
            services=_network_services(profile),
        ),
        Zone(
            place=(805, 205, 430, 560),
            title=tiers[0],
            note="Workload spoke",
            tone="compute",
            services=_workload(profile),
            columns=2,
        ),
        Zone(
            place=(1260, 205, 225, 560),
            title=tiers[1],
            note=_data_access(profile),
            tone="data",
            services=_data(profile),
        ),
    )
    return zones, (Flow(start=(781, 350), length=22), Flow(start=(1236, 350), length=22))


def _single_network(
    profile: Mapping[str, Any], tiers: tuple[str, str], *, app: str, data: str
) -> tuple[tuple[Zone, ...], tuple[Flow, ...]]:
    zones = (
        Zone(
            place=(560, 205, 925, 565),
            title="Virtual network",
            note="One network, three subnets",
            tone="network",
            style="dashed",
        ),
        Zone(
            place=(580, 258, 610, 280),
            title=tiers[0],
            note=f"Application subnet {app}",
            tone="compute",
            services=_workload(profile),
            columns=3,
        ),
        Zone(
            place=(580, 552, 610, 208),
            title="Management subnet",
            note="Shared network services",
            tone="network",
            services=_network_services(profile),
            columns=3,
        ),
        Zone(
            place=(1215, 258, 250, 502),
            title=tiers[1],
            note=f"Data subnet {data}",
            tone="data",
            services=_data(profile),
        ),
    )
    return zones, (Flow(start=(1191, 400), length=22),)


def _virtual_wan(
    profile: Mapping[str, Any], tiers: tuple[str, str]
) -> tuple[tuple[Zone, ...], tuple[Flow, ...]]:
    zones = (
        Zone(
            place=(560, 205, 925, 122),
            title="Managed transit hub",
            note="Routes between branches and the workload",
            tone="network",
            services=("Azure Virtual WAN", *_network_services(profile)[:4]),
            columns=5,
        ),
        Zone(
            place=(560, 339, 650, 426),
            title=tiers[0],
            note="Workload network",
            tone="compute",
            services=_workload(profile),
            columns=3,
        ),
        Zone(
            place=(1235, 339, 250, 426),
            title=tiers[1],
            note=_data_access(profile),
            tone="data",
            services=_data(profile),
        ),
    )
    return zones, (Flow(start=(1211, 450), length=22),)


def _data_access(profile: Mapping[str, Any]) -> str:
    return "Private endpoints" if profile["private_endpoints"] else "Public endpoints"


def _network_services(profile: Mapping[str, Any]) -> tuple[str, ...]:
    return chosen(
        ("Azure Firewall", profile["azure_firewall"]),
        ("ER / VPN Gateway", profile["expressroute"] or profile["vpn"]),
        ("Azure Bastion", profile["bastion"]),
        ("Private DNS", True),
        ("NAT Gateway", profile["nat_gateway"]),
    )


def _workload(profile: Mapping[str, Any]) -> tuple[str, ...]:
    """Compute and platform services; what the data tier shows is not shown twice."""
    shown = (
        *chosen(("Azure API Management", profile["api_management"])),
        *profile["compute_services"],
        *profile["platform_services"],
    )
    data = set(_data(profile))
    return tuple(dict.fromkeys(service for service in shown if service not in data))


def _data(profile: Mapping[str, Any]) -> tuple[str, ...]:
    services = (*profile["data_services"], *chosen(("Azure Key Vault", profile["key_vault"])))
    return tuple(dict.fromkeys(services))
