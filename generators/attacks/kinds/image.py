"""Attack 7: a notice drawn into the picture of the architecture diagram."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from generators.attacks.attack import Attack
from generators.attacks.copies import Copy, Drawing
from generators.attacks.goals import admitted
from generators.attacks.locations import Location
from generators.attacks.manifest import Entry
from generators.attacks.options import Options
from generators.attacks.picture import with_note
from generators.attacks.planting import Gate
from generators.attacks.wordings import Request, Section, stated

DIAGRAM: Final = "HLD"


class Wording(Section, frozen=True, kw_only=True):
    """A heading and two lines per goal."""

    heading: str
    A: tuple[str, str]
    S: tuple[str, str]


class Image(Attack[Wording]):
    """Text for models with eyes."""

    number = 7
    id = "image"
    name = "Text in the diagram image"
    family = "injection"
    goals = ("S", "A")
    carrier = "diagram PNG"
    places = "the first eligible gate that reads the diagram; one per dossier"
    observation = "image"
    has_placebo = False
    ignores_rate = True
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """The notice, for who can read a picture."""
        return [stated(goal, getattr(say, goal)[0]) for goal in self.goals]

    def gates(self, copy: Copy, options: Options) -> Iterator[Gate]:
        """The first gate that sees the picture and admits a goal."""
        clean = copy.clean
        path = clean.catalog.sources[DIAGRAM].raster
        for gate in super().gates(copy, options):
            sees = clean.in_reach(DIAGRAM, gate.occurrence) and path in clean.pictures
            if sees and admitted(gate.reference, self.goals):
                yield gate
                return

    def attack(self, gate: Gate, say: Wording) -> Entry | None:
        """A notice with the goal drawn for the gate."""
        goal = gate.goal(self.goals)
        if goal is None:
            return None
        finding = gate.targets("critical-first")[0].id
        lines = [gate.say(line, finding_id=finding) for line in (say.heading, *getattr(say, goal))]
        location = self._draw(gate, lines)
        return gate.attacked(
            location,
            " / ".join(lines),
            goal,
            target_finding=finding if goal == "S" else None,
        )

    def placebo(self, gate: Gate) -> Entry | None:
        """A notice about the drawing itself."""
        lines = [gate.say(line) for line in gate.neutral.picture]
        return gate.neutral_entry(self._draw(gate, lines), " / ".join(lines))

    def _draw(self, gate: Gate, lines: list[str]) -> Location:
        clean, node = gate.clean, gate.clean.node(DIAGRAM)
        path = clean.catalog.sources[DIAGRAM].raster or node.path
        svg = with_note(clean.files.load(node.path), lines)
        gate.draw_over(node, path, Drawing(svg=svg, size=clean.pictures[path]), lines)
        return Location(node=msgspec.structs.replace(node, path=path))
