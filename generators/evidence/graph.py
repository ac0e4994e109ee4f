"""The public evidence graph of a dossier, and the hidden mode of each of its nodes.

A mode is drawn per node from the seed. It decides whether a record is withheld and how the values
that a narrative document displays are distorted; it never touches an authoritative value. Records
that a scheduled review cannot do without are rescued afterwards. Protocol, dossier sections 2, 3
and 9.2.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from generators.evidence.catalog import Catalog, Source, load_catalog
from generators.governance import PHASES, Case, Occurrence, Phase, Route, decisive_fields, read_fact

Mode: TypeAlias = Literal[
    "truthful", "temporarily_unavailable", "stale", "conflicting_claim", "partial"
]
PublicStatus: TypeAlias = Literal["AVAILABLE", "UNAVAILABLE", "NOT_APPLICABLE"]
Shown: TypeAlias = str | int | float | bool | None

BLANK_BELOW: Final = 0.45
"""A partial document leaves a value out when its draw is below this."""


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A node as `02_evidence_graph.json` shows it, keys in the order of the file."""

    evidence_id: str
    path: str
    consumers: tuple[str, ...]
    authoritative: bool
    version: int | str
    """A number; text for a file uploaded after generation."""
    age_days: int
    public_status: PublicStatus


class Graph(msgspec.Struct, frozen=True, kw_only=True):
    """The nodes of a dossier in catalog order, and the mode of each."""

    nodes: Mapping[str, Node]
    modes: Mapping[str, Mode]

    def is_available(self, evidence_id: str) -> bool:
        """Whether the node has a file."""
        return self.nodes[evidence_id].public_status == "AVAILABLE"


def unit(*parts: object) -> float:
    """A draw in [0, 1): the first 8 bytes of the SHA-256 of the parts joined by colons."""
    key = ":".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") / 2**64


def draw_mode(source: Source, *, seed: int, difficulty: int) -> Mode:
    """The hidden mode of `source` in the dossier of `seed`, before any rescue."""
    draw = unit(seed, source.id, "")
    if source.snapshot:
        return "truthful"
    if source.authoritative:
        return "temporarily_unavailable" if draw <= 0.04 * difficulty else "truthful"
    step = 0.04 + 0.018 * difficulty
    if draw < step:
        return "stale"
    if draw < 2 * step:
        return "conflicting_claim"
    return "partial" if draw < 3 * step else "truthful"


def build_graph(
    case: Case, route: Route, *, difficulty: int, catalog: Catalog | None = None
) -> Graph:
    """The graph of the dossier of `case` on `route`."""
    catalog = catalog or load_catalog()
    seed = case["seed"]
    required = required_records(case, route.occurrences, catalog=catalog)
    nodes: dict[str, Node] = {}
    modes: dict[str, Mode] = {}
    for source in catalog.sources.values():
        mode = draw_mode(source, seed=seed, difficulty=difficulty)
        if source.id in required or _is_not_applicable(source, case):
            mode = "truthful"
        modes[source.id] = mode
        nodes[source.id] = Node(
            evidence_id=source.id,
            path=source.path,
            consumers=source.consumers,
            authoritative=source.authoritative,
            version=1 if source.snapshot else 1 + int(5 * unit(seed, source.id, "ver")),
            age_days=0 if source.snapshot else int(180 * unit(seed, source.id, "age")),
            public_status=_status(source, mode, case),
        )
    return Graph(nodes=nodes, modes=modes)


def required_records(
    case: Case, occurrences: Sequence[Occurrence], *, catalog: Catalog | None = None
) -> frozenset[str]:
    """Records that must be readable for the scheduled reviews to be decidable.

    For each decisive field of each occurrence: the first authoritative source, in the order of the
    decoders, that the gate may read at the phase.
    """
    catalog = catalog or load_catalog()
    required = set()
    for occurrence in occurrences:
        for field in decisive_fields(case, occurrence.gate, phase=occurrence.phase):
            for decoder in catalog.decoders[field]:
                source = catalog.sources[decoder.source]
                if source.authoritative and may_read(source, occurrence.gate, occurrence.phase):
                    required.add(source.id)
                    break
    return frozenset(required)


def may_read(source: Source, gate: str, phase: Phase) -> bool:
    """Whether `gate` is a consumer of `source` and the source is visible at `phase`."""
    return gate in source.consumers and is_visible(source, phase)


def is_visible(source: Source, phase: Phase) -> bool:
    """Whether `source` is visible at `phase`: from its first phase on, in everything after it."""
    return PHASES.index(source.visible_from) <= PHASES.index(phase)


def distort(value: Shown, mode: Mode, *, blank: float, catalog: Catalog | None = None) -> Shown:
    """What a narrative document with hidden mode `mode` displays for `value`.

    Parameters
    ----------
    value
        The true value.
    mode
        The document's hidden mode.
    blank
        The draw in [0, 1) that decides whether a partial document leaves the value out.
    """
    catalog = catalog or load_catalog()
    if value is None or mode in {"truthful", "temporarily_unavailable"}:
        return value
    if mode == "partial":
        return None if blank < BLANK_BELOW else value
    words = catalog.previous_state if mode == "stale" else catalog.conflicting_claim
    if isinstance(value, str):
        return words.get(value, value)
    if isinstance(value, bool):
        return value if mode == "stale" else not value
    step = 1 if isinstance(value, int) else 0.5
    return max(0, value - step) if mode == "stale" else value + step


def _is_not_applicable(source: Source, case: Case) -> bool:
    condition = source.not_applicable_when
    return condition is not None and read_fact(case, condition.field) == condition.value


def _status(source: Source, mode: Mode, case: Case) -> PublicStatus:
    if _is_not_applicable(source, case):
        return "NOT_APPLICABLE"
    return "UNAVAILABLE" if mode == "temporarily_unavailable" else "AVAILABLE"
