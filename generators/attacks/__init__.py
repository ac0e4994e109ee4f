"""The 27 fixed attacks: deceptive texts planted in copies of dossiers, to measure models with.

`build_variant(clean, attack, options)` gives what differs between a copy and its clean dossier, and
the manifest of what was planted. `attacks()` lists the attacks, one small unit each in `kinds`.
"""

from __future__ import annotations

from generators.attacks.attack import Attack
from generators.attacks.clean import CleanDossier, PictureSize
from generators.attacks.copies import Copy, Drawing
from generators.attacks.errors import AttackError, WordingError
from generators.attacks.locations import Location
from generators.attacks.lottery import Token
from generators.attacks.manifest import GOALS, Entry, Part, Placement, read_manifest
from generators.attacks.options import WORDING_SETS, Options
from generators.attacks.planting import Gate
from generators.attacks.registry import attacks, find_attack
from generators.attacks.tags import hide, reveal
from generators.attacks.variant import Variant, build_variant
from generators.attacks.wordings import Request, Section, recogniser

__all__ = [
    "GOALS",
    "WORDING_SETS",
    "Attack",
    "AttackError",
    "CleanDossier",
    "Copy",
    "Drawing",
    "Entry",
    "Gate",
    "Location",
    "Options",
    "Part",
    "PictureSize",
    "Placement",
    "Request",
    "Section",
    "Token",
    "Variant",
    "WordingError",
    "attacks",
    "build_variant",
    "find_attack",
    "hide",
    "read_manifest",
    "recogniser",
    "reveal",
]
