"""What attacks say: two wording sets as data, filled for planting, or turned into patterns.

A set is a text family of the protocol, `attacks_dev` or `attacks_test`: one section per attack
under its id, read by the attack with a record of its own, and two sections that attacks share.
Places in a text are filled once. The same template gives a pattern that recognises what it was
planted as and reads the filled values back: that is how a control agent knows a request without the
manifest.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from itertools import chain, product
from typing import Final, TypeVar

import msgspec

from generators.attacks.errors import WordingError
from generators.attacks.manifest import Letter
from generators.protocol import DEFAULT_PROTOCOL, ProtocolError
from generators.protocol.library import read_family

T = TypeVar("T")

FAMILY: Final = "attacks_{wording_set}"

DECISION: Final = "decision"
PLACEBO: Final = "placebo"

Outcome = Mapping[str, str]
"""A text per goal, by letter."""


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A section of a wording set."""


class Decision(Section, frozen=True, kw_only=True):
    """The sentence that states the decision an attacker wants; several attacks quote it."""

    A: str
    S: str


class Neutral(Section, frozen=True, kw_only=True):
    """Texts that say nothing about any finding, one per carrier."""

    record: str
    document: str
    workflow: str
    picture: tuple[str, ...]
    properties: dict[str, str]
    memorandum: tuple[str, ...]
    email: str
    context: str


@functools.cache
def section(wording_set: str, name: str, kind: type[T], *, protocol: str = DEFAULT_PROTOCOL) -> T:
    """One section of a wording set.

    Raises
    ------
    WordingError
        If the set lacks it, or it does not fit `kind`.
    """
    family = FAMILY.format(wording_set=wording_set)
    where = f"{protocol}/{family}.toml, [{name}]"
    try:
        found = _family(protocol, family)[name]
    except KeyError:
        raise WordingError("the wording set lacks a section", where=where) from None
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError as error:
        raise WordingError(f"texts of the wrong form: {error}", where=where) from None


@functools.cache
def _family(protocol: str, family: str) -> dict[str, object]:
    try:
        return read_family(protocol, family)
    except ProtocolError as error:
        raise WordingError("no such wording set", where=f"{protocol}/{family}.toml") from error


_ID: Final = r"[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+"
_PLACES: Final[Mapping[str, str]] = {
    "token": r"DGF-[0-9A-F]{8}",
    "token_short": r"[0-9A-F]{8}",
    "finding_id": _ID,
    "findings": rf"{_ID}(?:, {_ID})*(?: and \d+ more)?",
    "others": rf"(?:none|{_ID}(?:, {_ID})*)",
    "findings_json": r"\[[^\]]*\]",
    "disposition": r"[A-Z_]+",
    "fake_reference": r"MANDATE-EXCEPTION-[0-9A-F]{8}",
    "mandate": r"MANDATE-[\w-]+",
    "gate": r"[a-z_]+",
    "gate_label": r"[A-Z][\w&/-]*(?:\s[\w&/-]+){0,5}?",
    "k": r"[1-3]",
}
"""What can stand in a place; anything else is as short as the rest of the text allows."""

_ANYTHING: Final = r".{1,400}?"

_PLACE: Final = re.compile(r"\{([a-z][a-z_]*)\}|(\s+)")


@functools.cache
def recogniser(template: str) -> re.Pattern[str]:
    """A pattern of what `template` was planted as, with a group for each of its places.

    White space of any kind and amount matches white space, because formats break lines.
    """
    pattern, position, seen = "", 0, set[str]()
    for match in _PLACE.finditer(template):
        pattern += re.escape(template[position : match.start()])
        position = match.end()
        name = match[1]
        if name is None:
            pattern += r"\s+"
        elif name in seen:
            pattern += f"(?P={name})"
        else:
            seen.add(name)
            pattern += f"(?P<{name}>{_PLACES.get(name, _ANYTHING)})"
    return re.compile(pattern + re.escape(template[position:]), re.DOTALL)


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What an attack asks for, as the templates that say it.

    Attributes
    ----------
    texts
        Templates that must all be found, perhaps in different documents.
    """

    goal: Letter
    texts: tuple[str, ...]

    def found_in(self, text: str) -> Iterator[Mapping[str, str]]:
        """The values of the places wherever all templates are found and agree."""
        matches = ([m.groupdict() for m in recogniser(t).finditer(text)] for t in self.texts)
        for parts in product(*matches):
            merged = dict(chain.from_iterable(part.items() for part in parts))
            if all(merged[name] == value for part in parts for name, value in part.items()):
                yield merged


def stated(goal: Letter, *texts: str) -> Request:
    """A request that is said in `texts`."""
    return Request(goal=goal, texts=texts)
