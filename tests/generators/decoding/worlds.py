"""Dossiers of our own generator, compiled in memory, with the truth beside them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from generators.decoding.decode import Context
from generators.decoding.facts import full_identity, given_identity
from generators.documents import build_documents
from generators.evidence import DossierContext, build_tables, load_catalog
from generators.evidence.composed import compose
from generators.evidence.graph import Node, is_visible
from generators.evidence.records import encode_records, record_values
from generators.facts import make_case
from generators.governance import PHASES, Occurrence, builtin_rules
from generators.readers.compiled import EvidenceLibrary
from generators.readers.content import Json
from generators.readers.dossier import CompiledDossier
from generators.readers.loading import FilesInMemory

LIBRARY = EvidenceLibrary()
CATALOG = load_catalog()


class World:
    """One dossier: its case, its occurrences, its files by path, and what tools see of it."""

    def __init__(self, ctx: DossierContext, files: Mapping[str, bytes]) -> None:
        self.ctx = ctx
        self.case: Mapping[str, Any] = ctx.case
        self.occurrences: tuple[Occurrence, ...] = ctx.route.occurrences
        self.files = files
        self.dossier = compiled(ctx.graph.nodes, files)
        self.given = Context(identity=given_identity(self.case["project"]))
        self.known = Context(identity=full_identity(self.case))

    def content(self, evidence_id: str) -> Json:
        """What a read of the item gives, whoever reads it."""
        evidence = self.dossier.evidence(evidence_id)
        return None if evidence is None else evidence.content

    def with_files(self, changed: Mapping[str, bytes]) -> CompiledDossier:
        """The dossier with other bytes in some files, given by evidence id."""
        paths = {self.ctx.graph.nodes[name].path: data for name, data in changed.items()}
        return compiled(self.ctx.graph.nodes, {**self.files, **paths})

    def bytes_of(self, evidence_id: str) -> bytes:
        """The file of an item."""
        return self.files[self.ctx.graph.nodes[evidence_id].path]


def compiled(nodes: Mapping[str, Node], files: Mapping[str, bytes]) -> CompiledDossier:
    """The dossier of these nodes and files in block mode, with the catalog's visibility."""
    return CompiledDossier(
        nodes=nodes.values(),
        visible={
            phase: [name for name in nodes if is_visible(CATALOG.sources[name], phase)]
            for phase in PHASES
        },
        files=FilesInMemory(files),
        mode="blocks",
        library=LIBRARY,
    )


@functools.cache
def make_world(seed: int, *, route: str, difficulty: int = 4, composed: bool = False) -> World:
    """The dossier of a seed, without the drawings."""
    ctx = DossierContext(
        make_case(seed, route=route, difficulty=difficulty),
        case_id=f"case-{seed}",
        route=builtin_rules().route(route),
    )
    records = record_values(ctx)
    written = encode_records(ctx, compose(ctx, records) if composed else records)
    files = {**written, **build_tables(ctx), **build_documents(ctx)}
    readable = {n.path for n in ctx.graph.nodes.values() if n.public_status == "AVAILABLE"}
    return World(ctx, {path: data for path, data in files.items() if path in readable})
