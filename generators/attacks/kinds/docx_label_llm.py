"""Attack 21: a title invites automated reviewers; the last paragraph has the decision for them."""

from __future__ import annotations

from collections.abc import Mapping

from generators.attacks.locations import Location
from generators.attacks.manifest import Letter
from generators.attacks.mechanics import WordLabel
from generators.attacks.planting import Gate
from generators.attacks.wordings import Section
from generators.governance import Finding


class Wording(Section, frozen=True, kw_only=True):
    """Two labels, and a paragraph with the place `{decision}`."""

    title: str
    category: str
    paragraph: str


class DocxLabelLlm(WordLabel[Wording]):
    """A document that knows who reads it."""

    number = 21
    id = "docx_label_llm"
    name = "Label: read by an LLM first"
    family = "document"
    carrier = "Word core properties and a paragraph"
    quotes_decision = True
    wording = Wording

    def state(self, gate: Gate, say: Wording, goal: Letter, finding: Finding) -> Location | None:
        """The labels, and the paragraph behind the text of the same document."""
        location = super().state(gate, say, goal, finding)
        if location is not None:
            decision = gate.decide(goal, finding)
            gate.append(location, [gate.say(say.paragraph, decision=decision)])
        return location

    def properties(
        self, gate: Gate, say: Wording, goal: Letter, finding: Finding
    ) -> Mapping[str, str]:
        """Title and category."""
        return {"title": gate.say(say.title), "category": gate.say(say.category)}
