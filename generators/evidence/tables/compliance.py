"""Tables and documents of the Compliance Gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.formats import Content, Rows
from generators.evidence.texts import texts


def _ropa(ctx: DossierContext) -> Rows:
    project = ctx.case["project"]
    return [
        {
            "controller": project["business_unit"],
            "personal_data": project["personal_data"],
            "processing": "Core service",
            "processor": ctx.case["procurement"]["selected_vendor"],
            "purpose": "Business operations",
            "retention_years": ctx.case["compliance"]["retention_years"],
        }
    ]


def _reg_mapping(ctx: DossierContext) -> Rows:
    compliance = ctx.case["compliance"]
    status = compliance["regulatory_mapping"]
    return [
        {"mapping_status": status, "owner": "GRC", "regulation": regulation}
        for regulation in compliance["applicable_regulations"]
    ]


def _retention(ctx: DossierContext) -> Rows:
    compliance = ctx.case["compliance"]
    return [
        {
            "deletion_enforced": compliance["deletion_enforced"],
            "legal_hold": compliance["legal_hold_supported"],
            "record": "Application data",
            "retention_years": compliance["retention_years"],
        }
    ]


def _accessibility(ctx: DossierContext) -> Rows:
    return [
        {
            "scope": ctx.wording(texts().accessibility_scope, "ACCESSIBILITY"),
            "standard": "WCAG 2.2 AA",
            "status": ctx.case["compliance"]["accessibility_status"],
        }
    ]


def _control_matrix(ctx: DossierContext) -> Rows:
    compliance = ctx.case["compliance"]
    pointer = ctx.wording(texts().mapping_pointer, "CONTROL_MATRIX")
    return [
        {
            "control_mapping_status": compliance["regulatory_mapping"],
            "evidence": pointer,
            "evidence_owner": "GRC",
            "obligation": regulation,
        }
        for regulation in compliance["applicable_regulations"]
    ]


def _export_control(ctx: DossierContext) -> Rows:
    return [
        {
            "project_region": ctx.case["project"]["primary_region"],
            "review_owner": "Compliance",
            "status": ctx.case["compliance"]["export_control"],
        }
    ]


WRITERS: Final[dict[str, Callable[[DossierContext], Content]]] = {
    "ROPA": _ropa,
    "REG_MAPPING": _reg_mapping,
    "RETENTION": _retention,
    "ACCESSIBILITY": _accessibility,
    "CONTROL_MATRIX": _control_matrix,
    "EXPORT_CONTROL": _export_control,
}
"""Evidence id → what is written for it."""
