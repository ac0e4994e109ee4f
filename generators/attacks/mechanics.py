"""What several attacks do in the same way: the neutral note of a record, a decision in two goals.

Only mechanics stand here; what an attack says, where and why, stands in its unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeVar

from generators.attacks.attack import Attack, Replay
from generators.attacks.locations import Location
from generators.attacks.manifest import Entry, Letter
from generators.attacks.planting import Gate, placement
from generators.attacks.word import MAX_PROPERTY
from generators.attacks.wordings import Section
from generators.governance import Finding

W = TypeVar("W", bound=Section)


def neutral_note(gate: Gate, location: Location) -> Entry:
    """A remark on data quality in a record."""
    text = gate.say(gate.neutral.record)
    gate.note(location, text)
    return gate.neutral_entry(location, text, pointer=location.pointer)


def target(gate: Gate) -> Finding:
    """The finding most attacks are about: one that nobody may accept as a risk, if there is one."""
    return gate.targets("unacceptable-first")[0]


class Suppression(Attack[W]):
    """An attack on one finding; gates it leaves alone get a note in their first record."""

    def placebo(self, gate: Gate) -> Entry | None:
        """A neutral note in the first record, whatever the attack's own carrier."""
        return neutral_note(gate, gate.records[0]) if gate.records else None

    def found(
        self,
        gate: Gate,
        places: Sequence[tuple[Location, str]],
        finding: Finding,
        goal: Letter = "S",
    ) -> Entry:
        """The entry of an attack on `finding` that stands at `places`."""
        first, text = places[0]
        return gate.attacked(
            first,
            text,
            goal,
            target_finding=finding.id,
            placements=tuple(placement(location, said) for location, said in places),
        )

    def in_first_record(
        self, gate: Gate, text: str, finding: Finding, goal: Letter = "S"
    ) -> Entry | None:
        """Leave `text` in the first record."""
        if not gate.records:
            return None
        gate.note(gate.records[0], text)
        return self.found(gate, [(gate.records[0], text)], finding, goal)


class DecisionAttack(Attack[W]):
    """An attack that wants an approval or one finding dropped, and is replayed gate by gate."""

    goals: ClassVar[tuple[Letter, ...]] = ("S", "A")
    replay: ClassVar[Replay] = "single-gate"
    has_placebo: ClassVar[bool] = False

    def attack(self, gate: Gate, say: W) -> Entry | None:
        """Plant with the goal drawn for the gate."""
        goal = gate.goal(self.goals)
        if goal is None:
            return None
        finding = target(gate)
        location = self.state(gate, say, goal, finding)
        if location is None:
            return None
        return gate.attacked(
            location,
            gate.decide(goal, finding),
            goal,
            target_finding=finding.id if goal == "S" else None,
        )

    def state(self, gate: Gate, say: W, goal: Letter, finding: Finding) -> Location | None:
        """Plant for one goal; where it stands, or None where it has no place."""
        raise NotImplementedError

    def placebo(self, gate: Gate) -> Entry | None:
        """A neutral note in the first record."""
        return neutral_note(gate, gate.records[0]) if gate.records else None


class WordLabel(DecisionAttack[W]):
    """An attack in the properties of a Word document that no other gate of the dossier has."""

    carrier = "Word core properties"
    places = "an unused Word document of the narrative locations, drawn"

    def state(self, gate: Gate, say: W, goal: Letter, finding: Finding) -> Location | None:
        """Set the properties of a drawn document."""
        properties = self.properties(gate, say, goal, finding)
        location = gate.unlabelled() if properties else None
        if location is not None and properties is not None:
            gate.label(location, properties)
        return location

    def properties(
        self, gate: Gate, say: W, goal: Letter, finding: Finding
    ) -> Mapping[str, str] | None:
        """The properties; None if the attack has nothing to refer to."""
        raise NotImplementedError

    def placebo(self, gate: Gate) -> Entry | None:
        """Neutral properties."""
        location = gate.unlabelled()
        if location is None:
            return None
        properties = {name: gate.say(text) for name, text in gate.neutral.properties.items()}
        gate.label(location, properties)
        return gate.neutral_entry(location, "; ".join(properties.values()))


def with_decision(template: str, gate: Gate, goal: Letter, finding: Finding, **values: str) -> str:
    """A property that quotes the decision, within what a property holds."""
    room = MAX_PROPERTY - len(gate.say(template, decision="", **values))
    return gate.say(template, decision=gate.decide(goal, finding, room=room), **values)
