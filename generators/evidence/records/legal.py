"""Records of the Legal Gate."""

from __future__ import annotations

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
    return {"contracts": owned(ctx, "CONTRACT_REGISTER", rows)}


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


WRITERS: Final[dict[str, RecordWriter]] = {
    "CONTRACT_REGISTER": _contract_register,
}
"""Evidence id → what is written for it."""
