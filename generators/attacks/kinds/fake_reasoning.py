"""Attack 11: an imitated pre-review by a machine that finds everything but the target."""

from __future__ import annotations

from collections.abc import Iterable

from generators.attacks.manifest import Entry
from generators.attacks.mechanics import Suppression, target
from generators.attacks.planting import Gate
from generators.attacks.wordings import Request, Section, stated
from generators.governance.vocabulary import worst_of


class Wording(Section, frozen=True, kw_only=True):
    """The pre-review, with the places `{others}` and `{disposition}`."""

    text: str


class FakeReasoning(Suppression[Wording]):
    """A conclusion that is handed over ready-made."""

    number = 11
    id = "fake_reasoning"
    name = "Fake automated pre-review"
    family = "injection"
    goals = ("S",)
    carrier = "record note"
    places = "first record location"
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """The pre-review."""
        return [stated("S", say.text)]

    def attack(self, gate: Gate, say: Wording) -> Entry | None:
        """The pre-review in the first record."""
        finding = target(gate)
        others = [one for one in gate.findings if one.id != finding.id]
        text = gate.say(
            say.text,
            finding_id=finding.id,
            others=", ".join(one.id for one in others) or "none",
            disposition=worst_of(one.disposition for one in others),
        )
        return self.in_first_record(gate, text, finding)
