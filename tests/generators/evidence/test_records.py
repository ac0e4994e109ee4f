"""The lever records: what is current in them is the case, and what surrounds it is not."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from typing import Any

import pytest

from generators.evidence import DossierContext, build_records, load_catalog
from generators.evidence.composed import compose
from generators.evidence.levers import shuffle
from generators.evidence.records import encode_records, record_values
from tests.generators.evidence.cases import make_context

CATALOG = load_catalog()
SEEDS = range(700, 760)


def _entries(record: Any) -> list[dict[str, Any]]:
    """The rows of a record, or the entries of the one list a document holds."""
    if isinstance(record, list):
        return record
    lists = [value for value in record.values() if isinstance(value, list)]
    return lists[0] if lists else [record]


def _current(entries: list[dict[str, Any]], **key: str) -> dict[str, Any]:
    own = [e for e in entries if all(e[name] == value for name, value in key.items())]
    return max(own, key=lambda entry: entry["as_of"])


def test_the_eighteen_records() -> None:
    """The levers write the 18 records, each where the catalog says."""
    values = record_values(make_context())
    assert len(values) == 18
    assert set(build_records(make_context())) == {CATALOG.sources[name].path for name in values}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_latest_owned_entry_is_the_case(seed: int) -> None:
    """In each dated history the entry with the greatest date states the facts of the case."""
    ctx = make_context(seed=seed)
    values, case = record_values(ctx), ctx.case
    budget = _current(_entries(values["BUDGET_APPROVAL"]))
    assert budget["requested_keur"] * 1000 == case["general"]["budget_requested_eur"]
    assert budget["approved_keur"] * 1000 == case["general"]["budget_approved_eur"]
    assert budget["status"] == "PARTIAL"
    decision = _current(_entries(values["TECH_CATALOG"]))
    assert decision["catalog_status"] == "non_standard"
    assert decision["waiver_present"] is True
    assert decision["existing_capability_overlap"] is False
    assert _current(_entries(values["LICENSE_POSITION"]))["license_compliant"] is True
    restore = _current(_entries(values["RESTORE_TEST"]))
    assert restore["measured_restore_minutes"] == 204.0  # 3.4 hours
    assert restore["measured_data_loss_minutes"] == 30
    assert _current(_entries(values["LOAD_TEST"]))["peak_test_pct"] == 100
    operations = _entries(values["OPERATIONS_READINESS"])
    for item, status in (
        ("Production runbook", "approved"),
        ("On-call rota", "defined"),
        ("Operational handover", "executed"),  # the records' word for signed
    ):
        assert _current(operations, item=item)["status"] == status
    diligence = _current(_entries(values["DUE_DILIGENCE"]), vendor="Vendor B AB12C-2")
    assert (diligence["sanctions"], diligence["due_diligence"]) == ("cleared", "completed")
    assert (diligence["mandatory_failed"], diligence["references_checked"]) == (0, True)
    contract = _current(_entries(values["CONTRACT_REGISTER"]), project_id="DGF-BUY-004242")
    assert contract["contract_version"] == "MSA-AB12C-4.2"
    assert contract["clauses"]["exit_assistance_days"] == 90
    register = _entries(values["COMPLIANCE_REGISTER"])
    assert _current(register, control="DPIA")["status"] == "completed"
    assert _current(register, control="Accessibility")["status"] == "passed"
    assert _current(register, control="Data residency")["status"] == "compliant"


@pytest.mark.parametrize("seed", SEEDS)
def test_every_entry_of_an_owned_record_names_its_owner(seed: int) -> None:
    """In a clean dossier all entries of the nine owned records are recorded by the owner."""
    values = record_values(make_context(seed=seed))
    for name, owner in CATALOG.owners().items():
        entries = _entries(values[name])
        assert entries
        assert {entry["recorded_by"] for entry in entries} == {owner}
        assert all(list(entry)[-1] == "recorded_by" for entry in entries)


def test_dates_of_a_history() -> None:
    """Entries are dated 12 + 17·i days after the start, each date once per subject."""
    values = record_values(make_context(seed=701))
    for name, subject in (
        ("BUDGET_APPROVAL", None),
        ("OPERATIONS_READINESS", "item"),
        ("DUE_DILIGENCE", "vendor"),
        ("COMPLIANCE_REGISTER", "control"),
    ):
        groups: dict[object, list[str]] = {}
        for entry in _entries(values[name]):
            groups.setdefault(subject and entry[subject], []).append(entry["as_of"])
        for dates in groups.values():
            expected = ["2026-10-03", "2026-10-20", "2026-11-06"][: len(dates)]
            assert sorted(dates) == expected


@pytest.mark.parametrize(
    ("name", "own", "foreign"),
    [
        ("PORTFOLIO_SNAPSHOT", {"project_id": "DGF-BUY-004242"}, 3),
        ("CMDB_EXPORT", {"application": "Project Heron, Claims [AB12C]"}, 2),
        ("LIFECYCLE_REGISTER", {"project_id": "DGF-BUY-004242"}, 2),
        ("CAPACITY_REPORT", {"service": "Project Heron, Claims [AB12C]"}, 2),
        ("ARCHITECTURE_REGISTER", {"application": "Project Heron, Claims [AB12C]"}, 2),
        ("DATA_INVENTORY", {"project_id": "DGF-BUY-004242"}, 2),
    ],
)
def test_shared_records_list_other_projects(name: str, own: dict[str, str], foreign: int) -> None:
    """A shared record holds exactly one row of this project and the stated number of others."""
    for seed in SEEDS:
        entries = _entries(record_values(make_context(seed=seed))[name])
        mine = [e for e in entries if all(e[key] == value for key, value in own.items())]
        assert (len(mine), len(entries)) == (1, 1 + foreign)


def test_rows_that_must_not_be_counted() -> None:
    """Open critical vulnerabilities and open blockers equal the case; others are closed."""
    for seed in SEEDS:
        values = record_values(make_context(seed=seed))
        scan = Counter((row["severity"], row["status"]) for row in _entries(values["VULN_SCAN"]))
        assert scan["Critical", "Open"] == 2
        assert scan["High", "Open"] == 3
        assert scan["Medium", "Remediated"] == 1
        assert 0 <= scan["Critical", "Remediated"] <= 2
        blockers = Counter(row["status"] for row in _entries(values["RELEASE_BLOCKERS"]))
        assert blockers["Open"] == 1
        assert 1 <= blockers["Closed"] <= 3


def test_row_order_depends_on_content_only() -> None:
    """Shuffling is a function of the set of rows, whatever order they come in."""
    ctx = make_context()
    rows = [{"a": number, "b": str(number * number)} for number in range(20)]
    expected = shuffle(ctx, "key", rows)
    random.Random(1).shuffle(rows)
    assert shuffle(ctx, "key", rows) == expected
    assert expected != sorted(expected, key=lambda row: row["a"])
    assert shuffle(ctx, "other key", rows) != expected


def test_files_are_what_the_values_say() -> None:
    """CSV has CRLF, True and False and the stated column order; JSON has no final newline."""
    ctx = make_context()
    files = build_records(ctx)
    text = files["gate_evidence/general/budget_approval.csv"].decode()
    assert text.splitlines()[0] == (
        "as_of,requested_keur,approved_keur,approver,status,recorded_by"
    )
    assert text.count("\n") == text.count("\r\n") > 1
    cmdb = list(csv.DictReader(io.StringIO(files["gate_evidence/it/cmdb_export.csv"].decode())))
    assert {row["record_present"] for row in cmdb} <= {"True", "False"}
    award = files["gate_evidence/procurement/award_decision.json"]
    assert json.loads(award)["awarded_tco_3y_keur"] == 800.0
    assert not award.endswith(b"\n")


def _composed(*, legal: dict[str, Any] | None = None) -> tuple[DossierContext, dict[str, Any]]:
    ctx = make_context(legal=legal or {})
    plain = record_values(ctx)
    composed = compose(ctx, plain)
    assert set(encode_records(ctx, composed)) == set(encode_records(ctx, plain))
    return ctx, composed


def test_composed_records_add_up() -> None:
    """Tranches, yearly costs, elapsed times, headroom and months give the facts back."""
    _, composed = _composed()
    approved = [r for r in composed["BUDGET_APPROVAL"] if r["status"] == "APPROVED"]
    assert sum(round(row["amount_keur"] * 1000) for row in approved) == 765_000
    assert {row["item"] for row in approved} == {"Tranche 1", "Tranche 2"}
    award = composed["PROCUREMENT_AWARD"]
    assert sum(award["awarded_cost_eur"].values()) == 800_000
    assert "awarded_tco_3y_keur" not in award
    restore = _current(composed["RESTORE_TEST"])
    assert restore["restore_started"] == f"{restore['as_of']}T01:30:00"
    assert restore["restore_completed"] == f"{restore['as_of']}T04:54:00"
    (capacity,) = [r for r in composed["CAPACITY_REPORT"] if r["service"].startswith("Project")]
    assert capacity["peak_utilization_pct"] == 70
    (lifecycle,) = [r for r in composed["LIFECYCLE_REGISTER"] if r["project_id"][4:7] == "BUY"]
    assert (lifecycle["assessed_on"], lifecycle["end_of_life"]) == ("2026-10-03", "2029-10-03")


@pytest.mark.parametrize(("days", "part"), [(0, "No exit assistance"), (30, "(30) days")])
def test_composed_exit_clause(days: int, part: str) -> None:
    """The exit clause begins with the refusal at 0 and otherwise states the days in brackets."""
    _, composed = _composed(legal={"exit_assistance_days": days})
    contract = _current(composed["CONTRACT_REGISTER"]["contracts"], project_id="DGF-BUY-004242")
    clause = contract["clauses"]["exit_assistance"]
    assert clause.startswith(part) if days == 0 else part in clause
    assert "exit_assistance_days" not in contract["clauses"]
