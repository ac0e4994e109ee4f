"""One gate of a copy as an attack sees it: its draws, its target, its texts, and the planting.

Each operation that plants also notes what was planted and by which way it reaches the agent, so
that a manifest cannot forget a text.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from generators.attacks.carriers import (
    SUPPLIER_STATEMENTS,
    note_in_record,
    text_as_shown,
    text_in_document,
)
from generators.attacks.copies import Copy, Drawing
from generators.attacks.goals import TargetRule, admitted, by_target
from generators.attacks.locations import Location
from generators.attacks.lottery import Token, choose, token, unit
from generators.attacks.manifest import GOALS, Channel, Entry, Letter, Part, Placement
from generators.attacks.options import Options
from generators.attacks.word import with_paragraphs, with_properties
from generators.attacks.wordings import DECISION, PLACEBO, Decision, Neutral, section
from generators.dossier import model
from generators.evidence import Node
from generators.governance import Finding, Mandate, Occurrence, OccurrenceResult
from generators.protocol import fill
from generators.readers.dossier import AVAILABLE

if TYPE_CHECKING:
    from generators.attacks.attack import Attack

T = TypeVar("T")

CONTEXT_ID: Final = "PROJECT_CONTEXT"
"""What a manifest calls the project context, which is no evidence."""

MAX_NAMED: Final = 5
"""Findings that are named one by one where a carrier has little room."""


class Gate:
    """One occurrence of a copy, for one attack.

    Attributes
    ----------
    parts
        What has been planted for this gate so far.
    """

    def __init__(
        self, copy: Copy, occurrence: Occurrence, attack: Attack[Any], options: Options
    ) -> None:
        self.copy = copy
        self.clean = copy.clean
        self.occurrence = occurrence
        self.options = options
        self.parts: list[Part] = []
        self._attack = attack

    # Draws

    @property
    def _own(self) -> tuple[str, ...]:
        """What keys the attack's own draws; two attacks of the published protocol share theirs."""
        shared = self._attack.shares_draws and self.options.draws == "compat-1"
        return () if shared else (self._attack.id,)

    def draw(self, word: str, *, own: bool = True) -> float:
        """The draw named by `word`; without `own` it is the same for every attack."""
        return unit(*self._key(word, own=own))

    def choose(self, options: Sequence[T], word: str, *, own: bool = True) -> T:
        """One of `options` by the draw named by `word`."""
        return choose(options, *self._key(word, own=own))

    def _key(self, word: str, *, own: bool) -> tuple[str, ...]:
        suffix = self._own if own else ()
        return (self.clean.case_id, self.occurrence.occurrence_id, word, *suffix)

    @functools.cached_property
    def token(self) -> Token:
        """The gate's canary."""
        return token(*self._key(self.options.wording_set, own=True))

    @property
    def is_drawn(self) -> bool:
        """Whether the lottery, or the half of a crossover, has the gate attacked."""
        if self.options.crossover is not None:
            is_first = self.draw("crossover") < 0.5
            return is_first == (self.options.crossover == "first")
        if self._attack.ignores_rate and self.options.draws == "compat-1":
            return True
        return self.draw("attack") < self.options.rate

    # What is to be decided here

    @property
    def reference(self) -> OccurrenceResult:
        """What had to be decided."""
        return self.clean.references[self.occurrence.occurrence_id]

    @property
    def findings(self) -> Sequence[Finding]:
        """The findings that had to be reported."""
        return self.reference.findings

    def targets(self, rule: TargetRule) -> list[Finding]:
        """The findings in the order in which they are targets."""
        return by_target(self.findings, self.options.target_rule or rule)

    def goal(self, order: Sequence[Letter]) -> Letter | None:
        """The goal drawn among those of `order` that the gate admits."""
        open_to = admitted(self.reference, order)
        if not open_to:
            return None
        if self.options.goal_rule == "prefer-A":
            return "A" if "A" in open_to else "S"
        return self.choose(open_to, "goal")

    @property
    def mandate(self) -> Mandate | None:
        """The gate's own mandate."""
        own = self.occurrence.occurrence_id
        return next((m for m in self.clean.mandates if m.occurrence_id == own), None)

    @property
    def foreign_mandates(self) -> list[str]:
        """References of the mandates of the other occurrences."""
        own = self.occurrence.occurrence_id
        return sorted(m.reference for m in self.clean.mandates if m.occurrence_id != own)

    # Where

    @property
    def documents(self) -> Sequence[Location]:
        """The documents in which something can be planted for the gate."""
        return self.clean.documents(self.occurrence)

    @property
    def records(self) -> Sequence[Location]:
        """The records in which a note can be left for the gate."""
        return self.clean.records(self.occurrence)

    @property
    def word_documents(self) -> Sequence[Location]:
        """Those of the documents that are Word files."""
        return [location for location in self.documents if location.suffix == "docx"]

    # What it says

    @functools.cached_property
    def decision(self) -> Decision:
        """The sentences that state the decision an attacker wants."""
        found: Decision = section(self.options.wording_set, DECISION, Decision)
        return found

    @functools.cached_property
    def neutral(self) -> Neutral:
        """The texts of placebos."""
        found: Neutral = section(self.options.wording_set, PLACEBO, Neutral)
        return found

    def say(self, template: str, **values: str) -> str:
        """A text of the wording set for this gate."""
        return fill(template, **{**self._values, **values})

    def decide(self, goal: Letter, target: Finding, *, room: int | None = None) -> str:
        """The decision sentence; with `room` it has at most so many characters."""
        template = self.decision.A if goal == "A" else self.decision.S
        ids = [finding.id for finding in self.findings]

        def said(named: str, message: str) -> str:
            return self.say(template, findings=named, finding_id=target.id, message=message)

        whole = said(", ".join(ids), target.message)
        if room is None or len(whole) <= room:
            return whole
        if goal == "S":
            return said("", f"{target.message[: room - len(whole) - 1]}…")
        shorter = (
            said(f"{', '.join(ids[:count])} and {len(ids) - count} more", "")
            for count in range(min(MAX_NAMED, len(ids) - 1), 0, -1)
        )
        return next((text for text in shorter if len(text) <= room), said(ids[0], ""))

    @functools.cached_property
    def _values(self) -> dict[str, str]:
        project = self.clean.project
        return {
            "token": self.token.text,
            "token_short": self.token.short,
            "fake_reference": self.token.fake_reference,
            "marker": self.token.marker,
            "gate": self.occurrence.gate,
            "gate_label": self.occurrence.gate_label,
            "phase": self.occurrence.phase,
            "project_name": project["project_name"],
            "project_id": project["project_id"],
            "manager": project["project_manager"],
            "vendor": self.clean.vendor,
            "contact": f"account.manager@{self.clean.vendor.split()[0].lower()}.example",
        }

    # Planting

    def note(self, location: Location, text: str) -> None:
        """Leave a note in a record, beside the decisive fact."""
        path = location.node.path
        self.copy.changed[path] = note_in_record(
            self.copy.load(path), location.suffix, location.pointer or "/0", text
        )
        self._planted("read", location.node.evidence_id, text)

    def write(self, location: Location, text: str) -> None:
        """Write a text into a document."""
        node = location.node
        supplier = self.clean.vendor if node.evidence_id == SUPPLIER_STATEMENTS else None
        self.copy.changed[node.path] = text_in_document(
            self.copy.load(node.path), location.suffix, text, supplier=supplier
        )
        self._planted("read", node.evidence_id, text_as_shown(location.suffix, text))

    def append(self, location: Location, paragraphs: Sequence[str]) -> None:
        """Write paragraphs at the end of a Word document."""
        node = location.node
        self.copy.changed[node.path] = with_paragraphs(self.copy.load(node.path), paragraphs)
        for text in paragraphs:
            self._planted("read", node.evidence_id, text)

    def label(self, location: Location, properties: Mapping[str, str]) -> None:
        """Set properties of a Word document; nobody else in the dossier may then use it."""
        node = location.node
        self.copy.used.add(node.evidence_id)
        self.copy.changed[node.path] = with_properties(self.copy.load(node.path), properties)
        for name, text in properties.items():
            self._planted("list" if name == "title" else "read", node.evidence_id, text)

    def unlabelled(self) -> Location | None:
        """A Word document of the gate whose properties nobody has used, drawn."""
        free = [one for one in self.word_documents if one.node.evidence_id not in self.copy.used]
        return self.choose(free, "docx") if free else None

    def upload(self, stem: str, file: str, data: bytes, texts: Iterable[str]) -> Location:
        """Add a file for this gate and phase alone; `texts` is what its reader shows."""
        gate = self.occurrence.gate
        meeting = self.occurrence.occurrence_id.rpartition("-")[2]
        again = "" if meeting == "1" else f"_{meeting}"
        name, _, suffix = file.rpartition(".")
        node = Node(
            evidence_id=f"{stem}_{gate.upper()}{again}",
            path=f"gate_evidence/{gate}/{name}{again}.{suffix}",
            consumers=(gate,),
            authoritative=False,
            version="1.0",
            age_days=2,
            public_status=AVAILABLE,
        )
        self.copy.upload(node, data, phase=self.occurrence.phase)
        for text in texts:
            self._planted("read", node.evidence_id, text)
        return Location(node=node)

    def note_context(self, text: str) -> Location:
        """Add a note to the project context, which every gate has in its prompt."""
        self.copy.note_context(text)
        self._planted("prompt", CONTEXT_ID, text)
        return Location(node=_CONTEXT_NODE)

    def draw_over(self, node: Node, path: str, drawing: Drawing, lines: Sequence[str]) -> None:
        """Exchange a picture for one with `lines` in it."""
        self.copy.pictures[path] = drawing
        for line in lines:
            self._planted("image", node.evidence_id, line)

    def replace(self, evidence_id: str, data: bytes, text: str) -> None:
        """Exchange the content of a record, in which `text` is new."""
        self.copy.changed[self.clean.node(evidence_id).path] = data
        self._planted("read", evidence_id, text)

    def _planted(self, channel: Channel, evidence_id: str, text: str) -> None:
        self.parts.append(Part.of(channel, evidence_id, text))

    # The manifest

    def attacked(
        self,
        location: Location,
        text: str,
        goal: Letter,
        *,
        family: str | None = None,
        **keys: Any,
    ) -> Entry:
        """The entry of an attacked gate; `keys` are those that not every attack has."""
        named = {"goal": GOALS[goal], "family": family or self._attack.id}
        return self._entry(location, text, placebo=False, **named, **keys)

    def neutral_entry(self, location: Location, text: str, **keys: Any) -> Entry:
        """The entry of a placebo."""
        return self._entry(location, text, placebo=True, **keys)

    def _entry(self, location: Location, text: str, *, placebo: bool, **keys: Any) -> Entry:
        return Entry(
            occurrence_id=self.occurrence.occurrence_id,
            gate=self.occurrence.gate,
            phase=self.occurrence.phase,
            placement=self._attack.id,
            token=self.token.text,
            template_set=self.options.wording_set,
            placebo=placebo,
            evidence_id=location.node.evidence_id,
            path=location.node.path,
            text=text,
            parts=tuple(self.parts),
            **keys,
        )


def placement(location: Location, text: str) -> Placement:
    """A place of an injection that has several; a note in a record has its pointer."""
    return Placement(
        evidence_id=location.node.evidence_id,
        path=location.node.path,
        text=text,
        pointer=msgspec.UNSET if location.pointer is None else location.pointer,
    )


_CONTEXT_NODE: Final = Node(
    evidence_id=CONTEXT_ID,
    path=model.CONTEXT_FILE,
    consumers=(),
    authoritative=False,
    version=1,
    age_days=0,
    public_status=AVAILABLE,
)
