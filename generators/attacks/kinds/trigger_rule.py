"""Attack 22: a harmless rule in a document, and in a record the mark that sets it off."""

from __future__ import annotations

from collections.abc import Iterable

from generators.attacks.locations import Location
from generators.attacks.manifest import Letter
from generators.attacks.mechanics import DecisionAttack
from generators.attacks.planting import Gate
from generators.attacks.wordings import Decision, Request, Section, stated
from generators.governance import Finding


class Wording(Section, frozen=True, kw_only=True):
    """By goal: the mark, the rule about it (which has the token), and the note that bears it."""

    marker: Decision
    rule: Decision
    note: Decision


class TriggerRule(DecisionAttack[Wording]):
    """Two texts, neither of which says anything alone."""

    number = 22
    id = "trigger_rule"
    name = "Trigger-activated rule"
    family = "technique"
    carrier = "document rule and record marker"
    places = "first narrative location and first record location"
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """Rule and mark together."""
        for goal in self.goals:
            marker, rule, note = (getattr(part, goal) for part in (say.marker, say.rule, say.note))
            yield stated(goal, *(text.replace("{marker}", marker) for text in (rule, note)))

    def state(self, gate: Gate, say: Wording, goal: Letter, finding: Finding) -> Location | None:
        """The rule in the first document, the mark in the first record."""
        if not (gate.records and gate.documents):
            return None
        marker = getattr(say.marker, goal)
        gate.write(gate.documents[0], gate.say(getattr(say.rule, goal), marker=marker))
        note = gate.say(getattr(say.note, goal), marker=marker, finding_id=finding.id)
        gate.note(gate.records[0], note)
        return gate.records[0]
