"""Records of the Compliance Gate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.levers import (
    Record,
    RecordWriter,
    Row,
    dated_history,
    others,
    owned,
    shuffle,
)
from generators.evidence.texts import texts

CONTROLS: Final[Mapping[str, tuple[str, ...]]] = {
    "DPIA": ("complete", "draft", "missing", "not_required"),
    "Data residency": ("compliant", "non_compliant"),
    "Audit trail": ("complete", "partial", "missing"),
    "Regulatory mapping": ("complete", "partial", "missing"),
    "Accessibility": ("pass", "minor_findings", "major_findings", "not_assessed"),
    "Export control": ("clear", "pending", "restricted"),
}


def _data_inventory(ctx: DossierContext) -> Record:
    project = ctx.case["project"]
    own = {
        "project_id": project["project_id"],
        "dataset": "Core business data",
        "classification": project["data_classification"],
        "business_criticality": project["business_criticality"],
        "personal_data": project["personal_data"],
        "actual_region": project["primary_region"],
        "required_residency": ctx.case["compliance"]["required_residency"],
    }
    classes = ("Public", "Internal", "Confidential", "Restricted")
    criticalities = ("Low", "Medium", "High", "Critical")
    regions = ("West Europe", "UK South", "UAE North")
    rows = [
        {
            "project_id": other.project_id,
            "dataset": f"{other.name} data",
            "classification": ctx.pick(classes, "inv", "cls", at),
            "business_criticality": ctx.pick(criticalities, "inv", "crit", at),
            "personal_data": ctx.draw("inv", "pd", at) < 0.5,
            "actual_region": ctx.pick(regions, "inv", "reg", at),
            "required_residency": ctx.pick(("EU", "UK", "No restriction"), "inv", "res", at),
        }
        for at, other in enumerate(others(ctx, "inventory", 2))
    ]
    return shuffle(ctx, "inventory", [own, *rows])


def _compliance_register(ctx: DossierContext) -> Record:
    compliance = ctx.case["compliance"]
    residency = "compliant" if compliance["residency_compliant"] else "non_compliant"
    current = {
        "DPIA": compliance["dpia_status"],
        "Data residency": residency,
        "Audit trail": compliance["audit_trail"],
        "Regulatory mapping": compliance["regulatory_mapping"],
        "Accessibility": compliance["accessibility_status"],
        "Export control": compliance["export_control"],
    }

    def entry(control: str, status: str) -> Row:
        return {
            "control": control,
            "required": compliance["dpia_required"] if control == "DPIA" else True,
            "status": ctx.record_word(status),
            "detail": ctx.wording(texts().control_detail[control], "COMPLIANCE_REGISTER", control),
        }

    rows = []
    for control, vocabulary in CONTROLS.items():
        older = [
            entry(control, ctx.pick_other(current[control], vocabulary, "grc", control, at))
            for at in range(ctx.count(0, 2, "grc", control))
        ]
        rows += dated_history(ctx, f"grc:{control}", entry(control, current[control]), older)
    return owned(ctx, "COMPLIANCE_REGISTER", shuffle(ctx, "grc", rows))


WRITERS: Final[dict[str, RecordWriter]] = {
    "DATA_INVENTORY": _data_inventory,
    "COMPLIANCE_REGISTER": _compliance_register,
}
"""Evidence id → what is written for it."""
