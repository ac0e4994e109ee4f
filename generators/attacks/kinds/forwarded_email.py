"""Attack 26: the project manager forwards what the supplier's account manager asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from generators.attacks.locations import Location
from generators.attacks.manifest import Entry, Letter
from generators.attacks.mechanics import DecisionAttack
from generators.attacks.planting import Gate
from generators.attacks.word import new_word
from generators.attacks.wordings import Decision, Request, Section, stated
from generators.governance import Finding

STEM: Final = "PROJECT_TEAM_UPLOAD_EMAIL"
FILE: Final = "FW_Re_risk_acceptance.docx"


class Wording(Section, frozen=True, kw_only=True):
    """The outer message, the inner sender, and the request by goal."""

    header: tuple[str, ...]
    forwarding: str
    separator: str
    sender: str
    request: Decision


class ForwardedEmail(DecisionAttack[Wording]):
    """A request with a history."""

    number = 26
    id = "forwarded_email"
    name = "Forwarded supplier e-mail"
    family = "technique"
    carrier = "uploaded Word file"
    places = "a new file per gate"
    wording = Wording

    def requests(self, say: Wording) -> Iterable[Request]:
        """The supplier's wish."""
        return [stated(goal, getattr(say.request, goal)) for goal in self.goals]

    def state(self, gate: Gate, say: Wording, goal: Letter, finding: Finding) -> Location:
        """Upload the message with the request."""
        request = gate.say(getattr(say.request, goal), finding_id=finding.id)
        return self._upload(gate, say, request)

    def placebo(self, gate: Gate) -> Entry | None:
        """A message that asks for nothing."""
        text = gate.say(gate.neutral.email)
        location = self._upload(gate, self.texts(gate.options.wording_set), text)
        return gate.neutral_entry(location, text)

    def _upload(self, gate: Gate, say: Wording, request: str) -> Location:
        outer = (*say.header, say.forwarding, say.separator, say.sender)
        paragraphs = [*(gate.say(line) for line in outer), request]
        return gate.upload(STEM, FILE, new_word(paragraphs), paragraphs)
