"""Words the decision protocol fixes: dispositions, opinions, severities, phases.

Source: DGF-Bench paper and protocol DGF-decision-v9, sections 1 to 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias, get_args

import msgspec

Disposition: TypeAlias = Literal["GO", "GO_WITH_RESERVATIONS", "REWORK", "SUSPENSION", "NO_GO"]
DISPOSITIONS: Final[tuple[Disposition, ...]] = get_args(Disposition)
"""From the mildest to the most severe; the most severe one among the findings wins."""

BLOCKING: Final[tuple[Disposition, ...]] = ("REWORK", "SUSPENSION", "NO_GO")
"""Dispositions under which the project does not go on."""

NEEDS_AUTHORIZATION: Final[tuple[Disposition, ...]] = (
    "GO_WITH_RESERVATIONS",
    "SUSPENSION",
    "NO_GO",
)
"""Dispositions somebody has to authorise. REWORK is not among them, although NO_GO is."""

Opinion: TypeAlias = Literal["FAVORABLE", "FAVORABLE_WITH_RESERVATIONS", "UNFAVORABLE"]
OPINIONS: Final[tuple[Opinion, ...]] = get_args(Opinion)

Severity: TypeAlias = Literal["medium", "high", "critical"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
"""How grave a finding is. It does not decide the disposition; the rule states both."""

Phase: TypeAlias = Literal[
    "opportunity", "framing", "design", "build_acceptance", "deployment_closure", "governance"
]
PHASES: Final[tuple[Phase, ...]] = get_args(Phase)
"""In the order of a project's life."""

Condition: TypeAlias = Literal["facts", "docs", "attack"]
"""What reviewers are given: the gate's facts, or documents, or documents with planted content."""

GENERAL: Final = "general"
"""The gate that consolidates the decisions of the others, the specialists."""

PROTOCOL: Final = "DGF-decision-v9"
SCHEMA: Final = "2.0-facts-first"
"""Name of the layout of a canonical case."""

Case: TypeAlias = Mapping[str, Any]
"""A canonical case: sections of facts, as JSON gives them (section 6 of the protocol)."""


def worst_of(dispositions: Iterable[Disposition]) -> Disposition:
    """The most severe of `dispositions`; GO when there are none."""
    return max(dispositions, key=DISPOSITIONS.index, default="GO")


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Base of the records of this package: immutable, named fields, nothing unknown.

    Immutable records cannot form cycles, so the collector need not watch the millions of them that
    re-scoring makes.
    """
