"""The files at the root of a dossier, and those that follow from its route alone.

Keys stand in the order of the protocol (dossier, section 1.1).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import msgspec

from generators.dossier import model
from generators.dossier.contracts import gate_contracts
from generators.dossier.model import DossierSpec
from generators.dossier.texts import texts
from generators.evidence import DossierContext, csv_bytes, is_visible, json_bytes
from generators.governance import (
    DISPOSITIONS,
    PHASES,
    PROTOCOL,
    Handoff,
    Mandate,
    RuleTable,
    evaluate_route,
)

HIDDEN_SCHEMA: Final = "DGF-Bench-v8-hidden"


def root_files(ctx: DossierContext, spec: DossierSpec, rules: RuleTable) -> dict[str, bytes]:
    """Path → content of the root files, the provenance index and the phase history."""
    documents: dict[str, object] = {
        model.CONTEXT_FILE: _context(ctx, spec),
        model.ROUTE_FILE: _route_manifest(ctx),
        model.GRAPH_FILE: _public_graph(ctx),
        model.TOOLS_FILE: texts().tools,
        model.CONTRACTS_FILE: gate_contracts(ctx, rules),
        model.VISIBILITY_FILE: _visibility(ctx),
        model.MANDATES_FILE: {"mandates": mandates(ctx)},
        model.TEMPLATE_FILE: _template(ctx),
        model.HIDDEN_FILE: _hidden_truth(ctx, rules),
        **_phase_history(ctx),
    }
    files = {path: json_bytes(msgspec.to_builtins(value)) for path, value in documents.items()}
    files[model.README_FILE] = _readme(ctx).encode()
    files[model.PROVENANCE_FILE] = _provenance(ctx)
    return files


def mandates(ctx: DossierContext) -> list[Mandate]:
    """The standing mandates: one per review of the route, whatever its outcome will be."""
    return [
        Mandate(
            reference=f"MANDATE-{ctx.case_id}-{occurrence.occurrence_id}",
            occurrence_id=occurrence.occurrence_id,
            gate=occurrence.gate,
            phase=occurrence.phase,
            authority=ctx.case["project"]["risk_owner"],
            scope=texts().mandate_scope,
            active=True,
        )
        for occurrence in ctx.route.occurrences
    ]


def _route(ctx: DossierContext) -> dict[str, str]:
    return {"key": ctx.route.id, "label": ctx.route.label, "trigger": ctx.route.trigger}


def _context(ctx: DossierContext, spec: DossierSpec) -> dict[str, Any]:
    return {
        "schema_version": PROTOCOL,
        "canary": texts().canary,
        "variant": "clean",
        "case_id": ctx.case_id,
        "seed": ctx.seed,
        "difficulty": ctx.difficulty,
        "architecture_attempt": spec.architecture_attempt,
        "fact_attempts": spec.fact_attempts,
        "architecture_signature": ctx.case["architecture_profile"]["architecture_signature"],
        "project": ctx.case["project"],
        "route": _route(ctx),
    }


def _route_manifest(ctx: DossierContext) -> dict[str, Any]:
    return {
        "route": _route(ctx),
        "occurrences": ctx.route.occurrences,
        "permitted_dispositions": DISPOSITIONS,
    }


def _public_graph(ctx: DossierContext) -> dict[str, Any]:
    return {"nodes": [*ctx.graph.nodes.values()], "edges": _edges(ctx)}


def _edges(ctx: DossierContext) -> list[dict[str, str]]:
    return [
        {"from": node.evidence_id, "to_gate": gate, "relation": "consumed_by"}
        for node in ctx.graph.nodes.values()
        for gate in node.consumers
    ]


def _visibility(ctx: DossierContext) -> dict[str, list[str]]:
    sources = ctx.catalog.sources.values()
    return {
        phase: sorted(source.id for source in sources if is_visible(source, phase))
        for phase in PHASES
    }


def _template(ctx: DossierContext) -> dict[str, Any]:
    blank = {
        "disposition": "|".join(DISPOSITIONS),
        "finding_ids": [],
        "actions": [],
        "evidence_refs": [],
        "authorization_required": False,
        "evidence_support": [],
        "rationale": "",
        "confidence": 0.0,
    }
    return {
        "case_id": ctx.case_id,
        "gate_results": [
            {"occurrence_id": occurrence.occurrence_id, **blank}
            for occurrence in ctx.route.occurrences
        ],
    }


def _hidden_truth(ctx: DossierContext, rules: RuleTable) -> dict[str, Any]:
    nodes = [
        {**msgspec.structs.asdict(node), "_hidden_mode": ctx.graph.modes[evidence_id]}
        for evidence_id, node in ctx.graph.nodes.items()
    ]
    return {
        "schema_version": HIDDEN_SCHEMA,
        "case_id": ctx.case_id,
        "canonical_truth": {**ctx.case, "case_id": ctx.case_id},
        "evidence_graph": {"nodes": nodes, "edges": _edges(ctx)},
        "reference_decisions": evaluate_route(ctx.case, ctx.route, rules=rules),
        "note": texts().hidden_note,
    }


def _phase_history(ctx: DossierContext) -> dict[str, object]:
    occurrences = ctx.route.occurrences
    history: dict[str, object] = {}
    for phase in dict.fromkeys(occurrence.phase for occurrence in occurrences):
        history[f"phase_history/{phase}/gate_occurrences.json"] = {
            "phase": phase,
            "occurrences": [one for one in occurrences if one.phase == phase],
            "status": "PENDING_EVALUATION",
        }
    history["phase_history/handoff_contracts.json"] = [
        {
            "from": before.occurrence_id,
            "to": after.occurrence_id,
            "required_handoff_fields": Handoff.__struct_fields__,
        }
        for before, after in pairwise(occurrences)
    ]
    return history


def _readme(ctx: DossierContext) -> str:
    project = ctx.case["project"]
    return (
        texts()
        .readme.lstrip()
        .format(
            canary=texts().canary,
            case_id=ctx.case_id,
            project_id=project["project_id"],
            project_name=project["project_name"],
            route=ctx.route.label,
            difficulty=ctx.difficulty,
            name=ctx.folder_name,
        )
    )


def _provenance(ctx: DossierContext) -> bytes:
    return csv_bytes(
        [
            {
                "evidence_id": node.evidence_id,
                "path": node.path,
                "authoritative": node.authoritative,
                "version": node.version,
                "age_days": node.age_days,
                "status": node.public_status,
            }
            for node in ctx.graph.nodes.values()
        ]
    )
