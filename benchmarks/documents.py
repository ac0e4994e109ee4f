"""Word documents per second: this project's writer beside python-docx, on the same documents.

    python -m benchmarks.documents [DOSSIERS]

Both write the same paragraphs and tables of the same dossiers in the same run. Our figure is given
twice: writing alone, which is what python-docx is compared with, and composing the text as well.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

import docx
from docx.document import Document as DocxDocument

from generators.diagram import HEIGHT, WIDTH, build_diagram, render_png, renderer_identity
from generators.documents import (
    BulletList,
    Clause,
    Document,
    Grid,
    LabelTable,
    build_documents,
    build_review_request,
    compose_document,
    compose_review_request,
    write_word,
)
from generators.documents.blocks import LABEL_HEADER
from generators.documents.library import load_documents
from generators.evidence.context import DossierContext
from generators.facts import make_case
from generators.governance import builtin_rules

T = TypeVar("T")

ROUTES = ("buy", "integrate", "build")


def with_python_docx(document: Document) -> bytes:
    """The document through python-docx and its default template."""
    word = docx.Document()
    word.add_paragraph(document.title, style="Title")
    word.add_paragraph(document.subtitle, style="Subtitle")
    for section in document.sections:
        word.add_heading(section.heading, level=1)
        match section:
            case LabelTable():
                add_table(word, [LABEL_HEADER, *section.rows])
            case Grid():
                add_table(word, [section.header, *section.rows])
            case BulletList():
                for item in section.items:
                    word.add_paragraph(item, style="List Bullet")
            case Clause():
                for paragraph in section.paragraphs:
                    word.add_paragraph(paragraph)
                if section.remark:
                    word.add_paragraph(section.remark, style="Quote")
    saved = io.BytesIO()
    word.save(saved)
    return saved.getvalue()


def add_table(word: DocxDocument, rows: list[tuple[str, ...]]) -> None:
    """A grid with `rows`."""
    table = word.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
    for line, cells in zip(rows, table.rows, strict=True):
        for text, cell in zip(line, cells.cells, strict=True):
            cell.text = text


def context(seed: int) -> DossierContext:
    """The dossier of `seed`."""
    route = ROUTES[seed % 3]
    case = make_case(seed, route=route, difficulty=4)
    return DossierContext(case, case_id="benchmark", route=builtin_rules().route(route))


def compose_all(contexts: Iterable[DossierContext]) -> list[Document]:
    """Every document of the dossiers, review requests included."""
    found = []
    for one in contexts:
        found += [compose_document(one, name) for name in load_documents()]
        for gate in builtin_rules().gates:
            nodes = [node for node in one.graph.nodes.values() if gate in node.consumers]
            found.append(compose_review_request(one, gate, nodes))
    return found


def build_all(contexts: Iterable[DossierContext]) -> int:
    """Compose and write every document; how many there were."""
    count = 0
    for one in contexts:
        count += len(build_documents(one))
        for gate in builtin_rules().gates:
            nodes = [node for node in one.graph.nodes.values() if gate in node.consumers]
            count += len(build_review_request(one, gate, nodes)) > 0
    return count


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """CPU seconds and result of `work`."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def main() -> None:
    """Print the rates and their ratio."""
    dossiers = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    contexts = [context(9000 + number) for number in range(dossiers)]
    build_all(contexts[:1])  # texts, template and graphs are read once per process
    documents = compose_all(contexts)
    ours, files = timed(lambda: [write_word(one) for one in documents])
    sample = documents[:: max(1, len(documents) // 60)]
    theirs, their_files = timed(lambda: [with_python_docx(one) for one in sample])
    whole, count = timed(lambda: build_all(contexts))
    our_rate, their_rate = len(documents) / ours, len(sample) / theirs
    print(f"documents                 {len(documents)} of {dossiers} dossiers")
    print(f"write, this project       {our_rate:10.0f} documents/s")
    print(f"write, python-docx        {their_rate:10.0f} documents/s ({len(sample)} of them)")
    print(f"ratio                     {our_rate / their_rate:10.0f} times faster")
    print(f"compose and write         {count / whole:10.0f} documents/s")
    print(f"bytes per document        {sum(map(len, files)) / len(files):10.0f} stored")
    print(f"  of python-docx          {sum(map(len, their_files)) / len(sample):10.0f} deflated")
    drawing, svgs = timed(lambda: [build_diagram(one) for one in contexts])
    print(f"diagrams                  {dossiers / drawing:10.0f} SVG/s")
    drawing, pictures = timed(lambda: [render_png(one, WIDTH, HEIGHT) for one in svgs[:5]])
    print(f"pictures                  {len(pictures) / drawing:10.1f} PNG/s, {renderer_identity()}")


if __name__ == "__main__":
    main()
