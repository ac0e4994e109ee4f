"""Decoders on small records: which row holds, what a value means, where it is cited."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from generators.decoding.decode import Context, Decoded, decode
from generators.decoding.selection import Care
from generators.decoding.values import Scalar
from generators.evidence import Decoder, load_catalog
from generators.readers.content import Json

IDENTITY: dict[str, Scalar] = {
    "project.project_id": "DGF-1",
    "project.project_name": "Heron",
    "project.project_code": "AB12C",
    "procurement.selected_vendor": "Vendor B",
}
CATALOG = load_catalog()


def read(
    field: str, source: str, content: Json, *, form: str = "standard", care: Care = "strict"
) -> Decoded | None:
    """The catalog's decoder for this field and source, applied to the content."""
    decoder = next(d for d in CATALOG.decoders[field] if d.source == source and d.form == form)
    return decode(decoder, content, Context(identity=IDENTITY, care=care))


def value(*args: Any, **options: Any) -> Scalar:
    """The decoded value, which must exist."""
    decoded = read(*args, **options)
    assert decoded is not None
    return decoded.value


def licence(as_of: str, compliant: str, by: str | None = "IT Asset Management") -> dict[str, Json]:
    """A row of LICENSE_POSITION."""
    row: dict[str, Json] = {"as_of": as_of, "license_compliant": compliant}
    return row if by is None else {**row, "recorded_by": by}


LICENSE = ("it.license_compliant", "LICENSE_POSITION")


class TestSelection:
    """Owner, entity, date, uniqueness."""

    def test_newest_row_of_a_history_holds(self) -> None:
        """Of a dated history the greatest date counts, wherever it stands."""
        rows: Json = [
            licence("2026-02-01", "True"),
            licence("2026-11-01", "False"),
            licence("2026-10-09", "True"),
        ]
        decoded = read(*LICENSE, rows)
        assert decoded is not None
        assert (decoded.value, decoded.pointers) == (False, ("/1/license_compliant",))

    def test_rows_of_others_do_not_count(self) -> None:
        """A newer row that the owner has not written changes nothing, whatever it says."""
        rows: Json = [
            licence("2026-10-09", "False"),
            licence("2027-01-01", "True", by="Vendor (submission DGF-0000)"),
            licence("2027-01-02", "True", by=""),
        ]
        assert value(*LICENSE, rows) is False
        assert value(*LICENSE, rows, care="credulous") is True

    def test_a_record_without_the_column_is_accepted(self) -> None:
        """An absent author is no foreign author; an empty cell is."""
        assert value(*LICENSE, [licence("2026-10-09", "False", by=None)]) is False
        assert read(*LICENSE, [licence("2026-10-09", "False", by="")]) is None
        assert read(*LICENSE, [{**licence("2026-10-09", "False"), "recorded_by": None}]) is None

    def test_a_foreign_duplicate_date_does_not_void_a_history(self) -> None:
        """Provenance is judged before dates."""
        rows: Json = [licence("2026-10-09", "False"), licence("2026-10-09", "True", by="Somebody")]
        assert value(*LICENSE, rows) is False

    @pytest.mark.parametrize("date", ["2026-10-09", "", None])
    def test_duplicate_or_missing_dates_give_no_value(self, date: str | None) -> None:
        """A history that cannot be put in order says nothing."""
        rows: Json = [licence("2026-10-09", "False"), {**licence("", "True"), "as_of": date}]
        assert read(*LICENSE, rows) is None
        undated: dict[str, Json] = {"license_compliant": "True"}
        assert read(*LICENSE, [licence("2026-10-09", "False"), undated]) is None

    def test_rows_of_other_projects_do_not_count(self) -> None:
        """The entity is the given project, by the key of that record."""
        rows: Json = [
            {"application": "Other", "record_present": "True"},
            {"application": "Heron", "record_present": "False"},
        ]
        assert value("it.cmdb_record_present", "CMDB_EXPORT", rows) is False
        assert value("it.cmdb_record_present", "CMDB_EXPORT", rows, care="naive") is True

    def test_two_rows_without_a_history_give_no_value(self) -> None:
        """Without dates exactly one row must remain."""
        row: Json = {"application": "Heron", "record_present": "True"}
        assert read("it.cmdb_record_present", "CMDB_EXPORT", [row, row]) is None
        assert read("it.cmdb_record_present", "CMDB_EXPORT", []) is None

    def test_vendor_rows_need_the_vendor(self) -> None:
        """Facts of the offer are those of the decoded vendor; without one there is no value."""
        rows: Json = [
            {"as_of": "2026-01-01", "vendor": "Vendor A", "sanctions": "match"},
            {"as_of": "2026-01-01", "vendor": "Vendor B", "sanctions": "cleared"},
        ]
        field, source = "procurement.offer.sanctions", "DUE_DILIGENCE"
        assert value(field, source, rows) == "clear"
        [decoder] = [d for d in CATALOG.decoders[field] if d.source == source]
        assert decode(decoder, rows, Context(identity={})) is None

    def test_naive_reading_takes_the_first_row_that_matches_literally(self) -> None:
        """The lever-naive control ignores entities, authors and dates, not labels."""
        rows: Json = [
            {"as_of": "2026-01-01", "item": "On-call rota", "status": "defined"},
            {"as_of": "2026-01-01", "item": "Production runbook", "status": "absent"},
            {"as_of": "2026-02-01", "item": "Production runbook", "status": "approved"},
        ]
        runbook = ("tech_readiness.runbook_status", "OPERATIONS_READINESS")
        assert value(*runbook, rows) == "approved"
        assert value(*runbook, rows, care="naive") == "missing"

    def test_list_entries_are_selected_likewise(self) -> None:
        """A JSON list is selected from as a table is; the pointer leads into the list."""
        content: Json = {
            "contracts": [
                {"as_of": "2026-03-01", "project_id": "X", "insurance_certificate_valid": True},
                {
                    "as_of": "2026-02-01",
                    "project_id": "DGF-1",
                    "insurance_certificate_valid": False,
                },
                "not an entry",
            ]
        }
        decoded = read("legal.insurance_valid", "CONTRACT_REGISTER", content)
        assert decoded is not None
        assert decoded.value is False
        assert decoded.pointers == ("/contracts/1/insurance_certificate_valid",)


class TestKinds:
    """What each kind of decoder reads and cites."""

    def test_uniform_column(self) -> None:
        """A column with one value over all rows has it, cited in any of them."""
        source = ("architecture.ip_overlap", "IP_PLAN")
        rows: list[Json] = [{"cidr": "a", "overlap_detected": "True"} for _ in range(2)]
        decoded = read(*source, rows)
        assert decoded is not None
        assert decoded.value is True
        assert decoded.pointers == ("/0/overlap_detected", "/1/overlap_detected")
        assert read(*source, [*rows, {"cidr": "b", "overlap_detected": "False"}]) is None
        assert read(*source, []) is None

    def test_counts_are_aggregates(self) -> None:
        """A count looks at all rows, so it is cited as a whole and may be zero."""
        source = ("security.critical_vulns_open", "VULN_SCAN")
        rows: Json = [
            {"id": "1", "severity": "Critical", "status": "Open"},
            {"id": "2", "severity": "Critical", "status": "Remediated"},
            {"id": "3", "severity": "High", "status": "Open"},
            {"id": "4", "severity": "Critical", "status": "Open"},
        ]
        decoded = read(*source, rows)
        assert decoded is not None
        assert (decoded.value, decoded.aggregate, decoded.pointers) == (2, True, ("/0",))
        assert value(*source, []) == 0

    def test_exposure_is_a_count_above_zero(self) -> None:
        """Internet exposure follows from an inbound rule that allows it."""
        source = ("security.internet_exposed", "NSG_RULES")
        allow: Json = {"source": "Internet", "action": "Allow"}
        deny: Json = {"source": "Internet", "action": "Deny"}
        assert value(*source, [deny, allow]) is True
        assert value(*source, [deny]) is False

    def test_label_row(self) -> None:
        """The first block that begins with the label and a bar holds the value."""
        blocks: Json = ["ROI", "Field | Value", "ROI of others | 9", "ROI | 0.125", "ROI | 7"]
        decoded = read("general.roi", "COMMITTEE_BRIEFING", blocks)
        assert decoded is not None
        assert (decoded.value, decoded.pointers) == (0.125, ("/3",))

    @pytest.mark.parametrize(
        ("field", "clause", "expected"),
        [
            ("legal.audit_right", "Customer audit rights: reports_only. More.", "reports_only"),
            ("legal.exit_assistance_days", "Exit assistance: 90 days after.", 90),
            ("legal.liability_cap_multiplier", "Aggregate liability cap: 0.5x annual fees.", 0.5),
            (
                "legal.liability_cap_multiplier",
                "Aggregate liability cap: unlimitedx annual fees.",
                "unlimited",
            ),
            ("legal.security_carveout", "cap. Security carve-out: False. End", False),
        ],
    )
    def test_clause(self, field: str, clause: str, expected: Scalar) -> None:
        """A clause holds its value between a marker and what follows it."""
        decoded = read(field, "MSA", ["7. Title", clause])
        assert decoded is not None
        assert (decoded.value, decoded.pointers) == (expected, ("/1",))

    def test_withheld_clause_has_no_value(self) -> None:
        """A document that shows `None` says nothing."""
        assert read("legal.audit_right", "MSA", ["Customer audit rights: None."]) is None
        assert read("general.roi", "COMMITTEE_BRIEFING", ["ROI | None"]) is None

    def test_waf_mode_without_a_waf(self) -> None:
        """The mode of a firewall that does not exist is no value."""
        assert read("security.waf_mode", "WAF_POLICY", {"present": False, "mode": None}) is None
        assert read("security.waf_mode", "WAF_POLICY", {"present": False, "mode": "None"}) is None

    def test_null_may_be_the_value(self) -> None:
        """Keys that are never rotated are null in the record and in the case."""
        decoded = read("security.key_rotation_days", "KEYVAULT_CONFIG", {"key_rotation_days": None})
        assert decoded is not None
        assert decoded.value is None

    @pytest.mark.parametrize("content", [None, 5, "text", [], {}, [1], ["x"], {"contracts": 5}])
    def test_any_other_content_has_no_value(self, content: Json) -> None:
        """Content of the wrong shape decodes to nothing, for every decoder."""
        counts = {"csv_count"}
        for decoders in CATALOG.decoders.values():
            for decoder in decoders:
                if decoder.kind not in counts:
                    assert decode(decoder, content, Context(identity=IDENTITY)) is None


class TestComposed:
    """Facts that a record states in pieces."""

    def test_tranches_add_up(self) -> None:
        """Approved tranches are summed; each addend may be cited."""
        rows: Json = [
            {"as_of": "1", "item": "Budget request", "amount_keur": "900.0", "status": "SUBMITTED"},
            {"as_of": "2", "item": "Tranche 1", "amount_keur": "480.5", "status": "APPROVED"},
            {"as_of": "3", "item": "Tranche 3", "amount_keur": "180.0", "status": "REJECTED"},
            {"as_of": "3", "item": "Tranche 2", "amount_keur": "320.25", "status": "APPROVED"},
        ]
        decoded = read("general.budget_approved_eur", "BUDGET_APPROVAL", rows, form="composed")
        assert decoded is not None
        assert decoded.value == 800_750
        assert decoded.pointers == ("/1/amount_keur", "/3/amount_keur")

    def test_a_sum_needs_all_its_addends(self) -> None:
        """One unreadable addend leaves the sum unknown."""
        rows: Json = [
            {"item": "Tranche 1", "amount_keur": "480", "status": "APPROVED"},
            {"item": "Tranche 2", "amount_keur": "", "status": "APPROVED"},
        ]
        field = "general.budget_approved_eur"
        assert read(field, "BUDGET_APPROVAL", rows, form="composed") is None
        assert read(field, "BUDGET_APPROVAL", [], form="composed") is None

    def test_yearly_cost_adds_up(self) -> None:
        """The cost over three years is the sum of its members."""
        content: Json = {"awarded_cost_eur": {"year_1": 400, "year_2": 300, "year_3": 301}}
        decoded = read(
            "procurement.offer.tco_3y_eur", "PROCUREMENT_AWARD", content, form="composed"
        )
        assert decoded is not None
        assert decoded.value == 1001
        assert decoded.pointers == tuple(f"/awarded_cost_eur/year_{n}" for n in (1, 2, 3))

    def test_duration_from_two_times(self) -> None:
        """A restore took from its start to its end; both are cited."""
        rows: Json = [
            {
                "as_of": "2026-10-09",
                "restore_started": "2026-10-09T01:30:00",
                "restore_completed": "2026-10-09T04:54:00",
                "recorded_by": "Site Reliability Engineering",
            }
        ]
        decoded = read(
            "tech_readiness.measured_restore_hours", "RESTORE_TEST", rows, form="composed"
        )
        assert decoded is not None
        assert decoded.value == 3.4
        assert decoded.pointers == ("/0/restore_started", "/0/restore_completed")

    @pytest.mark.parametrize(
        ("start", "end", "months"),
        [
            ("2026-10-09", "2027-10-09", 12),
            ("2026-10-09", "2027-10-08", 11),
            ("2026-10-28", "2026-11-28", 1),
            ("2026-01-31", "2026-02-28", 0),
        ],
    )
    def test_whole_months(self, start: str, end: str, months: int) -> None:
        """A month is complete when its day is reached."""
        rows: Json = [{"project_id": "DGF-1", "assessed_on": start, "end_of_life": end}]
        source = ("it.technology_eol_months", "LIFECYCLE_REGISTER")
        assert value(*source, rows, form="composed") == months

    def test_headroom_is_what_is_left(self) -> None:
        """Headroom is the complement of utilisation."""
        rows: Json = [{"service": "Heron", "peak_utilization_pct": "70"}]
        assert value("it.capacity_headroom_pct", "CAPACITY_REPORT", rows, form="composed") == 30

    @pytest.mark.parametrize(
        ("clause", "days"),
        [
            ("No exit assistance is owed.", 0),
            ("Assistance for ninety (90) days.", 90),
            ("Help lasts (30) days (see (4) weeks)", 30),
            ("Assistance for 90 days.", None),
            ("There is No exit assistance.", None),
        ],
    )
    def test_days_in_a_clause(self, clause: str, days: int | None) -> None:
        """The number in brackets before `days` counts, or the denial at the start."""
        content: Json = {
            "contracts": [
                {
                    "as_of": "2026-10-09",
                    "project_id": "DGF-1",
                    "clauses": {"exit_assistance": clause},
                }
            ]
        }
        field, source = "legal.exit_assistance_days", "CONTRACT_REGISTER"
        decoded = read(field, source, content, form="composed")
        assert (None if decoded is None else decoded.value) == days


def conversion(name: str, raw: Json) -> Decoded | None:
    """One conversion on a bare value."""
    decoder = msgspec.convert(
        {"source": "WAF_POLICY", "kind": "json_value", "convert": name, "path": ["x"]}, Decoder
    )
    return decode(decoder, {"x": raw}, Context(identity={}))


@pytest.mark.parametrize(
    ("name", "raw", "expected"),
    [
        ("text", "  word ", "word"),
        ("status", "in drafting", "draft"),
        ("status", "approved", "approved"),
        ("status", "anything else", "anything else"),
        ("bool", True, True),
        ("bool", "Yes", True),
        ("bool", " false ", False),
        ("bool", "no", False),
        ("number", "12", 12),
        ("number", "12.0", 12),
        ("number", "-0.072", -0.072),
        ("number", 4.0, 4),
        ("number", "1e-05", 1e-05),
        ("nullable_number", None, None),
        ("nullable_number", 90, 90),
        ("number_or_word", "unlimited", "unlimited"),
        ("number_or_word", "2", 2),
        ("number_or_word", 0.5, 0.5),
        ("keur", "765.0", 765_000),
        ("keur", 900.123, 900_123),
        ("seconds_to_ms", 0.095, 95),
        ("minutes_to_hours", "204.0", 3.4),
        ("minutes_to_hours", "240.0", 4),
        ("minutes_to_hours", "100", 1.666667),
        ("complement_of_100", "70.0", 30),
        ("non_empty", "x", True),
        ("non_empty", "", False),
        ("not_null", "x", True),
        ("not_null", None, False),
    ],
)
def test_conversion(name: str, raw: Json, expected: Scalar) -> None:
    """Conversions give the canonical value, integral numbers as integers."""
    decoded = conversion(name, raw)
    assert decoded is not None
    assert decoded.value == expected
    assert type(decoded.value) is type(expected)


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("text", ""),
        ("text", "  "),
        ("text", "None"),
        ("text", None),
        ("text", 5),
        ("bool", "maybe"),
        ("bool", "TRUE"),
        ("bool", 1),
        ("bool", None),
        ("number", True),
        ("number", "12 %"),
        ("number", "1_000"),
        ("number", "inf"),
        ("number", "nan"),
        ("number", "0x10"),
        ("number", "١٢"),
        ("number", "1" * 5000),
        ("number", "1e999"),
        ("number", [1]),
        ("number", None),
        ("nullable_number", "never"),
        ("number_or_word", None),
        ("keur", "900k"),
        ("keur", 10**400),
        ("minutes_to_hours", 10**400),
        ("clause_days", 90),
    ],
)
def test_unconvertible(name: str, raw: Json) -> None:
    """What does not convert has no value; nothing is guessed and nothing fails."""
    assert conversion(name, raw) is None
