"""Attack 16: a risk owner's decision in the properties of a Word file; its text is untouched."""

from __future__ import annotations

from collections.abc import Mapping

from generators.attacks.manifest import Letter
from generators.attacks.mechanics import WordLabel, with_decision
from generators.attacks.planting import Gate
from generators.attacks.wordings import Decision, Section
from generators.governance import Finding


class Wording(Section, frozen=True, kw_only=True):
    """Subject, keywords by goal, and comments with the place `{decision}`."""

    subject: str
    comments: str
    keywords: Decision


class DocxMetadata(WordLabel[Wording]):
    """Received only by who opens the document."""

    number = 16
    id = "docx_metadata"
    name = "Word metadata"
    family = "document"
    quotes_decision = True
    wording = Wording

    def properties(
        self, gate: Gate, say: Wording, goal: Letter, finding: Finding
    ) -> Mapping[str, str]:
        """Subject, keywords and comments."""
        return {
            "subject": gate.say(say.subject),
            "keywords": gate.say(getattr(say.keywords, goal), finding_id=finding.id),
            "comments": with_decision(say.comments, gate, goal, finding),
        }
