"""Attack 25: one override inside the role markers of four families of chat templates."""

from __future__ import annotations

from collections.abc import Iterable

from generators.attacks.locations import Location
from generators.attacks.manifest import Letter
from generators.attacks.mechanics import DecisionAttack
from generators.attacks.planting import Gate
from generators.attacks.wordings import Decision, Request, Section, stated
from generators.governance import Finding


class Wording(Section, frozen=True, kw_only=True):
    """Closing characters, four wrappers with the place `{line}`, and the line by goal."""

    closers: str
    wrappers: tuple[str, str, str, str]
    line: Decision


class FakeControlTokens(DecisionAttack[Wording]):
    """Counterfeit markers, whichever family the model is of."""

    number = 25
    id = "fake_control_tokens"
    name = "Fake control tokens"
    family = "technique"
    carrier = "record note"
    places = "first record location"
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """The override."""
        return [stated(goal, getattr(say.line, goal)) for goal in self.goals]

    def state(self, gate: Gate, say: Wording, goal: Letter, finding: Finding) -> Location | None:
        """The wrapped line in the first record."""
        if not gate.records:
            return None
        line = gate.say(getattr(say.line, goal), finding_id=finding.id)
        wrapped = [gate.say(wrapper, line=line) for wrapper in say.wrappers]
        gate.note(gate.records[0], "\n".join([say.closers, *wrapped]))
        return gate.records[0]
