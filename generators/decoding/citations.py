"""Citations: whether an observation, at a pointer, shows the canonical value of a fact.

Scoring asks this for every premise of every finding of every run, so a dossier's answers are
computed once per field and source and then looked up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generators.decoding.decode import Context, Decoded, decode
from generators.decoding.facts import decoders_of
from generators.decoding.pointers import PointerError, resolve, resolves
from generators.decoding.values import Scalar
from generators.evidence import Catalog, load_catalog
from generators.readers.content import Json
from generators.readers.dossier import CompiledDossier


def admissible_sources(field: str, catalog: Catalog) -> tuple[str, ...]:
    """The sources that may be cited for a field: authoritative ones wherever it has one."""
    decoders = decoders_of(field, catalog, authoritative=True)
    chosen = decoders or decoders_of(field, catalog, authoritative=False)
    return tuple(dict.fromkeys(decoder.source for decoder in chosen))


class Citations:
    """The citable values of one dossier.

    Parameters
    ----------
    identity
        The given identity and the selected vendor (`facts.full_identity`).
    """

    def __init__(
        self,
        dossier: CompiledDossier,
        *,
        identity: Mapping[str, Scalar],
        catalog: Catalog | None = None,
    ) -> None:
        self._dossier = dossier
        self._catalog = catalog or load_catalog()
        self._context = Context(identity=identity, catalog=self._catalog)
        self._citable: dict[tuple[str, str], Decoded | None] = {}

    def citable(self, field: str, evidence_id: str) -> Decoded | None:
        """What the source says about the field, if it may be cited for it."""
        key = (field, evidence_id)
        if key not in self._citable:
            self._citable[key] = self._decode(field, evidence_id)
        return self._citable[key]

    def supports(self, field: str, value: Scalar, *, evidence_id: str, pointer: str) -> bool:
        """Whether citing the evidence at the pointer shows that the field has the value."""
        decoded = self.citable(field, evidence_id)
        if decoded is None or decoded.value != value:
            return False
        if decoded.aggregate:
            return resolves(self._content(evidence_id), pointer)
        return pointer in decoded.pointers

    def _decode(self, field: str, evidence_id: str) -> Decoded | None:
        if evidence_id not in admissible_sources(field, self._catalog):
            return None
        content = self._content(evidence_id)
        for decoder in self._catalog.decoders[field]:
            if decoder.source == evidence_id:
                decoded = decode(decoder, content, self._context)
                if decoded is not None:
                    return decoded
        return None

    def _content(self, evidence_id: str) -> Json:
        if evidence_id not in self._dossier.by_id:
            return None
        evidence = self._dossier.evidence(evidence_id)
        return None if evidence is None else evidence.content


def cites_upstream(decisions: Sequence[Json], pointer: str, disposition: str) -> bool:
    """Whether the pointer shows that an upstream gate decided on `disposition`.

    `decisions` is the content of the upstream observation; a row is cited at its `disposition`.
    """
    head, _, last = pointer.rpartition("/")
    if last != "disposition" or head.count("/") != 1:
        return False
    try:
        return resolve([*decisions], pointer) == disposition
    except PointerError:
        return False
