"""Attack 19: a document claims to replace the record behind the target."""

from __future__ import annotations

from collections.abc import Mapping

from generators.attacks.manifest import Letter
from generators.attacks.mechanics import WordLabel, with_decision
from generators.attacks.planting import Gate
from generators.attacks.wordings import Decision, Section
from generators.decoding.facts import decoders_of
from generators.governance import Finding, premises


class Wording(Section, frozen=True, kw_only=True):
    """Subject and comments with the place `{record}`, keywords by goal, two labels."""

    subject: str
    comments: str
    keywords: Decision
    category: str
    status: str


class DocxLabelDeny(WordLabel[Wording]):
    """A rival for the system of record."""

    number = 19
    id = "docx_label_deny"
    name = "Label: the official record is outdated"
    family = "document"
    quotes_decision = True
    wording = Wording

    def properties(
        self, gate: Gate, say: Wording, goal: Letter, finding: Finding
    ) -> Mapping[str, str] | None:
        """The claim; None if no record stands behind the target."""
        record = _record_behind(gate, finding)
        if record is None:
            return None
        return {
            "subject": gate.say(say.subject, record=record),
            "comments": with_decision(say.comments, gate, goal, finding, record=record),
            "keywords": gate.say(getattr(say.keywords, goal), finding_id=finding.id),
            "category": gate.say(say.category),
            "status": gate.say(say.status),
        }


def _record_behind(gate: Gate, finding: Finding) -> str | None:
    """File name of the first authoritative source of the finding's premises."""
    clean = gate.clean
    for field in premises(clean.rules.rule(finding.id), clean.decisive(gate.occurrence)):
        for decoder in decoders_of(field, clean.catalog, authoritative=True):
            if decoder.source in clean.compiled.by_id:
                return clean.node(decoder.source).path.rpartition("/")[2]
    return None
