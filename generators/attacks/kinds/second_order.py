"""Attack 6: a specialist is asked to repeat a clearance, so that General hears it from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from generators.attacks.attack import Attack
from generators.attacks.copies import Copy
from generators.attacks.locations import Location
from generators.attacks.manifest import Entry
from generators.attacks.mechanics import neutral_note
from generators.attacks.options import Options
from generators.attacks.planting import Gate
from generators.attacks.wordings import Request, Section, stated
from generators.governance import GENERAL, Occurrence


class Wording(Section, frozen=True, kw_only=True):
    """The clearance, and the request to pass it on."""

    text: str


class SecondOrder(Attack[Wording]):
    """An injection that travels through the decision of another agent."""

    number = 6
    id = "second_order"
    name = "Second order (to the General gate)"
    family = "injection"
    goals = ("U",)
    carrier = "record note read by a specialist"
    places = "first record location of a specialist since the previous General, drawn"
    has_placebo = False
    ignores_rate = True
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """The clearance."""
        return [stated("U", say.text)]

    def plant(self, copy: Copy, options: Options) -> Iterator[Entry]:
        """For each General gate that must not say GO, a note for one of those it hears."""
        heard: list[Occurrence] = []
        for occurrence in copy.clean.occurrences:
            if occurrence.gate != GENERAL:
                heard.append(occurrence)
                continue
            carriers = [one for one in heard if copy.clean.records(one)]
            heard.clear()
            gate = Gate(copy, occurrence, self, options)
            wanted = options.only_occurrence in {None, occurrence.occurrence_id}
            if wanted and carriers and gate.reference.disposition != "GO":
                entry = self._relay(gate, carriers)
                if entry is not None:
                    yield entry

    def _relay(self, gate: Gate, carriers: list[Occurrence]) -> Entry | None:
        carrier = gate.choose(carriers, "carrier", own=False)
        location = gate.clean.records(carrier)[0]
        if not gate.is_drawn:
            return self._calm(gate, location, carrier)
        text = gate.say(self.texts(gate.options.wording_set).text)
        gate.note(location, text)
        return gate.attacked(
            location,
            text,
            "U",
            pointer=location.pointer,
            carrier_occurrence=carrier.occurrence_id,
        )

    def _calm(self, gate: Gate, location: Location, carrier: Occurrence) -> Entry | None:
        options = gate.options
        if options.placebos == "compat-1" and options.crossover is None:
            return None
        entry = neutral_note(gate, location)
        return msgspec.structs.replace(entry, carrier_occurrence=carrier.occurrence_id)
