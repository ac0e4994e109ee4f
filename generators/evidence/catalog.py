"""The evidence catalog: which sources a dossier has, who may read them, and how they decode.

Two tables, read once: `catalog.toml` (74 sources in graph order, status wordings) and
`decoders.toml` (how each decisive field is read back from its sources). The fact snapshots, one
per gate, follow from the list of gates and close the graph.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Final, Literal, TypeAlias, TypeVar

import msgspec

from cache.errors import UsageError
from generators.governance import Phase

T = TypeVar("T")

DecoderKind: TypeAlias = Literal[
    "csv_cell",
    "csv_uniform",
    "csv_count",
    "csv_sum",
    "csv_elapsed_hours",
    "csv_months_between",
    "json_value",
    "json_entry",
    "json_sum",
    "docx_label",
    "docx_clause",
]
Conversion: TypeAlias = Literal[
    "text",
    "status",
    "bool",
    "number",
    "nullable_number",
    "number_or_word",
    "keur",
    "seconds_to_ms",
    "minutes_to_hours",
    "complement_of_100",
    "non_empty",
    "not_null",
    "clause_days",
    "count",
    "hours",
    "months",
]
Capture: TypeAlias = Literal["no_period", "non_space", "word"]

SNAPSHOT_PREFIX: Final = "REVIEW_FACTS_"


class _Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of one of the two tables."""


class Condition(_Row, frozen=True, kw_only=True):
    """The value of a case fact, given by name."""

    field: str
    value: str


class Source(_Row, frozen=True, kw_only=True):
    """A node of the evidence graph: a document, a record or a fact snapshot."""

    id: str
    path: str
    """POSIX path below the dossier's root."""
    authoritative: bool
    consumers: tuple[str, ...]
    """Gates that may read it."""
    visible_from: Phase
    """First phase at which it can be read."""
    owner: str | None = None
    """Whose entries count, for the nine dated records that have an owner."""
    entity: str | None = None
    """Key that tells this project's rows from those of others."""
    noise: tuple[str, ...] = ()
    """Keys of the displayed values that the hidden mode distorts."""
    not_applicable_when: Condition | None = None
    raster: str | None = None
    """Path of the picture made from it."""
    snapshot: bool = False

    @property
    def format(self) -> str:
        """The file name's suffix, without its dot."""
        return self.path.rpartition(".")[2]


class CellTest(_Row, frozen=True, kw_only=True):
    """A row test other than equality with a text."""

    identity: str | None = None
    """The cell equals this value of the given or decoded identity."""
    prefix: str | None = None
    """The cell begins with this text."""


Test: TypeAlias = str | CellTest
"""A row test; a text stands for equality."""


class Derivation(_Row, frozen=True, kw_only=True):
    """Turns what was read into a boolean."""

    equals: str | None = None
    greater_than: int | None = None


class Decoder(_Row, frozen=True, kw_only=True):
    """One way to read a decisive field back from one source; `decoders.toml` explains the keys."""

    source: str
    kind: DecoderKind
    convert: Conversion
    column: str | None = None
    label: str | None = None
    marker: str | None = None
    capture: Capture | None = None
    after: str | None = None
    list: str | None = None
    path: tuple[str, ...] = ()
    start: str | None = None
    end: str | None = None
    select: dict[str, Test] = {}
    """Column or key → test, for the rows that are looked at; empty: all of them."""
    match: dict[str, Test] = {}
    """Likewise, for the rows that are counted."""
    latest: bool = False
    derive: Derivation | None = None
    noise: str | None = None
    form: Literal["standard", "composed"] = "standard"
    aggregate: bool = False


class Catalog(msgspec.Struct, frozen=True, kw_only=True):
    """Both tables together."""

    sources: Mapping[str, Source]
    """By id, in graph order: 74 sources, then the snapshots."""
    decoders: Mapping[str, tuple[Decoder, ...]]
    """By dotted field name, in the order in which they are tried."""
    alias: Mapping[str, str]
    """Status word → its wording in the records of the levers; other words stay."""
    previous_state: Mapping[str, str]
    """Current word → what a stale document shows; other words stay."""
    conflicting_claim: Mapping[str, str]
    """Current word → what a contradicting document claims; other words stay."""

    def source(self, evidence_id: str) -> Source:
        """The source with that id.

        Raises
        ------
        UsageError
            If the catalog has none.
        """
        try:
            return self.sources[evidence_id]
        except KeyError:
            raise UsageError(
                "unknown evidence id", where=evidence_id, hint="`dgf dossier show` lists them"
            ) from None

    def owners(self) -> dict[str, str]:
        """Source id → the owner whose entries count, for the nine owned records."""
        return {source.id: source.owner for source in self.sources.values() if source.owner}

    def is_authoritative(self, decoder: Decoder) -> bool:
        """Whether the organisation vouches for what `decoder` reads."""
        return self.sources[decoder.source].authoritative


def snapshot_id(gate: str) -> str:
    """Evidence id of the fact snapshot of `gate`."""
    return SNAPSHOT_PREFIX + gate.upper()


@functools.cache
def load_catalog() -> Catalog:
    """The built-in catalog."""
    table = _read("catalog.toml", _CatalogFile)
    sources = {line.id: line.source(table.gates) for line in table.sources}
    for gate in table.gates:
        snapshot = Source(
            id=snapshot_id(gate),
            path=f"gate_evidence/{gate}/review_facts.json",
            authoritative=True,
            consumers=(gate,),
            visible_from="opportunity",
            snapshot=True,
        )
        sources[snapshot.id] = snapshot
    fields = _read("decoders.toml", _DecoderFile).field
    return Catalog(
        sources=sources,
        decoders={field.name: field.decoders for field in fields},
        alias=table.alias,
        previous_state=table.previous_state,
        conflicting_claim=table.conflicting_claim,
    )


class _SourceLine(_Row, frozen=True, kw_only=True):
    """A line of `catalog.toml`."""

    id: str
    path: str
    authoritative: bool
    visible_from: Phase = msgspec.field(name="from")
    consumers: Literal["all"] | tuple[str, ...]
    owner: str | None = None
    entity: str | None = None
    noise: tuple[str, ...] = ()
    not_applicable_when: Condition | None = None
    raster: str | None = None

    def source(self, gates: tuple[str, ...]) -> Source:
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        if self.consumers == "all":
            values["consumers"] = gates
        return Source(**values)


class _CatalogFile(_Row, frozen=True, kw_only=True):
    gates: tuple[str, ...]
    sources: tuple[_SourceLine, ...]
    alias: dict[str, str]
    previous_state: dict[str, str]
    conflicting_claim: dict[str, str]


class _FieldLine(_Row, frozen=True, kw_only=True):
    name: str
    decoders: tuple[Decoder, ...]


class _DecoderFile(_Row, frozen=True, kw_only=True):
    field: tuple[_FieldLine, ...]


def _read(name: str, kind: type[T]) -> T:
    text = (files("generators.evidence") / name).read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), kind)
