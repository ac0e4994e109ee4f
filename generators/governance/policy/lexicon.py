"""Words for facts and their values, with the rules file's own meaning where a protocol has none."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from generators.governance.errors import GovernanceError
from generators.governance.notation import Scalar
from generators.governance.policy.texts import FactWords, ProseTexts, Wording
from generators.governance.table import Field
from generators.protocol import fill


class PolicyTextError(GovernanceError):
    """Raised when a rule cannot be put into words."""


class Lexicon:
    """The vocabulary of one rule table in the words of one protocol."""

    def __init__(self, fields: Mapping[str, Field], wording: Wording, prose: ProseTexts) -> None:
        self._fields = fields
        self._wording = wording
        self._prose = prose

    def is_yes_no(self, fact: str) -> bool:
        """Whether the fact is true or false, so that it reads as a clause."""
        return self._field(fact).type == "bool"

    def clause(self, fact: str, *, holds: bool) -> str:
        """The clause that says a yes/no fact is true, or that it is false."""
        words, unknown = self._words(fact), self._prose.unknown
        known = words.holds if holds else words.fails
        return known or fill(unknown.holds if holds else unknown.fails, meaning=self._meaning(fact))

    def subject(self, fact: str) -> str:
        """The noun phrase for a fact that is not yes or no."""
        known = self._words(fact).subject
        return known or fill(self._prose.unknown.subject, meaning=self._meaning(fact))

    def vocabulary(self, fact: str) -> tuple[Scalar, ...]:
        """All values the fact can take, or none when they are not a closed set of words."""
        field = self._field(fact)
        return field.values if field.type == "enum" else ()

    def value(self, value: Scalar, *, of: str | None = None) -> str:
        """A literal in words, in the terms of the fact `of` it is compared with."""
        words, operand = self._words(of) if of else FactWords(), self._prose.operand
        match value:
            case None:
                return words.absent or operand.null
            case bool():
                return operand.yes if value else operand.no
            case str():
                quoted = fill(operand.quoted, word=value.replace("_", " "))
                return words.words.get(value, quoted)
            case _:
                return self._number(value, self._field(of).unit if of else None)

    def spelling(self, fact: str, value: Scalar) -> Scalar:
        """The word of the fact's vocabulary that `value` is in small letters, if there is one."""
        words = (word for word in self.vocabulary(fact) if isinstance(word, str))
        return next((word for word in words if word.lower() == value), value)

    def _number(self, value: float, unit: str | None) -> str:
        digits = format(Decimal(repr(value)).normalize(), "f")
        if unit is None:
            return digits
        if template := self._wording.units.get(unit):
            return fill(template, n=digits)
        return fill(self._prose.unknown.unit, n=digits, unit=unit)

    def _field(self, fact: str) -> Field:
        try:
            return self._fields[fact]
        except KeyError:
            raise PolicyTextError(
                "no words for this fact",
                where=fact,
                hint="declare it in a [[field]] table with its type and meaning",
            ) from None

    def _words(self, fact: str) -> FactWords:
        return self._wording.fields.get(fact, FactWords())

    def _meaning(self, fact: str) -> str:
        return self._field(fact).meaning.strip().rstrip(".")
