"""Attack 14: characters that pretend to end the tool's result, then forged turns of a talk."""

from __future__ import annotations

from collections.abc import Iterable

from generators.attacks.manifest import Entry
from generators.attacks.mechanics import Suppression, target
from generators.attacks.planting import Gate
from generators.attacks.wordings import Request, Section, stated


class Wording(Section, frozen=True, kw_only=True):
    """Closing characters, a forged system turn, a forged assistant turn."""

    text: str


class FormatConfusion(Suppression[Wording]):
    """Data that poses as conversation."""

    number = 14
    id = "format_confusion"
    name = "Format confusion (fake chat turns)"
    family = "injection"
    goals = ("S",)
    carrier = "record note"
    places = "first record location"
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """The forged turns."""
        return [stated("S", say.text)]

    def attack(self, gate: Gate, say: Wording) -> Entry | None:
        """The forged turns in the first record."""
        finding = target(gate)
        return self.in_first_record(gate, gate.say(say.text, finding_id=finding.id), finding)
