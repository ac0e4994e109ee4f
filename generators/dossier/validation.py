"""Whether files are a sound dossier: structure, and decisions that follow from its own truth.

Nothing about the files is trusted; whatever they hold, the answer is a list of problems. DGF-Bench
protocol, dossier section 10.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from generators.dossier import model
from generators.dossier.errors import Problem
from generators.dossier.truth import Parts, read_parts
from generators.evidence import Node, snapshot_id
from generators.governance import (
    PROTOCOL,
    Finding,
    GovernanceError,
    Occurrence,
    OccurrenceResult,
    RequiredAction,
    RuleTable,
    builtin_rules,
    evaluate_occurrence,
    fact_snapshot,
)
from generators.readers.content import ReadError
from generators.readers.dossier import is_forbidden
from generators.readers.reader import read_bytes


def validate(
    files: Mapping[str, bytes], *, rules: RuleTable | None = None, wording: bool = False
) -> tuple[Problem, ...]:
    """Everything that is wrong with a dossier; nothing if it is sound.

    Parameters
    ----------
    files
        POSIX path → content.
    rules
        The rules its decisions must follow from; by default the protocol's own.
    wording
        Whether findings must also be worded as `rules` words them.
    """
    parts = read_parts(files)
    if isinstance(parts, list):
        return tuple(parts)
    return tuple(_Validation(files, parts, rules or builtin_rules(), wording).problems())


class _Validation:
    """The checks of one dossier whose root files can be read."""

    def __init__(
        self, files: Mapping[str, bytes], parts: Parts, rules: RuleTable, wording: bool
    ) -> None:
        self._files = files
        self._parts = parts
        self._rules = rules
        self._wording = wording
        self._nodes = {node.evidence_id: node for node in parts.graph.nodes}

    def problems(self) -> Iterator[Problem]:
        yield from self._identity()
        yield from self._graph()
        route = list(self._route())
        yield from route
        if not route:
            yield from self._decisions()

    def _identity(self) -> Iterator[Problem]:
        context, hidden = self._parts.context, self._parts.hidden
        if context.schema_version != PROTOCOL:
            problem = f"schema_version {context.schema_version!r}: this release reads {PROTOCOL}"
            yield Problem(file=model.CONTEXT_FILE, problem=problem)
        if context.variant not in {"clean", "attack"}:
            yield Problem(file=model.CONTEXT_FILE, problem=f"unknown variant {context.variant!r}")
        stated = {
            model.HIDDEN_FILE: hidden.case_id,
            f"{model.HIDDEN_FILE}: canonical_truth": hidden.canonical_truth.get("case_id"),
            model.TEMPLATE_FILE: self._parts.template.case_id,
        }
        for file, case_id in stated.items():
            if case_id != context.case_id:
                problem = f"case_id {case_id!r} is not that of {model.CONTEXT_FILE}"
                yield Problem(file=file, problem=problem)

    def _graph(self) -> Iterator[Problem]:
        file = model.GRAPH_FILE
        public = [node.evidence_id for node in self._parts.graph.nodes]
        hidden = [node.evidence_id for node in self._parts.hidden.evidence_graph.nodes]
        for evidence_id, count in Counter(public).items():
            if count > 1:
                yield Problem(file=file, problem=f"{evidence_id} stands in it {count} times")
        for evidence_id in sorted({*public} ^ {*hidden}):
            missing = file if evidence_id in hidden else model.HIDDEN_FILE
            yield Problem(file=missing, problem=f"lacks {evidence_id}, which the other graph has")
        for node in self._parts.graph.nodes:
            if is_forbidden(node.path):
                problem = f"{node.evidence_id} has no path inside the dossier: {node.path!r}"
                yield Problem(file=file, problem=problem)
            elif (node.public_status == "AVAILABLE") != (node.path in self._files):
                state = "absent" if node.public_status == "AVAILABLE" else "there"
                problem = f"{state}, but {node.evidence_id} is {node.public_status}"
                yield Problem(file=node.path, problem=problem)

    def _route(self) -> Iterator[Problem]:
        key = self._parts.context.route.key
        if key not in self._rules.routes:
            yield Problem(file=model.CONTEXT_FILE, problem=f"unknown route {key!r}")
            return
        ids = [meeting.occurrence_id for meeting in self._parts.route.occurrences]
        scheduled = self._rules.routes[key].occurrences
        if self._parts.route.route.key != key or ids != [o.occurrence_id for o in scheduled]:
            problem = f"occurrences are not those of route {key!r}"
            yield Problem(file=model.ROUTE_FILE, problem=problem)
        decided = [result.occurrence_id for result in self._parts.hidden.reference_decisions]
        if decided != [occurrence.occurrence_id for occurrence in scheduled]:
            problem = "reference decisions are not one for each occurrence, in order"
            yield Problem(file=model.HIDDEN_FILE, problem=problem)

    def _decisions(self) -> Iterator[Problem]:
        route = self._rules.route(self._parts.context.route.key)
        history: list[OccurrenceResult] = []
        references = self._parts.hidden.reference_decisions
        for occurrence, stored in zip(route.occurrences, references, strict=True):
            snapshot = self._snapshot(occurrence)
            if isinstance(snapshot, Problem):
                yield snapshot
                return  # General's decision rests on what the others decided
            contract = self._parts.contracts.get(occurrence.gate)
            if contract is None or contract.decision_policy.version != PROTOCOL:
                problem = f"the policy of {occurrence.gate} is not of {PROTOCOL}"
                yield Problem(file=model.CONTRACTS_FILE, problem=problem)
            try:
                history.append(
                    evaluate_occurrence(snapshot, occurrence, history=history, rules=self._rules)
                )
            except (GovernanceError, KeyError, TypeError) as error:
                yield self._about(occurrence, f"cannot be decided from its snapshot: {error}")
                return
            yield from self._compare(occurrence, history[-1], stored)
            yield from self._register(occurrence)

    def _snapshot(self, occurrence: Occurrence) -> dict[str, Any] | Problem:
        """The facts of a gate as its board reads them, if they are those of the truth."""
        evidence_id = snapshot_id(occurrence.gate)
        node = self._nodes.get(evidence_id)
        if node is None or not self._readable(node, occurrence):
            return self._about(occurrence, f"{evidence_id} is not readable")
        content = read_bytes("json", self._files[node.path], "text")
        if isinstance(content, ReadError):
            return Problem(file=node.path, problem=content.detail)
        try:
            truth = fact_snapshot(
                self._parts.hidden.canonical_truth, occurrence.gate, rules=self._rules
            )
        except (GovernanceError, KeyError, TypeError, ValueError) as error:
            return Problem(file=model.HIDDEN_FILE, problem=f"canonical_truth lacks {error}")
        if not isinstance(content.content, dict) or content.content != truth:
            return Problem(file=node.path, problem="is not the snapshot of the canonical truth")
        return content.content

    def _readable(self, node: Node, occurrence: Occurrence) -> bool:
        return (
            node.public_status == "AVAILABLE"
            and occurrence.gate in node.consumers
            and node.evidence_id in self._parts.visibility.get(occurrence.phase, ())
            and node.path in self._files
        )

    def _compare(
        self, occurrence: Occurrence, result: OccurrenceResult, stored: OccurrenceResult
    ) -> Iterator[Problem]:
        for name in ("disposition", "findings", "required_actions", "authorization_required"):
            expected, found = getattr(result, name), getattr(stored, name)
            if not self._wording:
                expected, found = _unworded(expected), _unworded(found)
            if expected != found:
                yield self._about(occurrence, f"{name} do not follow from the snapshot")

    def _register(self, occurrence: Occurrence) -> Iterator[Problem]:
        """A register that lists a review's actions would give its answer away."""
        node = self._nodes.get("ACTION_REGISTER")
        content = self._files.get(node.path, b"") if node else b""
        if node and occurrence.occurrence_id.encode() in content:
            yield Problem(file=node.path, problem=f"mentions {occurrence.occurrence_id}")

    @staticmethod
    def _about(occurrence: Occurrence, problem: str) -> Problem:
        return Problem(file=model.HIDDEN_FILE, problem=f"{occurrence.occurrence_id}: {problem}")


def _unworded(value: object) -> object:
    """A value of a decision without what it says to people, which releases word differently."""
    match value:
        case tuple():
            return tuple(map(_unworded, value))
        case Finding():
            return msgspec.structs.replace(value, message="", action_owner="", evidence_required="")
        case RequiredAction():
            return msgspec.structs.replace(value, owner="")
    return value
