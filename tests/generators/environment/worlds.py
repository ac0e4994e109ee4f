"""A small dossier with one item for every rule of the tools, and calls on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from generators.environment import Answer, Review, ToolState, call, handed_over, mode_of
from generators.governance import Condition, Mandate, Occurrence, builtin_rules, handoff_of
from generators.readers.compiled import EvidenceLibrary
from generators.readers.content import Json
from generators.readers.loading import FilesInMemory, compile_dossier

BUY = builtin_rules().route("buy")
PROCUREMENT, LEGAL, COMPLIANCE, SECURITY, IT, GENERAL = BUY.occurrences
BY_GATE = {occurrence.gate: occurrence for occurrence in BUY.occurrences}
DECISION: dict[str, Json] = {
    "disposition": "REWORK",
    "finding_ids": ["LEG-001"],
    "actions": ["REDRAFT"],
    "evidence_refs": ["CONTRACT"],
    "evidence_support": [
        {"finding_id": "LEG-001", "observation_id": "obs-1", "json_pointer": "/0"}
    ],
    "authorization_required": False,
    "rationale": "É.",
    "confidence": 0.5,
}


def mandate(occurrence: Occurrence, **changes: Any) -> Mandate:
    """The mandate of an occurrence."""
    fields = {
        "reference": f"MANDATE-{occurrence.occurrence_id}",
        "occurrence_id": occurrence.occurrence_id,
        "gate": occurrence.gate,
        "phase": occurrence.phase,
        "authority": "Ida Holm-7-RO",
        "scope": "Risk-acceptable findings.",
        "active": True,
    }
    return Mandate(**{**fields, **changes})


MANDATES = tuple(map(mandate, BUY.occurrences))

STATEMENTS: list[Json] = [
    {"vendor": "Arbel", "statement": "We are good."},
    {"vendor": "Brisco", "statement": "We are better."},
]


def node(evidence_id: str, path: str, **changes: Any) -> dict[str, Any]:
    """A node of the graph file."""
    return {
        "evidence_id": evidence_id,
        "path": path,
        "consumers": ["it", "procurement"],
        "authoritative": True,
        "version": 3,
        "age_days": 12,
        "public_status": "AVAILABLE",
        **changes,
    }


VENDORS = node(
    "VENDOR_RESPONSES",
    "vendors.json",
    consumers=["procurement", "security"],
    authoritative=False,
    version=2,
)
NODES = [
    node("RECORD", "record.json"),
    node("LOCKED", "locked.csv", public_status="UNAVAILABLE"),
    node("LATER", "later.json"),
    node("OTHERS", "other.json", consumers=["legal"]),
    node("TRUTH", "99_hidden_ground_truth.json"),
    node("REVIEW_FACTS_IT", "facts.json", consumers=["it"]),
    VENDORS,
]
FILES: Mapping[str, bytes] = {
    "record.json": b'{"b": 1.0, "a": "\xc3\xa9"}',
    "later.json": b"{}",
    "other.json": b"{}",
    "facts.json": b'{"it": {}}',
    "99_hidden_ground_truth.json": b"{}",
    "vendors.json": json.dumps({"note": "Unverified.", "responses": STATEMENTS}).encode(),
}


def review(
    occurrence: Occurrence = IT,
    *,
    condition: Condition = "docs",
    nodes: list[dict[str, Any]] | None = None,
    files: Mapping[str, bytes] | None = None,
    mandates: tuple[Mandate, ...] = MANDATES,
    upstream: tuple[Json, ...] = (),
) -> Review:
    """A review of the small dossier, in which everything but LATER is visible."""
    nodes = NODES if nodes is None else nodes
    seen = [row["evidence_id"] for row in nodes if row["evidence_id"] != "LATER"]
    root = {
        "02_evidence_graph.json": json.dumps({"nodes": nodes}).encode(),
        "05_phase_visibility.json": json.dumps({occurrence.phase: seen}).encode(),
    }
    dossier = compile_dossier(
        FilesInMemory({**FILES, **(files or {}), **root}),
        mode=mode_of(condition),
        library=EvidenceLibrary(),
    )
    return Review(dossier=dossier, occurrence=occurrence, mandates=mandates, upstream=upstream)


def legal_said(condition: Condition = "docs") -> tuple[Json, ...]:
    """What Legal decided, as later gates receive it."""
    handoff = handoff_of(DECISION, case_id="CASE", occurrence=LEGAL, condition=condition)
    return handed_over([handoff])


def ask(
    tool: str, asked: Review | None = None, state: ToolState | None = None, /, **arguments: Json
) -> Answer:
    """A call at the IT gate, unless said otherwise."""
    return call(asked or review(), state or ToolState(), tool=tool, arguments=arguments)


def result(tool: str, asked: Review | None = None, /, **arguments: Json) -> dict[str, Any]:
    """What a call gives that changes nothing."""
    answer = ask(tool, asked, None, **arguments)
    assert answer.state == ToolState()
    return dict(answer.result)
