"""What is in a dossier, for whoever may see everything: its evidence, and where its facts stand.

Works on the files of a sound dossier.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

import msgspec

from generators.decoding.decode import Context, decode
from generators.decoding.facts import decode_facts, full_identity, given_identity, sources_of
from generators.decoding.values import Scalar
from generators.dossier.errors import DossierContentError
from generators.dossier.truth import Parts, read_parts
from generators.evidence import Node, load_catalog
from generators.governance import (
    PHASES,
    Case,
    Occurrence,
    builtin_rules,
    decisive_fields,
    read_fact,
)
from generators.readers.compiled import EvidenceLibrary
from generators.readers.content import ReadError, Reading
from generators.readers.dossier import CompiledDossier
from generators.readers.loading import FilesInMemory, compile_dossier
from generators.readers.reader import format_of, read_bytes


class EvidenceRow(msgspec.Struct, frozen=True, kw_only=True):
    """A node of the graph, with what only the evaluator knows of it."""

    node: Node
    mode: str
    """Hidden mode: what becomes of the values it displays."""
    visible_from: str | None
    """First phase in which it can be read; null if there is none."""
    size: int | None
    """Bytes of its file; null if it has none."""


class FactRow(msgspec.Struct, frozen=True, kw_only=True):
    """A decisive fact of one review, and the record that establishes it."""

    occurrence_id: str
    field: str
    value: Scalar
    """The canonical value."""
    source: str | None
    """The record in which the board can read it; null if it cannot."""
    pointers: tuple[str, ...]
    """JSON pointers into what the tool returns for the record."""


class ShownRow(msgspec.Struct, frozen=True, kw_only=True):
    """A decisive fact as one document displays it."""

    field: str
    shown: Scalar
    value: Scalar
    """The canonical value; a narrative document may show another one."""
    pointers: tuple[str, ...]


class Contents:
    """The contents of one dossier; nothing is read before it is asked for."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files

    @functools.cached_property
    def parts(self) -> Parts:
        """The root files."""
        parts = read_parts(self.files)
        if isinstance(parts, list):
            raise DossierContentError("dossier", parts)
        return parts

    @functools.cached_property
    def compiled(self) -> CompiledDossier:
        """The dossier as the tools of the docs condition see it."""
        files = FilesInMemory(self.files)
        return compile_dossier(files, mode="blocks", library=EvidenceLibrary())

    @property
    def case(self) -> Case:
        """The canonical facts."""
        return self.parts.hidden.canonical_truth

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """The reviews of the dossier's route."""
        return builtin_rules().route(self.parts.context.route.key).occurrences

    def evidence(self) -> list[EvidenceRow]:
        """Every node of the graph, in its order."""
        modes = {node.evidence_id: node.mode for node in self.parts.hidden.evidence_graph.nodes}
        first: dict[str, str] = {}
        for phase in PHASES:
            for evidence_id in self.parts.visibility.get(phase, ()):
                first.setdefault(evidence_id, phase)
        return [
            EvidenceRow(
                node=node,
                mode=modes[node.evidence_id],
                visible_from=first.get(node.evidence_id),
                size=len(self.files[node.path]) if node.path in self.files else None,
            )
            for node in self.parts.graph.nodes
        ]

    def facts(self) -> Iterator[FactRow]:
        """Every decisive fact of every review, in the order in which the rules read them."""
        context = Context(identity=given_identity(self.case["project"]))
        for met in self.occurrences:
            fields = decisive_fields(self.case, met.gate, phase=met.phase)
            sources = sources_of(self.compiled, gate=met.gate, phase=met.phase)
            found = decode_facts(fields, sources, context)
            for field in fields:
                decoded = found.get(field)
                yield FactRow(
                    occurrence_id=met.occurrence_id,
                    field=field,
                    value=_scalar(read_fact(self.case, field)),
                    source=decoded.source if decoded else None,
                    pointers=decoded.pointers if decoded else (),
                )

    def shown_in(self, evidence_id: str) -> Iterator[ShownRow]:
        """The decisive facts that one item of evidence displays; a snapshot is no evidence here."""
        known = evidence_id in self.compiled.by_id
        evidence = self.compiled.evidence(evidence_id) if known else None
        if evidence is None or evidence.error is not None:
            return
        context = Context(identity=full_identity(self.case))
        for field, decoders in load_catalog().decoders.items():
            for decoder in decoders:
                if decoder.source == evidence_id:
                    decoded = decode(decoder, evidence.content, context)
                    if decoded is not None:
                        yield ShownRow(
                            field=field,
                            shown=decoded.value,
                            value=_scalar(read_fact(self.case, field)),
                            pointers=decoded.pointers,
                        )
                        break

    def read(self, path: str) -> Reading | ReadError:
        """A file as text."""
        return read_bytes(format_of(path), self.files[path], "text")


def _scalar(value: object) -> Scalar:
    return value if isinstance(value, bool | int | float | str) else None
