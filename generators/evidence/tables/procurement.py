"""Tables and documents of the Procurement Gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.formats import Content, Document, Row, Rows
from generators.evidence.texts import texts


def _vendor_offers(ctx: DossierContext) -> Rows:
    return [dict(offer) for offer in ctx.case["procurement"]["offers"]]


def _scoring_matrix(ctx: DossierContext) -> Rows:
    return [
        {
            "functional": offer["functional_score"],
            "security": offer["security_score"],
            "selected": _is_selected(ctx, offer),
            "tco_3y_eur": offer["tco_3y_eur"],
            "vendor": offer["vendor"],
            "weighted_score": offer["weighted_score"],
        }
        for offer in ctx.case["procurement"]["offers"]
    ]


def _pricing_tco(ctx: DossierContext) -> Rows:
    return [
        {
            "annualized_eur": round(offer["tco_3y_eur"] / 3, 2),
            "selected": _is_selected(ctx, offer),
            "tco_3y_eur": offer["tco_3y_eur"],
            "vendor": offer["vendor"],
        }
        for offer in ctx.case["procurement"]["offers"]
    ]


def _vendor_responses(ctx: DossierContext) -> Document:
    name = ctx.case["project"]["project_name"]
    wordings = texts().vendor_statement

    def response(offer: Row) -> Document:
        vendor = offer["vendor"]
        statement = ctx.wording(wordings, "VENDOR_RESPONSES", vendor)
        checked = offer["references_checked"]
        return {
            "vendor": vendor,
            "statement": statement.format(vendor=vendor, name=name),
            "claimed_due_diligence": ctx.shown(
                "VENDOR_RESPONSES", f"dd:{vendor}", offer["due_diligence"]
            ),
            "claimed_references_checked": ctx.shown("VENDOR_RESPONSES", f"ref:{vendor}", checked),
        }

    return {
        "note": ctx.wording(texts().vendor_note, "VENDOR_RESPONSES"),
        "responses": [response(offer) for offer in ctx.case["procurement"]["offers"]],
    }


def _is_selected(ctx: DossierContext, offer: Row) -> bool:
    return bool(offer["vendor"] == ctx.case["procurement"]["selected_vendor"])


WRITERS: Final[dict[str, Callable[[DossierContext], Content]]] = {
    "VENDOR_OFFERS": _vendor_offers,
    "SCORING_MATRIX": _scoring_matrix,
    "PRICING_TCO": _pricing_tco,
    "VENDOR_RESPONSES": _vendor_responses,
}
"""Evidence id → what is written for it."""
