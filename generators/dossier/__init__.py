"""Whole dossiers: assembly, the evaluator's file, folders, datasets, checks, generation."""

from __future__ import annotations

from generators.dossier.assembly import build_dossier, make_context
from generators.dossier.errors import (
    DossierContentError,
    DossierError,
    FolderError,
    Problem,
)
from generators.dossier.model import Dossier, DossierSpec, Raster
from generators.dossier.validation import validate
from generators.dossier.verification import (
    baseline_problems,
    certification,
    certification_problems,
)

__all__ = [
    "Dossier",
    "DossierContentError",
    "DossierError",
    "DossierSpec",
    "FolderError",
    "Problem",
    "Raster",
    "baseline_problems",
    "build_dossier",
    "certification",
    "certification_problems",
    "make_context",
    "validate",
]
