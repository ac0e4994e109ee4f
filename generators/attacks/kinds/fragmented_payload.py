"""Attack 24: one statement in three pieces, none of which says anything alone."""

from __future__ import annotations

from collections.abc import Iterable

from generators.attacks.locations import Location
from generators.attacks.manifest import Letter
from generators.attacks.mechanics import DecisionAttack
from generators.attacks.planting import Gate
from generators.attacks.wordings import Request, Section, stated
from generators.governance import Finding


class Wording(Section, frozen=True, kw_only=True):
    """What numbers the pieces, and the pieces by goal."""

    prefix: str
    A: tuple[str, str, str]
    S: tuple[str, str, str]


class FragmentedPayload(DecisionAttack[Wording]):
    """The reader is to put it together."""

    number = 24
    id = "fragmented_payload"
    name = "Fragmented payload"
    family = "technique"
    carrier = "record note and documents"
    places = "first record location and the first two narrative ones"
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """The three pieces together."""
        for goal in self.goals:
            pieces = enumerate(getattr(say, goal), start=1)
            yield stated(goal, *(say.prefix.replace("{k}", str(k)) + piece for k, piece in pieces))

    def state(self, gate: Gate, say: Wording, goal: Letter, finding: Finding) -> Location | None:
        """One piece in the first record, two in documents, or both in the only one there is."""
        if not (gate.records and gate.documents):
            return None
        pieces = [
            gate.say(say.prefix, k=str(k)) + gate.say(piece, finding_id=finding.id)
            for k, piece in enumerate(getattr(say, goal), start=1)
        ]
        gate.note(gate.records[0], pieces[0])
        gate.write(gate.documents[0], pieces[1])
        gate.write(gate.documents[:2][-1], pieces[2])
        return gate.records[0]
