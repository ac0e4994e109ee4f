"""Certification reports what is wrong with a dossier, field by field."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import msgspec

from generators.decoding.certification import CertificationReport, certification_report, certify
from generators.evidence import csv_bytes
from generators.governance import builtin_rules
from generators.readers.dossier import CompiledDossier
from tests.generators.decoding.worlds import World, compiled, make_world

WORLD = make_world(71_007, route="buy", difficulty=2)


def report_of(world: World, dossier: CompiledDossier) -> CertificationReport:
    """The report on one dossier."""
    checks = certify(dossier, case=world.case, occurrences=world.occurrences)
    return certification_report([(world.ctx.folder_name, len(world.occurrences), checks)])


def test_a_wrong_value_is_a_mismatch() -> None:
    """A record that contradicts the case fails every occurrence that decides on it."""
    rows: list[dict[str, Any]] = list(
        csv.DictReader(io.StringIO(WORLD.bytes_of("BUDGET_APPROVAL").decode()))
    )
    for row in rows:
        row["approved_keur"] = "1.5"
    report = report_of(WORLD, WORLD.with_files({"BUDGET_APPROVAL": csv_bytes(rows, list(rows[0]))}))
    assert not report.is_certified
    assert report.failure_counts["general.budget_approved_eur:MISMATCH"] >= 1
    failure = report.failures[0]
    assert (failure.case, failure.source) == (WORLD.ctx.folder_name, "BUDGET_APPROVAL")
    failed = {f.occurrence_id for f in report.failures}
    assert report.certified_occurrences == report.occurrences - len(failed)


def test_a_missing_record_leaves_its_facts_unestablished() -> None:
    """Without the only record of a fact nothing establishes it."""
    nodes = dict(WORLD.ctx.graph.nodes)
    nodes["LICENSE_POSITION"] = msgspec.structs.replace(
        nodes["LICENSE_POSITION"], public_status="UNAVAILABLE"
    )
    report = report_of(WORLD, compiled(nodes, WORLD.files))
    assert set(report.failure_counts) == {"it.license_compliant:NOT_ESTABLISHED"}
    assert {failure.source for failure in report.failures} == {None}


def test_an_unreadable_record_establishes_nothing() -> None:
    """A damaged file is a failed check, not a crash."""
    report = report_of(WORLD, WORLD.with_files({"LICENSE_POSITION": b"\xff\xfe"}))
    assert set(report.failure_counts) == {"it.license_compliant:NOT_ESTABLISHED"}


def test_a_full_lifecycle_cannot_be_certified() -> None:
    """The lifecycle route meets before some records exist and needs one no record holds."""
    world = make_world(71_008, route="full_lifecycle")
    assert builtin_rules().route("full_lifecycle").certifiable is False
    report = report_of(world, world.dossier)
    assert not report.is_certified
    assert report.certified_occurrences < report.occurrences == 26
    statuses = {failure.status for failure in report.failures}
    assert statuses <= {"NOT_ESTABLISHED", "NO_DECODER"}


def test_the_report_has_text_keys() -> None:
    """Failure counts are keyed by text, so that the report can be printed as JSON."""
    report = report_of(WORLD, WORLD.with_files({"LICENSE_POSITION": b""}))
    printed = json.loads(msgspec.json.encode(report))
    assert printed["failure_counts"] == report.failure_counts
    assert printed["failures"][0]["field"] == "it.license_compliant"
