"""The composition lever: six facts that a record no longer states and a reader has to work out.

Optional; no generated dossier uses it unless asked. It rewrites records that are already made, so
every other lever stays as it was. Protocol, dossier section 7.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final

from generators.evidence.context import DossierContext
from generators.evidence.levers import Record, Row, shuffle, thousands
from generators.evidence.records import encode_records, record_values


def build_composed_records(ctx: DossierContext) -> dict[str, bytes]:
    """The files of all 18 records, with the six facts in pieces: path → bytes."""
    return encode_records(ctx, compose(ctx, record_values(ctx)))


def compose(ctx: DossierContext, records: Mapping[str, Record]) -> dict[str, Record]:
    """`records` with the six facts in pieces; the other records unchanged."""
    return {
        name: _COMPOSERS[name](ctx, record) if name in _COMPOSERS else record
        for name, record in records.items()
    }


def _budget_approval(ctx: DossierContext, _: Any) -> Record:
    general = ctx.case["general"]
    requested, approved = general["budget_requested_eur"], general["budget_approved_eur"]
    first = 6 * approved // 10
    lines = (
        (0, "Budget request", round(0.8 * requested), "SUPERSEDED"),
        (1, "Budget request", requested, "SUBMITTED"),
        (2, "Tranche 1", first, "APPROVED"),
        (3, "Tranche 2", approved - first, "APPROVED"),
        (3, "Tranche 3", max(1000, requested // 5), "REJECTED"),
    )
    rows = [
        {
            "as_of": ctx.recorded_on(at),
            "item": item,
            "amount_keur": thousands(amount),
            "status": status,
        }
        for at, item, amount, status in lines
    ]
    owner = ctx.catalog.sources["BUDGET_APPROVAL"].owner
    return [{**row, "recorded_by": owner} for row in shuffle(ctx, "compose-budget", rows)]


def _procurement_award(ctx: DossierContext, award: Any) -> Record:
    total = ctx.offer["tco_3y_eur"]
    first, second = 4 * total // 10, 3 * total // 10
    years = {"year_1": first, "year_2": second, "year_3": total - first - second}
    return _replaced(award, "awarded_tco_3y_keur", {"awarded_cost_eur": years})


def _restore_test(_: DossierContext, rows: Any) -> Record:
    def timed(row: Row) -> Row:
        started = datetime.fromisoformat(f"{row['as_of']}T01:30:00")
        completed = started + timedelta(minutes=row["measured_restore_minutes"])
        times = {
            "restore_started": started.isoformat(),
            "restore_completed": completed.isoformat(),
        }
        return _replaced(row, "measured_restore_minutes", times)

    return [timed(row) for row in rows]


def _capacity_report(_: DossierContext, rows: Any) -> Record:
    return [
        _replaced(
            row,
            "capacity_headroom_pct",
            {"peak_utilization_pct": 100 - row["capacity_headroom_pct"]},
        )
        for row in rows
    ]


def _lifecycle_register(ctx: DossierContext, rows: Any) -> Record:
    assessed = date.fromisoformat(ctx.recorded_on(0))
    assessed = assessed.replace(day=min(assessed.day, 28))

    def dated(row: Row) -> Row:
        months = assessed.month - 1 + row["eol_months"]
        end = assessed.replace(year=assessed.year + months // 12, month=months % 12 + 1)
        kept = {key: row[key] for key in ("project_id", "technology")}
        return {**kept, "assessed_on": assessed.isoformat(), "end_of_life": end.isoformat()}

    return [dated(row) for row in rows]


def _contract_register(ctx: DossierContext, register: Any) -> Record:
    def worded(contract: Row) -> Row:
        days = contract["clauses"]["exit_assistance_days"]
        clause = {"exit_assistance": _exit_clause(ctx, days)}
        return {
            **contract,
            "clauses": _replaced(contract["clauses"], "exit_assistance_days", clause),
        }

    return {"contracts": [worded(contract) for contract in register["contracts"]]}


def _exit_clause(ctx: DossierContext, days: int) -> str:
    if days == 0:
        return "No exit assistance is owed once the contract has ended."
    wordings = (
        "On expiry the supplier supports the hand-over for ({days}) days at the agreed rates.",
        "The supplier keeps its exit team in place during ({days}) days from termination.",
    )
    return ctx.wording(wordings, "exit_assistance", days).format(days=days)


def _replaced(row: Row, key: str, values: Row) -> Row:
    """`row` with `values` in the place of `key`."""
    changed: Row = {}
    for name, value in row.items():
        changed |= values if name == key else {name: value}
    return changed


_COMPOSERS: Final[dict[str, Callable[[DossierContext, Any], Record]]] = {
    "BUDGET_APPROVAL": _budget_approval,
    "PROCUREMENT_AWARD": _procurement_award,
    "RESTORE_TEST": _restore_test,
    "CAPACITY_REPORT": _capacity_report,
    "LIFECYCLE_REGISTER": _lifecycle_register,
    "CONTRACT_REGISTER": _contract_register,
}
