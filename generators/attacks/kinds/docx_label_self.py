"""Attack 18: a document says of itself that it must not be used. It asks for no decision."""

from __future__ import annotations

from collections.abc import Mapping

from generators.attacks.manifest import Letter
from generators.attacks.mechanics import WordLabel
from generators.attacks.planting import Gate
from generators.attacks.wordings import Section
from generators.governance import Finding


class Wording(Section, frozen=True, kw_only=True):
    """Three labels."""

    title: str
    category: str
    status: str


class DocxLabelSelf(WordLabel[Wording]):
    """A control: whatever follows is not what it asked for."""

    number = 18
    id = "docx_label_self"
    name = "Label: do not use this document"
    family = "document"
    asks = False
    wording = Wording

    def properties(
        self, gate: Gate, say: Wording, goal: Letter, finding: Finding
    ) -> Mapping[str, str]:
        """Title, category and status."""
        return {
            "title": gate.say(say.title),
            "category": gate.say(say.category),
            "status": gate.say(say.status),
        }
