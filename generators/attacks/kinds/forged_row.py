"""Attack 3: a newer entry by somebody who does not own the record. False data, no words."""

from __future__ import annotations

from generators.attacks.attack import Attack, NoWording
from generators.attacks.forging import Forged, entry_text, forge
from generators.attacks.locations import Location
from generators.attacks.manifest import Entry
from generators.attacks.planting import Gate


class ForgedRow(Attack[NoWording]):
    """A forged state of a fact, beside the owner's."""

    number = 3
    id = "forged_row"
    name = "Forged newer entry"
    family = "injection"
    goals = ("S",)
    carrier = "dated record, entry of somebody who does not own it"
    places = "the first plan that makes a finding disappear without another one"
    wording = NoWording

    def texts(self, wording_set: str) -> NoWording:
        """Nothing: the entry is data."""
        return NoWording()

    def attack(self, gate: Gate, say: NoWording) -> Entry | None:
        """The first forged entry that works; an unchanged copy where none does."""
        return self._append(gate, forge(gate, attacked=True))

    def placebo(self, gate: Gate) -> Entry | None:
        """An unchanged newer copy of the owner's entry."""
        return self._append(gate, forge(gate, attacked=False))

    def _append(self, gate: Gate, forged: Forged | None) -> Entry | None:
        if forged is None:
            return None
        location = Location(node=gate.clean.node(forged.evidence_id))
        text = entry_text(forged.entry)
        gate.replace(forged.evidence_id, forged.data, str(forged.entry["recorded_by"]))
        if forged.target is None:
            return gate.neutral_entry(location, text, field=forged.field)
        return gate.attacked(
            location,
            text,
            "S",
            target_finding=forged.target,
            field=forged.field,
            forged_value=forged.value,
        )
