"""Reading and decoding, beside python-docx, in one run.

`python -m benchmarks.readers` prints what a Word document costs here and through python-docx, then
what compiling, listing, reading, decoding and citing cost on generated dossiers. Each figure is the
best of some rounds, per call.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import docx

from generators.decoding.citations import Citations
from generators.decoding.decode import Context
from generators.decoding.facts import decode_facts, full_identity, given_identity, sources_of
from generators.dossier import DossierSpec, build_dossier
from generators.facts import make_case
from generators.governance import builtin_rules, decisive_fields, read_fact
from generators.readers.compiled import EvidenceLibrary
from generators.readers.dossier import CompiledDossier, list_evidence, read_evidence
from generators.readers.loading import FilesInMemory, compile_dossier
from generators.readers.reader import read_bytes

ROUNDS = 5
SPECS = [
    DossierSpec(seed=31_000 + number, route=route, difficulty=4)
    for number, route in enumerate(("buy", "integrate", "build"))
]


def best(works: Sequence[Callable[[], object]]) -> float:
    """Microseconds per piece of work, in the best round over all of them."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for work in works:
            work()
        seconds.append(time.perf_counter() - start)
    return min(seconds) / len(works) * 1e6


def through_python_docx(data: bytes) -> list[str]:
    """The blocks of a Word file, read by python-docx."""
    document = docx.Document(io.BytesIO(data))
    paragraphs = [p.text.strip() for p in document.paragraphs if p.text.strip()]
    rows = [
        " | ".join(text.strip() for text in (cell.text for cell in row.cells))
        for table in document.tables
        for row in table.rows
    ]
    return paragraphs + rows


class Subject:
    """A dossier with the truth beside it, and pieces of work to do on it."""

    def __init__(self, spec: DossierSpec) -> None:
        self.files = build_dossier(spec).files
        self.case = make_case(spec.seed, route=spec.route, difficulty=spec.difficulty)
        self.compiled = self.compile()
        self.decisive = {
            gate: decisive_fields(self.case, gate.gate, phase=gate.phase)
            for gate in builtin_rules().route(spec.route).occurrences
        }

    def compile(self) -> CompiledDossier:
        """The dossier with all of its evidence read, as if for the first time."""
        compiled = compile_dossier(
            FilesInMemory(self.files), mode="blocks", library=EvidenceLibrary()
        )
        for evidence_id in compiled.by_id:
            compiled.evidence(evidence_id)
        return compiled

    def decode(self) -> None:
        """All decisive facts of all gates."""
        context = Context(identity=given_identity(self.case["project"]))
        for gate, fields in self.decisive.items():
            decode_facts(
                fields, sources_of(self.compiled, gate=gate.gate, phase=gate.phase), context
            )

    def listings(self) -> Iterator[Callable[[], object]]:
        """One listing per gate."""
        for gate in self.decisive:
            yield partial(list_evidence, self.compiled, gate=gate.gate, phase=gate.phase)

    def reads(self) -> Iterator[Callable[[], object]]:
        """Every read of every gate."""
        for gate in self.decisive:
            for node in self.compiled.in_scope(gate.gate, gate.phase):
                yield partial(
                    read_evidence,
                    self.compiled,
                    node.evidence_id,
                    gate=gate.gate,
                    phase=gate.phase,
                )

    def citations(self) -> Iterator[Callable[[], object]]:
        """One citation per decisive fact and admissible source."""
        book = Citations(self.compiled, identity=full_identity(self.case))
        for field in sorted({field for fields in self.decisive.values() for field in fields}):
            truth: Any = read_fact(self.case, field)
            for evidence_id in self.compiled.by_id:
                decoded = book.citable(field, evidence_id)
                if decoded is not None:
                    cited = {"evidence_id": evidence_id, "pointer": decoded.pointers[0]}
                    yield partial(book.supports, field, truth, **cited)


def main() -> None:
    """Measure and print."""
    subjects = [Subject(spec) for spec in SPECS]

    words = [d for s in subjects for path, d in s.files.items() if path.endswith(".docx")]
    ours = best([partial(read_bytes, "docx", data, "blocks") for data in words])
    theirs = best([partial(through_python_docx, data) for data in words])
    print(f"Word document      {ours:8.0f} us   python-docx {theirs:.0f} us, {theirs / ours:.0f} x")

    items = len(subjects[0].compiled.nodes)
    print(f"compile a dossier  {best([s.compile for s in subjects]):8.0f} us   {items} items")
    print(f"list_evidence      {best([w for s in subjects for w in s.listings()]):8.1f} us")
    print(f"read_evidence      {best([w for s in subjects for w in s.reads()]):8.2f} us")

    values = sum(len(fields) for s in subjects for fields in s.decisive.values())
    per_dossier = f"{values // len(subjects)} decisive values"
    print(f"decode a dossier   {best([s.decode for s in subjects]):8.0f} us   {per_dossier}")
    print(f"judge a citation   {best([w for s in subjects for w in s.citations()]):8.2f} us")


if __name__ == "__main__":
    main()
