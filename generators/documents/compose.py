"""From a dossier's facts to its Word files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, assert_never

from cache.errors import UsageError
from generators.documents.blocks import (
    BulletList,
    Clause,
    Document,
    Grid,
    LabelTable,
    Section,
)
from generators.documents.library import (
    DocumentPlan,
    Labels,
    SectionPlan,
    ShownFact,
    load_documents,
    load_reviews,
)
from generators.documents.scene import Scene, Telling
from generators.documents.word import write_word
from generators.evidence.context import DossierContext
from generators.evidence.graph import Node
from generators.governance import builtin_rules

_INDEX_HEADER: Final = ("Evidence ID", "Version", "Status", "Path")


def build_documents(context: DossierContext) -> dict[str, bytes]:
    """The Word documents among the evidence of a dossier, by path; withheld ones are left out."""
    scene = Scene(context)
    return {
        plan.path: write_word(_compose(plan, scene))
        for plan in load_documents().values()
        if context.graph.is_available(plan.id)
    }


def compose_document(context: DossierContext, evidence_id: str) -> Document:
    """One document before it becomes a Word file.

    Raises
    ------
    UsageError
        If `evidence_id` is no Word document of a dossier.
    """
    plans = load_documents()
    if evidence_id not in plans:
        raise UsageError(
            "no such Word document", where=evidence_id, hint=f"one of {', '.join(plans)}"
        )
    return _compose(plans[evidence_id], Scene(context))


def build_review_request(context: DossierContext, gate: str, nodes: Iterable[Node]) -> bytes:
    """The cover document of `gate`, with `nodes` as its evidence index."""
    return write_word(compose_review_request(context, gate, nodes))


def compose_review_request(context: DossierContext, gate: str, nodes: Iterable[Node]) -> Document:
    """The cover document of `gate` before it becomes a Word file."""
    label = builtin_rules().gate(gate).label
    plan = load_reviews()
    tell = Scene(context).telling(f"review/{gate}", {"gate": label})
    words = plan.gates[gate]
    return Document(
        title=tell(plan.title, "title"),
        subtitle=tell(plan.subtitle, "subtitle"),
        sections=(
            LabelTable(
                heading=tell(plan.particulars, "particulars"), rows=_rows(plan.labels, tell, "rows")
            ),
            Clause(
                heading=tell(plan.objective, "objective heading"),
                paragraphs=(tell(words.objective, "objective"),),
            ),
            Grid(
                heading=tell(plan.evidence, "evidence"),
                header=_INDEX_HEADER,
                rows=tuple(
                    (node.evidence_id, str(node.version), node.public_status, node.path)
                    for node in nodes
                ),
            ),
            BulletList(
                heading=tell(plan.remarks, "remarks"),
                items=tuple(tell(slot, f"remark {n}") for n, slot in enumerate(words.remarks)),
            ),
        ),
    )


def _compose(plan: DocumentPlan, scene: Scene) -> Document:
    tell = scene.telling(plan.id, _shown_places(plan, scene))
    return Document(
        title=tell(plan.title, "title"),
        subtitle=tell(plan.subtitle, "subtitle"),
        sections=tuple(
            _section(section, tell, f"{number}") for number, section in enumerate(plan.sections)
        ),
    )


def _shown_places(plan: DocumentPlan, scene: Scene) -> Mapping[str, str]:
    """The displayed values; each goes through the hidden mode once, however often it is printed."""
    return {
        f"shown.{key}": _print(fact, scene.shown(plan.id, key, fact.fact), scene)
        for key, fact in plan.shown.items()
    }


def _print(fact: ShownFact, value: object, scene: Scene) -> str:
    if fact.yes is None or fact.no is None:
        return str(value)
    return scene.word(fact.yes) if value else fact.no


def _section(section: SectionPlan, tell: Telling, spot: str) -> Section:
    heading = tell(section.heading, f"{spot}/heading")
    lines = tuple(tell(line, f"{spot}/{number}") for number, line in enumerate(section.lines))
    match section.kind:
        case "labels":
            return LabelTable(heading=heading, rows=_rows(section.labels, tell, spot))
        case "bullets":
            return BulletList(heading=heading, items=lines)
        case "clause":
            remark = tell(section.remark, f"{spot}/remark") if section.remark else ""
            return Clause(heading=heading, paragraphs=lines, remark=remark)
    assert_never(section.kind)


def _rows(labels: Labels, tell: Telling, spot: str) -> tuple[tuple[str, str], ...]:
    return tuple((label, tell(slot, f"{spot}/{label}")) for label, slot in labels)
