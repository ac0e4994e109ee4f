"""Citations of documents and records, and observations of a recorded run."""

from __future__ import annotations

import copy
import csv
import io
from typing import Any

import pytest

from generators.decoding.citations import Citations, admissible_sources, cites_upstream
from generators.decoding.observed import verified_observations
from generators.evidence import csv_bytes
from generators.governance import decisive_fields, read_fact
from generators.readers.content import Json
from generators.readers.dossier import UPSTREAM, ToolResult, read_evidence
from generators.readers.observations import observation_id
from tests.generators.decoding.worlds import CATALOG, World, make_world

WORLD = make_world(71_007, route="buy", difficulty=2)


def citations(world: World) -> Citations:
    """The citable values of the world."""
    return Citations(world.dossier, identity=world.known.identity)


def test_every_decisive_fact_can_be_cited() -> None:
    """For each occurrence, the first pointer of a readable source supports each decisive fact."""
    book = citations(WORLD)
    for occurrence in WORLD.occurrences:
        gate, phase = occurrence.gate, occurrence.phase
        for field in decisive_fields(WORLD.case, gate, phase=phase):
            truth: Any = read_fact(WORLD.case, field)
            shown = [
                (source, decoded.pointers[0])
                for source in admissible_sources(field, CATALOG)
                if WORLD.dossier.readable(source, gate=gate, phase=phase)
                and (decoded := book.citable(field, source)) is not None
            ]
            assert shown, field
            for source, pointer in shown:
                assert book.supports(field, truth, evidence_id=source, pointer=pointer)


@pytest.mark.parametrize("pointer", ["", "/", "/0", "/0/as_of", "/99/license_compliant"])
def test_a_cell_is_cited_at_the_cell(pointer: str) -> None:
    """Neighbours, rows and the whole table do not support a value."""
    field, source = "it.license_compliant", "LICENSE_POSITION"
    truth: Any = read_fact(WORLD.case, field)
    assert not citations(WORLD).supports(field, truth, evidence_id=source, pointer=pointer)


def test_a_superseded_row_supports_nothing() -> None:
    """Of a history only the current row may be cited, even where another says the same."""
    field, source = "legal.liability_cap_multiplier", "CONTRACT_REGISTER"
    book = citations(WORLD)
    truth: Any = read_fact(WORLD.case, field)
    decoded = book.citable(field, source)
    assert decoded is not None
    [current] = decoded.pointers
    content: Any = WORLD.content(source)
    others = [
        f"/contracts/{i}/clauses/liability_cap_x_annual_fees"
        for i, entry in enumerate(content["contracts"])
        if entry["clauses"]["liability_cap_x_annual_fees"] == truth
    ]
    assert len(others) > 1
    for pointer in others:
        supported = book.supports(field, truth, evidence_id=source, pointer=pointer)
        assert supported is (pointer == current)


def test_narrative_documents_do_not_count_beside_a_record() -> None:
    """Where a fact has an authoritative source, a document that states it supports nothing."""
    book = citations(WORLD)
    field = "project.business_criticality"
    truth: Any = read_fact(WORLD.case, field)
    assert book.citable(field, "PROJECT_CHARTER") is None
    content: Any = WORLD.content("PROJECT_CHARTER")
    row = next(i for i, b in enumerate(content) if b.startswith("Criticality | "))
    pointer = f"/{row}"
    assert not book.supports(field, truth, evidence_id="PROJECT_CHARTER", pointer=pointer)
    assert admissible_sources("security.pentest_status", CATALOG) == ("PENTEST",)


def test_aggregates_are_cited_anywhere_in_the_source() -> None:
    """A statement about all rows is supported by any pointer that leads into them."""
    field, source = "security.critical_vulns_open", "VULN_SCAN"
    book = citations(WORLD)
    truth: Any = read_fact(WORLD.case, field)
    for pointer, holds in {"/0": True, "/0/id": True, "/999": False, "0": False, "": False}.items():
        assert book.supports(field, truth, evidence_id=source, pointer=pointer) is holds
    assert not book.supports(field, truth + 1, evidence_id=source, pointer="/0")


def test_a_value_must_be_the_canonical_one() -> None:
    """A source that says something else than the case supports nothing."""
    rows: list[dict[str, Any]] = list(
        csv.DictReader(io.StringIO(WORLD.bytes_of("LICENSE_POSITION").decode()))
    )
    for row in rows:
        row["license_compliant"] = str(row["license_compliant"] == "False")
    changed = WORLD.with_files({"LICENSE_POSITION": csv_bytes(rows, list(rows[0]))})
    field = "it.license_compliant"
    honest = citations(WORLD).citable(field, "LICENSE_POSITION")
    assert honest is not None
    book = Citations(changed, identity=WORLD.known.identity)
    truth: Any = read_fact(WORLD.case, field)
    for pointer in honest.pointers:
        assert not book.supports(field, truth, evidence_id="LICENSE_POSITION", pointer=pointer)


@pytest.mark.parametrize("evidence_id", ["NO_SUCH_ID", "MSA", ""])
def test_unknown_or_unrelated_evidence_supports_nothing(evidence_id: str) -> None:
    """Citing something that has no decoder for the fact is not an error, only no support."""
    book = citations(WORLD)
    assert not book.supports("it.license_compliant", True, evidence_id=evidence_id, pointer="/0")
    assert not book.supports("no.such_field", True, evidence_id=evidence_id, pointer="/0")


def test_upstream_dispositions() -> None:
    """An upstream finding is cited at the disposition of a row that has it."""
    rows: Json = [{"disposition": "GO", "gate": "it"}, {"disposition": "NO_GO", "gate": "security"}]
    assert isinstance(rows, list)
    assert cites_upstream(rows, "/1/disposition", "NO_GO")
    for pointer in ("/0/disposition", "/1", "/1/gate", "/2/disposition", "disposition", "", "/"):
        assert not cites_upstream(rows, pointer, "NO_GO"), pointer


def traced(evidence_id: str) -> ToolResult:
    """What the legal gate of the world reads, as a trace records it."""
    result = read_evidence(WORLD.dossier, evidence_id, gate="legal", phase="design")
    assert isinstance(result, dict)
    return copy.deepcopy(result)


def verified(*results: ToolResult) -> set[str]:
    """The evidence that counts."""
    return set(verified_observations(results, WORLD.dossier, gate="legal", phase="design"))


def test_honest_observations_count() -> None:
    """A read that the dossier confirms counts, with or without its recorded id."""
    msa = traced("MSA")
    assert verified(msa) == {"MSA"}
    del msa["observation_id"]
    assert verified(msa, traced("CONTRACT_REGISTER")) == {"MSA", "CONTRACT_REGISTER"}
    found = verified_observations([msa], WORLD.dossier, gate="legal", phase="design")["MSA"]
    assert found.observation_id == traced("MSA")["observation_id"]
    assert found.authoritative is False


@pytest.mark.parametrize(
    "change",
    [
        {"content": ["other"]},
        {"observation_id": "obs-0000000000000000"},
        {"observation_id": None},
        {"version": 77},
        {"status": "UNAVAILABLE"},
        {"evidence_id": "NO_SUCH_ID"},
        {"evidence_id": "CAPACITY_REPORT"},
        {"evidence_id": 5},
    ],
)
def test_altered_observations_do_not_count(change: dict[str, Json]) -> None:
    """A read that the dossier does not confirm is left out, and nothing fails."""
    assert verified({**traced("MSA"), **change}) == set()


def test_results_without_content_do_not_count() -> None:
    """A refusal is no observation."""
    assert verified(traced("CAPACITY_REPORT"), {"status": "OK"}, {}) == set()


def test_upstream_decisions_count_under_their_own_id() -> None:
    """Upstream decisions are observed as they were read; a wrong id voids them."""
    rows: Json = [{"disposition": "GO"}]
    assert isinstance(rows, list)
    result = read_evidence(WORLD.dossier, UPSTREAM, gate="legal", phase="design", upstream=rows)
    assert isinstance(result, dict)
    assert result["observation_id"] == observation_id(rows, evidence_id=UPSTREAM, version=None)
    assert verified(result) == {UPSTREAM}
    assert verified({**result, "content": []}) == set()
