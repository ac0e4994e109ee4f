"""Records of the IT Gate."""

from __future__ import annotations

from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.levers import (
    Other,
    Record,
    RecordWriter,
    Row,
    dated_history,
    others,
    owned,
    shuffle,
)

CATALOG_STATUSES: Final = ("standard", "approved_exception", "non_standard")
CLASSES: Final = ("gold", "silver", "bronze")


def _cmdb_export(ctx: DossierContext) -> Record:
    it, project = ctx.case["it"], ctx.case["project"]
    models = ("24x7_internal", "business_hours", "product_team", "vendor_only")

    def foreign(at: int, other: Other) -> Row:
        owned = ctx.draw("cmdb", "own", at) < 0.8
        return {
            "application": other.name,
            "record_present": ctx.draw("cmdb", "rec", at) < 0.8,
            "run_owner": f"Service Owner {at + 1}" if owned else "",
            "support_model": ctx.pick(models, "cmdb", "sup", at),
            "continuity_class": ctx.pick(CLASSES, "cmdb", "cls", at),
        }

    own = {
        "application": project["project_name"],
        "record_present": it["cmdb_record_present"],
        "run_owner": project["service_owner"] if it["run_owner_present"] else "",
        "support_model": it["support_model"],
        "continuity_class": it["service_continuity_class"],
    }
    rows = [foreign(at, other) for at, other in enumerate(others(ctx, "cmdb", 2))]
    return shuffle(ctx, "cmdb", [own, *rows])


def _tech_catalog(ctx: DossierContext) -> Record:
    it = ctx.case["it"]

    def decision(*, status: str, waiver: bool, overlap: bool) -> Row:
        return {
            "catalog_status": status,
            "waiver_present": waiver,
            "waiver_expiry_days": it["waiver_expiry_days"],
            "existing_capability_overlap": overlap,
        }

    current = decision(
        status=it["catalog_status"],
        waiver=it["waiver_present"],
        overlap=it["duplicate_capability"],
    )
    older = [
        decision(
            status=ctx.pick_other(it["catalog_status"], CATALOG_STATUSES, "cat", at),
            waiver=it["waiver_present"] ^ (ctx.draw("cat", "waiver", at) < 0.5),
            overlap=it["duplicate_capability"] ^ (ctx.draw("cat", "dup", at) < 0.5),
        )
        for at in range(ctx.count(1, 2, "cat"))
    ]
    return {
        "technology": it["hosting_model"],
        "hosting_model": it["hosting_model"],
        "decisions": owned(ctx, "TECH_CATALOG", dated_history(ctx, "catalog", current, older)),
    }


def _license_position(ctx: DossierContext) -> Record:
    it = ctx.case["it"]
    compliant, cost = it["license_compliant"], it["annual_license_cost_eur"]
    current = {"license_compliant": compliant, "annual_cost_eur": cost}
    older = [
        {
            "license_compliant": compliant ^ (ctx.draw("lic", at) < 0.6),
            "annual_cost_eur": int(0.9 * cost),
        }
        for at in range(ctx.count(1, 2, "lic"))
    ]
    return owned(ctx, "LICENSE_POSITION", dated_history(ctx, "licence", current, older))


def _lifecycle_register(ctx: DossierContext) -> Record:
    it = ctx.case["it"]
    own = {
        "project_id": ctx.case["project"]["project_id"],
        "technology": it["hosting_model"],
        "eol_months": it["technology_eol_months"],
        "capacity_headroom_pct": it["capacity_headroom_pct"],
    }
    technologies = ("aks", "app_service", "vm_ha", "functions")
    rows = [
        {
            "project_id": other.project_id,
            "technology": ctx.pick(technologies, "eol", "tech", at),
            "eol_months": 3 + int(48 * ctx.draw("eol", at)),
            "capacity_headroom_pct": _foreign_headroom(ctx, at),
        }
        for at, other in enumerate(others(ctx, "it-services", 2))
    ]
    return shuffle(ctx, "eol", [own, *rows])


def _capacity_report(ctx: DossierContext) -> Record:
    it = ctx.case["it"]
    own = {
        "service": ctx.case["project"]["project_name"],
        "capacity_headroom_pct": it["capacity_headroom_pct"],
        "continuity_class": it["service_continuity_class"],
        "support_model": it["support_model"],
    }
    rows = [
        {
            "service": other.name,
            "capacity_headroom_pct": _foreign_headroom(ctx, at),
            "continuity_class": ctx.pick(CLASSES, "cap", "cls", at),
            "support_model": ctx.pick(("24x7_internal", "business_hours"), "cap", "sup", at),
        }
        for at, other in enumerate(others(ctx, "it-services", 2))
    ]
    return shuffle(ctx, "cap", [own, *rows])


def _foreign_headroom(ctx: DossierContext, at: int) -> int:
    return 5 + int(40 * ctx.draw("cap", at))


WRITERS: Final[dict[str, RecordWriter]] = {
    "CMDB_EXPORT": _cmdb_export,
    "TECH_CATALOG": _tech_catalog,
    "LICENSE_POSITION": _license_position,
    "LIFECYCLE_REGISTER": _lifecycle_register,
    "CAPACITY_REPORT": _capacity_report,
}
"""Evidence id → what is written for it."""
