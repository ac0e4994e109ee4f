"""The 18 records under the difficulty levers.

Their facts are the case's; what makes them hard to read is added here, at every difficulty alike:
superseded entries of a dated history, rows of other projects, other units and status wordings,
rows that must not be counted, and an order of rows that says nothing. One function per source,
named after it. Protocol, dossier section 7.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from generators.evidence.context import DossierContext
from generators.evidence.formats import csv_bytes, json_bytes
from generators.evidence.texts import texts

Row: TypeAlias = dict[str, Any]
Record: TypeAlias = list[Row] | Row
"""Rows of a CSV in written order, or a JSON document."""

APPLICATIONS: Final = (
    "Payroll Hub",
    "Vendor Portal",
    "Claims Workbench",
    "Field Service App",
    "Treasury Ledger",
    "Learning Portal",
    "Asset Tracker",
    "Pricing Engine",
    "Contract Vault",
    "Travel Desk",
)

PRIORITIES: Final = ("P0", "P1", "P2", "P3")
ALIGNMENTS: Final = ("strong", "partial", "weak")
PLANS: Final = ("complete", "partial", "draft", "missing")
CATALOG_STATUSES: Final = ("standard", "approved_exception", "non_standard")
EXIT_PLANS: Final = ("tested", "documented", "draft", "missing")
CLASSES: Final = ("gold", "silver", "bronze")

OPERATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Production runbook": ("approved", "draft", "missing"),
    "On-call rota": ("defined", "not_defined"),
    "Operational handover": ("signed", "unsigned"),
}
CONTROLS: Final[Mapping[str, tuple[str, ...]]] = {
    "DPIA": ("complete", "draft", "missing", "not_required"),
    "Data residency": ("compliant", "non_compliant"),
    "Audit trail": ("complete", "partial", "missing"),
    "Regulatory mapping": ("complete", "partial", "missing"),
    "Accessibility": ("pass", "minor_findings", "major_findings", "not_assessed"),
    "Export control": ("clear", "pending", "restricted"),
}


class Other(NamedTuple):
    """A project that shares a record with this one."""

    project_id: str
    name: str


def build_records(ctx: DossierContext) -> dict[str, bytes]:
    """The files of this module for one dossier, withheld ones included: path → bytes."""
    return encode_records(ctx, record_values(ctx))


def record_values(ctx: DossierContext) -> dict[str, Record]:
    """What the records say, before it is written: evidence id → rows or document."""
    return {name: write(ctx) for name, write in _WRITERS.items()}


def encode_records(ctx: DossierContext, records: Mapping[str, Record]) -> dict[str, bytes]:
    """The files of `records`: path → bytes."""
    return {
        ctx.catalog.sources[name].path: (
            csv_bytes(value, list(value[0])) if isinstance(value, list) else json_bytes(value)
        )
        for name, value in records.items()
    }


_WRITERS: Final[dict[str, Callable[[DossierContext], Record]]] = {}


def _source(
    evidence_id: str,
) -> Callable[[Callable[[DossierContext], Record]], Callable[[DossierContext], Record]]:
    def register(writer: Callable[[DossierContext], Record]) -> Callable[[DossierContext], Record]:
        _WRITERS[evidence_id] = writer
        return writer

    return register


# -- the levers


def shuffle(ctx: DossierContext, key: str, rows: Iterable[Row]) -> list[Row]:
    """`rows` in an order drawn from their own content under `key`."""
    return sorted(rows, key=lambda row: ctx.draw(key, json.dumps(row, sort_keys=True)))


def dated_history(ctx: DossierContext, key: str, current: Row, older: Sequence[Row]) -> list[Row]:
    """The entries of a history, dated, in a drawn order; the current one has the latest date."""
    entries = [*older, current]
    dated = [{"as_of": ctx.recorded_on(at), **entry} for at, entry in enumerate(entries)]
    return shuffle(ctx, key, dated)


def others(ctx: DossierContext, key: str, count: int) -> list[Other]:
    """The `count` foreign projects of the record called `key`."""
    found = []
    for at in range(count):
        digest = hashlib.sha256(f"{ctx.seed}:{key}:{at}".encode()).hexdigest()
        tag = digest[:5].upper()
        found.append(Other(f"DGF-PRT-{tag}", f"{ctx.pick(APPLICATIONS, key, 'name', at)} [{tag}]"))
    return found


def thousands(amount: float) -> float:
    """An amount in euros, in thousands."""
    return round(amount / 1000, 3)


def _owned(ctx: DossierContext, evidence_id: str, rows: Iterable[Row]) -> list[Row]:
    """`rows`, each recorded by the owner of the record."""
    owner = ctx.catalog.sources[evidence_id].owner
    return [{**row, "recorded_by": owner} for row in rows]


# -- general


@_source("BUDGET_APPROVAL")
def _budget_approval(ctx: DossierContext) -> Record:
    general = ctx.case["general"]
    requested, approved = general["budget_requested_eur"], general["budget_approved_eur"]

    def entry(amount: int, status: str) -> Row:
        return {
            "requested_keur": thousands(requested),
            "approved_keur": thousands(amount),
            "approver": "CFO Office",
            "status": status,
        }

    factors = (0.6, 0.85)[: ctx.count(1, 2, "budget")]
    older = [entry(int(approved * factor), "SUPERSEDED") for factor in factors]
    current = entry(approved, "APPROVED" if approved >= requested else "PARTIAL")
    return _owned(ctx, "BUDGET_APPROVAL", dated_history(ctx, "budget", current, older))


@_source("PORTFOLIO_SNAPSHOT")
def _portfolio_snapshot(ctx: DossierContext) -> Record:
    general, project = ctx.case["general"], ctx.case["project"]

    def foreign(at: int, other: Other) -> Row:
        def draw(what: str) -> float:
            return ctx.draw("portfolio", what, at)

        requested = 100_000 + int(900_000 * draw("req"))
        return {
            "project_id": other.project_id,
            "priority": ctx.pick(PRIORITIES, "portfolio", "prio", at),
            "strategic_alignment": ctx.pick(ALIGNMENTS, "portfolio", "align", at),
            "requested_eur": requested,
            "approved_eur": int(requested * ctx.pick((0.8, 1.0, 1.2), "portfolio", "appr", at)),
            "roi": round(0.3 * draw("roi"), 3),
            "change_plan_status": ctx.pick(PLANS, "portfolio", "plan", at),
            "target_go_live": project["target_go_live"],
        }

    own = {
        "project_id": project["project_id"],
        "priority": general["portfolio_priority"],
        "strategic_alignment": general["strategic_alignment"],
        "requested_eur": general["budget_requested_eur"],
        "approved_eur": general["budget_approved_eur"],
        "roi": general["roi"],
        "change_plan_status": general["change_plan_status"],
        "target_go_live": project["target_go_live"],
    }
    rows = [foreign(at, other) for at, other in enumerate(others(ctx, "portfolio", 3))]
    return shuffle(ctx, "portfolio", [own, *rows])


# -- it


@_source("CMDB_EXPORT")
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


@_source("TECH_CATALOG")
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
        "decisions": _owned(ctx, "TECH_CATALOG", dated_history(ctx, "catalog", current, older)),
    }


@_source("LICENSE_POSITION")
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
    return _owned(ctx, "LICENSE_POSITION", dated_history(ctx, "licence", current, older))


@_source("LIFECYCLE_REGISTER")
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


@_source("CAPACITY_REPORT")
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


# -- architecture


@_source("ARCHITECTURE_REGISTER")
def _architecture_register(ctx: DossierContext) -> Record:
    architecture, profile = ctx.case["architecture"], ctx.case["architecture_profile"]
    project = ctx.case["project"]

    def foreign(at: int, other: Other) -> Row:
        target = ctx.pick((50, 100, 200, 300), "arch", "target", at)
        measured = int(target * (0.5 + ctx.draw("arch", "lat", at)))
        owned = ctx.draw("arch", "own", at) < 0.7
        return _application(
            other.name,
            gateway=(ctx.draw("arch", "req", at) < 0.5, ctx.draw("arch", "dep", at) < 0.6),
            latency_ms=(target, measured),
            exit_plan=ctx.pick(EXIT_PLANS, "arch", "exit", at),
            owner=f"Data Owner {at + 1}" if owned else None,
            availability=(ctx.draw("arch", "az", at) < 0.6, ctx.draw("arch", "dr", at) < 0.3),
        )

    own = _application(
        project["project_name"],
        gateway=(architecture["api_gateway_required"], architecture["api_gateway_present"]),
        latency_ms=(architecture["latency_target_ms"], architecture["measured_latency_ms"]),
        exit_plan=architecture["reversibility_status"],
        owner=project["business_owner"] if architecture["data_owner_present"] else None,
        availability=(profile["multi_az"], profile["multi_region"]),
    )
    rows = [foreign(at, other) for at, other in enumerate(others(ctx, "arch", 2))]
    return {"applications": shuffle(ctx, "arch", [own, *rows])}


def _application(
    name: str,
    *,
    gateway: tuple[bool, bool],
    latency_ms: tuple[int, int],
    exit_plan: str,
    owner: str | None,
    availability: tuple[bool, bool],
) -> Row:
    return {
        "application": name,
        "api_gateway": {"required": gateway[0], "deployed": gateway[1]},
        "latency_s": {
            "target_p95": latency_ms[0] / 1000,
            "measured_p95": latency_ms[1] / 1000,
            "measurement_source": "APM",
        },
        "exit_plan_status": exit_plan,
        "data_domain_owner": owner,
        "availability": {
            "zone_redundant": availability[0],
            "secondary_region": availability[1],
        },
    }


# -- security


@_source("VULN_SCAN")
def _vuln_scan(ctx: DossierContext) -> Record:
    security = ctx.case["security"]
    groups = (
        (8000, "Critical", "Open", security["critical_vulns_open"]),
        (9000, "High", "Open", security["high_vulns_open"]),
        (7000, "Critical", "Remediated", ctx.count(0, 2, "vuln")),
        (1, "Medium", "Remediated", 1),
    )
    rows = [
        {"id": f"CVE-2026-{first + at:04d}", "severity": severity, "status": status}
        for first, severity, status, count in groups
        for at in range(count)
    ]
    return shuffle(ctx, "vuln", rows)


# -- tech readiness


@_source("RESTORE_TEST")
def _restore_test(ctx: DossierContext) -> Record:
    readiness = ctx.case["tech_readiness"]
    hours, loss = readiness["measured_restore_hours"], readiness["measured_data_loss_minutes"]

    def entry(*, tested: bool, minutes: float, lost: int) -> Row:
        return {
            "tested": tested,
            "target_rto_hours": readiness["target_rto_hours"],
            "measured_restore_minutes": round(minutes, 3),
            "target_rpo_minutes": readiness["target_rpo_minutes"],
            "measured_data_loss_minutes": lost,
        }

    tested = readiness["restore_tested"]
    current = entry(tested=tested, minutes=60 * hours, lost=loss)
    older = [
        entry(
            tested=tested and ctx.draw("restore", at) >= 0.5,
            minutes=hours * 60 * (1.3 + 0.4 * at),
            lost=loss + 5 * (at + 1),
        )
        for at in range(ctx.count(1, 2, "restore"))
    ]
    return _owned(ctx, "RESTORE_TEST", dated_history(ctx, "restore", current, older))


@_source("LOAD_TEST")
def _load_test(ctx: DossierContext) -> Record:
    readiness = ctx.case["tech_readiness"]
    peak = readiness["load_test_pct_of_peak"]

    def entry(percent: int) -> Row:
        return {
            "peak_test_pct": percent,
            "p95_ms": readiness["p95_ms"],
            "test_completion_pct": readiness["test_completion_pct"],
        }

    older = [entry(max(10, peak - 20 * (at + 1))) for at in range(ctx.count(1, 2, "load"))]
    return _owned(ctx, "LOAD_TEST", dated_history(ctx, "load", entry(peak), older))


@_source("OPERATIONS_READINESS")
def _operations_readiness(ctx: DossierContext) -> Record:
    readiness = ctx.case["tech_readiness"]
    current = {
        "Production runbook": readiness["runbook_status"],
        "On-call rota": "defined" if readiness["on_call_defined"] else "not_defined",
        "Operational handover": "signed" if readiness["handover_signed"] else "unsigned",
    }

    def entry(item: str, status: str) -> Row:
        return {"item": item, "status": ctx.record_word(status), "owner": "Operations"}

    rows = []
    for item, vocabulary in OPERATIONS.items():
        older = [
            entry(item, ctx.pick_other(current[item], vocabulary, "ops", item, at))
            for at in range(ctx.count(0, 2, "ops", item))
        ]
        rows += dated_history(ctx, f"ops:{item}", entry(item, current[item]), older)
    return _owned(ctx, "OPERATIONS_READINESS", shuffle(ctx, "ops", rows))


@_source("RELEASE_BLOCKERS")
def _release_blockers(ctx: DossierContext) -> Record:
    code = ctx.case["project"]["project_code"]
    groups = (
        (0, "medium", "Closed", ctx.count(1, 3, "blk")),
        (50, "high", "Open", ctx.case["tech_readiness"]["open_blockers"]),
    )
    rows = [
        {
            "blocker_id": f"BLK-{code}-{first + at:02d}",
            "severity": severity,
            "status": status,
            "owner": "Product Team",
        }
        for first, severity, status, count in groups
        for at in range(count)
    ]
    return shuffle(ctx, "blk", rows)


# -- procurement


@_source("PROCUREMENT_AWARD")
def _procurement_award(ctx: DossierContext) -> Record:
    procurement = ctx.case["procurement"]
    return {
        "selected_vendor": procurement["selected_vendor"],
        "purchasing_budget_keur": thousands(procurement["purchasing_budget_eur"]),
        "awarded_tco_3y_keur": thousands(ctx.offer["tco_3y_eur"]),
        "decision_status": "provisional",
    }


@_source("DUE_DILIGENCE")
def _due_diligence(ctx: DossierContext) -> Record:
    def entry(offer: Row, *, sanctions: str, diligence: str, checked: bool) -> Row:
        return {
            "vendor": offer["vendor"],
            "mandatory_failed": offer["mandatory_criteria_failed"],
            "sanctions": ctx.record_word(sanctions),
            "due_diligence": ctx.record_word(diligence),
            "references_checked": checked,
        }

    rows = []
    for offer in ctx.case["procurement"]["offers"]:
        vendor = offer["vendor"]
        current = entry(
            offer,
            sanctions=offer["sanctions"],
            diligence=offer["due_diligence"],
            checked=offer["references_checked"],
        )
        begun = entry(offer, sanctions="pending", diligence="pending", checked=False)
        older = [begun] * ctx.count(0, 1, "dd", vendor)
        rows += dated_history(ctx, f"dd:{vendor}", current, older)
    return _owned(ctx, "DUE_DILIGENCE", shuffle(ctx, "dd", rows))


# -- legal


@_source("CONTRACT_REGISTER")
def _contract_register(ctx: DossierContext) -> Record:
    legal = ctx.case["legal"]
    clauses = {
        "data_processing_agreement": ctx.record_word(legal["dpa_status"]),
        "customer_audit_rights": ctx.record_word(legal["audit_right"]),
        "security_log_export": ctx.record_word(legal["log_export_clause"]),
        "ip_ownership": ctx.record_word(legal["ip_ownership"]),
        "exit_assistance_days": legal["exit_assistance_days"],
        "liability_cap_x_annual_fees": legal["liability_cap_multiplier"],
        "security_liability_carve_out": legal["security_carveout"],
    }
    own = {
        "project_id": ctx.case["project"]["project_id"],
        "contract_version": legal["contract_version"],
        "clauses": clauses,
        "insurance_certificate_valid": legal["insurance_valid"],
        "signatory_authority_valid": legal["signing_authority_valid"],
    }
    dated = dated_history(ctx, "contracts", own, [_contract_draft(ctx, own)])
    rows = shuffle(ctx, "contracts", [*dated, _foreign_contract(ctx, own)])
    return {"contracts": _owned(ctx, "CONTRACT_REGISTER", rows)}


def _contract_draft(ctx: DossierContext, own: Row) -> Row:
    legal = ctx.case["legal"]
    agreement = ctx.pick_other(legal["dpa_status"], ("signed", "draft", "missing"), "msa", "dpa")
    audit = ctx.pick_other(
        legal["audit_right"], ("full", "limited", "reports_only", "none"), "msa", "audit"
    )
    return {
        **own,
        "contract_version": f"{own['contract_version']}-draft",
        "clauses": {
            **own["clauses"],
            "data_processing_agreement": ctx.record_word(agreement),
            "customer_audit_rights": ctx.record_word(audit),
            "exit_assistance_days": ctx.pick((0, 30, 60, 90), "msa", "exit"),
        },
        "insurance_certificate_valid": not own["insurance_certificate_valid"],
    }


def _foreign_contract(ctx: DossierContext, own: Row) -> Row:
    (other,) = others(ctx, "contract", 1)
    agreement = ctx.pick(("signed", "draft"), "other", "dpa")
    return {
        "as_of": ctx.recorded_on(0),
        **own,
        "project_id": other.project_id,
        "contract_version": "MSA-OTHER-1.0",
        "clauses": {
            **own["clauses"],
            "data_processing_agreement": ctx.record_word(agreement),
            "customer_audit_rights": ctx.record_word(
                ctx.pick(("full", "limited"), "other", "audit")
            ),
            "exit_assistance_days": ctx.pick((30, 90), "other", "exit"),
        },
        "insurance_certificate_valid": True,
        "signatory_authority_valid": True,
    }


# -- compliance


@_source("DATA_INVENTORY")
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


@_source("COMPLIANCE_REGISTER")
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
    return _owned(ctx, "COMPLIANCE_REGISTER", shuffle(ctx, "grc", rows))
