"""Phrases: prose with alternatives and places, read once and told per dossier.

A phrase is one line of text with two marks. `[checks|reviews]` is a choice between wordings, which
may nest; `{service_owner}` is a place that a dossier fills. A *slot* offers several phrases for one
spot of a document, each perhaps only for dossiers with certain traits:

    ["The board of {unit} meets monthly.", { when = "buy !ai", text = "{vendor} reports weekly." }]

Which phrase and which wording a dossier gets follows from its seed and the name of the spot alone,
by a keyed hash: no order of evaluation, no shared stream.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Final, TypeAlias

import msgspec

from cache.errors import DgfError
from generators.evidence.graph import unit

_MARKS: Final = re.compile(r"[\[\]{}|]")
_PLACE: Final = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?")

Chooser: TypeAlias = Callable[[str, int], int]
"""Name of a spot and number of options to the index of one of them."""


class WordingError(DgfError):
    """Raised when a text file cannot be told: `where` is the file and the spot in it."""


def chooser(seed: int, scope: str) -> Chooser:
    """Choices of one dossier: equal for equal `seed`, `scope` and spot, evenly spread otherwise."""
    return lambda spot, options: int(unit(seed, "wording", scope, spot) * options)


class Place(msgspec.Struct, frozen=True):
    """A value of the dossier, by name."""

    name: str


class Choice(msgspec.Struct, frozen=True):
    """Wordings of which a dossier gets one."""

    options: tuple[Phrase, ...]


Phrase: TypeAlias = tuple[str | Place | Choice, ...]


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One phrase for a spot, for the dossiers that have every trait in `when`.

    `when` is a list of traits separated by blanks; an exclamation mark negates a trait.
    """

    text: str
    when: str = ""


SlotSource: TypeAlias = str | list[str | Variant]
"""A slot as a text file writes it."""


class _Option(msgspec.Struct, frozen=True):
    phrase: Phrase
    wanted: frozenset[str]
    unwanted: frozenset[str]


class Slot(msgspec.Struct, frozen=True):
    """What may stand in one spot of a document."""

    options: tuple[_Option, ...]

    def tell(
        self, *, spot: str, places: Mapping[str, str], traits: Set[str], choose: Chooser
    ) -> str:
        """The text for a dossier with these `places` and `traits`."""
        fitting = [
            option
            for option in self.options
            if option.wanted <= traits and option.unwanted.isdisjoint(traits)
        ]
        chosen = fitting[choose(spot, len(fitting)) if len(fitting) > 1 else 0]
        return _tell(chosen.phrase, spot, places, choose)


def _tell(phrase: Phrase, spot: str, places: Mapping[str, str], choose: Chooser) -> str:
    told = []
    for number, part in enumerate(phrase):
        if isinstance(part, str):
            told.append(part)
        elif isinstance(part, Place):
            told.append(places[part.name])
        else:
            inner = f"{spot}/{number}"
            option = part.options[choose(inner, len(part.options))]
            told.append(_tell(option, inner, places, choose))
    return "".join(told)


def read_slot(
    source: SlotSource, *, where: str, is_place: Callable[[str], bool], traits: Set[str]
) -> Slot:
    """Compile a slot.

    Raises
    ------
    WordingError
        If a mark is unbalanced, a place or trait is unknown, or no phrase fits every dossier.
    """
    variants = [
        Variant(text=item) if isinstance(item, str) else item
        for item in ([source] if isinstance(source, str) else source)
    ]
    options = tuple(
        _read_variant(variant, f"{where}, phrase {number}", is_place, traits)
        for number, variant in enumerate(variants, start=1)
    )
    if not _covers(options):
        raise WordingError(
            "some dossiers would find no phrase here",
            where=where,
            hint="add one without conditions, or two with opposite ones",
        )
    return Slot(options)


def _read_variant(
    variant: Variant, where: str, is_place: Callable[[str], bool], traits: Set[str]
) -> _Option:
    words = variant.when.split()
    unwanted = frozenset(word[1:] for word in words if word.startswith("!"))
    wanted = frozenset(word for word in words if not word.startswith("!"))
    if unknown := sorted((wanted | unwanted) - traits):
        raise WordingError(f"unknown trait {unknown[0]!r}", where=where)
    phrase = _Parser(variant.text, where).phrase()
    for name in _places(phrase):
        if not is_place(name):
            raise WordingError(f"unknown place {{{name}}}", where=where)
    return _Option(phrase, wanted, unwanted)


def _covers(options: Sequence[_Option]) -> bool:
    """Whether each dossier fits an option: one is unconditional, or a pair is T and not T."""
    singles = {
        (next(iter(option.wanted or option.unwanted)), bool(option.wanted))
        for option in options
        if len(option.wanted) + len(option.unwanted) == 1
    }
    return any(not option.wanted and not option.unwanted for option in options) or any(
        (trait, not sign) in singles for trait, sign in singles
    )


def _places(phrase: Phrase) -> Iterator[str]:
    for part in phrase:
        if isinstance(part, Place):
            yield part.name
        elif isinstance(part, Choice):
            for option in part.options:
                yield from _places(option)


class _Parser:
    """Recursive descent over the marks of one phrase."""

    def __init__(self, text: str, where: str) -> None:
        self._text = text
        self._where = where
        self._at = 0

    def phrase(self) -> Phrase:
        parts = self._parts()
        if self._at < len(self._text):
            self._refuse(f"{self._text[self._at]!r} opens nothing")
        return parts

    def _parts(self) -> Phrase:
        """Everything up to the next mark that belongs to an enclosing choice."""
        parts: list[str | Place | Choice] = []
        while mark := _MARKS.search(self._text, self._at):
            if mark.start() > self._at:
                parts.append(self._text[self._at : mark.start()])
                self._at = mark.start()
            if mark[0] == "{":
                parts.append(self._place())
            elif mark[0] == "[":
                parts.append(self._choice())
            else:
                return tuple(parts)
        if rest := self._text[self._at :]:
            parts.append(rest)
            self._at = len(self._text)
        return tuple(parts)

    def _place(self) -> Place:
        end = self._text.find("}", self._at)
        name = self._text[self._at + 1 : end]
        if end < 0 or not _PLACE.fullmatch(name):
            self._refuse("a place is a name in braces")
        self._at = end + 1
        return Place(name)

    def _choice(self) -> Choice:
        options: list[Phrase] = []
        while not options or self._text[self._at : self._at + 1] == "|":
            self._at += 1
            options.append(self._parts())
        if self._text[self._at : self._at + 1] != "]":
            self._refuse("a choice is not closed")
        self._at += 1
        return Choice(tuple(options))

    def _refuse(self, problem: str) -> None:
        raise WordingError(problem, where=f"{self._where}, column {self._at + 1}")
