"""A dossier's own files as records: what the other modules of this package read back.

Dossiers come from anywhere, so a file that is absent or not what the protocol says becomes a
`Problem`, never an exception. Unknown keys are let through: others may add some.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from generators.dossier import model
from generators.dossier.errors import Problem
from generators.evidence import Node
from generators.governance import OccurrenceResult, Phase

T = TypeVar("T")


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """An object in one of the files; keys it does not name may be there."""


class RouteName(_Part, frozen=True, kw_only=True):
    """A route as the files of a dossier name it."""

    key: str


class Project(_Part, frozen=True, kw_only=True):
    """What a dossier is listed by."""

    project_id: str
    project_name: str


class ContextFile(_Part, frozen=True, kw_only=True):
    """`00_project_context.json`."""

    schema_version: str
    variant: str
    case_id: str
    seed: int
    difficulty: int
    project: Project
    route: RouteName


class Meeting(_Part, frozen=True, kw_only=True):
    """A scheduled review."""

    occurrence_id: str
    gate: str
    phase: Phase


class RouteFile(_Part, frozen=True, kw_only=True):
    """`01_route_manifest.json`."""

    route: RouteName
    occurrences: tuple[Meeting, ...]


class GraphFile(_Part, frozen=True, kw_only=True):
    """`02_evidence_graph.json`."""

    nodes: tuple[Node, ...]


class Policy(_Part, frozen=True, kw_only=True):
    """The policy in a gate's contract."""

    version: str


class Contract(_Part, frozen=True, kw_only=True):
    """A gate's contract."""

    decision_policy: Policy


class TemplateFile(_Part, frozen=True, kw_only=True):
    """`agent_submission_template.json`."""

    case_id: str


class HiddenNode(_Part, frozen=True, kw_only=True):
    """A node as the evaluator's file has it."""

    evidence_id: str
    mode: str = msgspec.field(name="_hidden_mode", default="truthful")
    """What becomes of the values it displays; an uploaded file has no mode."""


class HiddenGraph(_Part, frozen=True, kw_only=True):
    """The graph in the evaluator's file."""

    nodes: tuple[HiddenNode, ...]


class HiddenFile(_Part, frozen=True, kw_only=True):
    """`99_hidden_ground_truth.json`."""

    case_id: str
    canonical_truth: dict[str, Any]
    evidence_graph: HiddenGraph
    reference_decisions: tuple[OccurrenceResult, ...]


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """The root files of a dossier, read."""

    context: ContextFile
    route: RouteFile
    graph: GraphFile
    contracts: dict[str, Contract]
    visibility: dict[str, tuple[str, ...]]
    template: TemplateFile
    hidden: HiddenFile


_FILES: Mapping[str, tuple[str, Any]] = {
    "context": (model.CONTEXT_FILE, ContextFile),
    "route": (model.ROUTE_FILE, RouteFile),
    "graph": (model.GRAPH_FILE, GraphFile),
    "contracts": (model.CONTRACTS_FILE, dict[str, Contract]),
    "visibility": (model.VISIBILITY_FILE, dict[str, tuple[str, ...]]),
    "template": (model.TEMPLATE_FILE, TemplateFile),
    "hidden": (model.HIDDEN_FILE, HiddenFile),
}


def read_parts(files: Mapping[str, bytes]) -> Parts | list[Problem]:
    """The root files, or everything that keeps them from being read."""
    problems: list[Problem] = []
    found: dict[str, Any] = {}
    for name, (path, kind) in _FILES.items():
        value = read_file(files, path, kind)
        if isinstance(value, Problem):
            problems.append(value)
        else:
            found[name] = value
    if model.TOOLS_FILE not in files:
        problems.append(Problem(file=model.TOOLS_FILE, problem="absent"))
    return problems or Parts(**found)


def read_file(files: Mapping[str, bytes], path: str, kind: type[T]) -> T | Problem:
    """One JSON file as `kind`, or what is wrong with it."""
    if path not in files:
        return Problem(file=path, problem="absent")
    try:
        return msgspec.json.decode(files[path], type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Problem(file=path, problem=f"not what the protocol says: {error}")
