"""Observations of a recorded gate run, checked again before they count as evidence.

A trace may come from elsewhere, or be damaged. A read counts only if the dossier gives the same
content now and the id it was cited by follows from that content; others are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from generators.readers.content import Json
from generators.readers.dossier import UPSTREAM, CompiledDossier, ToolResult, read_evidence
from generators.readers.observations import is_observation, observation_id


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """Something an agent has read.

    Attributes
    ----------
    observation_id
        What it is cited by in the docs and attack conditions; computed in the facts condition too.
    """

    observation_id: str
    evidence_id: str
    authoritative: bool
    content: Json


def verified_observations(
    results: Iterable[Mapping[str, Json]], dossier: CompiledDossier, *, gate: str, phase: str
) -> dict[str, Observation]:
    """Evidence id to observation, for the reads of a trace that stand up to a check.

    `results` are the traced results of `read_evidence`. Upstream decisions are not part of a
    dossier; the last ones read count if their id fits their content.
    """
    found: dict[str, Observation] = {}
    for result in results:
        evidence_id = result.get("evidence_id")
        if not is_observation(result) or not isinstance(evidence_id, str):
            continue
        observation: Observation | None
        if evidence_id == UPSTREAM:
            observation = _upstream(result)
        else:
            served = read_evidence(dossier, evidence_id, gate=gate, phase=phase)
            observation = _same(result, served, dossier) if isinstance(served, dict) else None
        if observation is not None and _cited_by(result, observation):
            found[evidence_id] = observation
    return found


def _upstream(result: Mapping[str, Json]) -> Observation:
    content = result["content"]
    return Observation(
        observation_id=observation_id(content, evidence_id=UPSTREAM, version=None),
        evidence_id=UPSTREAM,
        authoritative=False,
        content=content,
    )


def _same(
    result: Mapping[str, Json], served: ToolResult, dossier: CompiledDossier
) -> Observation | None:
    alike = all(result.get(key) == served.get(key) for key in ("status", "version", "content"))
    if not alike or served["status"] != "OK":
        return None
    evidence_id = str(served["evidence_id"])
    return Observation(
        observation_id=dossier.observation_id(evidence_id),
        evidence_id=evidence_id,
        authoritative=served["authoritative"] is True,
        content=served["content"],
    )


def _cited_by(result: Mapping[str, Json], observation: Observation) -> bool:
    recorded = result.get("observation_id", observation.observation_id)
    return recorded == observation.observation_id
