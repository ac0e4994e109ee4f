"""The tools that only read: listing, reading, mandates, vendors' statements."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from generators.environment import message_text
from generators.governance import Condition
from tests.generators.environment.worlds import (
    GENERAL,
    IT,
    LEGAL,
    PROCUREMENT,
    SECURITY,
    STATEMENTS,
    VENDORS,
    ask,
    legal_said,
    mandate,
    node,
    result,
    review,
)


def test_a_listing_has_no_status_and_the_rows_of_the_gate() -> None:
    """A listing is gate, phase and the rows of what the gate may know in the phase."""
    listing = result("list_evidence")
    assert [*listing] == ["gate", "phase", "evidence"]
    assert (listing["gate"], listing["phase"]) == ("it", IT.phase)
    assert [row["evidence_id"] for row in listing["evidence"]] == ["RECORD", "LOCKED", "TRUTH"]
    assert [*listing["evidence"][0]] == [
        "evidence_id",
        "path",
        "public_status",
        "authoritative",
        "version",
        "age_days",
        "consumers",
    ]


@pytest.mark.parametrize(("given", "locked"), [({}, True), ({"include_unavailable": False}, False)])
def test_unavailable_items_are_listed_unless_declined(given: Any, locked: bool) -> None:
    """`include_unavailable` is true by default; arguments the tool does not know are ignored."""
    rows = result("list_evidence", **given, colour="red")["evidence"]
    assert ("LOCKED" in {row["evidence_id"] for row in rows}) is locked


@pytest.mark.parametrize("condition", ["docs", "attack"])
def test_snapshots_exist_in_the_facts_condition_only(condition: Condition) -> None:
    """A fact snapshot is neither listed nor read beside documents."""
    hidden, shown = review(condition=condition), review(condition="facts")
    listed = {row["evidence_id"] for row in result("list_evidence", hidden)["evidence"]}
    assert "REVIEW_FACTS_IT" not in listed
    assert result("read_evidence", hidden, evidence_id="REVIEW_FACTS_IT") == {
        "status": "UNKNOWN_EVIDENCE",
        "evidence_id": "REVIEW_FACTS_IT",
    }
    assert result("read_evidence", shown, evidence_id="REVIEW_FACTS_IT")["content"] == {"it": {}}


def test_a_read_ignores_arguments_it_does_not_know() -> None:
    """A read gives the content, and its observation id beside documents."""
    read = result("read_evidence", evidence_id="RECORD", page=2)
    assert [*read] == [
        "status",
        "evidence_id",
        "authoritative",
        "version",
        "age_days",
        "path",
        "content",
        "observation_id",
    ]
    assert "observation_id" not in result(
        "read_evidence", review(condition="facts"), evidence_id="RECORD"
    )


def test_a_forbidden_path_is_an_error_and_leaves_no_trace() -> None:
    """The evaluator's file cannot be read even if the graph names it."""
    answer = ask("read_evidence", evidence_id="TRUTH")
    assert answer.result["status"] == "TOOL_ERROR"
    assert answer.result["tool"] == "read_evidence"
    assert not answer.traced
    assert ask("read_evidence", evidence_id="NOPE").traced


@pytest.mark.parametrize("occurrence", [IT, GENERAL])
def test_every_gate_can_read_upstream_decisions(occurrence: Any) -> None:
    """The pseudo evidence holds the handoffs and counts as version null."""
    asked = review(occurrence, upstream=legal_said())
    read = result("read_evidence", asked, evidence_id="UPSTREAM_DECISIONS")
    assert [*read] == ["status", "evidence_id", "authoritative", "content", "observation_id"]
    assert read["authoritative"] is False
    whole = {"content": read["content"], "evidence_id": "UPSTREAM_DECISIONS", "version": None}
    text = json.dumps(whole, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert read["observation_id"] == "obs-" + hashlib.sha256(text.encode()).hexdigest()[:16]


def test_upstream_decisions_are_listed_to_general_only() -> None:
    """General's listing has one more row; it has no path, version or age."""
    last = result("list_evidence", review(GENERAL))["evidence"][-1]
    assert [*last] == ["evidence_id", "public_status", "authoritative", "source"]
    assert last["evidence_id"] == "UPSTREAM_DECISIONS"
    listed = [row["evidence_id"] for row in result("list_evidence", review(IT))["evidence"]]
    assert "UPSTREAM_DECISIONS" not in listed


def test_handoffs_keep_their_support_in_the_facts_condition_only() -> None:
    """Support would point at another gate's observations, so documents go without it."""
    (facts,), (docs,) = legal_said("facts"), legal_said("docs")
    assert isinstance(facts, dict)
    assert isinstance(docs, dict)
    assert [*facts] == [
        "case_id",
        "source_version",
        "occurrence_id",
        "gate",
        "phase",
        "disposition",
        "finding_ids",
        "actions",
        "evidence_refs",
        "evidence_support",
        "authorization_required",
        "rationale",
        "verification_status",
    ]
    assert [*docs] == [key for key in facts if key != "evidence_support"]
    assert docs["finding_ids"] == ["LEG-001"]


def test_the_mandates_of_this_occurrence_that_are_active() -> None:
    """Mandates of other places or that are switched off are not shown."""
    others = (mandate(LEGAL), mandate(IT, active=False), mandate(IT, phase="design"))
    read = result("get_authorization_mandates", review(mandates=(*others, mandate(IT))))
    assert [*read] == ["mandates"]
    assert read["mandates"] == [
        {
            "reference": f"MANDATE-{IT.occurrence_id}",
            "occurrence_id": IT.occurrence_id,
            "gate": "it",
            "phase": IT.phase,
            "authority": "Ida Holm-7-RO",
            "scope": "Risk-acceptable findings.",
            "active": True,
        }
    ]
    assert [*read["mandates"][0]] == [
        "reference",
        "occurrence_id",
        "gate",
        "phase",
        "authority",
        "scope",
        "active",
    ]


def test_a_vendor_is_found_whatever_its_case() -> None:
    """The statements of one vendor, cited by an id of their own under the id of the whole."""
    asked = review(SECURITY)
    one = result("request_vendor_evidence", asked, vendor="bRISCO", evidence_type="references")
    assert [*one] == [
        "status",
        "evidence_id",
        "authoritative",
        "version",
        "vendor",
        "evidence_type",
        "content",
        "observation_id",
    ]
    assert (one["status"], one["authoritative"], one["version"]) == ("RECEIVED", False, 2)
    assert (one["vendor"], one["evidence_type"]) == ("bRISCO", "references")
    assert one["content"] == STATEMENTS[1:]
    whole = {"content": STATEMENTS[1:], "evidence_id": "VENDOR_RESPONSES", "version": 2}
    text = json.dumps(whole, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert one["observation_id"] == "obs-" + hashlib.sha256(text.encode()).hexdigest()[:16]
    full = result("read_evidence", asked, evidence_id="VENDOR_RESPONSES")
    assert full["observation_id"] != one["observation_id"]


@pytest.mark.parametrize("given", [{}, {"vendor": ""}, {"vendor": None, "evidence_type": None}])
def test_no_vendor_means_all(given: Any) -> None:
    """An empty filter lets every statement through; it is echoed, null if absent."""
    received = result("request_vendor_evidence", review(PROCUREMENT), **given)
    assert received["content"] == STATEMENTS
    assert received["vendor"] == given.get("vendor")
    assert received["evidence_type"] is None


def test_vendors_have_no_observation_id_in_the_facts_condition() -> None:
    """Ids are for documents."""
    received = result("request_vendor_evidence", review(SECURITY, condition="facts"))
    assert [*received][-1] == "content"


@pytest.mark.parametrize(
    ("asked", "given", "status"),
    [
        (review(SECURITY, nodes=[node("RECORD", "record.json")]), {}, "NO_RESPONSE"),
        (review(SECURITY), {"vendor": "Nobody"}, "NOT_FOUND"),
        (review(IT), {}, "NOT_IN_GATE_SCOPE"),
        (review(SECURITY, nodes=[VENDORS | {"public_status": "UNAVAILABLE"}]), {}, "UNAVAILABLE"),
        (review(SECURITY, nodes=[VENDORS | {"path": "absent.json"}]), {}, "MISSING_FILE"),
        (review(SECURITY, files={"vendors.json": b"{"}), {}, "TOOL_ERROR"),
        (review(SECURITY, files={"vendors.json": b"[]"}), {}, "TOOL_ERROR"),
        (review(SECURITY, files={"vendors.json": b'{"responses": 3}'}), {}, "TOOL_ERROR"),
        (
            review(SECURITY, files={"vendors.json": b'{"responses": [7, {"vendor": 7}]}'}),
            {"vendor": "7"},
            "NOT_FOUND",
        ),
    ],
)
def test_why_there_is_nothing_from_vendors(asked: Any, given: Any, status: str) -> None:
    """Each reason has its status, and none of them carries a statement."""
    refused = result("request_vendor_evidence", asked, **given)
    assert refused["status"] == status
    assert "content" not in refused


def test_vendors_not_yet_visible() -> None:
    """Before their phase the failing read's status is given."""
    asked = review(SECURITY)
    asked.dossier.visible.clear()
    refused = result("request_vendor_evidence", asked)
    assert refused["status"] == "NOT_AVAILABLE_IN_PHASE"
    assert refused["phase"] == SECURITY.phase


def test_the_message_is_json_with_default_separators_and_plain_letters() -> None:
    """Tool messages are the standard library's JSON, non-ASCII unescaped."""
    assert message_text({"status": "É", "n": [1, 1.0, None]}) == (
        '{"status": "É", "n": [1, 1.0, null]}'
    )
