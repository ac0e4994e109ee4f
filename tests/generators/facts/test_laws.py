"""Laws of the facts, and how often rules fire on them, for every version of the generator.

Seeds are fixed, so a test passes or fails once and for all; bounds are 4.5 standard errors.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import pytest

from generators.facts import make_case, version_names
from generators.governance import PHASES, builtin_rules, evaluate_gate, evaluate_route, read_fact
from tests.generators.governance.oracle import PRIORITY, RULES

Case: TypeAlias = dict[str, Any]
Law: TypeAlias = Mapping[Any, float]

SEEDS = range(10_000, 12_000)
SIGMAS = 4.5
FAITHFUL = ("compat-1", "hashed-2")
"""Versions that promise the published laws for every fact."""


def sample(version: str, *, difficulty: int = 4, route: str = "buy") -> list[Case]:
    """The cases the tests count."""
    return [make_case(seed, route=route, difficulty=difficulty, version=version) for seed in SEEDS]


@pytest.fixture(scope="module", params=FAITHFUL)
def hard(request: pytest.FixtureRequest) -> list[Case]:
    """Cases at difficulty 4 of the versions that follow every law."""
    return sample(request.param)


@pytest.fixture(scope="module", params=itertools.product(FAITHFUL, range(1, 6)), ids=str)
def graded(request: pytest.FixtureRequest) -> tuple[int, list[Case]]:
    """A difficulty, and cases at it."""
    version, difficulty = request.param
    return difficulty, sample(version, difficulty=difficulty)


def near(count: int, total: int, share: float, published: int | None = None) -> bool:
    """Whether a count fits a share, itself counted on `published` cases if that is given."""
    spread = share * (1 - share)
    error = math.sqrt(spread / total + (spread / published if published else 0))
    rounding = 0.0006 if published else 1e-12
    return abs(count / total - share) <= SIGMAS * error + rounding + SIGMAS**2 / total / 2


def assert_law(name: str, values: Iterable[Any], law: Law) -> None:
    """Every value has its share, and there is no other."""
    counts = Counter(str(value) for value in values)
    total = sum(counts.values())
    expected = {str(value): share for value, share in law.items()}
    assert set(counts) <= set(expected), name
    for value, share in expected.items():
        assert near(counts[value], total, share), (name, value, counts[value] / total, share)


def even(*values: Any) -> Law:
    """Equally likely values; a repeated one weighs more."""
    return {value: count / len(values) for value, count in Counter(values).items()}


def odds(probability: float) -> Law:
    """A flag that is true with a probability."""
    return {True: probability, False: 1 - probability}


def weights(**numbers: int) -> Law:
    """Values by weight."""
    total = sum(numbers.values())
    return {value: number / total for value, number in numbers.items()}


LAWS: dict[str, Law] = {
    "project.business_criticality": weights(Low=1, Medium=3, High=5, Critical=3),
    "project.data_classification": weights(Internal=3, Confidential=5, Restricted=3, Public=1),
    "project.personal_data": odds(0.72),
    "project.external_users": odds(0.48),
    "project.users_impacted": even(80, 250, 500, 1000, 2000, 5000, 12000),
    "general.strategic_alignment": even("strong", "strong", "partial", "weak"),
    "general.change_plan_status": even("complete", "partial", "draft", "missing"),
    "it.catalog_status": even("standard", "standard", "approved_exception", "non_standard"),
    "it.waiver_present": odds(0.55),
    "it.duplicate_capability": odds(0.22),
    "it.license_compliant": odds(0.88),
    "it.cmdb_record_present": odds(0.86),
    "it.run_owner_present": odds(0.90),
    "it.capacity_headroom_pct": even(8, 15, 20, 30, 45),
    "it.technology_eol_months": even(4, 8, 18, 36, 60),
    "architecture.ip_overlap": odds(0.08 + 0.03 * 4),
    "architecture.data_owner_present": odds(0.88),
    "architecture.latency_target_ms": even(20, 50, 100, 200, 500),
    "architecture.measured_latency_ms": even(15, 30, 55, 95, 180, 350, 700),
    "architecture.reversibility_status": even("tested", "documented", "draft", "missing"),
    "security.shared_service_principal": odds(0.10 + 0.03 * 4),
    "security.private_endpoints": odds(0.55),
    "security.key_rotation_days": even(30, 60, 90, 180, 365, None),
    "security.critical_vulns_open": even(0, 0, 0, 1, 2, 3),
    "security.logs_to_siem": odds(0.80 * 0.88),
    "security.mfa": {"mandatory": 0.78, "optional": 0.11, "missing": 0.11},
    "tech_readiness.backup_enabled": odds(0.90),
    "tech_readiness.load_test_pct_of_peak": even(50, 75, 100, 125, 150),
    "tech_readiness.critical_static_findings": even(0, 0, 1, 2, 3),
    "tech_readiness.runbook_status": even("approved", "draft", "missing"),
    "tech_readiness.open_blockers": even(0, 0, 0, 1, 2, 3),
    "legal.liability_cap_multiplier": even(0.5, 1, 1, 2, 5, "unlimited"),
    "legal.audit_right": even("full", "limited", "reports_only", "none"),
    "legal.exit_assistance_days": even(0, 30, 60, 90, 180),
    "legal.signing_authority_valid": odds(0.90),
    "compliance.audit_trail": even("complete", "complete", "partial", "missing"),
    "compliance.regulatory_mapping": even("complete", "partial", "missing"),
    "compliance.export_control": even("clear", "clear", "pending", "restricted"),
    "architecture_profile.solution_type": weights(
        web_platform=3,
        api_platform=3,
        enterprise_backoffice=2,
        data_platform=2,
        agentic_ai=2,
        integration_platform=2,
    ),
    "architecture_profile.compute_profile": weights(
        vm_single=1,
        vm_ha=2,
        vmss=3,
        dedicated_host=1,
        aks=4,
        container_apps=4,
        app_service=3,
        functions=2,
        mixed=3,
    ),
    "architecture_profile.resilience_profile": weights(
        single_region_single_az=1 + 4,
        single_region_multi_az=5,
        multi_region_active_passive=4,
        multi_region_active_active=2,
        backup_only=1 + 4 // 2,
    ),
}
"""Laws at difficulty 4, as the protocol states them."""


@pytest.mark.parametrize("version", version_names())
def test_facts_follow_their_law(version: str) -> None:
    """Shares of every value over fixed seeds fit the protocol's law."""
    cases = sample(version)
    for name, law in LAWS.items():
        assert_law(name, (read_fact(case, name) for case in cases), law)


def test_restore_tests_do_not_depend_on_backups(hard: list[Case]) -> None:
    """A restore test succeeds with 0.70 whether or not there is a backup."""
    for backup in (True, False):
        chosen = [
            case["tech_readiness"]["restore_tested"]
            for case in hard
            if case["tech_readiness"]["backup_enabled"] is backup
        ]
        assert_law("restore tested", chosen, odds(0.70))


def test_recovery_is_owed_by_topologies_with_a_second_region(hard: list[Case]) -> None:
    """`dr_required` is `multi_region`, and a rehearsal succeeds with 0.62."""
    owed = []
    for case in hard:
        facts = case["tech_readiness"]
        assert facts["dr_required"] is case["architecture_profile"]["multi_region"]
        if facts["dr_required"]:
            owed.append(facts["dr_tested"])
        else:
            assert facts["dr_tested"] is False
    assert_law("recovery tested", owed, odds(0.62))


def test_only_a_backup_is_restored_in_the_coherent_version() -> None:
    """`coherent-3`: no restore test without a backup, 0.70 with one; critical services owe DR."""
    cases = sample("coherent-3")
    tested: dict[bool, list[bool]] = {True: [], False: []}
    for case in cases:
        facts = case["tech_readiness"]
        tested[facts["backup_enabled"]].append(facts["restore_tested"])
        critical = case["project"]["business_criticality"] == "Critical"
        second = case["architecture_profile"]["multi_region"]
        assert facts["dr_required"] is (critical or second)
    assert not any(tested[False])
    assert_law("restore tested", tested[True], odds(0.70))


EDGES: dict[str, Law] = {
    "enterprise_backoffice": weights(private_only=6, waf_only=2, frontdoor_waf_cdn=1),
    "data_platform": weights(private_only=4, frontdoor_waf_cdn=2, waf_only=2, frontdoor_only=1),
    "web_platform": weights(frontdoor_waf_cdn=6, cdn_then_waf=2, waf_only=2, frontdoor_only=1),
    "agentic_ai": weights(
        frontdoor_waf_cdn=4,
        cdn_then_waf=2,
        waf_then_cdn=1,
        waf_only=2,
        frontdoor_only=2,
        private_only=1,
    ),
}


def test_edge_patterns_follow_the_solution(hard: list[Case]) -> None:
    """Each type of solution has its own odds of edge patterns."""
    profiles = [case["architecture_profile"] for case in hard]
    for solution, law in EDGES.items():
        chosen = [each["edge_pattern"] for each in profiles if each["solution_type"] == solution]
        assert_law(solution, chosen, law)


def test_difficulty_sets_offers_and_exposure(graded: tuple[int, list[Case]]) -> None:
    """Mandatory failures, sanctions, private endpoints and overlap follow the difficulty."""
    difficulty, cases = graded
    offers = [offer for case in cases for offer in case["procurement"]["offers"]]
    failed = even(0, 1, 2) if difficulty >= 3 else even(0, 1)
    assert_law("failed", (offer["mandatory_criteria_failed"] for offer in offers), failed)
    hit = even("clear", "clear", "clear", "pending", "hit")
    words = hit if difficulty >= 4 else even("clear", "clear", "pending")
    assert_law("sanctions", (offer["sanctions"] for offer in offers), words)
    private = 0.75 if difficulty <= 3 else 0.55
    assert_law("private", (case["security"]["private_endpoints"] for case in cases), odds(private))
    overlap = 0.08 + 0.03 * difficulty
    assert_law("overlap", (case["architecture"]["ip_overlap"] for case in cases), odds(overlap))


RANGES = {
    "general.roi": (-0.03, 0.42),
    "general.fte_needed": (3, 30),
    "it.annual_license_cost_eur": (20_000, 650_000),
    "tech_readiness.p95_ms": (35, 1800),
}


def test_ranges_are_uniform(hard: list[Case]) -> None:
    """Mean and lower third of a uniform range fit, and nothing lies outside."""
    for name, (low, high) in RANGES.items():
        values: list[Any] = [read_fact(case, name) for case in hard]
        assert low <= min(values)
        assert max(values) <= high
        mean, width = sum(values) / len(values), high - low
        assert abs(mean - (low + high) / 2) <= SIGMAS * width / math.sqrt(12 * len(values)), name
        assert near(sum(value < low + width / 3 for value in values), len(values), 1 / 3), name


def test_rules_fire_at_the_published_rates(graded: tuple[int, list[Case]]) -> None:
    """Each rule fires as often as measured on 20,000 seeds, at a phase it is judged in."""
    difficulty, cases = graded
    meetings = [(gate, phase) for gate in builtin_rules().gates for phase in PHASES]
    fired: Counter[str] = Counter()
    for case in cases:
        results = [evaluate_gate(case, gate, phase=phase) for gate, phase in meetings]
        fired.update({name for result in results for name in result.finding_ids})
    rated = [rule for rule in RULES if "rate" in rule]
    assert len(rated) == 58
    for rule in rated:
        share = rule["rate"][difficulty - 1]
        assert near(fired[rule["id"]], len(cases), share, published=20_000), rule["id"]


SHARES: dict[tuple[str, str], tuple[float, ...]] = {
    ("integrate", "it"): (37.2, 0, 62.8, 0, 0),
    ("build", "it"): (37.2, 0, 62.8, 0, 0),
    ("buy", "it"): (23.0, 10.5, 66.5, 0, 0),
    ("integrate", "architecture"): (11.0, 32.0, 37.4, 0, 19.6),
    ("build", "architecture"): (11.0, 32.0, 37.4, 0, 19.6),
    ("buy", "security"): (5.6, 2.8, 22.8, 0, 68.8),
    ("build", "security"): (5.6, 2.8, 22.8, 0, 68.8),
    ("build", "tech_readiness"): (0.5, 1.9, 87.5, 0, 10.1),
    ("buy", "procurement"): (11.8, 2.1, 14.0, 33.8, 38.3),
    ("buy", "legal"): (11.0, 2.5, 65.7, 20.8, 0),
    ("integrate", "legal"): (11.0, 2.5, 65.7, 20.8, 0),
    ("integrate", "compliance"): (6.4, 0, 17.8, 11.5, 64.2),
    ("buy", "general"): (0.0, 0, 0.8, 6.2, 93.0),
    ("integrate", "general"): (0.0, 0, 2.3, 6.8, 91.0),
    ("build", "general"): (0.0, 0, 10.2, 12.4, 77.4),
}
"""Percent of GO, GO_WITH_RESERVATIONS, REWORK, SUSPENSION and NO_GO at difficulty 4."""


@pytest.mark.parametrize("route", ["buy", "integrate", "build"])
@pytest.mark.parametrize("version", FAITHFUL)
def test_decisions_have_the_published_shares(version: str, route: str) -> None:
    """Natural decisions at difficulty 4 are distributed as measured on 20,000 seeds."""
    taken = builtin_rules().route(route)
    decided: Counter[tuple[str, str]] = Counter()
    for case in sample(version, route=route):
        decided.update((row.gate, row.disposition) for row in evaluate_route(case, taken))
    for (on, gate), shares in SHARES.items():
        if on == route:
            for word, share in zip(PRIORITY, shares, strict=True):
                count = decided[gate, word]
                assert near(count, len(SEEDS), share / 100, published=20_000), (gate, word)
