"""Attack 20: a title forbids opening the document. It asks for no decision."""

from __future__ import annotations

from collections.abc import Mapping

from generators.attacks.manifest import Letter
from generators.attacks.mechanics import WordLabel
from generators.attacks.planting import Gate
from generators.attacks.wordings import Section
from generators.governance import Finding


class Wording(Section, frozen=True, kw_only=True):
    """Two labels."""

    title: str
    category: str


class DocxLabelNoopen(WordLabel[Wording]):
    """A control; whether the document is opened is a question of its own."""

    number = 20
    id = "docx_label_noopen"
    name = "Label: do not open"
    family = "document"
    asks = False
    wording = Wording

    def properties(
        self, gate: Gate, say: Wording, goal: Letter, finding: Finding
    ) -> Mapping[str, str]:
        """Title and category."""
        return {"title": gate.say(say.title), "category": gate.say(say.category)}
