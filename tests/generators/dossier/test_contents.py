"""What is in a dossier: evidence with hidden modes, facts with the place they stand in."""

from __future__ import annotations

import json

import pytest

from generators.decoding.pointers import resolve
from generators.dossier import DossierSpec, build_dossier
from generators.dossier.contents import Contents
from generators.evidence import load_catalog
from generators.governance import builtin_rules, decisive_fields, read_fact


@pytest.fixture(scope="module")
def contents() -> Contents:
    """A hard dossier."""
    return Contents(build_dossier(DossierSpec(seed=34_001, route="build", difficulty=5)).files)


def test_evidence_is_listed_with_what_is_hidden(contents: Contents) -> None:
    """All nodes in graph order, with the mode of the evaluator's file; no file, no size."""
    hidden = json.loads(contents.files["99_hidden_ground_truth.json"])["evidence_graph"]["nodes"]
    rows = contents.evidence()
    assert [(row.node.evidence_id, row.mode) for row in rows] == [
        (node["evidence_id"], node["_hidden_mode"]) for node in hidden
    ]
    for row in rows:
        available = row.node.public_status == "AVAILABLE"
        assert row.size == (len(contents.files[row.node.path]) if available else None)
        assert row.visible_from == load_catalog().source(row.node.evidence_id).visible_from


def test_every_decisive_fact_has_its_place(contents: Contents) -> None:
    """Each fact of each review, and an authoritative record the board may read it in."""
    facts = list(contents.facts())
    wanted = [
        (met.occurrence_id, field)
        for met in builtin_rules().route("build").occurrences
        for field in decisive_fields(contents.case, met.gate, phase=met.phase)
    ]
    assert [(row.occurrence_id, row.field) for row in facts] == wanted
    gates = {met.occurrence_id: met.gate for met in builtin_rules().route("build").occurrences}
    for row in facts:
        assert row.value == read_fact(contents.case, row.field)
        assert row.source is not None
        source = load_catalog().source(row.source)
        assert source.authoritative
        assert gates[row.occurrence_id] in source.consumers
        evidence = contents.compiled.evidence(row.source)
        assert evidence is not None
        for pointer in row.pointers:
            resolve(evidence.content, pointer)


def test_a_document_says_what_it_shows() -> None:
    """A record shows the truth; a narrative document what its hidden mode makes of it."""
    distorted = 0
    for seed in range(34_100, 34_106):
        spec = DossierSpec(seed=seed, route="build", difficulty=5)
        contents = Contents(build_dossier(spec).files)
        for row in contents.evidence():
            for fact in contents.shown_in(row.node.evidence_id):
                if fact.shown != fact.value:
                    assert not row.node.authoritative
                    assert row.mode in {"stale", "conflicting_claim"}
                    distorted += 1
    assert distorted, "of six hard dossiers some document is distorted"


def test_a_withheld_item_shows_nothing(contents: Contents) -> None:
    """No file, nothing shown."""
    withheld = next(r for r in contents.evidence() if r.node.public_status == "UNAVAILABLE")
    assert list(contents.shown_in(withheld.node.evidence_id)) == []
