"""What a case is made of: order, identity, digests, ledgers, and what may be asked for."""

from __future__ import annotations

import copy
import datetime as dt
import hashlib
import json
import uuid
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.facts import (
    CaseArgumentError,
    case_hash,
    case_id,
    make_case,
    redraw_gate,
    version_names,
)
from tests.generators.facts.oracle import DEFECTS, GATES, GENERATOR, flat, published_facts
from tests.generators.governance.oracle import PUBLISHED

ROUTES = {"buy": "BUY", "integrate": "INT", "build": "BLD", "full_lifecycle": "FUL"}
TYPES = {route["id"]: route["project_type"] for route in PUBLISHED["route"]}
IDENTITY = {
    "project_id",
    "project_name",
    "project_code",
    "project_type",
    "route",
    "architecture_id",
    "resource_prefix",
    "hld_version",
    "lld_version",
    "contract_version",
    "dns_zone",
    "vendor",
    "selected_vendor",
}
SIGNED = (
    "solution_type",
    "edge_pattern",
    "compute_profile",
    "data_profile",
    "network_profile",
    "resilience_profile",
    "primary_region",
    "secondary_region",
    "multi_az",
    "internet_facing",
    "private_endpoints",
    "azure_firewall",
    "bastion",
    "ddos_protection",
    "expressroute",
    "vpn",
    "nat_gateway",
    "api_management",
    "messaging",
    "sentinel",
    "logs_to_siem",
    "backup_enabled",
    "azure_site_recovery",
    "data_replication",
    "platform_services",
)

seeds = st.integers(0, 10**6)
difficulties = st.integers(1, 5)


def without_identity(value: Any) -> Any:
    """The facts of a case that are not its identity."""
    if isinstance(value, dict):
        return {key: without_identity(item) for key, item in value.items() if key not in IDENTITY}
    return [without_identity(item) for item in value] if isinstance(value, list) else value


def test_sections_are_in_the_order_of_the_protocol() -> None:
    """The top-level keys of a case, in order."""
    assert list(make_case(1, route="buy", difficulty=1)) == [
        "schema_version",
        "seed",
        "difficulty",
        "project",
        "architecture_profile",
        "general",
        "it",
        "architecture",
        "security",
        "tech_readiness",
        "procurement",
        "legal",
        "compliance",
    ]


@settings(deadline=None, max_examples=60)
@given(seed=seeds, route=st.sampled_from(sorted(ROUTES)), attempt=st.integers(0, 9))
def test_identity_follows_the_published_formulas(seed: int, route: str, attempt: int) -> None:
    """Ids, codes, versions, networks and vendor numbers are those of the protocol."""
    case = make_case(
        seed,
        route=route,
        difficulty=4,
        architecture_attempt=attempt,
        fact_attempts={"procurement": attempt},
    )
    drawn = published_facts(
        seed, 4, architecture_attempt=attempt, fact_attempts={"procurement": attempt}
    ).known
    project, profile = case["project"], case["architecture_profile"]
    code = hashlib.sha256(f"{route}|{seed}".encode()).hexdigest()[:5].upper()
    topology = seed + 10_000 + 104_729 * attempt
    digits = f"{topology % 100_000:05d}"
    assert project["project_id"] == f"DGF-{ROUTES[route]}-{seed:06d}"
    assert project["project_code"] == code
    assert project["project_name"].endswith(f"[{code}]")
    assert (profile["seed"], profile["case_seed"]) == (topology, seed)
    assert profile["architecture_id"] == f"ARCH-{code}-{digits}"
    assert profile["resource_prefix"] == f"{code}-{digits}".lower()
    architecture = case["architecture"]
    for kind in ("hld", "lld"):
        number = f"{drawn[f'tmp.{kind}_major']}.{drawn[f'tmp.{kind}_minor']}"
        assert architecture[f"{kind}_version"] == f"{kind.upper()}-{code}-v{number}"
    contract = f"{drawn['tmp.msa_major']}.{drawn['tmp.msa_minor']}"
    assert case["legal"]["contract_version"] == f"MSA-{code}-{contract}"
    second, third = 16 + (seed // 16) % 200, 16 * (seed % 16)
    assert architecture["private_cidrs"] == [f"10.{second}.{third + k}.0/24" for k in range(3)]
    network = profile["semantic_network"]
    assert [network[f"{place}_cidr"] for place in ("hub", "app", "data")] == architecture[
        "private_cidrs"
    ]
    assert architecture["dns_zone"] == f"{project['project_id'].lower()}.corp.example"
    vendors = [offer["vendor"] for offer in case["procurement"]["offers"]]
    assert [vendor.split()[-1] for vendor in vendors] == [f"{code}-{i}" for i in range(1, 5)]


@pytest.mark.parametrize("seed", range(8))
def test_vendor_roots_rotate_with_the_gate_seed(seed: int) -> None:
    """The first root is the gate seed modulo 8; the others follow, and start again after 8."""

    def roots(seed: int, attempt: int) -> list[str]:
        attempts = {"procurement": attempt}
        case = make_case(seed, route="buy", difficulty=1, fact_attempts=attempts)
        offers = case["procurement"]["offers"]
        return [offer["vendor"].rpartition(" ")[0] for offer in offers]

    assert len(set(roots(seed, 0))) == 4
    assert roots(seed, 0)[1:] == roots(seed + 1, 0)[:3]
    # 1,000,003 is 3 modulo 8.
    assert roots(seed, 1) == roots(seed + 3, 0) == roots(seed + 11, 0)


@pytest.mark.parametrize("route", ROUTES)
def test_codename_and_domain_rotate_with_the_seed(route: str) -> None:
    """Index (7 seed + 11 n) mod 30 and (13 seed + 5 n) mod 20, so names repeat after 60 seeds."""

    def words(seed: int) -> str:
        name: str = make_case(seed, route=route, difficulty=1)["project"]["project_name"]
        return name.rpartition(" [")[0]

    names = [words(seed) for seed in range(60)]
    assert len(set(names)) == 60
    assert [words(seed) for seed in range(60, 70)] == names[:10]


@pytest.mark.parametrize(("route", "kind"), TYPES.items())
def test_project_type_follows_the_route(route: str, kind: str) -> None:
    """A route has one kind of project."""
    assert make_case(3, route=route, difficulty=1)["project"]["project_type"] == kind


@settings(deadline=None, max_examples=60)
@given(seed=seeds)
def test_dates_are_shifts_from_the_first_start(seed: int) -> None:
    """Start is 2026-09-21 plus the drawn shift, go-live the drawn time later."""
    drawn = published_facts(seed, 1).known
    project = make_case(seed, route="buy", difficulty=1)["project"]
    start = dt.date.fromisoformat(project["start_date"])
    assert (start - dt.date(2026, 9, 21)).days == drawn["tmp.start_shift_days"]
    end = dt.date.fromisoformat(project["target_go_live"])
    assert (end - start).days == drawn["tmp.go_live_shift_days"]


@settings(deadline=None, max_examples=60)
@given(seed=seeds, difficulty=difficulties)
def test_services_are_looked_up(seed: int, difficulty: int) -> None:
    """Service lists come from the published tables; gateway first, brokers last, none twice."""
    profile = make_case(seed, route="buy", difficulty=difficulty)["architecture_profile"]
    for kind, key in (("edge", "edge_pattern"), ("compute", "compute_profile"),
                      ("data", "data_profile")):  # fmt: skip
        assert profile[f"{kind}_services"] == GENERATOR[f"{kind}_services"][profile[key]]
    own = GENERATOR["platform_services"][profile["solution_type"]]
    gateway = ["Azure API Management"] if profile["api_management"] else []
    brokers = ["Azure Service Bus", "Azure Event Hubs"] if profile["messaging"] else []
    expected = list(dict.fromkeys([*gateway, *own, *brokers]))
    assert profile["platform_services"] == expected
    assert profile["availability_zones"] == ([1, 2, 3] if profile["multi_az"] else [1])
    assert profile["entra_id"] is profile["key_vault"] is True
    assert profile["source_of_truth"] == "synthetic_resource_inventory"


@settings(deadline=None, max_examples=60)
@given(seed=seeds, difficulty=difficulties)
def test_ledgers_list_what_holds(seed: int, difficulty: int) -> None:
    """Defects in their order, then the faults of the semantic parts; conflicts only on defects."""
    profile = make_case(seed, route="buy", difficulty=difficulty)["architecture_profile"]
    named = [defect for defect, holds in DEFECTS if holds(profile)]
    faults = profile["semantic_faults"]
    assert [row["id"] for row in profile["defects"]] == named + [row["id"] for row in faults]
    assert all(row["severity"] == "high" for row in profile["defects"][: len(named)])
    assert {row["fact"] for row in profile["inconsistencies"]} <= set(named)
    assert all(row["type"] == "cross_document_conflict" for row in profile["inconsistencies"])
    layers = [row["layer"] for row in faults]
    assert layers == sorted(layers, key=["compute", "edge", "data"].index)
    found = {row["id"]: row["severity"] for row in faults}
    edge = profile["semantic_edge"]
    exposed = profile["internet_facing"] and not edge["waf_present"]
    assert found.get("edge_no_waf") == ("critical" if exposed else None)
    watching = edge["waf_mode"] == "Detection"
    assert found.get("waf_detection_only") == ("medium" if watching else None)
    assert ("data_public_endpoint" in found) is not profile["private_endpoints"]
    compute = profile["semantic_compute"]
    if "edr" in compute:
        assert ("vm_no_edr" in found) is not compute["edr"]
        assert found.get("vm_image_drift") == (None if compute["golden_image"] else "medium")
    if "replicas" in compute:
        assert ("aks_single_replica" in found) is (compute["replicas"] == 1)


@settings(deadline=None, max_examples=60)
@given(seed=seeds)
def test_signature_is_the_digest_of_the_topology(seed: int) -> None:
    """First 20 hex digits of SHA-256 over the sorted compact JSON of the signed keys."""
    profile = make_case(seed, route="buy", difficulty=4)["architecture_profile"]
    text = json.dumps({key: profile[key] for key in SIGNED}, sort_keys=True, separators=(",", ":"))
    assert profile["architecture_signature"] == hashlib.sha256(text.encode()).hexdigest()[:20]


def test_case_id_is_a_name_based_uuid_of_the_case_hash() -> None:
    """UUID 5 in the URL namespace; the hash is taken before the case has its id."""
    case = make_case(12, route="build", difficulty=2, architecture_attempt=3)
    text = json.dumps(case, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert case_hash(case) == digest
    name = f"DGF-decision-v9:12:build:2:3:{digest}"
    expected = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
    assert case_id(case, architecture_attempt=3) == expected
    case["case_id"] = expected
    assert case_hash(case) == digest


@settings(deadline=None, max_examples=60)
@given(seed=seeds, difficulty=difficulties)
def test_route_influences_identity_only(seed: int, difficulty: int) -> None:
    """The same seed and difficulty give the same facts on every route."""
    facts = [
        without_identity(make_case(seed, route=route, difficulty=difficulty)) for route in ROUTES
    ]
    assert all(other == facts[0] for other in facts[1:])


@settings(deadline=None, max_examples=60)
@given(
    seed=seeds,
    gate=st.sampled_from(GATES),
    attempt=st.integers(1, 100),
    version=st.sampled_from(version_names()),
)
def test_an_attempt_changes_only_its_gate(seed: int, gate: str, attempt: int, version: str) -> None:
    """Raising one gate's attempt leaves every other section alone, and that is what redraws do."""
    first = make_case(seed, route="buy", difficulty=4, version=version)
    other = make_case(
        seed, route="buy", difficulty=4, fact_attempts={gate: attempt}, version=version
    )
    assert {key for key in first if first[key] != other[key]} == {gate}
    assert redraw_gate(first, gate, attempt=attempt, version=version) == other
    assert redraw_gate(other, gate, attempt=0, version=version) == first


@settings(deadline=None, max_examples=60)
@given(seed=seeds, attempt=st.integers(1, 30))
def test_an_architecture_attempt_leaves_the_project_alone(seed: int, attempt: int) -> None:
    """The project and what does not rest on the architecture stay."""
    first = make_case(seed, route="integrate", difficulty=3)
    other = make_case(seed, route="integrate", difficulty=3, architecture_attempt=attempt)
    for section in ("project", "general", "procurement", "legal", "compliance"):
        assert first[section] == other[section]
    assert first["architecture_profile"]["seed"] != other["architecture_profile"]["seed"]


def test_no_two_cases_share_a_list() -> None:
    """Changing everything in one case leaves the next one as it was."""
    routine = {"route": "buy", "difficulty": 4}
    kept = [copy.deepcopy(make_case(seed, **routine)) for seed in range(40)]  # type: ignore[arg-type]  # mixed values
    for seed in range(40):
        case = make_case(seed, **routine)  # type: ignore[arg-type]  # mixed values
        for value in flat(case).values():
            if isinstance(value, list):
                value.append("changed")
    assert [make_case(seed, **routine) for seed in range(40)] == kept  # type: ignore[arg-type]  # mixed values


@pytest.mark.parametrize(
    "change",
    [
        {"seed": -1},
        {"seed": True},
        {"seed": 1.5},
        {"difficulty": 0},
        {"difficulty": 6},
        {"difficulty": True},
        {"difficulty": 2.5},
        {"difficulty": 4.0},
        {"architecture_attempt": -1},
        {"architecture_attempt": False},
        {"fact_attempts": {"it": True}},
        {"fact_attempts": {"it": -1}},
        {"fact_attempts": {"it": 1.0}},
        {"fact_attempts": {"IT": 1}},
        {"fact_attempts": {"topology": 1}},
        {"version": "compat-2"},
        {"version": None},
    ],
)
def test_arguments_no_case_can_be_made_for_are_refused(change: dict[str, Any]) -> None:
    """Attempts are whole numbers of one of the eight gates; difficulty is 1 to 5."""
    arguments: dict[str, Any] = {"seed": 1, "route": "buy", "difficulty": 4} | change
    with pytest.raises(CaseArgumentError) as caught:
        make_case(**arguments)
    assert caught.value.hint


def test_an_unknown_route_is_refused() -> None:
    """A route must be one of the rule table's."""
    with pytest.raises(Exception, match="unknown route 'lease'"):
        make_case(1, route="lease", difficulty=1)
