"""Counts and invariants the protocol states about its rules (section 2 and 3)."""

from __future__ import annotations

from collections import Counter

import pytest

from generators.governance import GENERAL, UnknownIdError, builtin_rules

TABLE = builtin_rules()
ROUTES = ("buy", "integrate", "build")
ALL = {"GO", "GO_WITH_RESERVATIONS", "REWORK", "SUSPENSION", "NO_GO"}


def _applicable(route: str) -> set[str]:
    return {
        rule.id
        for occurrence in TABLE.route(route).occurrences
        for rule in TABLE.rules_of(occurrence.gate, occurrence.phase)
    }


@pytest.mark.parametrize(
    ("gate", "rules", "on_routes", "severities", "acceptable", "dispositions", "per_route"),
    [
        ("it", 8, 7, (0, 5, 3), 4, (0, 1, 5, 2), (7, 4, 4)),
        ("architecture", 6, 6, (1, 3, 2), 2, (1, 0, 3, 2), (0, 6, 6)),
        ("security", 9, 8, (3, 5, 1), 2, (3, 0, 5, 1), (8, 8, 8)),
        ("tech_readiness", 10, 10, (1, 7, 2), 4, (1, 0, 7, 2), (0, 0, 10)),
        ("procurement", 6, 6, (2, 3, 1), 2, (2, 2, 1, 1), (6, 0, 0)),
        ("legal", 8, 8, (2, 5, 1), 4, (0, 2, 5, 1), (8, 8, 0)),
        ("compliance", 7, 7, (2, 5, 0), 1, (2, 1, 4, 0), (7, 7, 0)),
        ("general", 7, 6, (1, 4, 2), 4, (1, 3, 2, 1), (6, 6, 6)),
    ],
)
def test_counts_per_gate(
    gate: str,
    rules: int,
    on_routes: int,
    severities: tuple[int, ...],
    acceptable: int,
    dispositions: tuple[int, ...],
    per_route: tuple[int, ...],
) -> None:
    """Rules per gate: all, reachable, by severity, acceptable, by disposition, on each route."""
    own = TABLE.rules_of(gate)
    names = {rule.id for rule in own}
    severity = Counter(rule.severity for rule in own)
    disposition = Counter(rule.disposition for rule in own)
    reach = [names & _applicable(route) for route in ROUTES]
    assert len(own) == rules
    assert len(set().union(*reach)) == on_routes
    assert (severity["critical"], severity["high"], severity["medium"]) == severities
    assert sum(rule.risk_acceptable for rule in own) == acceptable
    assert (
        disposition["NO_GO"],
        disposition["SUSPENSION"],
        disposition["REWORK"],
        disposition["GO_WITH_RESERVATIONS"],
    ) == dispositions
    assert tuple(map(len, reach)) == per_route


def test_severity_by_disposition() -> None:
    """Severity and disposition are two attributes: the published matrix, acceptable ones apart."""
    rules = TABLE.rules.values()
    matrix = Counter((rule.severity, rule.disposition) for rule in rules)
    acceptable = Counter((r.severity, r.disposition) for r in rules if r.risk_acceptable)
    assert matrix == {
        ("medium", "GO_WITH_RESERVATIONS"): 10,
        ("medium", "REWORK"): 2,
        ("high", "REWORK"): 29,
        ("high", "SUSPENSION"): 8,
        ("critical", "REWORK"): 1,
        ("critical", "SUSPENSION"): 1,
        ("critical", "NO_GO"): 10,
    }
    assert (acceptable["high", "REWORK"], acceptable["high", "SUSPENSION"]) == (8, 3)
    assert len(TABLE.rules) == 61
    assert len(TABLE.fields) == 74


def test_invariants() -> None:
    """Action codes are distinct; NO_GO and upstream findings are never acceptable, GWR always."""
    rules = TABLE.rules.values()
    assert len({rule.action for rule in rules}) == 61
    for rule in rules:
        if rule.disposition == "NO_GO" or rule.reads_upstream:
            assert not rule.risk_acceptable
        if rule.disposition == "GO_WITH_RESERVATIONS":
            assert rule.risk_acceptable
        assert rule.reads_upstream == rule.id.startswith("GEN-UPSTREAM")


@pytest.mark.parametrize(
    ("route", "excluded"),
    [
        (
            "buy",
            [
                set(),
                {"NO_GO"},
                {"GO_WITH_RESERVATIONS"},
                {"SUSPENSION"},
                {"SUSPENSION", "NO_GO"},
                {"GO_WITH_RESERVATIONS"},
            ],
        ),
        (
            "integrate",
            [
                {"GO_WITH_RESERVATIONS", "SUSPENSION", "NO_GO"},
                {"SUSPENSION"},
                {"SUSPENSION"},
                {"NO_GO"},
                {"GO_WITH_RESERVATIONS"},
                {"GO_WITH_RESERVATIONS"},
            ],
        ),
        (
            "build",
            [
                {"GO_WITH_RESERVATIONS", "SUSPENSION", "NO_GO"},
                {"SUSPENSION"},
                {"SUSPENSION"},
                {"SUSPENSION"},
                {"GO_WITH_RESERVATIONS"},
            ],
        ),
    ],
)
def test_dispositions_an_occurrence_can_return(route: str, excluded: list[set[str]]) -> None:
    """Each occurrence of the three routes can return exactly the published dispositions."""
    found = [
        set(TABLE.possible_dispositions(occurrence.gate, occurrence.phase))
        for occurrence in TABLE.route(route).occurrences
    ]
    assert found == [ALL - missing for missing in excluded]


def test_unreachable_rules() -> None:
    """Three rules cannot fire on the three routes; every rule can on the full lifecycle."""
    three = set().union(*map(_applicable, ROUTES))
    assert TABLE.rules.keys() - three == {"IT-CHANGE-001", "GEN-BENEFITS-001", "SEC-PENTEST-001"}
    assert _applicable("full_lifecycle") == set(TABLE.rules)


def test_no_specialist_of_build_can_suspend() -> None:
    """On Build no reference decision can raise GEN-UPSTREAM-SUSPEND; on the others one can."""
    for route in ROUTES:
        specialists = [o for o in TABLE.route(route).occurrences if o.gate != GENERAL]
        words = {w for o in specialists for w in TABLE.possible_dispositions(o.gate, o.phase)}
        assert ("SUSPENSION" in words) == (route != "build")


def test_full_lifecycle() -> None:
    """Five phases, 26 occurrences, each phase closed by General; the only route not certifiable."""
    route = TABLE.route("full_lifecycle")
    gates = {
        "opportunity": "it compliance general",
        "framing": "architecture security tech_readiness procurement compliance general",
        "design": "it architecture security procurement legal compliance general",
        "build_acceptance": "tech_readiness security it compliance general",
        "deployment_closure": "it procurement legal compliance general",
    }
    assert [(o.phase, o.gate) for o in route.occurrences] == [
        (phase, gate) for phase, names in gates.items() for gate in names.split()
    ]
    assert [r.id for r in TABLE.routes.values() if not r.certifiable] == ["full_lifecycle"]


def test_occurrence_ids() -> None:
    """An occurrence is found by its id, which counts the meetings of its gate."""
    assert TABLE.route("build").occurrence("BUILD-04-TECH_READINESS-1").gate == "tech_readiness"
    last = TABLE.route("full_lifecycle").occurrences[-1]
    assert (last.occurrence_id, last.position) == ("FULL_LIFECYCLE-26-GENERAL-5", 26)
    with pytest.raises(UnknownIdError, match="BUILD-05-GENERAL-1"):
        TABLE.route("build").occurrence("BUILD-06-LEGAL-1")


def test_glossary_is_limited_to_the_gate() -> None:
    """A reviewer is told the meaning of fields in the sections of its gate, in table order."""
    assert {field.section for field in TABLE.glossary("architecture")} == {
        "architecture",
        "architecture_profile",
        "project",
    }
    assert TABLE.glossary("procurement")[0].name == "procurement.selected_vendor"
    assert len(TABLE.glossary("procurement")) == 7
