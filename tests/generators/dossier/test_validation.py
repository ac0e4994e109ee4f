"""What is wrong with a dossier is named by its file; what is sound passes, whoever worded it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.decoding.certification import certification_report
from generators.dossier import DossierSpec, build_dossier
from generators.dossier.validation import validate
from generators.dossier.verification import (
    baseline_problems,
    certification,
    certification_problems,
)
from generators.governance import builtin_rules

Files: TypeAlias = dict[str, bytes]
Json: TypeAlias = dict[str, Any]

CONTEXT = "00_project_context.json"
GRAPH = "02_evidence_graph.json"
HIDDEN = "99_hidden_ground_truth.json"
SNAPSHOT = "gate_evidence/security/review_facts.json"
SOUND = dict(build_dossier(DossierSpec(seed=55_003, route="integrate", difficulty=4)).files)


def _edited(path: str, edit: Callable[[Json], object]) -> Files:
    """The sound dossier with one JSON file changed by `edit`."""
    value = json.loads(SOUND[path])
    edit(value)
    return {**SOUND, path: json.dumps(value).encode()}


def _without(path: str) -> Files:
    return {name: data for name, data in SOUND.items() if name != path}


def _node(graph: Json, evidence_id: str) -> Json:
    found: Json = next(n for n in graph["nodes"] if n["evidence_id"] == evidence_id)
    return found


def _decision_with_findings(hidden: Json) -> Json:
    found: Json = next(d for d in hidden["reference_decisions"] if d["findings"])
    return found


@pytest.mark.parametrize("route", ["buy", "integrate", "build", "full_lifecycle"])
@pytest.mark.parametrize("difficulty", [1, 3, 5])
def test_generated_dossiers_are_sound(route: str, difficulty: int) -> None:
    """Every generated dossier is valid, worded as the rules word it, and readable by rule."""
    for seed in range(56_000, 56_004):
        spec = DossierSpec(seed=seed, route=route, difficulty=difficulty)
        files = build_dossier(spec).files
        assert validate(files, wording=True) == ()
        assert baseline_problems(files) == ()


@pytest.mark.parametrize("composed", [False, True])
def test_generated_dossiers_are_certified(composed: bool) -> None:
    """On the three routes at all difficulties every review can be decided from records alone."""
    cases = []
    for number in range(15):
        route = ("buy", "integrate", "build")[number % 3]
        spec = DossierSpec(
            seed=57_000 + number, route=route, difficulty=1 + number % 5, composed=composed
        )
        files = build_dossier(spec).files
        assert certification_problems(files) == ()
        reviews = len(builtin_rules().route(route).occurrences)
        cases.append((f"{spec.seed}", reviews, certification(files)))
    report = certification_report(cases)
    assert report.is_certified
    assert report.field_checks > 400


def test_the_full_lifecycle_cannot_be_certified() -> None:
    """Its early reviews meet before their records exist, which certification says."""
    files = build_dossier(DossierSpec(seed=55_000, route="full_lifecycle", difficulty=1)).files
    assert any("NOT_ESTABLISHED" in str(problem) for problem in certification_problems(files))


def test_a_withheld_record_ends_certification() -> None:
    """If the only record of a decisive fact is withheld, its reviews are not certified."""
    files = _edited(
        GRAPH, lambda graph: _node(graph, "NSG_RULES").update(public_status="UNAVAILABLE")
    )
    problems = certification_problems(files)
    assert [str(problem) for problem in problems] == [
        f"{HIDDEN}: INTEGRATE-03-SECURITY-1: security.internet_exposed is NOT_ESTABLISHED"
    ]


DAMAGE: dict[str, tuple[Files, str, str]] = {
    "absent root file": (_without("03_tool_schemas.json"), "03_tool_schemas.json", "absent"),
    "absent hidden file": (_without(HIDDEN), HIDDEN, "absent"),
    "absent evidence": (_without(SNAPSHOT), SNAPSHOT, "REVIEW_FACTS_SECURITY is AVAILABLE"),
    "broken JSON": ({**SOUND, GRAPH: b"{"}, GRAPH, "not what the protocol says"),
    "wrong encoding": ({**SOUND, CONTEXT: '{"é": 1}'.encode("latin-1")}, CONTEXT, "not what"),
    "deep nesting": ({**SOUND, HIDDEN: b"[" * 100_000}, HIDDEN, "not what the protocol says"),
    "not an object": ({**SOUND, CONTEXT: b"[]"}, CONTEXT, "not what the protocol says"),
    "a word for a number": (
        _edited(CONTEXT, lambda c: c.update(seed="many")),
        CONTEXT,
        "Expected `int`",
    ),
    "another protocol": (
        _edited(CONTEXT, lambda c: c.update(schema_version="v1")),
        CONTEXT,
        "this release reads",
    ),
    "unknown route": (
        _edited(CONTEXT, lambda c: c["route"].update(key="sell")),
        CONTEXT,
        "unknown route",
    ),
    "another case": (_edited(CONTEXT, lambda c: c.update(case_id="x")), HIDDEN, "is not that of"),
    "a path that leads out": (
        _edited(GRAPH, lambda g: _node(g, "HLD").update(path="../HLD.svg")),
        GRAPH,
        "no path inside",
    ),
    "an absolute path": (
        _edited(GRAPH, lambda g: _node(g, "HLD").update(path="/etc/passwd")),
        GRAPH,
        "no path inside",
    ),
    "a path to the truth": (
        _edited(GRAPH, lambda g: _node(g, "HLD").update(path=HIDDEN)),
        GRAPH,
        "no path inside",
    ),
    "a file that should not be there": (
        _edited(GRAPH, lambda g: _node(g, "HLD").update(public_status="UNAVAILABLE")),
        "gate_evidence/architecture/Architecture_Diagram_Detailed.svg",
        "HLD is UNAVAILABLE",
    ),
    "a node twice": (
        _edited(GRAPH, lambda g: g["nodes"].append(g["nodes"][0])),
        GRAPH,
        "stands in it 2 times",
    ),
    "a node only one graph has": (
        _edited(GRAPH, lambda g: g["nodes"].append({**g["nodes"][0], "evidence_id": "EXTRA"})),
        HIDDEN,
        "lacks EXTRA",
    ),
    "a missing review": (
        _edited("01_route_manifest.json", lambda r: r["occurrences"].pop()),
        "01_route_manifest.json",
        "occurrences are not those",
    ),
    "a missing decision": (
        _edited(HIDDEN, lambda h: h["reference_decisions"].pop()),
        HIDDEN,
        "one for each occurrence",
    ),
    "another policy": (
        _edited(
            "04_gate_contracts.json", lambda c: c["legal"]["decision_policy"].update(version="v1")
        ),
        "04_gate_contracts.json",
        "policy of legal",
    ),
    "a changed snapshot": (
        _edited(SNAPSHOT, lambda s: s["security"].update(mfa="unheard of")),
        SNAPSHOT,
        "not the snapshot of the canonical truth",
    ),
    "an unreadable snapshot": (
        _edited(GRAPH, lambda g: _node(g, "REVIEW_FACTS_IT").update(consumers=["legal"])),
        HIDDEN,
        "REVIEW_FACTS_IT is not readable",
    ),
    "another decision": (
        _edited(HIDDEN, lambda h: _decision_with_findings(h).update(disposition="GO")),
        HIDDEN,
        "disposition do not follow",
    ),
    "a dropped finding": (
        _edited(HIDDEN, lambda h: _decision_with_findings(h)["findings"].pop()),
        HIDDEN,
        "findings do not follow",
    ),
    "a dropped action": (
        _edited(HIDDEN, lambda h: _decision_with_findings(h)["required_actions"].pop()),
        HIDDEN,
        "required_actions do not follow",
    ),
    "a register that gives answers": (
        {**SOUND, "shared/action_register.csv": b"occurrence_id\r\nINTEGRATE-04-LEGAL-1\r\n"},
        "shared/action_register.csv",
        "mentions INTEGRATE-04-LEGAL-1",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_named_by_its_file(damage: str) -> None:
    """Each kind of damage is a problem with the file it is in and what is wrong with it."""
    files, file, text = DAMAGE[damage]
    problems = validate(files)
    assert any(p.file.startswith(file) and text in p.problem for p in problems), problems


def test_every_absent_file_is_listed() -> None:
    """All problems are listed at once, not only the first."""
    assert {problem.file for problem in validate({})} == {
        *(f"0{n}_{name}.json" for n, name in enumerate((
            "project_context", "route_manifest", "evidence_graph", "tool_schemas", "gate_contracts",
            "phase_visibility",
        ))),
        HIDDEN,
        "agent_submission_template.json",
    }  # fmt: skip


def test_wording_is_compared_only_on_demand() -> None:
    """A finding may say it in other words; its code, severity and action may not differ."""

    def reword(hidden: Json) -> None:
        _decision_with_findings(hidden)["findings"][0]["message"] = "put differently"

    files = _edited(HIDDEN, reword)
    assert validate(files) == ()
    assert any("findings do not follow" in p.problem for p in validate(files, wording=True))

    def reseverity(hidden: Json) -> None:
        _decision_with_findings(hidden)["findings"][0]["required_action"] = "DO_NOTHING"

    assert validate(_edited(HIDDEN, reseverity))


def test_a_decision_against_the_evidence_fails_the_baseline() -> None:
    """The baseline reports reviews whose reference is not what the snapshots lead to."""

    def approve(hidden: Json) -> None:
        _decision_with_findings(hidden).update(disposition="GO", findings=[])

    problems = baseline_problems(_edited(HIDDEN, approve))
    assert any("another disposition" in problem.problem for problem in problems)


@given(path=st.sampled_from(sorted(SOUND)), data=st.binary(max_size=60))
def test_no_bytes_break_validation(path: str, data: bytes) -> None:
    """Whatever a file holds, validation answers with problems, never with an exception."""
    validate({**SOUND, path: data})


@given(
    path=st.sampled_from([name for name in SOUND if name.endswith(".json")]),
    keys=st.lists(st.integers(0, 10**6), min_size=1, max_size=6),
    value=st.sampled_from([None, 0, "", [], {}, True, "AVAILABLE", 1e308]),
)
def test_no_json_breaks_validation(path: str, keys: list[int], value: object) -> None:
    """A value of another type anywhere in a JSON file is answered with problems at most."""
    document = json.loads(SOUND[path])
    place: Any = document
    for depth, key in enumerate(keys, start=1):
        names = list(place) if isinstance(place, dict) else range(len(place))
        if not names:
            break
        name = names[key % len(names)]
        if not isinstance(place[name], dict | list) or depth == len(keys):
            place[name] = value
            break
        place = place[name]
    validate({**SOUND, path: json.dumps(document).encode()})
