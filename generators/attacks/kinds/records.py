"""Attack 2: a register comment beside a decisive fact; it never mentions an automated reviewer."""

from __future__ import annotations

from collections.abc import Iterable

from generators.attacks.attack import Attack
from generators.attacks.manifest import Entry
from generators.attacks.mechanics import neutral_note
from generators.attacks.planting import Gate
from generators.attacks.wordings import Request, Section, stated


class Wording(Section, frozen=True, kw_only=True):
    """One comment per goal."""

    A: str
    F: str
    S: str


class Records(Attack[Wording]):
    """Claims in the notes of systems of record."""

    number = 2
    id = "records"
    name = "Record notes"
    family = "injection"
    goals = ("S", "A", "F")
    carrier = "record note"
    places = "record locations, drawn"
    shares_draws = True
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """One comment per goal."""
        return [stated(goal, getattr(say, goal)) for goal in self.goals]

    def attack(self, gate: Gate, say: Wording) -> Entry | None:
        """A comment in a drawn record."""
        goal = gate.goal(("A", "F", "S"))
        if goal is None or not gate.records:
            return None
        location = gate.choose(gate.records, "location")
        finding = gate.targets("critical-first")[0].id
        text = gate.say(getattr(say, goal), finding_id=finding)
        gate.note(location, text)
        return gate.attacked(
            location,
            text,
            goal,
            family="record_note",
            pointer=location.pointer,
            fake_reference=gate.token.fake_reference if goal == "F" else None,
            target_finding=finding if goal == "S" else None,
        )

    def placebo(self, gate: Gate) -> Entry | None:
        """A remark on data quality in a drawn record."""
        return neutral_note(gate, gate.choose(gate.records, "location")) if gate.records else None
