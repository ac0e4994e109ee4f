"""A whole dossier from its spec."""

from __future__ import annotations

from typing import Final

from generators.diagram import HEIGHT, WIDTH, build_diagram
from generators.documents import build_documents, build_review_request
from generators.dossier.model import Dossier, DossierSpec, Raster
from generators.dossier.root import root_files
from generators.evidence import (
    DossierContext,
    build_records,
    build_tables,
    json_bytes,
    snapshot_id,
)
from generators.evidence.composed import build_composed_records
from generators.facts import case_hash, case_id, make_case
from generators.governance import RuleTable, builtin_rules, fact_snapshot
from generators.sampling import PlanError

DIAGRAM: Final = "HLD"
RENDERER: Final = "svg-picture-1"
"""How the picture is made; bytes differ between versions of the drawing library."""


def build_dossier(spec: DossierSpec, *, rules: RuleTable | None = None) -> Dossier:
    """The dossier that follows from `spec`.

    Parameters
    ----------
    spec
        Seed, route, difficulty and attempts.
    rules
        The rules that decide and word its findings; by default the protocol's own.

    Raises
    ------
    PlanError
        If the facts are not those the spec expects.
    """
    table = rules or builtin_rules()
    return _assemble(make_context(spec, rules=table), spec, table)


def make_context(spec: DossierSpec, *, rules: RuleTable | None = None) -> DossierContext:
    """The facts of `spec` and everything that is drawn about its evidence."""
    case = make_case(
        spec.seed,
        route=spec.route,
        difficulty=spec.difficulty,
        architecture_attempt=spec.architecture_attempt,
        fact_attempts=spec.fact_attempts,
        version=spec.generator,
    )
    if spec.canonical_sha256 not in {None, case_hash(case)}:
        raise PlanError(
            "the facts are not those of the plan",
            where=f"seed {spec.seed}, route {spec.route}",
            hint="make the plan again: it was made by another generator or edited",
        )
    return DossierContext(
        case,
        case_id=case_id(case, architecture_attempt=spec.architecture_attempt),
        route=(rules or builtin_rules()).route(spec.route),
    )


def _assemble(ctx: DossierContext, spec: DossierSpec, rules: RuleTable) -> Dossier:
    nodes = ctx.graph.nodes
    files = {
        **root_files(ctx, spec, rules),
        **build_tables(ctx),
        **(build_composed_records(ctx) if spec.composed else build_records(ctx)),
        **build_documents(ctx),
        **_snapshots(ctx, rules),
        **_review_requests(ctx, rules),
        nodes[DIAGRAM].path: build_diagram(ctx),
    }
    for node in nodes.values():
        if not ctx.graph.is_available(node.evidence_id):
            files.pop(node.path, None)
    rasters = {
        source.raster: Raster(source=source.path, renderer=RENDERER, width=WIDTH, height=HEIGHT)
        for source in ctx.catalog.sources.values()
        if source.raster is not None and source.path in files
    }
    return Dossier(
        name=ctx.folder_name,
        case_id=ctx.case_id,
        files=dict(sorted(files.items())),
        rasters=rasters,
    )


def _snapshots(ctx: DossierContext, rules: RuleTable) -> dict[str, bytes]:
    return {
        ctx.graph.nodes[snapshot_id(gate)].path: json_bytes(
            fact_snapshot(ctx.case, gate, rules=rules)
        )
        for gate in rules.gates
    }


def _review_requests(ctx: DossierContext, rules: RuleTable) -> dict[str, bytes]:
    return {
        f"gate_evidence/{gate}/00_Review_Request.docx": build_review_request(
            ctx, gate, [node for node in ctx.graph.nodes.values() if gate in node.consumers]
        )
        for gate in rules.gates
    }
