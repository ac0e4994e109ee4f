"""Decisions along a route: what General receives, and the references a run is scored against."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.governance import (
    DISPOSITIONS,
    PHASES,
    PROTOCOL,
    Approval,
    Decision,
    EffectiveReference,
    Mandate,
    Occurrence,
    ReturnToDesign,
    Route,
    builtin_rules,
    effective_references,
    evaluate_gate,
    evaluate_occurrence,
    evaluate_route,
    handoff_of,
    oracle_handoff,
    received_reference,
    select_upstream,
)
from tests.generators.governance import oracle
from tests.generators.governance.worlds import Facts, around, build, draw, facts, spotless

TABLE = builtin_rules()
BUY, BUILD, FULL = (TABLE.route(name) for name in ("buy", "build", "full_lifecycle"))
GATES = list(TABLE.gates)


def naive_upstream(history: Sequence[tuple[str, str]], phase: str) -> list[int]:
    """Positions received, told backwards: stop at the last General, then prefer this phase."""
    received: list[int] = []
    for place in reversed(range(len(history))):
        if history[place][0] == "general":
            break
        received.insert(0, place)
    here = [place for place in received if history[place][1] == phase]
    return here or received


@given(
    st.lists(st.tuples(st.sampled_from(GATES), st.sampled_from(PHASES)), max_size=12),
    st.sampled_from(PHASES),
)
def test_selection(met: list[tuple[str, Any]], phase: str) -> None:
    """Specialists since the last General; of these, the current phase's if there are any."""
    history = [Decision(gate=gate, phase=when, disposition="GO") for gate, when in met]
    found = select_upstream(history, phase)
    assert [id(d) for d in found] == [id(history[place]) for place in naive_upstream(met, phase)]


def naive_route(case: dict[str, Any], route: Route) -> list[dict[str, Any]]:
    """A route judged with the oracle alone."""
    results: list[dict[str, Any]] = []
    for place in route.occurrences:
        met = [(r["gate"], r["phase"]) for r in results]
        upstream = [
            (results[i]["gate"], results[i]["disposition"])
            for i in naive_upstream(met, place.phase)
        ]
        result = oracle.result(case, place.gate, place.phase, upstream)
        where = {"occurrence_id": place.occurrence_id, "position": place.position}
        results.append(result | where)
    return results


@settings(max_examples=40)
@given(facts(around))
def test_routes(chosen: Facts) -> None:
    """Whole routes, General's consolidation included, are as the published table has them."""
    case = build(chosen)
    for route in TABLE.routes.values():
        found = [oracle.plain(result) for result in evaluate_route(case, route)]
        assert found == naive_route(case, route)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_routes_in_volume() -> None:
    """The acceptance volume: 60,000 routes without a difference."""
    rng = random.Random(60_000)
    for _ in range(15_000):
        case = build(draw(rng, around))
        for route in TABLE.routes.values():
            found = [oracle.plain(result) for result in evaluate_route(case, route)]
            assert found == naive_route(case, route)


def test_general_receives_every_specialist_on_the_three_routes() -> None:
    """General is alone in governance, so it receives all specialists of the route, in order."""
    for name in ("buy", "integrate", "build"):
        route = TABLE.route(name)
        general = evaluate_route(build(spotless()), route)[-1]
        specialists = [o.gate for o in route.occurrences if o.gate != "general"]
        assert [entry.gate for entry in general.upstream_context] == specialists


def test_general_receives_its_own_phase_on_the_full_lifecycle() -> None:
    """Each General receives exactly the specialists of its phase."""
    for result in evaluate_route(build(spotless()), FULL):
        own = [o.gate for o in FULL.occurrences if o.phase == result.phase and o.gate != "general"]
        expected = own if result.gate == "general" else []
        assert [entry.gate for entry in result.upstream_context] == expected


@given(st.lists(st.sampled_from([*DISPOSITIONS, None]), max_size=6))
def test_consolidation(words: list[Any]) -> None:
    """At most one consolidation finding: NO_GO before SUSPENSION before REWORK, else nothing."""
    received = [Decision(gate="it", phase="design", disposition=word) for word in words]
    case = build(spotless())
    found = evaluate_gate(case, "general", phase="governance", upstream=received)
    for word, finding in [
        ("NO_GO", "GEN-UPSTREAM-NOGO"),
        ("SUSPENSION", "GEN-UPSTREAM-SUSPEND"),
        ("REWORK", "GEN-UPSTREAM-REWORK"),
    ]:
        if word in words:
            assert found.finding_ids == (finding,)
            assert found.disposition == word
            break
    else:
        assert (found.finding_ids, found.disposition) == ((), "GO")
    assert [entry.disposition for entry in found.upstream_context] == words


def test_consolidation_combines_with_generals_own_rules() -> None:
    """General's own findings stand beside the consolidation finding, in evaluation order."""
    case = build(spotless() | {"general.roi": 0, "general.strategic_alignment": "weak"})
    received = [Decision(gate="it", phase="design", disposition="NO_GO")]
    found = evaluate_gate(case, "general", phase="governance", upstream=received)
    assert found.finding_ids == ("GEN-STRAT-001", "GEN-BC-001", "GEN-UPSTREAM-NOGO")


# ------------------------------------------------------------------ references a run is scored on


def mandate(occurrence: Occurrence, **changes: Any) -> Mandate:
    """The standing mandate of an occurrence."""
    standing = Mandate(
        reference=f"MANDATE-case-{occurrence.occurrence_id}",
        occurrence_id=occurrence.occurrence_id,
        gate=occurrence.gate,
        phase=occurrence.phase,
        authority="Ida Holm-7-RO",
        scope="All risk-acceptable findings, and no others.",
        active=True,
    )
    return msgspec.structs.replace(standing, **changes)


def approval(occurrence: Occurrence, *findings: str, **changes: Any) -> Approval:
    """A lawful approval of `findings` at an occurrence."""
    lawful = Approval(
        gate=occurrence.gate,
        finding_ids=findings,
        conditions=("Closed before go-live.",),
        approval_reference=f"MANDATE-case-{occurrence.occurrence_id}",
    )
    return msgspec.structs.replace(lawful, **changes)


IT = BUY.occurrence("BUY-05-IT-1")
GENERAL = BUY.occurrence("BUY-06-GENERAL-1")
OLD = build(spotless() | {"it.technology_eol_months": 3})
"""Only IT-EOL-001 fires, which is risk-acceptable; General raises GEN-UPSTREAM-REWORK."""


def effective(
    case: dict[str, Any],
    submitted: dict[str, str | None],
    approvals: dict[str, list[Any]],
    mandates: Sequence[Mandate] | None = None,
) -> dict[str, EffectiveReference]:
    """Effective references of a Buy run, by occurrence id."""
    standing = [mandate(o) for o in BUY.occurrences] if mandates is None else mandates
    found = effective_references(
        case, BUY, submitted=submitted, approvals=approvals, mandates=standing
    )
    return {reference.decision.occurrence_id: reference for reference in found}


GWR = "GO_WITH_RESERVATIONS"


@settings(max_examples=25)
@given(facts(around), st.sampled_from([*DISPOSITIONS, None]))
def test_without_approvals_the_reference_is_canonical(chosen: Facts, word: str | None) -> None:
    """Whatever is submitted, no approval leaves every reference as it was."""
    case = build(chosen)
    for route in TABLE.routes.values():
        submitted = {o.occurrence_id: word for o in route.occurrences}
        found = effective_references(
            case,
            route,
            submitted=submitted,
            approvals={},
            mandates=list(map(mandate, BUY.occurrences)),
        )
        assert tuple(reference.decision for reference in found) == evaluate_route(case, route)
        assert not any(reference.approval or reference.approval_used for reference in found)


def test_a_used_approval_changes_disposition_and_authorization_only() -> None:
    """Accepting a risk resolves nothing: findings, actions and opinion stay as they were."""
    before = evaluate_route(OLD, BUY)[4]
    used = effective(OLD, {IT.occurrence_id: GWR}, {IT.occurrence_id: [approval(IT, "IT-EOL-001")]})
    reference = used[IT.occurrence_id]
    assert before.disposition == "REWORK"
    assert reference.approval_used
    assert reference.decision == msgspec.structs.replace(
        before, disposition=GWR, authorization_required=True
    )


def test_general_sees_the_approved_decision() -> None:
    """Downstream of a used approval General raises no consolidation finding for it."""
    used = effective(OLD, {IT.occurrence_id: GWR}, {IT.occurrence_id: [approval(IT, "IT-EOL-001")]})
    assert used[GENERAL.occurrence_id].decision.disposition == "GO"
    assert evaluate_route(OLD, BUY)[-1].finding_ids == ("GEN-UPSTREAM-REWORK",)


@pytest.mark.parametrize("submitted", ["REWORK", "GO", "NO_GO", None])
def test_an_unused_approval_changes_nothing(submitted: str | None) -> None:
    """An approval that stands, but was not made use of, leaves the original decision right."""
    events = {IT.occurrence_id: [approval(IT, "IT-EOL-001")]}
    reference = effective(OLD, {IT.occurrence_id: submitted}, events)[IT.occurrence_id]
    assert reference.approval == approval(IT, "IT-EOL-001")
    assert not reference.approval_used
    assert reference.decision == evaluate_route(OLD, BUY)[4]


TWO = build(spotless() | {"it.technology_eol_months": 3, "it.capacity_headroom_pct": 1})
MIXED = build(spotless() | {"it.technology_eol_months": 3, "it.run_owner_present": False})


@pytest.mark.parametrize(
    ("case", "events", "counts"),
    [
        (TWO, [approval(IT, "IT-EOL-001", "IT-CAPACITY-001")], True),
        (TWO, [approval(IT, "IT-CAPACITY-001", "IT-EOL-001", "IT-EOL-001")], True),
        (TWO, [approval(IT, "IT-EOL-001")], False),
        (OLD, [approval(IT, "IT-EOL-001", "IT-CAPACITY-001")], False),
        (OLD, [approval(IT, "IT-EOL-001", conditions=())], False),
        (OLD, [approval(IT, "IT-EOL-001", gate="legal")], False),
        (OLD, [approval(IT, "IT-EOL-001", approval_reference="MANDATE-EXCEPTION-1")], False),
        (
            OLD,
            [approval(IT, "IT-EOL-001", approval_reference="MANDATE-case-BUY-02-LEGAL-1")],
            False,
        ),
        (OLD, [approval(IT)], False),
        (MIXED, [approval(IT, "IT-EOL-001")], False),
        (MIXED, [approval(IT, "IT-EOL-001", "IT-RUN-001")], False),
        (
            OLD,
            [approval(IT, "IT-EOL-001"), ReturnToDesign(finding_ids=("IT-EOL-001",), reason="x")],
            False,
        ),
        (
            OLD,
            [ReturnToDesign(finding_ids=("IT-EOL-001",), reason="x"), approval(IT, "IT-EOL-001")],
            True,
        ),
        (OLD, [approval(IT, "IT-EOL-001"), approval(IT, "IT-RUN-001")], True),
        (build(spotless()), [approval(IT)], False),
    ],
)
def test_when_an_approval_counts(case: dict[str, Any], events: list[Any], counts: bool) -> None:
    """It must name all and only the open findings, all acceptable, with a condition, unrevoked."""
    reference = effective(case, {IT.occurrence_id: GWR}, {IT.occurrence_id: events})[
        IT.occurrence_id
    ]
    assert reference.approval_used is counts
    assert (reference.approval is not None) is counts


@pytest.mark.parametrize(
    "changes",
    [
        {"active": False},
        {"occurrence_id": "BUY-02-LEGAL-1"},
        {"gate": "legal"},
        {"phase": "design"},
    ],
)
def test_a_mandate_of_another_place_or_time_does_not_count(changes: dict[str, Any]) -> None:
    """The mandate must be active, and of this occurrence, gate and phase."""
    events = {IT.occurrence_id: [approval(IT, "IT-EOL-001")]}
    found = effective(OLD, {IT.occurrence_id: GWR}, events, [mandate(IT, **changes)])
    assert not found[IT.occurrence_id].approval_used


def test_general_can_be_approved_on_its_own_findings_only() -> None:
    """GEN-STRAT can be accepted, but not while a GEN-UPSTREAM finding is open."""
    weak = {"general.strategic_alignment": "weak"}
    events = {GENERAL.occurrence_id: [approval(GENERAL, "GEN-STRAT-001")]}
    submitted: dict[str, str | None] = {GENERAL.occurrence_id: GWR}
    alone = effective(build(spotless() | weak), submitted, events)
    assert alone[GENERAL.occurrence_id].decision.disposition == GWR
    both = build(spotless() | weak | {"it.technology_eol_months": 3})
    assert not effective(both, submitted, events)[GENERAL.occurrence_id].approval_used
    named = {GENERAL.occurrence_id: [approval(GENERAL, "GEN-STRAT-001", "GEN-UPSTREAM-REWORK")]}
    assert not effective(both, submitted, named)[GENERAL.occurrence_id].approval_used


def test_generals_approval_is_judged_after_those_upstream() -> None:
    """A lawful approval upstream removes the finding that stood in the way of General's own."""
    both = {"general.strategic_alignment": "weak", "it.technology_eol_months": 3}
    events = {
        IT.occurrence_id: [approval(IT, "IT-EOL-001")],
        GENERAL.occurrence_id: [approval(GENERAL, "GEN-STRAT-001")],
    }
    submitted: dict[str, str | None] = {IT.occurrence_id: GWR, GENERAL.occurrence_id: GWR}
    found = effective(build(spotless() | both), submitted, events)[GENERAL.occurrence_id]
    assert found.approval_used
    assert found.decision.finding_ids == ("GEN-STRAT-001",)


def test_reference_on_received_decisions() -> None:
    """General's second reference follows the submitted dispositions, right or wrong."""
    submitted: dict[str, str | None] = {"BUY-02-LEGAL-1": "NO_GO", IT.occurrence_id: "GO"}
    found = received_reference(OLD, BUY, GENERAL, submitted=submitted)
    assert found.finding_ids == ("GEN-UPSTREAM-NOGO",)
    assert [(entry.gate, entry.disposition) for entry in found.upstream_context] == [
        ("procurement", None),
        ("legal", "NO_GO"),
        ("compliance", None),
        ("security", None),
        ("it", "GO"),
    ]
    assert found.occurrence_id == GENERAL.occurrence_id


def test_a_wrong_suspension_can_be_received_on_build() -> None:
    """GEN-UPSTREAM-SUSPEND cannot follow from Build's references, but from a submission it can."""
    general = BUILD.occurrences[-1]
    submitted: dict[str, str | None] = {"BUILD-01-IT-1": "SUSPENSION"}
    found = received_reference(build(spotless()), BUILD, general, submitted=submitted)
    assert found.finding_ids == ("GEN-UPSTREAM-SUSPEND",)


def test_received_decisions_after_an_earlier_general_are_not_looked_at() -> None:
    """On the full lifecycle only the decisions of the General's own phase are received."""
    general = FULL.occurrence("FULL_LIFECYCLE-09-GENERAL-2")
    submitted: dict[str, str | None] = {"FULL_LIFECYCLE-01-IT-1": "NO_GO"}
    found = received_reference(build(spotless()), FULL, general, submitted=submitted)
    assert found.finding_ids == ()
    assert len(found.upstream_context) == 5


# ------------------------------------------------------------------------------------ handoffs

HANDOFF_KEYS = [
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

SUBMISSION: dict[str, Any] = {
    "occurrence_id": "made up",
    "disposition": "REWORK",
    "finding_ids": ["IT-EOL-001"],
    "actions": ["CREATE_CONVERGENCE_PLAN"],
    "evidence_refs": ["CMDB"],
    "evidence_support": [{"finding_id": "IT-EOL-001", "evidence_id": "CMDB", "quote": "3"}],
    "authorization_required": True,
    "rationale": "Old.",
    "confidence": 0.5,
}


def test_handoff_of_a_submission() -> None:
    """A handoff has the published keys in order, the place of its occurrence, and the claims."""
    handoff = handoff_of(SUBMISSION, case_id="c-1", occurrence=IT, condition="facts")
    form = msgspec.to_builtins(handoff)
    assert list(form) == HANDOFF_KEYS
    assert msgspec.json.decode(msgspec.json.encode(handoff)) == {
        **{key: SUBMISSION[key] for key in HANDOFF_KEYS if key in SUBMISSION},
        "case_id": "c-1",
        "source_version": PROTOCOL,
        "occurrence_id": "BUY-05-IT-1",
        "gate": "it",
        "phase": "build_acceptance",
        "verification_status": "model_claim",
    }


@pytest.mark.parametrize("condition", ["docs", "attack"])
def test_handoff_keeps_no_pointers_under_docs_and_attack(condition: Any) -> None:
    """Where support would point at another gate's observations the key is left out."""
    handoff = handoff_of(SUBMISSION, case_id="c-1", occurrence=IT, condition=condition)
    expected = [key for key in HANDOFF_KEYS if key != "evidence_support"]
    assert list(msgspec.to_builtins(handoff)) == expected


def test_handoff_of_a_bare_submission() -> None:
    """Absent and null values become empty ones."""
    bare = {"rationale": None, "finding_ids": None}
    form = msgspec.to_builtins(handoff_of(bare, case_id="c", occurrence=IT, condition="facts"))
    assert [form[key] for key in HANDOFF_KEYS[5:]] == ["", (), (), (), (), False, "", "model_claim"]


def test_oracle_handoff() -> None:
    """The oracle hands over the reference: its findings and actions, without a rationale."""
    handoff = oracle_handoff(evaluate_route(OLD, BUY)[4], case_id="c-1")
    form = msgspec.to_builtins(handoff)
    assert list(form) == HANDOFF_KEYS
    assert (form["disposition"], form["finding_ids"], form["actions"]) == (
        "REWORK",
        ("IT-EOL-001",),
        ("CREATE_CONVERGENCE_PLAN",),
    )
    assert (form["verification_status"], form["rationale"]) == ("oracle", "")
    assert form["authorization_required"] is False


def test_handoffs_are_upstream_decisions() -> None:
    """What is handed over can be consolidated as it is."""
    handoff = handoff_of(SUBMISSION, case_id="c-1", occurrence=IT, condition="docs")
    result = evaluate_occurrence(OLD, GENERAL, history=[handoff])
    assert result.finding_ids == ("GEN-UPSTREAM-REWORK",)
