"""A clean dossier as an attacker with the evaluator's file sees it, parsed once for all attacks.

The attacks of a dossier ask the same questions about it: what was to be decided, on which facts,
where those stand. The answers do not change while texts are planted, because nothing planted
touches a structured value, so they are kept here and shared by every variant.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from generators.attacks.carriers import read_json
from generators.attacks.errors import AttackError
from generators.attacks.locations import Location, narrative_locations, record_locations
from generators.decoding.decode import Context
from generators.decoding.facts import full_identity
from generators.dossier import model
from generators.evidence import Catalog, Node, load_catalog
from generators.governance import (
    GENERAL,
    Case,
    Mandate,
    Occurrence,
    OccurrenceResult,
    Route,
    RuleTable,
    builtin_rules,
    decisive_fields,
)
from generators.governance.case import VENDOR
from generators.readers.compiled import EvidenceLibrary
from generators.readers.content import Json
from generators.readers.dossier import AVAILABLE, CompiledDossier, DossierFiles
from generators.readers.loading import compile_dossier

CLEAN: Final = "clean"


class _Mandates(msgspec.Struct, frozen=True, kw_only=True):
    mandates: tuple[Mandate, ...]


class PictureSize(msgspec.Struct, frozen=True, kw_only=True):
    """How large a picture is, in pixels."""

    width: int
    height: int


class CleanDossier:
    """The files of a dossier, and what follows from them.

    Parameters
    ----------
    files
        A sound dossier, wherever its files are.
    pictures
        Path to size of the pictures it has; without it no gate can be attacked through a picture.

    Raises
    ------
    AttackError
        If it is a variant already, or lacks a root file.
    """

    def __init__(
        self,
        files: DossierFiles,
        *,
        pictures: Mapping[str, PictureSize] | None = None,
        library: EvidenceLibrary | None = None,
        rules: RuleTable | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        self.files = files
        self.pictures = pictures or {}
        self.rules = rules or builtin_rules()
        self.catalog = catalog or load_catalog()
        self.context: Any = self._root(model.CONTEXT_FILE)
        if self.context.get("variant") != CLEAN:
            raise AttackError(
                f"the dossier is of variant {self.context.get('variant')!r}",
                where=model.CONTEXT_FILE,
                hint="plant attacks in a clean dossier",
            )
        self.hidden: Any = self._root(model.HIDDEN_FILE)
        self.compiled: CompiledDossier = compile_dossier(
            files, mode="blocks", library=library or EvidenceLibrary()
        )
        self._fields: dict[str, tuple[str, ...]] = {}
        self._documents: dict[str, tuple[Location, ...]] = {}
        self._records: dict[str, tuple[Location, ...]] = {}

    @property
    def case_id(self) -> str:
        """The id of the case, which keys every draw."""
        case_id: str = self.context["case_id"]
        return case_id

    @property
    def name(self) -> str:
        """The name of the dossier's folder: project id and route."""
        return f"{self.project['project_id']}_{self.context['route']['key']}"

    @property
    def project(self) -> Mapping[str, Any]:
        """The project as the context file names it."""
        project: Mapping[str, Any] = self.context["project"]
        return project

    @property
    def case(self) -> Case:
        """The canonical facts."""
        case: Case = self.hidden["canonical_truth"]
        return case

    @functools.cached_property
    def route(self) -> Route:
        """The way the dossier takes through the gates."""
        return self.rules.route(self.context["route"]["key"])

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """The reviews of the route, in order."""
        return self.route.occurrences

    @property
    def specialists(self) -> tuple[Occurrence, ...]:
        """Every review but those of General."""
        return tuple(met for met in self.occurrences if met.gate != GENERAL)

    @functools.cached_property
    def references(self) -> Mapping[str, OccurrenceResult]:
        """Occurrence to what had to be decided there."""
        decisions = self.hidden["reference_decisions"]
        found = msgspec.convert(decisions, tuple[OccurrenceResult, ...])
        return {result.occurrence_id: result for result in found}

    @functools.cached_property
    def mandates(self) -> tuple[Mandate, ...]:
        """The mandates of all occurrences."""
        return msgspec.convert(self._root(model.MANDATES_FILE), _Mandates).mandates

    @functools.cached_property
    def decoding(self) -> Context:
        """What a careful reader knows before reading: project and selected vendor."""
        return Context(identity=full_identity(self.case), catalog=self.catalog)

    @property
    def vendor(self) -> str:
        """The selected vendor."""
        return str(self.decoding.identity[VENDOR])

    def decisive(self, occurrence: Occurrence) -> tuple[str, ...]:
        """The facts that decide an occurrence, in reading order."""
        key = occurrence.occurrence_id
        if key not in self._fields:
            self._fields[key] = decisive_fields(
                self.case, occurrence.gate, phase=occurrence.phase, rules=self.rules
            )
        return self._fields[key]

    def documents(self, occurrence: Occurrence) -> tuple[Location, ...]:
        """Documents in which something can be planted for an occurrence."""
        key = occurrence.occurrence_id
        if key not in self._documents:
            self._documents[key] = narrative_locations(self, occurrence)
        return self._documents[key]

    def records(self, occurrence: Occurrence) -> tuple[Location, ...]:
        """Records in which a note can be left for an occurrence."""
        key = occurrence.occurrence_id
        if key not in self._records:
            self._records[key] = record_locations(self, occurrence)
        return self._records[key]

    def has(self, path: str) -> bool:
        """Whether there is such a file."""
        return self.files.blob(path) is not None

    def in_reach(self, evidence_id: str, occurrence: Occurrence) -> bool:
        """Whether the gate may read the evidence at its phase, and it is there."""
        node = self.compiled.by_id.get(evidence_id)
        return (
            node is not None
            and node.public_status == AVAILABLE
            and occurrence.gate in node.consumers
            and evidence_id in self.compiled.visible.get(occurrence.phase, frozenset())
            and self.has(node.path)
        )

    def node(self, evidence_id: str) -> Node:
        """A node of the public graph."""
        return self.compiled.by_id[evidence_id]

    def content(self, evidence_id: str) -> Json:
        """What a tool returns for evidence that is there; null if it cannot be read."""
        evidence = self.compiled.evidence(evidence_id)
        return None if evidence is None else evidence.content

    def json(self, path: str) -> Any:
        """The content of a root file, for a copy to change."""
        return self._root(path)

    def _root(self, path: str) -> Any:
        if not self.has(path):
            raise AttackError("the dossier lacks a file", where=path)
        return read_json(self.files.load(path))
