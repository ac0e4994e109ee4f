"""Digests of the shipped texts, and the seal that makes a silent edit visible.

The digest of a family covers what its file says, not how it is laid out: values and their order
count, comments and line breaks between keys do not.
"""

from __future__ import annotations

import functools
import hashlib
import json
import tomllib
from collections.abc import Mapping

import msgspec

from generators.protocol.library import ProtocolError, families, protocols, read_family, shipped

SEAL_FILE = "digests.toml"
SEAL_HEADING = """\
# SHA-256 of what each text family says, per protocol. A released protocol never changes: runs that
# are on record name it. Do not edit a digest to make a test pass; put the new wording into a new
# protocol folder and seal that with `python -m generators.protocol seal NAME`.
"""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A family whose texts are not the sealed ones."""

    where: str
    """`PROTOCOL/FAMILY`."""
    problem: str
    hint: str


@functools.cache
def family_digest(protocol: str, family: str) -> str:
    """SHA-256, in hexadecimal, of the canonical bytes of one family."""
    try:
        # Order is kept, because a reader may show texts in the order of the file.
        canonical = json.dumps(
            read_family(protocol, family), ensure_ascii=False, separators=(",", ":")
        )
    except TypeError as error:
        where = f"{protocol}/{family}.toml"
        raise ProtocolError("a date or time; write it as text", where=where) from error
    return hashlib.sha256(canonical.encode()).hexdigest()


@functools.cache
def digest(protocol: str) -> str:
    """SHA-256, in hexadecimal, over all texts of `protocol`."""
    lines = (f"{family} {family_digest(protocol, family)}\n" for family in families(protocol))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def sealed() -> dict[str, dict[str, str]]:
    """The digests as shipped: protocol → family → digest."""
    text = (shipped() / SEAL_FILE).read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, dict[str, str]])


def faults(seal: Mapping[str, Mapping[str, str]] | None = None) -> tuple[Fault, ...]:
    """Where the texts differ from `seal` (default: the shipped one); empty when all is well."""
    seal = sealed() if seal is None else seal
    found = []
    for protocol in sorted({*seal, *protocols()}):
        present = families(protocol) if protocol in protocols() else ()
        for family in sorted({*seal.get(protocol, {}), *present}):
            expected = seal.get(protocol, {}).get(family)
            actual = family_digest(protocol, family) if family in present else None
            if expected != actual:
                found.append(_fault(protocol, family, expected=expected, actual=actual))
    return tuple(found)


def _fault(protocol: str, family: str, *, expected: str | None, actual: str | None) -> Fault:
    if expected is None:
        problem = "these texts are not sealed"
        hint = f"run `python -m generators.protocol seal {protocol}`"
    else:
        problem = (
            "these texts are gone"
            if actual is None
            else f"these texts were edited: their digest is {actual}, the sealed one {expected}"
        )
        hint = (
            "runs on record name this protocol, so put the old texts back and give the new ones a "
            "protocol of their own (copy the folder, edit the copy, seal it)"
        )
    return Fault(where=f"{protocol}/{family}", problem=problem, hint=hint)


def seal_text(protocol: str) -> str:
    """The seal file with the families of `protocol` added that it lacks.

    Raises
    ------
    ProtocolError
        If a family that is already sealed has changed.
    """
    seal = sealed()
    own = seal.setdefault(protocol, {})
    for family in families(protocol):
        own.setdefault(family, family_digest(protocol, family))
    edited = [fault for fault in faults(seal) if fault.where.startswith(f"{protocol}/")]
    if edited:
        raise ProtocolError(edited[0].problem, where=edited[0].where, hint=edited[0].hint)
    tables = (
        f'\n["{name}"]\n' + "".join(f'{family} = "{value}"\n' for family, value in sorted(items))
        for name, items in sorted((name, table.items()) for name, table in seal.items())
    )
    return SEAL_HEADING + "".join(tables)
