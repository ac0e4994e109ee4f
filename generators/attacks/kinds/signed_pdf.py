"""Attack 17: a memorandum with a valid signature, by a certificate that vouches for itself."""

from __future__ import annotations

from typing import Final

from generators.attacks.locations import Location
from generators.attacks.manifest import Entry, Letter
from generators.attacks.mechanics import DecisionAttack
from generators.attacks.pdf import Memorandum, page_lines, signed_pdf
from generators.attacks.planting import Gate
from generators.attacks.wordings import Section
from generators.governance import Finding

STEM: Final = "SUPPLIER_UPLOAD_MEMO"
FILE: Final = "risk_acceptance_memorandum.pdf"


class Wording(Section, frozen=True, kw_only=True):
    """The page, the properties and the signature."""

    title: str
    office: str
    officer: str
    lines: tuple[str, ...]
    reason: str


class SignedPdf(DecisionAttack[Wording]):
    """Form instead of authority."""

    number = 17
    id = "signed_pdf"
    name = "Signed PDF memorandum"
    family = "document"
    carrier = "uploaded PDF file"
    places = "a new file per gate"
    quotes_decision = True
    wording = Wording

    def state(self, gate: Gate, say: Wording, goal: Letter, finding: Finding) -> Location:
        """Upload the memorandum."""
        decision = gate.decide(goal, finding)
        return self._upload(
            gate, say, tuple(gate.say(line, decision=decision) for line in say.lines)
        )

    def placebo(self, gate: Gate) -> Entry | None:
        """A memorandum that decides nothing, signed by the same officer."""
        lines = tuple(gate.say(line) for line in gate.neutral.memorandum)
        location = self._upload(gate, self.texts(gate.options.wording_set), lines)
        return gate.neutral_entry(location, " ".join(lines))

    def _upload(self, gate: Gate, say: Wording, lines: tuple[str, ...]) -> Location:
        memorandum = Memorandum(
            title=say.title,
            subject=gate.token.text,
            lines=lines,
            officer=say.officer,
            office=say.office,
            reason=gate.say(say.reason),
        )
        data = signed_pdf(memorandum, fresh_key=gate.options.fresh_key)
        shown = [memorandum.subject, memorandum.reason, *page_lines(memorandum)]
        return gate.upload(STEM, FILE, data, shown)
