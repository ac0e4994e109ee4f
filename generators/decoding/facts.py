"""Facts: the values of several fields, each from the first of its sources that gives one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from generators.decoding.decode import Context, Decoded, decode
from generators.decoding.values import Scalar
from generators.evidence import Catalog, Decoder
from generators.governance import Case, Phase, read_fact
from generators.governance.case import OFFER, VENDOR
from generators.readers.content import Json
from generators.readers.dossier import CompiledDossier

GIVEN: Final = ("project.project_id", "project.project_name", "project.project_code")
"""The identity every reader is given."""

Sources = Callable[[str], Json]
"""Evidence id to its content; null for what cannot be read."""


def given_identity(project: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The given identity, from the `project` object of a dossier's context or case."""
    return {name: project[name.removeprefix("project.")] for name in GIVEN}


def full_identity(case: Case) -> dict[str, Scalar]:
    """The given identity and the selected vendor, from a canonical case."""
    identity = given_identity(case["project"])
    vendor = read_fact(case, VENDOR)
    return {**identity, VENDOR: vendor if isinstance(vendor, str) else None}


def sources_of(dossier: CompiledDossier, *, gate: str, phase: Phase) -> Sources:
    """What the gate can read in the phase."""

    def content(evidence_id: str) -> Json:
        if not dossier.readable(evidence_id, gate=gate, phase=phase):
            return None
        evidence = dossier.evidence(evidence_id)
        return None if evidence is None else evidence.content

    return content


def decoders_of(field: str, catalog: Catalog, *, authoritative: bool) -> tuple[Decoder, ...]:
    """The decoders of a field in order; only those of authoritative sources if so asked."""
    decoders = catalog.decoders.get(field, ())
    if not authoritative:
        return decoders
    return tuple(decoder for decoder in decoders if catalog.is_authoritative(decoder))


def decode_field(
    field: str, sources: Sources, context: Context, *, authoritative: bool = True
) -> Decoded | None:
    """The value of one field, from the first decoder that yields one."""
    for decoder in decoders_of(field, context.catalog, authoritative=authoritative):
        content = sources(decoder.source)
        decoded = None if content is None else decode(decoder, content, context)
        if decoded is not None:
            return decoded
    return None


def decode_facts(
    fields: Iterable[str], sources: Sources, context: Context, *, authoritative: bool = True
) -> dict[str, Decoded]:
    """The values of several fields; a field nobody establishes is absent.

    The selected vendor comes first and facts about its offer last, because they are looked up by
    the vendor's name.
    """
    wanted = dict.fromkeys(fields)
    needs_vendor = VENDOR in wanted or any(field.startswith(OFFER) for field in wanted)
    found: dict[str, Decoded] = {}
    if needs_vendor:
        vendor = decode_field(VENDOR, sources, context, authoritative=authoritative)
        if vendor is not None:
            identity = {**context.identity, VENDOR: vendor.value}
            context = msgspec.structs.replace(context, identity=identity)
            found[VENDOR] = vendor
    for field in wanted:
        if field != VENDOR:
            decoded = decode_field(field, sources, context, authoritative=authoritative)
            if decoded is not None:
                found[field] = decoded
    return {field: found[field] for field in wanted if field in found}
