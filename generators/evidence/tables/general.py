"""Tables and documents of the General Gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from generators.evidence.context import DossierContext
from generators.evidence.formats import Content, Rows


def _business_case(ctx: DossierContext) -> Rows:
    general = ctx.case["general"]

    def shown(key: str, value: Any) -> Any:
        return ctx.shown("BUSINESS_CASE", key, value)

    values = {
        "ROI": shown("roi", general["roi"]),
        "NPV_EUR": shown("npv", general["npv_eur"]),
        "Payback_months": shown("payback", general["payback_months"]),
        "Strategic_alignment": shown("strategic_alignment", general["strategic_alignment"]),
        "Portfolio_priority": general["portfolio_priority"],
    }
    return [{"metric": metric, "value": value} for metric, value in values.items()]


WRITERS: Final[dict[str, Callable[[DossierContext], Content]]] = {
    "BUSINESS_CASE": _business_case,
}
"""Evidence id → what is written for it."""
