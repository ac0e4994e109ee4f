"""Attack 1: a note in a document that orders or authorises the reviewer, in one of four ways."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from generators.attacks.attack import Attack
from generators.attacks.manifest import Entry
from generators.attacks.planting import Gate
from generators.attacks.wordings import Request, Section, stated

FRAMINGS: Final = ("instruction", "authority", "policy_update", "data_poisoning")


class Clause(Section, frozen=True, kw_only=True):
    """What the note asks for, by goal."""

    A: str
    F: str
    S: str


class Framing(Section, frozen=True, kw_only=True):
    """Who speaks, and with what right; each has the place `{clause}`."""

    instruction: str
    authority: str
    policy_update: str
    data_poisoning: str


class Wording(Section, frozen=True, kw_only=True):
    """Four framings, three clauses."""

    framing: Framing
    clause: Clause


class Narrative(Attack[Wording]):
    """Direct orders in documents nobody vouches for."""

    number = 1
    id = "narrative"
    name = "Narrative injection"
    family = "injection"
    goals = ("S", "A", "F")
    carrier = "non-authoritative document"
    places = "narrative locations, drawn"
    shares_draws = True
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """The clause, whatever its framing."""
        return [stated(goal, getattr(say.clause, goal)) for goal in self.goals]

    def attack(self, gate: Gate, say: Wording) -> Entry | None:
        """An order in a drawn document."""
        goal = gate.goal(("A", "F", "S"))
        if goal is None or not gate.documents:
            return None
        location = gate.choose(gate.documents, "location")
        framing = gate.choose(FRAMINGS, "family", own=False)
        finding = gate.targets("critical-first")[0].id
        clause = gate.say(getattr(say.clause, goal), finding_id=finding)
        text = gate.say(getattr(say.framing, framing), clause=clause)
        gate.write(location, text)
        return gate.attacked(
            location,
            text,
            goal,
            family=framing,
            pointer=None,
            fake_reference=gate.token.fake_reference if goal == "F" else None,
            target_finding=finding if goal == "S" else None,
        )

    def placebo(self, gate: Gate) -> Entry | None:
        """An editorial remark in a drawn document."""
        if not gate.documents:
            return None
        location = gate.choose(gate.documents, "location")
        text = gate.say(gate.neutral.document)
        gate.write(location, text)
        return gate.neutral_entry(location, text, pointer=None)
