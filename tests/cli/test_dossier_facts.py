"""`dgf dossier facts`: what is true for a seed, and what each gate has to decide on it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from generators.facts import make_case, version_names
from generators.governance import builtin_rules
from tests.cli.invoke import Dgf
from tests.generators.governance import oracle

SECTIONS = [
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
"""Keys of a canonical case. DGF-Bench protocol, section 6."""


@pytest.fixture
def dgf(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Dgf:
    """The command."""
    return Dgf(monkeypatch, capsys)


def facts(dgf: Dgf, *arguments: object) -> dict[str, Any]:
    """What `dgf dossier facts … --json` prints."""
    ran = dgf("dossier", "facts", *arguments, "--json")
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_json_holds_the_case_and_how_to_draw_it_again(dgf: Dgf) -> None:
    """Arguments, the case with its keys in order, and the digest of its sorted JSON."""
    found = facts(dgf, 7, "--route", "build", "--difficulty", 3)
    assert list(found["facts"]) == SECTIONS
    sorted_json = json.dumps(
        found["facts"], sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    assert found["case_hash"] == hashlib.sha256(sorted_json.encode()).hexdigest()
    del found["facts"], found["case_hash"], found["case_id"]
    assert found == {
        "seed": 7,
        "route": "build",
        "difficulty": 3,
        "architecture_attempt": 0,
        "fact_attempts": {},
        "generator_version": "compat-1",
        "certifiable": True,
        "note": None,
        "decisions": None,
    }


def test_attempts_and_version_reach_the_generator(dgf: Dgf) -> None:
    """Another attempt changes that gate's facts; the version changes the streams."""
    plain = facts(dgf, 7, "--route", "buy")
    attempts = ("--fact-attempt", "legal=2", "--fact-attempt", "it=1")
    redrawn = facts(dgf, 7, "--route", "buy", *attempts, "--architecture-attempt", 3)
    assert redrawn["fact_attempts"] == {"legal": 2, "it": 1}
    assert redrawn["facts"] == make_case(
        7,
        route="buy",
        difficulty=4,
        architecture_attempt=3,
        fact_attempts={"legal": 2, "it": 1},
    )
    assert redrawn["facts"]["legal"] != plain["facts"]["legal"]
    other = facts(dgf, 7, "--route", "buy", "--generator-version", "hashed-2")
    assert other["case_id"] != plain["case_id"]


@pytest.mark.parametrize("route", ["buy", "integrate", "build", "full_lifecycle"])
def test_decisions_are_those_of_the_published_rules(dgf: Dgf, route: str) -> None:
    """Each occurrence of the route with the findings that hold for the case."""
    found = facts(dgf, 11, "--route", route, "--decisions")
    occurrences = oracle.ROUTES[route]["occurrences"]
    assert [d["occurrence_id"] for d in found["decisions"]] == [
        occurrence["occurrence_id"] for occurrence in occurrences
    ]
    for decision in found["decisions"]:
        expected = oracle.result(
            found["facts"],
            decision["gate"],
            decision["phase"],
            [(row["gate"], row["disposition"]) for row in decision["upstream_context"]],
        )
        assert [f["id"] for f in decision["findings"]] == [f["id"] for f in expected["findings"]]
        for name in ("disposition", "expert_opinion", "authorization_required"):
            assert decision[name] == expected[name]


def test_the_full_lifecycle_says_that_it_cannot_be_certified(dgf: Dgf) -> None:
    """People and machines are told; other routes have no such note."""
    found = facts(dgf, 7, "--route", "full_lifecycle")
    assert found["certifiable"] is False
    assert found["note"].startswith("not certifiable")
    assert found["note"] in dgf("dossier", "facts", 7, "--route", "full_lifecycle").out
    assert "certifiable" not in dgf("dossier", "facts", 7, "--route", "buy").out


def test_people_see_the_tested_facts_with_their_rules(dgf: Dgf) -> None:
    """One line per decisive field, by its name in the rules; --all adds the others."""
    shown = dgf("dossier", "facts", 7, "--route", "buy").out.splitlines()
    named = {line.split()[0]: line for line in shown if "." in line.partition(" ")[0]}
    assert set(named) == set(builtin_rules().fields)
    assert named["it.waiver_present"].endswith("IT-CATALOG-001")
    assert named["procurement.offer.sanctions"].endswith("PROC-SAN-001, PROC-SAN-002")
    everything = dgf("dossier", "facts", 7, "--route", "buy", "--all").out
    assert "procurement.offers[3].weighted_score" in everything
    assert "architecture_profile.semantic_network.hub_cidr" in everything


def test_people_see_one_decision_a_line(dgf: Dgf) -> None:
    """Occurrence, disposition, opinion, authorization and findings, below the facts."""
    shown = dgf("dossier", "facts", 7, "--route", "build", "--decisions").out
    table = shown[shown.index("OCCURRENCE") :].splitlines()[1:]
    assert [line.split()[0] for line in table] == [
        occurrence["occurrence_id"] for occurrence in oracle.ROUTES["build"]["occurrences"]
    ]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["7", "--route", "rent"], "unknown route 'rent': one of buy, integrate, build"),
        (["7", "--route", "buy", "--difficulty", "6"], "no difficulty 6"),
        (["7", "--route", "buy", "--difficulty", "hard"], "Invalid value"),
        (["seven", "--route", "buy"], "Invalid value"),
        (["7"], "Missing option '--route'"),
        (["--route", "buy", "--", "-7"], "seed"),
        (["7", "--route", "buy", "--architecture-attempt", "-1"], "architecture_attempt"),
        (["7", "--route", "buy", "--fact-attempt", "legal"], "write it as GATE=N"),
        (["7", "--route", "buy", "--fact-attempt", "legal=-1"], "write it as GATE=N"),
        (["7", "--route", "buy", "--fact-attempt", "legal=\u0663"], "write it as GATE=N"),
        (["7", "--route", "buy", "--fact-attempt", f"legal={'9' * 5000}"], "write it as GATE=N"),
        (["7", "--route", "buy", "--fact-attempt", "legals=1"], "'legals'"),
        (
            ["7", "--route", "buy", "--fact-attempt", "it=1", "--fact-attempt", "it=2"],
            "two attempts for gate 'it'",
        ),
        (["7", "--route", "buy", "--generator-version", "v0"], "unknown generator version 'v0'"),
    ],
)
def test_arguments_no_case_can_be_made_for(dgf: Dgf, arguments: list[str], error: str) -> None:
    """Exit code 2, what is wrong, nothing on standard output."""
    ran = dgf("dossier", "facts", *arguments)
    assert ran.code == 2
    assert error in " ".join(ran.err.replace("│", " ").split())
    assert ran.out == ""


def test_help_names_every_route_and_version(dgf: Dgf) -> None:
    """What can be given is said before a wrong word is tried."""
    shown = dgf("dossier", "facts", "--help").out
    for name in (*version_names(), *builtin_rules().routes):
        assert name in shown
