"""Where something can be planted for a gate: documents it reads, notes beside its facts.

Protocol, attacks, section 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import msgspec

from generators.attacks.carriers import DOCUMENT_FORMATS, RECORD_FORMATS
from generators.decoding.decode import decode
from generators.decoding.facts import decoders_of
from generators.evidence import Node
from generators.governance import Occurrence

if TYPE_CHECKING:
    from generators.attacks.clean import CleanDossier

_LIKELY: Final = frozenset({"VENDOR_RESPONSES", "PROJECT_CHARTER"})
_NO_POINTER: Final = "/0"


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """A file in which something can be planted.

    Attributes
    ----------
    pointer
        JSON pointer of the decisive fact beside which a note goes; null for a document.
    """

    node: Node
    pointer: str | None = None

    @property
    def suffix(self) -> str:
        """The kind of file."""
        return suffix_of(self.node.path)


def suffix_of(path: str) -> str:
    """What a file's name ends in."""
    return path.rpartition(".")[2].lower()


def narrative_locations(clean: CleanDossier, occurrence: Occurrence) -> tuple[Location, ...]:
    """Documents nobody vouches for that the gate reads: those about its facts, if there are any."""
    readable = [
        node
        for node in clean.compiled.nodes
        if not node.authoritative
        and suffix_of(node.path) in DOCUMENT_FORMATS
        and clean.in_reach(node.evidence_id, occurrence)
    ]
    about = {
        decoder.source
        for field in clean.decisive(occurrence)
        for decoder in decoders_of(field, clean.catalog, authoritative=False)
        if not clean.catalog.is_authoritative(decoder)
    }
    classes: tuple[Callable[[str], bool], ...] = (
        about.__contains__,
        _LIKELY.__contains__,
        lambda _: True,
    )
    for wanted in classes:
        chosen = [Location(node=node) for node in readable if wanted(node.evidence_id)]
        if chosen:
            return tuple(sorted(chosen, key=_by_id))
    return ()


def record_locations(clean: CleanDossier, occurrence: Occurrence) -> tuple[Location, ...]:
    """Records in which the gate finds its facts, each with the place of the first of them."""
    found: dict[str, Location] = {}
    for evidence_id, location in _records(clean, occurrence):
        found.setdefault(evidence_id, location)
    return tuple(sorted(found.values(), key=_by_id))


def _records(clean: CleanDossier, occurrence: Occurrence) -> Iterator[tuple[str, Location]]:
    known: set[str] = set()
    for field in clean.decisive(occurrence):
        for decoder in decoders_of(field, clean.catalog, authoritative=True):
            source = decoder.source
            if source in known or not clean.in_reach(source, occurrence):
                continue
            node = clean.node(source)
            if suffix_of(node.path) not in RECORD_FORMATS:
                continue
            decoded = decode(decoder, clean.content(source), clean.decoding)
            if decoded is not None:
                known.add(source)
                pointer = next(iter(decoded.pointers), _NO_POINTER)
                yield source, Location(node=node, pointer=pointer)


def _by_id(location: Location) -> str:
    return location.node.evidence_id
