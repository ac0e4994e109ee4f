"""Canonical facts: what is true in a synthetic enterprise, drawn from a seed.

`make_case` is the entry. The default version of the generator, `compat-1`, gives for a seed the
facts the published benchmark gives; names and free texts are this project's own.
"""

from __future__ import annotations

from generators.facts.case import DIFFICULTIES, check_number, make_case, redraw_gate
from generators.facts.errors import CaseArgumentError, DrawTableError
from generators.facts.hashing import case_hash, case_id, json_hash
from generators.facts.identity import networks, project_code
from generators.facts.table import (
    DEFAULT_VERSION,
    Version,
    generator_version,
    version_names,
)

__all__ = [
    "DEFAULT_VERSION",
    "DIFFICULTIES",
    "CaseArgumentError",
    "DrawTableError",
    "Version",
    "case_hash",
    "case_id",
    "check_number",
    "generator_version",
    "json_hash",
    "make_case",
    "networks",
    "project_code",
    "redraw_gate",
    "version_names",
]
