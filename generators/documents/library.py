"""The text files, checked and compiled: which documents there are and what each may say.

Every file in `texts/` except `terms.toml` and `reviews.toml` is a list of documents. Loading
compiles each slot and refuses what could only fail later: a place nobody fills, a trait nobody has,
a label that stands twice in a table, a displayed value the evidence catalog does not know.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Final, Literal, TypeAlias, TypeVar

import msgspec

from generators.documents.scene import FACT_SECTIONS, WORDS, known_traits
from generators.documents.wording import Slot, SlotSource, WordingError, read_slot
from generators.evidence.catalog import load_catalog

T = TypeVar("T")

DOCUMENT_FILES: Final = (
    "general",
    "it",
    "architecture",
    "security",
    "readiness",
    "procurement",
    "legal",
    "compliance",
)


class _Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a text file."""


class ShownFact(_Record, frozen=True, kw_only=True):
    """A fact that goes through the hidden mode.

    With `yes` and `no`, a true one prints as the word named `yes`, any other as the text `no`.
    """

    fact: str
    yes: str | None = None
    no: str | None = None


class _SectionSource(_Record, frozen=True, kw_only=True):
    kind: Literal["labels", "bullets", "clause"]
    heading: SlotSource
    rows: list[tuple[str, str]] = []
    items: list[SlotSource] = []
    paragraphs: list[SlotSource] = []
    remark: SlotSource | None = None


class _DocumentSource(_Record, frozen=True, kw_only=True):
    id: str
    title: SlotSource
    subtitle: SlotSource
    shown: dict[str, str | ShownFact] = {}
    section: list[_SectionSource]


class _DocumentFile(_Record, frozen=True, kw_only=True):
    document: list[_DocumentSource]


class _GateSource(_Record, frozen=True, kw_only=True):
    objective: SlotSource
    remarks: list[SlotSource]


class _ReviewFile(_Record, frozen=True, kw_only=True):
    title: SlotSource
    subtitle: SlotSource
    particulars: SlotSource
    rows: list[tuple[str, str]]
    objective: SlotSource
    evidence: SlotSource
    remarks: SlotSource
    gate: dict[str, _GateSource]


Labels: TypeAlias = tuple[tuple[str, Slot], ...]


class SectionPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A section before a dossier fills it; of `labels` and `lines` the kind uses one."""

    kind: Literal["labels", "bullets", "clause"]
    heading: Slot
    labels: Labels = ()
    lines: tuple[Slot, ...] = ()
    remark: Slot | None = None


class DocumentPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A document before a dossier fills it."""

    id: str
    path: str
    title: Slot
    subtitle: Slot
    shown: Mapping[str, ShownFact]
    sections: tuple[SectionPlan, ...]


class GatePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What the cover document of one gate says."""

    objective: Slot
    remarks: tuple[Slot, ...]


class ReviewPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The cover documents before a dossier fills them."""

    title: Slot
    subtitle: Slot
    particulars: Slot
    labels: Labels
    objective: Slot
    evidence: Slot
    remarks: Slot
    gates: Mapping[str, GatePlan]


@functools.cache
def load_documents() -> Mapping[str, DocumentPlan]:
    """Every document of a dossier by evidence id, in the order of the text files."""
    plans = {}
    for name in DOCUMENT_FILES:
        for source in read_text_file(f"{name}.toml", _DocumentFile).document:
            plans[source.id] = _plan(source, f"{name}.toml, {source.id}")
    return plans


@functools.cache
def load_reviews() -> ReviewPlan:
    """The cover documents of all gates."""
    source = read_text_file("reviews.toml", _ReviewFile)
    read = _Reader("reviews.toml", frozenset({"gate"}))
    return ReviewPlan(
        title=read.slot(source.title, "title"),
        subtitle=read.slot(source.subtitle, "subtitle"),
        particulars=read.slot(source.particulars, "particulars"),
        labels=read.labels(source.rows, "rows"),
        objective=read.slot(source.objective, "objective"),
        evidence=read.slot(source.evidence, "evidence"),
        remarks=read.slot(source.remarks, "remarks"),
        gates={
            gate: GatePlan(
                objective=read.slot(one.objective, f"{gate} objective"),
                remarks=read.lines(one.remarks, f"{gate} remark"),
            )
            for gate, one in source.gate.items()
        },
    )


def read_text_file(name: str, kind: type[T]) -> T:
    """A file of `texts/` as `kind`; a file that does not fit is a WordingError."""
    text = files(__package__).joinpath("texts", name).read_text(encoding="utf-8")
    try:
        return msgspec.convert(tomllib.loads(text), kind)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise WordingError(str(error), where=name) from None


class _Reader:
    """Compiles the slots of one document."""

    def __init__(self, where: str, extra_places: frozenset[str]) -> None:
        self._where = where
        self._places = WORDS.keys() | extra_places
        self._traits = known_traits()

    def _is_place(self, name: str) -> bool:
        return name in self._places or name.partition(".")[0] in FACT_SECTIONS

    def slot(self, source: SlotSource, spot: str) -> Slot:
        return read_slot(
            source,
            where=f"{self._where}, {spot}",
            is_place=self._is_place,
            traits=self._traits,
        )

    def lines(self, sources: list[SlotSource], spot: str) -> tuple[Slot, ...]:
        return tuple(
            self.slot(source, f"{spot} {number}") for number, source in enumerate(sources, start=1)
        )

    def labels(self, rows: list[tuple[str, str]], spot: str) -> Labels:
        names = [label for label, _ in rows]
        if len(set(names)) < len(names):
            raise WordingError("a label stands twice", where=f"{self._where}, {spot}")
        return tuple((label, self.slot(text, f"{spot}, {label}")) for label, text in rows)


def _plan(source: _DocumentSource, where: str) -> DocumentPlan:
    evidence = load_catalog().source(source.id)
    if sorted(source.shown) != sorted(evidence.noise):
        raise WordingError(
            "the displayed values differ from those of the evidence catalog",
            where=where,
            hint=f"the catalog has {', '.join(evidence.noise) or 'none'}",
        )
    shown = {
        key: ShownFact(fact=fact) if isinstance(fact, str) else fact
        for key, fact in source.shown.items()
    }
    read = _Reader(where, frozenset(f"shown.{key}" for key in shown))
    return DocumentPlan(
        id=source.id,
        path=evidence.path,
        title=read.slot(source.title, "title"),
        subtitle=read.slot(source.subtitle, "subtitle"),
        shown=shown,
        sections=tuple(
            SectionPlan(
                kind=section.kind,
                heading=read.slot(section.heading, f"section {number}, heading"),
                labels=read.labels(section.rows, f"section {number}"),
                lines=read.lines(section.items or section.paragraphs, f"section {number}, line"),
                remark=(
                    read.slot(section.remark, f"section {number}, remark")
                    if section.remark
                    else None
                ),
            )
            for number, section in enumerate(source.section, start=1)
        ),
    )
