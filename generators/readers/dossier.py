"""A dossier as the reading tools see it, and the two tools, as pure functions.

`list_evidence` and `read_evidence` answer for one gate in one phase. Their results are the exact
objects an agent receives and a trace records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from generators.evidence.catalog import SNAPSHOT_PREFIX
from generators.evidence.graph import Node
from generators.governance import GENERAL
from generators.readers.compiled import Evidence, EvidenceKey, EvidenceLibrary
from generators.readers.content import Json, Mode, ReadError
from generators.readers.observations import identify, observation_id
from generators.readers.reader import format_of

UPSTREAM: Final = "UPSTREAM_DECISIONS"
"""Pseudo evidence: the decisions of earlier gates, listed to General, readable by every gate."""

AVAILABLE: Final = "AVAILABLE"

_UPSTREAM_SOURCE: Final = "decisions submitted by earlier gates of this run"
_NEVER_SERVED: Final = frozenset(
    {"99_hidden_ground_truth.json", "tool_trace.jsonl", "environment_state.json"}
)

ToolResult = dict[str, Json]


class DossierFiles(Protocol):
    """The files of a dossier, wherever they are: a tree in the store, a folder, a mapping."""

    def blob(self, path: str) -> str | None:
        """The id of the file's bytes, or None if there is no such file."""
        ...

    def load(self, path: str) -> bytes:
        """The bytes of a file that exists."""
        ...


class CompiledDossier:
    """The evidence of one dossier, read as far as anybody has asked.

    Attributes
    ----------
    mode
        Block mode serves the docs and attack conditions, text mode the facts condition.
    nodes
        The public evidence graph, in its order.
    by_id
        The items that exist in this condition, by id.
    visible
        Phase to the ids visible in it.
    """

    def __init__(
        self,
        *,
        nodes: Iterable[Node],
        visible: Mapping[str, Iterable[str]],
        files: DossierFiles,
        mode: Mode,
        library: EvidenceLibrary,
    ) -> None:
        self.mode = mode
        self.nodes = tuple(nodes)
        self.visible = {phase: frozenset(ids) for phase, ids in visible.items()}
        self.by_id = {node.evidence_id: node for node in self.nodes if not self._hides(node)}
        self._files = files
        self._library = library
        self._read: dict[str, Evidence | None] = {}
        self._observation_ids: dict[str, str] = {}

    def in_scope(self, gate: str, phase: str) -> list[Node]:
        """The items the gate may know of in the phase, available or not, in graph order."""
        visible = self.visible.get(phase, frozenset())
        return [
            node
            for node in self.by_id.values()
            if gate in node.consumers and node.evidence_id in visible
        ]

    def readable(self, evidence_id: str, *, gate: str, phase: str) -> bool:
        """Whether `read_evidence` gives content."""
        if self.refusal(evidence_id, gate=gate, phase=phase) is not None:
            return False
        if is_forbidden(self.by_id[evidence_id].path):
            return False
        evidence = self.evidence(evidence_id)
        return evidence is not None and evidence.error is None

    def refusal(self, evidence_id: str, *, gate: str, phase: str) -> ToolResult | None:
        """The first reason why the gate may not have an item in the phase."""
        node = self.by_id.get(evidence_id)
        if node is None:
            return {"status": "UNKNOWN_EVIDENCE", "evidence_id": evidence_id}
        outside = self.outside(node, gate=gate, phase=phase)
        if outside is not None:
            return outside
        if node.public_status != AVAILABLE:
            return {
                "status": node.public_status,
                "evidence_id": evidence_id,
                "authoritative": node.authoritative,
            }
        return None

    def outside(self, node: Node, *, gate: str, phase: str) -> ToolResult | None:
        """Why an item is not the gate's business, or not yet."""
        evidence_id = node.evidence_id
        if gate not in node.consumers:
            return {"status": "NOT_IN_GATE_SCOPE", "evidence_id": evidence_id, "gate": gate}
        if evidence_id not in self.visible.get(phase, frozenset()):
            return {"status": "NOT_AVAILABLE_IN_PHASE", "evidence_id": evidence_id, "phase": phase}
        return None

    def evidence(self, evidence_id: str) -> Evidence | None:
        """The reading of a known item's file; None if the file is absent."""
        if evidence_id not in self._read:
            path = self.by_id[evidence_id].path
            blob = self._files.blob(path)
            self._read[evidence_id] = (
                None
                if blob is None
                else self._library.read(
                    EvidenceKey(blob=blob, format=format_of(path), mode=self.mode),
                    lambda: self._files.load(path),
                )
            )
        return self._read[evidence_id]

    def observation_id(self, evidence_id: str) -> str:
        """The id by which a full read of a known, readable item is cited."""
        if evidence_id not in self._observation_ids:
            node, evidence = self.by_id[evidence_id], self.evidence(evidence_id)
            canonical = b"null" if evidence is None else evidence.canonical
            self._observation_ids[evidence_id] = identify(
                canonical, evidence_id=evidence_id, version=node.version
            )
        return self._observation_ids[evidence_id]

    def _hides(self, node: Node) -> bool:
        return self.mode == "blocks" and node.evidence_id.startswith(SNAPSHOT_PREFIX)


def list_evidence(
    dossier: CompiledDossier, *, gate: str, phase: str, include_unavailable: bool = True
) -> ToolResult:
    """What the gate may read in the phase, one row per item."""
    rows: list[Json] = [
        _row(dossier, node)
        for node in dossier.in_scope(gate, phase)
        if include_unavailable or node.public_status == AVAILABLE
    ]
    if gate == GENERAL:
        rows.append(
            {
                "evidence_id": UPSTREAM,
                "public_status": AVAILABLE,
                "authoritative": False,
                "source": _UPSTREAM_SOURCE,
            }
        )
    return {"gate": gate, "phase": phase, "evidence": rows}


def _row(dossier: CompiledDossier, node: Node) -> Json:
    row: ToolResult = {
        "evidence_id": node.evidence_id,
        "path": node.path,
        "public_status": node.public_status,
        "authoritative": node.authoritative,
        "version": node.version,
        "age_days": node.age_days,
        "consumers": [*node.consumers],
    }
    titled = format_of(node.path) == "docx" and node.public_status == AVAILABLE
    if titled and not is_forbidden(node.path):
        evidence = dossier.evidence(node.evidence_id)
        if evidence is not None and evidence.title:
            row["title"] = evidence.title
    return row


def read_evidence(
    dossier: CompiledDossier,
    evidence_id: str,
    *,
    gate: str,
    phase: str,
    upstream: Sequence[Json] = (),
) -> ToolResult | ReadError:
    """One item, or the status that tells why not.

    `upstream` holds the handoffs received so far. An error means that the call failed as a tool
    call does; it leaves no trace.
    """
    if evidence_id == UPSTREAM:
        return _upstream_decisions(dossier.mode, upstream)
    refusal = dossier.refusal(evidence_id, gate=gate, phase=phase)
    if refusal is not None:
        return refusal
    node = dossier.by_id[evidence_id]
    if is_forbidden(node.path):
        return ReadError(code="forbidden_path", detail=f"{node.path[:200]!r} is not evidence")
    evidence = dossier.evidence(evidence_id)
    if evidence is None:
        return {"status": "MISSING_FILE", "evidence_id": evidence_id}
    if evidence.error is not None:
        named = f"{node.path}: {evidence.error.detail}"
        return ReadError(code=evidence.error.code, detail=named)
    result: ToolResult = {
        "status": "OK",
        "evidence_id": evidence_id,
        "authoritative": node.authoritative,
        "version": node.version,
        "age_days": node.age_days,
        "path": node.path,
        "content": evidence.content,
    }
    if dossier.mode == "blocks":
        result["observation_id"] = dossier.observation_id(evidence_id)
    return result


def _upstream_decisions(mode: Mode, upstream: Sequence[Json]) -> ToolResult:
    content: Json = [*upstream]
    result: ToolResult = {
        "status": "OK",
        "evidence_id": UPSTREAM,
        "authoritative": False,
        "content": content,
    }
    if mode == "blocks":
        result["observation_id"] = observation_id(content, evidence_id=UPSTREAM, version=None)
    return result


def is_forbidden(path: str) -> bool:
    """Whether a path leads out of the dossier or to a file that is nobody's evidence."""
    steps = path.replace("\\", "/").split("/")
    name = steps[-1]
    return (
        not steps[0]
        or ".." in steps
        or ":" in path
        or "\0" in path
        or name in _NEVER_SERVED
        or "hidden" in name.lower()
    )
