"""Whether a sound dossier can be decided from what its boards may read, without any model.

`certification` decodes every decisive fact from the authoritative evidence of each review;
`baseline_problems` answers every review from its public snapshot, with a quote for each finding,
as the facts condition asks. DGF-Bench protocol, dossier sections 9.3 and 10.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from generators.decoding.certification import FieldCheck, certify
from generators.decoding.quotes import Quotable
from generators.dossier import model
from generators.dossier.errors import DossierContentError, Problem
from generators.dossier.truth import Parts, read_parts
from generators.evidence import snapshot_id
from generators.governance import (
    Case,
    Occurrence,
    OccurrenceResult,
    Rule,
    RuleTable,
    builtin_rules,
    evaluate_occurrence,
    oracle_handoff,
    retained_offer,
    select_upstream,
)
from generators.readers.compiled import EvidenceLibrary
from generators.readers.content import Json, ReadError
from generators.readers.dossier import UPSTREAM, CompiledDossier, read_evidence
from generators.readers.loading import FilesInMemory, compile_dossier


def certification(
    files: Mapping[str, bytes],
    *,
    library: EvidenceLibrary | None = None,
    rules: RuleTable | None = None,
) -> tuple[FieldCheck, ...]:
    """One check per review and decisive fact of a valid dossier."""
    parts = _parts(files)
    dossier = compile_dossier(
        FilesInMemory(files), mode="blocks", library=library or EvidenceLibrary()
    )
    table = rules or builtin_rules()
    return certify(
        dossier,
        case=parts.hidden.canonical_truth,
        occurrences=table.route(parts.context.route.key).occurrences,
        rules=table,
    )


def certification_problems(
    files: Mapping[str, bytes],
    *,
    library: EvidenceLibrary | None = None,
    rules: RuleTable | None = None,
) -> tuple[Problem, ...]:
    """What keeps a valid dossier from being certified."""
    return tuple(
        Problem(file=model.HIDDEN_FILE, problem=f"{c.occurrence_id}: {c.field} is {c.status}")
        for c in certification(files, library=library, rules=rules)
        if c.status != "MATCH"
    )


def baseline_problems(
    files: Mapping[str, bytes],
    *,
    library: EvidenceLibrary | None = None,
    rules: RuleTable | None = None,
) -> tuple[Problem, ...]:
    """Where a reader who applies the rules to the public snapshots misses the reference."""
    parts = _parts(files)
    dossier = compile_dossier(
        FilesInMemory(files), mode="text", library=library or EvidenceLibrary()
    )
    reader = _Baseline(dossier, parts.context.case_id, rules or builtin_rules())
    occurrences = reader.rules.route(parts.context.route.key).occurrences
    return tuple(
        Problem(file=model.HIDDEN_FILE, problem=f"{occurrence.occurrence_id}: {problem}")
        for occurrence, stored in zip(occurrences, parts.hidden.reference_decisions, strict=True)
        for problem in reader.review(occurrence, stored)
    )


class _Baseline:
    """A reader without a model: the rules, the tools, and its own earlier decisions."""

    def __init__(self, dossier: CompiledDossier, case_id: str, rules: RuleTable) -> None:
        self.rules = rules
        self._dossier = dossier
        self._case_id = case_id
        self._history: list[OccurrenceResult] = []

    def review(self, occurrence: Occurrence, reference: OccurrenceResult) -> Iterator[str]:
        """Decide one review; yield where that differs from the reference or lacks support."""
        received = [
            msgspec.to_builtins(oracle_handoff(earlier, case_id=self._case_id))
            for earlier in select_upstream(self._history, occurrence.phase)
        ]
        snapshot = self._read(snapshot_id(occurrence.gate), occurrence, received)
        if not isinstance(snapshot, dict):
            yield "its snapshot cannot be read"
            return
        own = evaluate_occurrence(snapshot, occurrence, history=self._history, rules=self.rules)
        self._history.append(own)
        for name in ("disposition", "finding_ids", "authorization_required"):
            if getattr(own, name) != getattr(reference, name):
                yield f"the baseline finds another {name}"
        upstream = self._read(UPSTREAM, occurrence, received)
        for finding in own.finding_ids:
            rule = self.rules.rule(finding)
            observed = upstream if rule.reads_upstream else snapshot
            if not Quotable(observed).supports(
                _quote(rule, snapshot, received), _quoted_keys(rule)
            ):
                yield f"no quote supports {finding}"

    def _read(self, evidence_id: str, occurrence: Occurrence, received: Sequence[Json]) -> Json:
        result = read_evidence(
            self._dossier,
            evidence_id,
            gate=occurrence.gate,
            phase=occurrence.phase,
            upstream=received,
        )
        return None if isinstance(result, ReadError) else result.get("content")


def _quoted_keys(rule: Rule) -> list[str]:
    if rule.reads_upstream:
        return ["disposition"]
    return [name.rpartition(".")[2] for name in rule.fields]


def _quote(rule: Rule, case: Case, received: Sequence[Any]) -> str:
    """An excerpt that shows one fact the rule tests."""
    if rule.reads_upstream:
        named = next(h["disposition"] for h in received if h["disposition"] == rule.disposition)
        return _member("disposition", named)
    section, _, key = rule.fields[0].partition(".")
    if key.startswith("offer."):
        key = key.removeprefix("offer.")
        return _member(key, retained_offer(case)[key])
    return _member(key, case[section][key])


def _member(key: str, value: object) -> str:
    return f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"


def _parts(files: Mapping[str, bytes]) -> Parts:
    parts = read_parts(files)
    if isinstance(parts, list):
        raise DossierContentError("dossier", parts)
    return parts
