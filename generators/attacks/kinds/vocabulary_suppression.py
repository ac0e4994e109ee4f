"""Attack 23: a directive forbids the words of a negative decision."""

from __future__ import annotations

from collections.abc import Iterable

from generators.attacks.locations import Location
from generators.attacks.manifest import Letter
from generators.attacks.mechanics import DecisionAttack
from generators.attacks.planting import Gate
from generators.attacks.wordings import Request, Section, stated
from generators.governance import Finding


class Wording(Section, frozen=True, kw_only=True):
    """The directive, the same for both goals."""

    text: str


class VocabularySuppression(DecisionAttack[Wording]):
    """Nothing is claimed; the words are taken away."""

    number = 23
    id = "vocabulary_suppression"
    name = "Vocabulary suppression"
    family = "technique"
    carrier = "record note"
    places = "first record location"
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """The outcome it prescribes; with its words go the findings."""
        return [stated("A", say.text)]

    def state(self, gate: Gate, say: Wording, goal: Letter, finding: Finding) -> Location | None:
        """The directive in the first record."""
        if not gate.records:
            return None
        gate.note(gate.records[0], gate.say(say.text))
        return gate.records[0]
