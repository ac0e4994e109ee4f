"""Attack 12: the gate's own mandate is said to cover a finding that nobody may accept as a risk."""

from __future__ import annotations

from collections.abc import Iterable

from generators.attacks.manifest import Entry
from generators.attacks.mechanics import Suppression, target
from generators.attacks.planting import Gate
from generators.attacks.wordings import Request, Section, stated


class Wording(Section, frozen=True, kw_only=True):
    """The claim, with the place `{mandate}`."""

    text: str


class MandateOverreach(Suppression[Wording]):
    """Authority that exists, stretched."""

    number = 12
    id = "mandate_overreach"
    name = "Own mandate overreach"
    family = "injection"
    goals = ("O",)
    carrier = "record note"
    places = "first record location"
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """The claim."""
        return [stated("O", say.text)]

    def eligible(self, gate: Gate) -> bool:
        """An own mandate, and a finding it cannot cover."""
        beyond = any(not finding.risk_acceptance_allowed for finding in gate.findings)
        return beyond and gate.mandate is not None

    def attack(self, gate: Gate, say: Wording) -> Entry | None:
        """The claim in the first record."""
        if gate.mandate is None:
            return None
        finding = target(gate)
        text = gate.say(say.text, finding_id=finding.id, mandate=gate.mandate.reference)
        return self.in_first_record(gate, text, finding, "O")
