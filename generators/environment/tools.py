"""What each tool does: a pure function of the review, the state and the bound arguments.

Each gives the result the agent receives, keys in the protocol's order, and the state afterwards.
Refusals are results like any other. The tools see what the gate may see and nothing else: none of
them opens the evaluator's file, so no answer can tell which findings apply.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import msgspec

from generators.environment.faults import ToolFault
from generators.environment.review import Review
from generators.environment.rulings import payload, request_return
from generators.environment.signatures import ToolName
from generators.environment.state import EvidenceRequest, RiskCard, ToolState
from generators.environment.texts import tool_texts
from generators.environment.values import is_stated
from generators.governance import Refusal, request_approval
from generators.readers.content import Json, ReadError
from generators.readers.dossier import ToolResult, list_evidence, read_evidence
from generators.readers.observations import observation_id

VENDOR_RESPONSES: Final = "VENDOR_RESPONSES"

Arguments: TypeAlias = Mapping[str, Json]
Outcome: TypeAlias = tuple[ToolResult, ToolState]
Tool: TypeAlias = Callable[[Review, ToolState, Arguments], Outcome]


def _list_evidence(review: Review, state: ToolState, arguments: Arguments) -> Outcome:
    wanted = arguments["include_unavailable"]
    listing = list_evidence(
        review.dossier,
        gate=review.occurrence.gate,
        phase=review.occurrence.phase,
        include_unavailable=wanted is None or bool(wanted),
    )
    return listing, state


def _read_evidence(review: Review, state: ToolState, arguments: Arguments) -> Outcome:
    return _read(review, _text(arguments, "evidence_id")), state


def _read(review: Review, evidence_id: str) -> ToolResult:
    result = read_evidence(
        review.dossier,
        evidence_id,
        gate=review.occurrence.gate,
        phase=review.occurrence.phase,
        upstream=review.upstream,
    )
    if isinstance(result, ReadError):
        raise ToolFault("unreadable", name=result.detail)
    return result


def _get_authorization_mandates(review: Review, state: ToolState, _: Arguments) -> Outcome:
    own: list[Json] = [
        msgspec.to_builtins(mandate)
        for mandate in review.mandates
        if mandate.covers(review.occurrence)
    ]
    return {"mandates": own}, state


def _request_evidence(review: Review, state: ToolState, arguments: Arguments) -> Outcome:
    evidence_id, reason = _text(arguments, "evidence_id"), _text_or_null(arguments, "reason")
    # Asking for an item is not seeing it, so the fact snapshots are not hidden here.
    node = next((n for n in review.dossier.nodes if n.evidence_id == evidence_id), None)
    if node is None:
        return {"status": "UNKNOWN_EVIDENCE", "evidence_id": evidence_id}, state
    met = review.occurrence
    outside = review.dossier.outside(node, gate=met.gate, phase=met.phase)
    if outside is not None:
        return outside, state
    result: ToolResult = {
        "status": "REQUEST_RECORDED",
        "evidence_id": evidence_id,
        "public_status": node.public_status,
        "note": tool_texts(review.protocol).request_recorded,
    }
    return result, state.with_request(EvidenceRequest(evidence_id=evidence_id, reason=reason))


def _request_vendor_evidence(review: Review, state: ToolState, arguments: Arguments) -> Outcome:
    vendor = _text_or_null(arguments, "vendor")
    evidence_type = _text_or_null(arguments, "evidence_type")
    if VENDOR_RESPONSES not in review.dossier.by_id:
        return {"status": "NO_RESPONSE", "vendor": vendor}, state
    read = _read(review, VENDOR_RESPONSES)
    if read["status"] != "OK":
        return read, state
    matching = _statements(read["content"], vendor)
    if not matching:
        return {"status": "NOT_FOUND", "vendor": vendor}, state
    result: ToolResult = {
        "status": "RECEIVED",
        "evidence_id": VENDOR_RESPONSES,
        "authoritative": False,
        "version": read["version"],
        "vendor": vendor,
        "evidence_type": evidence_type,
        "content": matching,
    }
    if "observation_id" in read:
        version = review.dossier.by_id[VENDOR_RESPONSES].version
        result["observation_id"] = observation_id(
            matching, evidence_id=VENDOR_RESPONSES, version=version
        )
    return result, state


def _statements(content: Json, vendor: str | None) -> list[Json]:
    """The statements of a vendor; of all vendors if it is not named."""
    match content:
        case {"responses": list(statements)}:
            return [each for each in statements if not vendor or _made_by(vendor, each)]
        case _:
            raise ToolFault("unreadable", name=f"{VENDOR_RESPONSES} has no list of responses")


def _made_by(vendor: str, statement: Json) -> bool:
    match statement:
        case {"vendor": str(name)}:
            return name.casefold() == vendor.casefold()
        case _:
            return False


def _create_risk_card(review: Review, state: ToolState, arguments: Arguments) -> Outcome:
    stated = [arguments[name] for name in ("finding_id", "risk_owner", "rationale")]
    texts = [text for text in stated if is_stated(text)]
    if len(texts) < len(stated):
        return _rejected(tool_texts(review.protocol).card_refused), state
    finding_id, risk_owner, rationale = texts
    key = f"{review.occurrence.occurrence_id}:{finding_id}:{risk_owner}"
    card = RiskCard(
        risk_card_id=f"RC-{hashlib.sha256(key.encode()).hexdigest()[:16]}",
        finding_id=finding_id,
        risk_owner=risk_owner,
        rationale=rationale,
        expiry_date=_text_or_null(arguments, "expiry_date"),
    )
    return msgspec.to_builtins(card), state.with_card(card)


def _return_to_design(review: Review, state: ToolState, arguments: Arguments) -> Outcome:
    ruling = request_return(arguments, occurrence=review.occurrence, rules=review.rules)
    if isinstance(ruling, str):
        return _rejected(tool_texts(review.protocol).return_refused[ruling]), state
    return payload(ruling), state.with_return(review.occurrence.occurrence_id, ruling)


def _approve_with_conditions(review: Review, state: ToolState, arguments: Arguments) -> Outcome:
    ruling = request_approval(
        arguments, occurrence=review.occurrence, mandates=review.mandates, rules=review.rules
    )
    words = tool_texts(review.protocol)
    if isinstance(ruling, Refusal):
        key = "ineligible" if ruling.code == "ineligible_finding" else "unknown"
        at_fault: ToolResult = {key: [*ruling.finding_ids]} if ruling.finding_ids else {}
        return {**_rejected(words.approval_refused[ruling.code]), **at_fault}, state
    result: ToolResult = {
        **payload(ruling),
        "authorized_disposition": "GO_WITH_RESERVATIONS",
        "findings_resolved": False,
        "note": words.approved,
    }
    return result, state.with_approval(review.occurrence.occurrence_id, ruling)


def _rejected(reason: str) -> ToolResult:
    return {"status": "REJECTED", "reason": reason}


def _text(arguments: Arguments, name: str) -> str:
    value = arguments[name]
    if not isinstance(value, str):
        raise ToolFault("not_text", name=name)
    return value


def _text_or_null(arguments: Arguments, name: str) -> str | None:
    return None if arguments[name] is None else _text(arguments, name)


TOOLS: Final[Mapping[ToolName, Tool]] = {
    "list_evidence": _list_evidence,
    "read_evidence": _read_evidence,
    "get_authorization_mandates": _get_authorization_mandates,
    "request_evidence": _request_evidence,
    "request_vendor_evidence": _request_vendor_evidence,
    "create_risk_card": _create_risk_card,
    "return_to_design": _return_to_design,
    "approve_with_conditions": _approve_with_conditions,
}
