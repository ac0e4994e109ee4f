"""A whole dossier: its files, what those at its root say, and what none of them betrays."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import uuid
from collections import Counter
from typing import Any

import msgspec
import pytest

from generators.dossier import Dossier, DossierSpec, build_dossier
from generators.evidence import load_catalog
from generators.facts import make_case
from generators.governance import PHASES, builtin_rules
from generators.sampling import PlanError, make_plan

GATES = ("general", "it", "architecture", "security", "tech_readiness", "procurement", "legal",
         "compliance")  # fmt: skip
ROUTES = ("buy", "integrate", "build", "full_lifecycle")
SPECS = [DossierSpec(seed=52_000 + n, route=r, difficulty=1 + n) for n, r in enumerate(ROUTES)]

KEYS = {
    "00_project_context.json": (
        "schema_version canary variant case_id seed difficulty architecture_attempt fact_attempts "
        "architecture_signature project route"
    ),
    "01_route_manifest.json": "route occurrences permitted_dispositions",
    "02_evidence_graph.json": "nodes edges",
    "04_gate_contracts.json": (
        "general it architecture security tech_readiness procurement legal compliance"
    ),
    "05_phase_visibility.json": (
        "opportunity framing design build_acceptance deployment_closure governance"
    ),
    "06_authorization_registry.json": "mandates",
    "agent_submission_template.json": "case_id gate_results",
    "99_hidden_ground_truth.json": (
        "schema_version case_id canonical_truth evidence_graph reference_decisions note"
    ),
}
"""Keys of the root files in their order (protocol, dossier section 1.1)."""


@pytest.fixture(scope="module", params=SPECS, ids=lambda spec: spec.route)
def dossier(request: pytest.FixtureRequest) -> Dossier:
    """A dossier of each route, at four difficulties."""
    spec: DossierSpec = request.param
    return build_dossier(spec)


def _json(dossier: Dossier, path: str) -> Any:
    return json.loads(dossier.files[path])


def test_the_files_are_those_of_the_protocol(dossier: Dossier) -> None:
    """A file for every available node, the root files, covers and history; nothing else."""
    nodes = _json(dossier, "02_evidence_graph.json")["nodes"]
    meetings = _json(dossier, "01_route_manifest.json")["occurrences"]
    expected = {node["path"] for node in nodes if node["public_status"] == "AVAILABLE"}
    expected |= {*KEYS, "03_tool_schemas.json", "README_CASE.md", "shared/evidence_provenance.csv"}
    expected |= {f"gate_evidence/{gate}/00_Review_Request.docx" for gate in GATES}
    expected |= {f"phase_history/{meeting['phase']}/gate_occurrences.json" for meeting in meetings}
    expected.add("phase_history/handoff_contracts.json")
    assert set(dossier.files) == expected
    assert list(dossier.files) == sorted(dossier.files)
    assert list(dossier.rasters) == ["gate_evidence/architecture/Architecture_Diagram_Detailed.png"]
    assert dossier.rasters.keys().isdisjoint(dossier.files)


def test_keys_and_their_order(dossier: Dossier) -> None:
    """Root files have the keys of the protocol, in its order, and the versions it names."""
    for path, keys in KEYS.items():
        assert " ".join(_json(dossier, path)) == keys
    assert _json(dossier, "00_project_context.json")["schema_version"] == "DGF-decision-v9"
    assert _json(dossier, "99_hidden_ground_truth.json")["schema_version"] == "DGF-Bench-v8-hidden"
    policies = [c["decision_policy"] for c in _json(dossier, "04_gate_contracts.json").values()]
    assert {policy["version"] for policy in policies} == {"DGF-decision-v9"}
    node = _json(dossier, "02_evidence_graph.json")["nodes"][0]
    assert " ".join(node) == (
        "evidence_id path consumers authoritative version age_days public_status"
    )
    decision = _json(dossier, "99_hidden_ground_truth.json")["reference_decisions"][0]
    assert " ".join(decision) == (
        "gate phase expert_opinion disposition findings blocking_findings required_actions "
        "risk_owner authorization_required approval_reference upstream_context occurrence_id "
        "position"
    )


def test_identity(dossier: Dossier) -> None:
    """The folder is named by project and route; the case id is the UUID of the facts."""
    context = _json(dossier, "00_project_context.json")
    truth = _json(dossier, "99_hidden_ground_truth.json")["canonical_truth"]
    route = context["route"]["key"]
    assert dossier.name == f"{context['project']['project_id']}_{route}"
    facts = {key: value for key, value in truth.items() if key != "case_id"}
    compact = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(compact.encode()).hexdigest()
    name = f"DGF-decision-v9:{context['seed']}:{route}:{context['difficulty']}:0:{digest}"
    expected = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
    assert dossier.case_id == context["case_id"] == truth["case_id"] == expected
    assert facts == make_case(context["seed"], route=route, difficulty=context["difficulty"])


def test_the_graph_is_the_catalog_with_its_edges(dossier: Dossier) -> None:
    """82 nodes in catalog order; an edge per node and consumer, in that order."""
    graph = _json(dossier, "02_evidence_graph.json")
    sources = load_catalog().sources.values()
    assert [node["evidence_id"] for node in graph["nodes"]] == [source.id for source in sources]
    assert [(edge["from"], edge["to_gate"]) for edge in graph["edges"]] == [
        (source.id, gate) for source in sources for gate in source.consumers
    ]
    assert {edge["relation"] for edge in graph["edges"]} == {"consumed_by"}
    rows = csv.DictReader(io.StringIO(dossier.files["shared/evidence_provenance.csv"].decode()))
    header = " ".join(rows.fieldnames or ())
    assert header == "age_days authoritative evidence_id path status version"
    assert [row["evidence_id"] for row in rows] == [source.id for source in sources]


def test_visibility_grows_and_is_sorted(dossier: Dossier) -> None:
    """Each phase lists its ids in alphabetical order and keeps those of the phase before."""
    visible = _json(dossier, "05_phase_visibility.json")
    assert list(visible) == list(PHASES)
    before: set[str] = set()
    for ids in visible.values():
        assert ids == sorted(set(ids))
        assert before <= set(ids)
        before = set(ids)
    assert [len(ids) for ids in visible.values()] == [18, 25, 57, 70, 80, 82]


def test_one_mandate_per_review(dossier: Dossier) -> None:
    """Every review has an active mandate of the risk owner, named after case and occurrence."""
    context = _json(dossier, "00_project_context.json")
    mandates = _json(dossier, "06_authorization_registry.json")["mandates"]
    meetings = _json(dossier, "01_route_manifest.json")["occurrences"]
    assert [mandate["occurrence_id"] for mandate in mandates] == [
        meeting["occurrence_id"] for meeting in meetings
    ]
    for mandate in mandates:
        assert mandate["reference"] == f"MANDATE-{dossier.case_id}-{mandate['occurrence_id']}"
        assert mandate["authority"] == context["project"]["risk_owner"]
        assert mandate["active"] is True


def test_contracts_list_what_a_gate_may_read(dossier: Dossier) -> None:
    """Admissible inputs are the gate's nodes in catalog order, its snapshot last."""
    for gate, contract in _json(dossier, "04_gate_contracts.json").items():
        inputs = contract["admissible_inputs"]
        assert inputs[-1] == f"REVIEW_FACTS_{gate.upper()}"
        assert inputs == [s.id for s in load_catalog().sources.values() if gate in s.consumers]
        assert contract["gate_label"] == builtin_rules().gate(gate).label
        assert contract["objective"]


def test_snapshots_hold_the_facts_of_their_gate(dossier: Dossier) -> None:
    """A snapshot is the project and the gate's section, for architecture also redundancy."""
    truth = _json(dossier, "99_hidden_ground_truth.json")["canonical_truth"]
    for gate in GATES:
        snapshot = _json(dossier, f"gate_evidence/{gate}/review_facts.json")
        extra = snapshot.pop("architecture_profile", {})
        assert snapshot == {"project": truth["project"], gate: truth[gate]}
        expected = {"multi_az", "multi_region"} if gate == "architecture" else set()
        assert set(extra) == expected
        assert all(truth["architecture_profile"][key] == value for key, value in extra.items())


def test_nothing_public_betrays_the_hidden_file(dossier: Dossier) -> None:
    """No other file holds a hidden mode, a reference decision or a wording of a finding."""
    decisions = _json(dossier, "99_hidden_ground_truth.json")["reference_decisions"]
    messages = {finding["message"] for one in decisions for finding in one["findings"]}
    assert messages
    for path, data in dossier.files.items():
        if path == "99_hidden_ground_truth.json":
            continue
        assert b"_hidden_mode" not in data
        assert b"reference_decisions" not in data
        if path != "04_gate_contracts.json":  # which holds the policy
            assert not any(message.encode() in data for message in messages), path


def test_the_canary_is_our_own(dossier: Dossier) -> None:
    """One sentence with a GUID stands in the context file and in the readme."""
    canary = _json(dossier, "00_project_context.json")["canary"]
    assert re.search(r"dgf-async canary GUID [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", canary)
    assert canary in dossier.files["README_CASE.md"].decode()


def test_no_snapshot_is_withheld_and_every_withheld_record_is_authoritative() -> None:
    """Only authoritative records are withheld, at every difficulty, and never a snapshot."""
    counts: Counter[str] = Counter()
    for number in range(30):
        spec = DossierSpec(seed=53_000 + number, route=ROUTES[number % 3], difficulty=5)
        for node in _json(build_dossier(spec), "02_evidence_graph.json")["nodes"]:
            counts[node["public_status"]] += 1
            if node["public_status"] == "UNAVAILABLE":
                assert node["authoritative"]
                assert not node["evidence_id"].startswith("REVIEW_FACTS_")
    assert counts["UNAVAILABLE"] > 30  # 20 % of 42 records less the rescued ones, in 30 dossiers
    assert counts["NOT_APPLICABLE"] > 0


def test_a_plan_line_with_another_digest_is_refused() -> None:
    """Facts that are not those of the plan make no dossier."""
    (row,) = make_plan(
        policy="natural", seed=54_000, cases_per_route=1, difficulty=2, routes=["build"]
    ).cases
    spec = DossierSpec.planned(row)
    assert build_dossier(spec).name == "DGF-BLD-054000_build"
    with pytest.raises(PlanError, match="seed 54000"):
        build_dossier(msgspec.structs.replace(spec, canonical_sha256="0" * 64))


def test_a_dossier_cites_other_rules_when_given_some() -> None:
    """Messages are a table: with another one the findings say something else, in 99 alone."""
    spec = DossierSpec(seed=52_001, route="integrate", difficulty=4)
    rules = builtin_rules()
    other = rules.with_messages(
        {name: f"Said otherwise: {rule.message}" for name, rule in rules.rules.items()}
    )
    plain, reworded = build_dossier(spec), build_dossier(spec, rules=other)
    changed = {path for path in plain.files if plain.files[path] != reworded.files[path]}
    assert changed == {"04_gate_contracts.json", "99_hidden_ground_truth.json"}
    assert b"Said otherwise" in reworded.files["99_hidden_ground_truth.json"]
