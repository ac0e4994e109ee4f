"""`04_gate_contracts.json`: for each gate what it decides on, by which policy, in what form.

The policy is the code form for the facts condition; a harness that shows another one replaces it.
"""

from __future__ import annotations

from typing import Any, Final

from generators.dossier.texts import texts
from generators.evidence import DossierContext, snapshot_id
from generators.governance import DISPOSITIONS, NEEDS_AUTHORIZATION, RuleTable
from generators.governance.policy import policy


def _strings() -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}}


_QUOTE: Final = {
    "type": "object",
    "properties": {key: {"type": "string"} for key in ("finding_id", "evidence_id", "quote")},
    "required": ["finding_id", "evidence_id", "quote"],
    "additionalProperties": False,
}
_ANSWER: Final = {
    "disposition": {"type": "string", "enum": [*DISPOSITIONS]},
    "finding_ids": _strings(),
    "actions": _strings(),
    "evidence_refs": _strings(),
    "evidence_support": {"type": "array", "items": _QUOTE},
    "authorization_required": {"type": "boolean"},
    "rationale": {"type": "string"},
    "confidence": {"type": "number", "minimum": 0.0, "maximum": 1.0},
}
SUBMISSION_SCHEMA: Final = {
    "type": "object",
    "properties": _ANSWER,
    "required": [*_ANSWER],
    "additionalProperties": False,
}
"""JSON schema of an answer in the facts condition (DGF-Bench protocol, submissions)."""


def gate_contracts(ctx: DossierContext, rules: RuleTable) -> dict[str, Any]:
    """Gate → its contract."""
    return {
        gate.id: {
            "gate_label": gate.label,
            "objective": texts().objective[gate.id],
            "admissible_inputs": [
                node.evidence_id for node in ctx.graph.nodes.values() if gate.id in node.consumers
            ],
            "required_output": SUBMISSION_SCHEMA,
            "decision_policy": _decision_policy(gate.id, rules),
        }
        for gate in rules.gates.values()
    }


def _decision_policy(gate: str, rules: RuleTable) -> dict[str, Any]:
    stated = policy(gate, form="code", condition="facts", rules=rules)
    return {
        "version": rules.protocol,
        "information_condition": "facts",
        "authoritative_snapshot": snapshot_id(gate),
        "priority_low_to_high": [*DISPOSITIONS],
        "authorization_required_for": [*NEEDS_AUTHORIZATION],
        **{section.key: section.text for section in stated.sections},
    }
