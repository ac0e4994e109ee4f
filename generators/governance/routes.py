"""Routes: which gate meets in which phase, in what order, and how a meeting is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from generators.governance.errors import UnknownIdError
from generators.governance.vocabulary import Phase, Record

OCCURRENCE_ID_FORMAT = "{ROUTE}-{position:02d}-{GATE}-{n}"
"""Shape of an occurrence id: upper case; position in the route; n-th meeting of the gate."""


class Occurrence(Record, frozen=True, kw_only=True):
    """One meeting of a gate on a route.

    `position` counts from 1. The id names the route, the position, the gate, and how many times
    the gate has met by then: `BUILD-04-TECH_READINESS-1`.
    """

    occurrence_id: str
    gate: str
    gate_label: str
    phase: Phase
    position: int


class Route(Record, frozen=True, kw_only=True):
    """A way through the gates.

    `project_type` and `project_id_code` (as in `DGF-BUY-000042`) name the kind of project that
    takes the route. `certifiable` is false when some fact its gates decide on has no authoritative
    record: such a route serves natural sampling and the facts condition only.
    """

    id: str
    label: str
    trigger: str
    project_type: str
    project_id_code: str
    certifiable: bool
    occurrences: tuple[Occurrence, ...]

    def occurrence(self, occurrence_id: str) -> Occurrence:
        """The meeting with this id."""
        for occurrence in self.occurrences:
            if occurrence.occurrence_id == occurrence_id:
                return occurrence
        known = (occurrence.occurrence_id for occurrence in self.occurrences)
        raise UnknownIdError.among("occurrence", occurrence_id, known)


def schedule(
    route: str, meetings: Iterable[tuple[str, Phase]], labels: Mapping[str, str]
) -> tuple[Occurrence, ...]:
    """The occurrences of `meetings`, pairs of gate and phase in order."""
    met: Counter[str] = Counter()
    occurrences: list[Occurrence] = []
    for position, (gate, phase) in enumerate(meetings, start=1):
        met[gate] += 1
        occurrence_id = OCCURRENCE_ID_FORMAT.format(
            ROUTE=route.upper(), position=position, GATE=gate.upper(), n=met[gate]
        )
        occurrences.append(
            Occurrence(
                occurrence_id=occurrence_id,
                gate=gate,
                gate_label=labels[gate],
                phase=phase,
                position=position,
            )
        )
    return tuple(occurrences)
