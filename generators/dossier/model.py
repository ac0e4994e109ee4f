"""What a dossier is: everything it follows from, its files, and the picture made from one of them.

A dossier is a value. Equal specs give equal dossiers, byte for byte, on any machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from generators.facts import DEFAULT_VERSION
from generators.sampling import PlannedCase

CONTEXT_FILE: Final = "00_project_context.json"
ROUTE_FILE: Final = "01_route_manifest.json"
GRAPH_FILE: Final = "02_evidence_graph.json"
TOOLS_FILE: Final = "03_tool_schemas.json"
CONTRACTS_FILE: Final = "04_gate_contracts.json"
VISIBILITY_FILE: Final = "05_phase_visibility.json"
MANDATES_FILE: Final = "06_authorization_registry.json"
HIDDEN_FILE: Final = "99_hidden_ground_truth.json"
TEMPLATE_FILE: Final = "agent_submission_template.json"
README_FILE: Final = "README_CASE.md"
PROVENANCE_FILE: Final = "shared/evidence_provenance.csv"


class DossierSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything a dossier follows from."""

    seed: int
    route: str
    difficulty: int
    architecture_attempt: int = 0
    fact_attempts: dict[str, int] = {}
    """Gate → which draw of its facts to take; 0 where it is absent."""
    canonical_sha256: str | None = None
    """What the digest of the facts has to be; null: whatever it is."""
    generator: str = DEFAULT_VERSION
    """Version of the fact generator."""
    composed: bool = False
    """Whether six facts have to be worked out from parts (the composition lever)."""

    @classmethod
    def planned(
        cls, row: PlannedCase, *, generator: str = DEFAULT_VERSION, composed: bool = False
    ) -> DossierSpec:
        """The spec of one line of a sampling plan."""
        return cls(
            seed=row.seed,
            route=row.route,
            difficulty=row.difficulty,
            architecture_attempt=row.architecture_attempt,
            fact_attempts=row.fact_attempts,
            canonical_sha256=row.canonical_sha256,
            generator=generator,
            composed=composed,
        )


class Raster(msgspec.Struct, frozen=True, kw_only=True):
    """A picture that is named by how it is made; its bytes depend on the drawing library."""

    source: str
    """Path of the SVG it is drawn from."""
    renderer: str
    """Name of the way it is drawn; another way, another name."""
    width: int
    height: int


class Dossier(msgspec.Struct, frozen=True, kw_only=True):
    """A dossier in memory."""

    name: str
    """The name of its folder: project id and route."""
    case_id: str
    files: Mapping[str, bytes]
    """POSIX path → content, sorted by path."""
    rasters: Mapping[str, Raster]
    """POSIX path → how the picture there is made."""
