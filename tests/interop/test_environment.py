"""The six environment tools against the published ones, black box: same results, same state.

Reads are exchanged in `test_decoding`. The wording of `reason` and `note` is each side's own.
"""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generators.environment import Review, ToolState, call, read_mandates
from generators.governance import builtin_rules
from generators.readers.compiled import EvidenceLibrary
from generators.readers.loading import FilesInMemory, compile_dossier
from tests.generators.dossier.samples import sample, write
from tests.interop.conftest import WORKERS

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]

RULES = builtin_rules()
MEETINGS = {occurrence.gate: occurrence for occurrence in RULES.route("buy").occurrences}
OWN_WORDS = ("reason", "note")
DOSSIER = sample()
FILES = FilesInMemory(DOSSIER.files)
MANDATES = read_mandates(FILES)
COMPILED = compile_dossier(FILES, mode="text", library=EvidenceLibrary())

Call = tuple[str, str, dict[str, Any]]
"""Gate, tool and arguments."""


def lawful(gate: str) -> dict[str, Any]:
    """A request for everything the gate may accept."""
    return {
        "gate": gate,
        "finding_ids": [rule.id for rule in RULES.rules_of(gate) if rule.risk_acceptable],
        "conditions": ["Plan agreed.", " é "],
        "approval_reference": f"MANDATE-{DOSSIER.case_id}-{MEETINGS[gate].occurrence_id}",
    }


def approvals() -> list[Call]:
    """Requests of every gate, with what is wrong with some of them."""
    tool, it = "approve_with_conditions", lawful("it")
    every = [
        (gate, tool, lawful(gate) | {"finding_ids": [rule.id for rule in RULES.rules_of(gate)]})
        for gate in MEETINGS
    ]
    changes: list[dict[str, Any]] = [
        {"gate": "general"},
        {"gate": None},
        {"finding_ids": ["Z", "A"]},
        {"finding_ids": "Z"},
        {"finding_ids": None},
        {"finding_ids": [7]},
        {"finding_ids": []},
        {"conditions": []},
        {"conditions": ["a", " "]},
        {"conditions": "a"},
        {"conditions": [7]},
        {"approval_reference": "x"},
        {"approval_reference": 7},
        {"approval_reference": f" {it['approval_reference']}"},
    ]
    unnamed = {key: value for key, value in it.items() if key != "approval_reference"}
    return [
        *((gate, tool, lawful(gate)) for gate in MEETINGS),
        *every,
        *(("it", tool, it | change) for change in changes),
        ("it", tool, unnamed),
    ]


def others() -> list[Call]:
    """Calls of the other five tools."""
    finding = RULES.rules_of("it")[0].id
    card = {"finding_id": finding, "risk_owner": "Ida É", "rationale": "Old."}
    cards: list[dict[str, Any]] = [
        {},
        {"expiry_date": None},
        {"expiry_date": "2027-01-01"},
        {"risk_owner": " "},
        {"rationale": None},
        {"finding_id": 7},
    ]
    returns: list[dict[str, Any]] = [
        {"finding_ids": [finding, finding], "reason": " é "},
        {"finding_ids": [finding]},
        {"finding_ids": [finding], "reason": 7},
        {"finding_ids": ["Z", finding], "reason": "x"},
        {"finding_ids": finding, "reason": "x"},
        {"finding_ids": [7], "reason": "x"},
        {"finding_ids": None, "reason": "x"},
        {"finding_ids": [], "reason": "x"},
    ]
    vendor = json.loads(DOSSIER.files["gate_evidence/procurement/vendor_responses.json"])
    name = vendor["responses"][0]["vendor"]
    asked: list[dict[str, Any]] = [
        {},
        {"vendor": "", "evidence_type": ""},
        {"vendor": None, "evidence_type": None},
        {"vendor": name.upper(), "evidence_type": "references"},
        {"vendor": "nobody"},
        {"vendor": " "},
    ]
    ids = ["NOPE", "UPSTREAM_DECISIONS", *COMPILED.by_id]
    return [
        *((gate, "get_authorization_mandates", {}) for gate in MEETINGS),
        *(("it", "request_evidence", {"evidence_id": name}) for name in ids),
        ("it", "request_evidence", {"evidence_id": "REVIEW_FACTS_IT", "reason": None}),
        ("it", "request_evidence", {"evidence_id": "REVIEW_FACTS_IT", "reason": "é"}),
        *(("procurement", "request_vendor_evidence", change) for change in asked),
        ("it", "request_vendor_evidence", {}),
        *(("it", "create_risk_card", card | change) for change in cards),
        *(("it", "return_to_design", change) for change in returns),
    ]


def published(reference: str, case: Path, state: Path, sent: Call) -> tuple[Any, Any]:
    """What the published tool gives, and the state it leaves."""
    gate, tool, arguments = sent
    meeting = MEETINGS[gate]
    options = {
        "--case": str(case),
        "--tool": tool,
        "--args": json.dumps(arguments),
        "--phase": meeting.phase,
        "--gate": gate,
        "--occurrence-id": meeting.occurrence_id,
        "--state-dir": str(state),
    }
    command = [reference, "tool", *(part for option in options.items() for part in option)]
    done = subprocess.run(command, check=True, capture_output=True, timeout=60)
    (left,) = state.rglob("environment_state.json")
    return json.loads(done.stdout), json.loads(left.read_text("utf-8"))


def ours(sent: Call) -> tuple[Any, Any]:
    """What our tool gives, and the state it leaves."""
    gate, tool, arguments = sent
    review = Review(dossier=COMPILED, occurrence=MEETINGS[gate], mandates=MANDATES)
    answer = call(review, ToolState(), tool=tool, arguments=arguments)
    return answer.result, json.loads(msgspec.json.encode(answer.state))


def shown(outcome: tuple[Any, Any]) -> str:
    """Result and state as text that keeps the order of keys, free words apart."""
    result, state = outcome
    free = OWN_WORDS if result.get("action") != "RETURN_TO_DESIGN" else ()
    return json.dumps([{k: v for k, v in result.items() if k not in free}, state])


def test_the_same_calls_have_the_same_results(reference: str, tmp_path: Path) -> None:
    """Statuses, keys and their order, values, ids of risk cards, and the state afterwards."""
    case = write(tmp_path / "case", DOSSIER.files)
    calls = [*approvals(), *others()]
    states = [tmp_path / "states" / str(n) for n in range(len(calls))]
    with ThreadPoolExecutor(WORKERS) as pool:
        theirs = list(
            pool.map(lambda sent, state: published(reference, case, state, sent), calls, states)
        )
    different = [
        f"{sent}\n  {shown(outcome)}\n  {shown(ours(sent))}"
        for sent, outcome in zip(calls, theirs, strict=True)
        if shown(outcome) != shown(ours(sent))
    ]
    assert not different, "\n".join(different)
    statuses = {result.get("status") for result, _ in theirs}
    print(f"{len(calls)} tool calls, {len(statuses)} statuses")


def test_the_same_review_leaves_the_same_state(reference: str, tmp_path: Path) -> None:
    """Call after call: the last approval wins, a return revokes it, cards and requests add up."""
    case = write(tmp_path / "case", DOSSIER.files)
    approval: Call = ("it", "approve_with_conditions", lawful("it"))
    finding = lawful("it")["finding_ids"][0]
    card = {"finding_id": finding, "risk_owner": "Ida", "rationale": "Old."}
    script: list[Call] = [
        approval,
        ("it", "approve_with_conditions", lawful("it") | {"conditions": ["B"]}),
        ("it", "request_evidence", {"evidence_id": "CMDB_EXPORT", "reason": "x"}),
        ("it", "create_risk_card", card),
        ("it", "approve_with_conditions", lawful("it") | {"gate": "legal"}),
        ("it", "return_to_design", {"finding_ids": ["NOPE"], "reason": "x"}),
        ("it", "return_to_design", {"finding_ids": [finding], "reason": "x"}),
        ("it", "create_risk_card", card | {"rationale": "Older."}),
        ("it", "request_evidence", {"evidence_id": "PROJECT_CHARTER", "reason": "y"}),
        approval,
    ]
    review = Review(dossier=COMPILED, occurrence=MEETINGS["it"], mandates=MANDATES)
    state = ToolState()
    for gate, tool, arguments in script:
        theirs = published(reference, case, tmp_path / "state", (gate, tool, arguments))
        answer = call(review, state, tool=tool, arguments=arguments)
        state = answer.state
        assert shown((answer.result, json.loads(msgspec.json.encode(state)))) == shown(theirs)
    assert state.approvals
    assert state.workflow
