"""The two reading tools: who gets what, in which order reasons are given, in which shape."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cache import Store
from generators.evidence.graph import Node
from generators.readers.compiled import (
    EvidenceKey,
    EvidenceLibrary,
    KeptEvidence,
    StoredEvidence,
)
from generators.readers.content import Json, Mode, ReadError, canonical_json
from generators.readers.dossier import (
    CompiledDossier,
    DossierFiles,
    ToolResult,
    is_forbidden,
    list_evidence,
    read_evidence,
)
from generators.readers.loading import DossierFileError, FilesInMemory, compile_dossier
from generators.readers.observations import is_observation, observation_id
from tests.generators.readers.word import word_file


def node(evidence_id: str, path: str, **changes: Any) -> dict[str, Any]:
    """A node of the graph file."""
    return {
        "evidence_id": evidence_id,
        "path": path,
        "consumers": ["it", "general"],
        "authoritative": True,
        "version": 3,
        "age_days": 12,
        "public_status": "AVAILABLE",
        **changes,
    }


NODES = [
    node("CHARTER", "shared/charter.docx", authoritative=False),
    node("TITLED", "shared/titled.docx", authoritative=False),
    node("BROKEN", "shared/broken.docx"),
    node("RECORD", "gate_evidence/it/record.json"),
    node("LOCKED", "gate_evidence/it/locked.csv", public_status="UNAVAILABLE"),
    node("WAIVER", "gate_evidence/it/waiver.docx", public_status="NOT_APPLICABLE"),
    node("LOST", "gate_evidence/it/lost.csv"),
    node("LATER", "gate_evidence/it/later.json"),
    node("OTHERS", "gate_evidence/legal/other.json", consumers=["legal"]),
    node("MEMO", "shared/record.json", version="1.0", authoritative=False),
    node("UP", "../outside.json"),
    node("TRUTH", "99_hidden_ground_truth.json"),
    node("REVIEW_FACTS_IT", "gate_evidence/it/review_facts.json", consumers=["it"]),
]
FILES = {
    "shared/charter.docx": word_file(lambda d: d.add_paragraph("Charter")),
    "shared/titled.docx": word_file(lambda d: d.add_paragraph("x"), title="Approved: go"),
    "shared/broken.docx": b"no zip",
    "gate_evidence/it/record.json": b'{"b": 1.0, "a": "\xc3\xa9"}',
    "shared/record.json": b'{"b": 1.0, "a": "\xc3\xa9"}',
    "gate_evidence/it/later.json": b"{}",
    "gate_evidence/legal/other.json": b"{}",
    "gate_evidence/it/review_facts.json": b'{"it": {}}',
    "../outside.json": b"{}",
    "99_hidden_ground_truth.json": b"{}",
    # Two files that contradict their status: nobody may get them.
    "gate_evidence/it/locked.csv": b"a\r\n1\r\n",
    "gate_evidence/it/waiver.docx": b"",
}
IDS = [row["evidence_id"] for row in NODES]
EARLY = [name for name in IDS if name != "LATER"]
GRAPH = json.dumps({"nodes": NODES, "edges": []}).encode()
VISIBLE = json.dumps({"framing": EARLY, "design": IDS}).encode()


ALL_FILES = {**FILES, "02_evidence_graph.json": GRAPH, "05_phase_visibility.json": VISIBLE}
IN_MEMORY = FilesInMemory(ALL_FILES)


class Sealed(FilesInMemory):
    """Files of which no evidence may be loaded."""

    def load(self, path: str) -> bytes:
        """The bytes of a root file."""
        assert path not in FILES, f"{path} was loaded again"
        return super().load(path)


def make(
    mode: Mode = "blocks",
    library: EvidenceLibrary | None = None,
    files: DossierFiles = IN_MEMORY,
) -> CompiledDossier:
    """The dossier."""
    return compile_dossier(files, mode=mode, library=library or EvidenceLibrary())


def read(
    evidence_id: str, *, gate: str = "it", phase: str = "framing", mode: Mode = "blocks"
) -> Any:
    """A read by the IT gate."""
    return read_evidence(make(mode), evidence_id, gate=gate, phase=phase)


def rows(mode: Mode = "blocks", **options: Any) -> list[ToolResult]:
    """The rows of a listing for the IT gate at framing."""
    listing = list_evidence(make(mode), **{"gate": "it", "phase": "framing", **options})
    assert list(listing) == ["gate", "phase", "evidence"]
    return msgspec.convert(listing["evidence"], list[dict[str, Any]])


@pytest.mark.parametrize(
    ("evidence_id", "expected"),
    [
        ("NOPE", {"status": "UNKNOWN_EVIDENCE", "evidence_id": "NOPE"}),
        ("OTHERS", {"status": "NOT_IN_GATE_SCOPE", "evidence_id": "OTHERS", "gate": "it"}),
        ("LATER", {"status": "NOT_AVAILABLE_IN_PHASE", "evidence_id": "LATER", "phase": "framing"}),
        ("LOCKED", {"status": "UNAVAILABLE", "evidence_id": "LOCKED", "authoritative": True}),
        ("WAIVER", {"status": "NOT_APPLICABLE", "evidence_id": "WAIVER", "authoritative": True}),
        ("LOST", {"status": "MISSING_FILE", "evidence_id": "LOST"}),
        ("REVIEW_FACTS_IT", {"status": "UNKNOWN_EVIDENCE", "evidence_id": "REVIEW_FACTS_IT"}),
    ],
)
def test_refusals(evidence_id: str, expected: ToolResult) -> None:
    """Each reason has its status and its keys, and nothing of the content."""
    assert read(evidence_id) == expected
    assert list(read(evidence_id)) == list(expected)
    assert not is_observation(read(evidence_id))


def test_scope_comes_before_phase_before_status() -> None:
    """The first reason that holds is the one given."""
    strict = node("X", "99_hidden_ground_truth.json", public_status="UNAVAILABLE")
    dossier = CompiledDossier(
        nodes=[msgspec.convert(strict, Node)],
        visible={"design": ["X"]},
        files=FilesInMemory({}),
        mode="blocks",
        library=EvidenceLibrary(),
    )

    def status(gate: str, phase: str) -> Json:
        result = read_evidence(dossier, "X", gate=gate, phase=phase)
        assert isinstance(result, dict)
        return result["status"]

    assert status("legal", "framing") == "NOT_IN_GATE_SCOPE"
    assert status("it", "framing") == "NOT_AVAILABLE_IN_PHASE"
    assert status("it", "no such phase") == "NOT_AVAILABLE_IN_PHASE"
    assert status("it", "design") == "UNAVAILABLE"


@pytest.mark.parametrize("evidence_id", ["UP", "TRUTH", "BROKEN"])
def test_failed_calls_are_errors(evidence_id: str) -> None:
    """What leads out of the dossier, is the evaluator's or cannot be read fails as a call."""
    outcome = read(evidence_id)
    assert isinstance(outcome, ReadError)
    assert outcome.code in ("forbidden_path", "not_zip")
    assert next(row["path"] for row in NODES if row["evidence_id"] == evidence_id) in outcome.detail


def test_a_read_carries_the_content_and_its_id() -> None:
    """A successful read has these keys in this order; its id is a hash of what was read."""
    result = read("RECORD")
    assert result == {
        "status": "OK",
        "evidence_id": "RECORD",
        "authoritative": True,
        "version": 3,
        "age_days": 12,
        "path": "gate_evidence/it/record.json",
        "content": {"b": 1.0, "a": "é"},
        "observation_id": result["observation_id"],
    }
    assert [*result][-2:] == ["content", "observation_id"]
    text = '{"content":{"a":"é","b":1.0},"evidence_id":"RECORD","version":3}'
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert result["observation_id"] == f"obs-{digest[:16]}"
    assert is_observation(result)


@pytest.mark.parametrize("version", [None, 1, "1.0"])
@pytest.mark.parametrize("content", [[], {"z": 1, "a": [1e-05, 1e22, None]}, "é\u2028\\"])
def test_observation_ids_follow_the_standard_library(
    content: Json, version: int | str | None
) -> None:
    """Ids are hashes of sorted, compact, unescaped JSON as the standard library writes it."""
    whole: Json = {"content": content, "evidence_id": 'E"1', "version": version}
    text = json.dumps(whole, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert observation_id(content, evidence_id='E"1', version=version) == f"obs-{digest[:16]}"
    assert canonical_json(whole) == text.encode()


def test_equal_files_are_different_observations() -> None:
    """The id names the source and its version, not only the content."""
    assert read("RECORD")["content"] == read("MEMO")["content"]
    assert read("RECORD")["observation_id"] != read("MEMO")["observation_id"]


def test_text_mode_has_snapshots_and_no_ids() -> None:
    """The facts condition serves snapshots and texts, and cites by quotes."""
    assert read("REVIEW_FACTS_IT", mode="text")["content"] == {"it": {}}
    charter = read("CHARTER", mode="text")
    assert charter["content"] == "Charter"
    assert "observation_id" not in charter
    assert "REVIEW_FACTS_IT" in {row["evidence_id"] for row in rows("text")}
    assert all("title" not in row for row in rows("text"))


def test_listing_shows_what_the_gate_may_know_of() -> None:
    """Rows are the gate's visible items in graph order, with a title where a Word file has one."""
    listed = rows()
    hidden = {"OTHERS", "LATER", "REVIEW_FACTS_IT"}
    assert [row["evidence_id"] for row in listed] == [name for name in IDS if name not in hidden]
    plain = dict(NODES[0])
    assert {**listed[0]} == plain
    assert list(listed[0]) == [
        "evidence_id",
        "path",
        "public_status",
        "authoritative",
        "version",
        "age_days",
        "consumers",
    ]
    assert listed[1]["title"] == "Approved: go"
    assert [row["evidence_id"] for row in listed if "title" in row] == ["TITLED"]
    assert "LATER" in {row["evidence_id"] for row in rows(phase="design")}


def test_unavailable_rows_can_be_left_out() -> None:
    """Without unavailable items only those with status AVAILABLE are listed."""
    listed = {row["evidence_id"] for row in rows(include_unavailable=False)}
    assert not listed & {"LOCKED", "WAIVER"}
    assert {"LOST", "BROKEN"} <= listed


def test_general_is_told_of_upstream_decisions() -> None:
    """General finds the decisions of others in its list; every gate can read them."""
    last = rows(gate="general")[-1]
    assert (last["evidence_id"], last["public_status"]) == ("UPSTREAM_DECISIONS", "AVAILABLE")
    assert last["authoritative"] is False
    assert set(last) == {"evidence_id", "public_status", "authoritative", "source"}
    assert "UPSTREAM_DECISIONS" not in {row["evidence_id"] for row in rows()}
    handoffs: list[Json] = [{"gate": "it", "disposition": "GO"}]
    for gate in ("it", "general"):
        result = read_evidence(
            make(), "UPSTREAM_DECISIONS", gate=gate, phase="framing", upstream=handoffs
        )
        assert isinstance(result, dict)
        assert [*result] == ["status", "evidence_id", "authoritative", "content", "observation_id"]
        assert result["content"] == handoffs


@pytest.mark.parametrize(
    "path",
    [
        "../x.json",
        "a/../../x.json",
        "/etc/passwd",
        "a\\..\\..\\x",
        "C:/x",
        "",
        "99_hidden_ground_truth.json",
        "sub/99_hidden_ground_truth.json",
        "shared/Hidden_notes.docx",
        "tool_trace.jsonl",
        "environment_state.json",
        "a\0b",
    ],
)
def test_forbidden_paths(path: str) -> None:
    """Nothing outside the dossier, of the evaluator or of a run is evidence."""
    assert is_forbidden(path)
    assert not is_forbidden("shared/project_charter.docx")


def test_readable_agrees_with_reading() -> None:
    """An item is readable exactly if reading it gives content."""
    dossier = make()
    for gate in ("it", "general", "legal"):
        for phase in ("framing", "design"):
            for name in [*IDS, "NOPE"]:
                result = read_evidence(dossier, name, gate=gate, phase=phase)
                gives = isinstance(result, dict) and result["status"] == "OK"
                assert dossier.readable(name, gate=gate, phase=phase) is gives, (name, gate, phase)


class Shelf:
    """Kept evidence in a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[EvidenceKey, KeptEvidence] = {}

    def find(self, key: EvidenceKey) -> KeptEvidence | None:
        """What is kept."""
        return self.kept.get(key)

    def keep(self, key: EvidenceKey, evidence: KeptEvidence) -> None:
        """Keep it, once."""
        assert key not in self.kept
        self.kept[key] = msgspec.json.decode(msgspec.json.encode(evidence), type=KeptEvidence)


def test_each_blob_is_read_once() -> None:
    """Dossiers that share files share readings, and a later process reads none of them again."""
    shelf = Shelf()
    results = [
        read_evidence(make(library=library), name, gate="it", phase="design")
        for library in (EvidenceLibrary(shelf), EvidenceLibrary(shelf))
        for name in IDS
    ]
    assert results[: len(IDS)] == results[len(IDS) :]
    blobs = {key.blob for key in shelf.kept}
    assert len(blobs) == len(shelf.kept), "two items with the same bytes are one reading"
    later = EvidenceLibrary(shelf)
    for name, result in zip(IDS, results, strict=False):
        sealed = make(library=later, files=Sealed(ALL_FILES))
        assert read_evidence(sealed, name, gate="it", phase="design") == result


def test_readings_survive_in_a_store(tmp_path: Path) -> None:
    """What one process has read another finds in the store, errors and titles included."""
    with Store.open(tmp_path / "store", "create") as store:
        shelf = StoredEvidence(store)
        library = EvidenceLibrary(shelf)
        read = [read_evidence(make(library=library), n, gate="it", phase="design") for n in IDS]
        assert repr(shelf) != "<StoredEvidence 0 waiting>"
        shelf.commit()
        assert repr(shelf) == "<StoredEvidence 0 waiting>"
    with Store.open(tmp_path / "store") as store:
        library = EvidenceLibrary(StoredEvidence(store))
        sealed = make(library=library, files=Sealed(ALL_FILES))
        assert read == [read_evidence(sealed, n, gate="it", phase="design") for n in IDS]


def test_modes_are_kept_apart() -> None:
    """The same file read for another condition is another reading."""
    library = EvidenceLibrary()
    blocks = read_evidence(make("blocks", library), "CHARTER", gate="it", phase="design")
    text = read_evidence(make("text", library), "CHARTER", gate="it", phase="design")
    assert isinstance(blocks, dict)
    assert isinstance(text, dict)
    assert (blocks["content"], text["content"]) == (["Charter"], "Charter")


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"02_evidence_graph.json": GRAPH},
        {"02_evidence_graph.json": b"{", "05_phase_visibility.json": VISIBLE},
        {"02_evidence_graph.json": b'{"nodes": [{}]}', "05_phase_visibility.json": VISIBLE},
        {"02_evidence_graph.json": GRAPH, "05_phase_visibility.json": b"[1]"},
        {"02_evidence_graph.json": b"[" * 99_999, "05_phase_visibility.json": VISIBLE},
        {"02_evidence_graph.json": b"\xff", "05_phase_visibility.json": VISIBLE},
        {
            "02_evidence_graph.json": json.dumps({"nodes": NODES + NODES[:1]}).encode(),
            "05_phase_visibility.json": VISIBLE,
        },
    ],
)
def test_a_dossier_without_its_root_files(files: dict[str, bytes]) -> None:
    """A missing, broken or contradictory graph is one error that names the file."""
    with pytest.raises(DossierFileError) as caught:
        compile_dossier(FilesInMemory(files), mode="blocks", library=EvidenceLibrary())
    assert caught.value.where in ("02_evidence_graph.json", "05_phase_visibility.json")
