"""What is right, told by the published table alone: no code of the project takes part.

Conditions of `tests/data/rules.toml` are close enough to Python that Python itself can judge them:
`null`, `true` and `false` are renamed, facts become look-ups, and the rest means the same. Gate
results are then derived as the protocol, section 3, words it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

DATA = Path(__file__).parents[2] / "data" / "rules.toml"
PUBLISHED: dict[str, Any] = tomllib.loads(DATA.read_text("utf-8"))

RULES: list[dict[str, Any]] = PUBLISHED["rule"]
FIELDS: list[dict[str, Any]] = PUBLISHED["field"]
GATES: dict[str, dict[str, Any]] = {gate["id"]: gate for gate in PUBLISHED["gate"]}
ROUTES: dict[str, dict[str, Any]] = {route["id"]: route for route in PUBLISHED["route"]}
PHASES: list[str] = PUBLISHED["meta"]["phases"]
PRIORITY: list[str] = PUBLISHED["meta"]["disposition_priority"]

_WORDS = {"null": "None", "true": "True", "false": "False"}
_TOKEN = re.compile(r'"[^"]*"|[A-Za-z_][\w.]*')
_KEPT = {"and", "or", "not", "in", "lower", "has_upstream"}


def python_source(condition: str) -> str:
    """The condition as a Python expression over `fact`, `lower` and `has_upstream`."""

    def rename(match: re.Match[str]) -> str:
        word = match[0]
        if word.startswith('"') or word in _KEPT:
            return word
        return _WORDS.get(word) or f"fact({word!r})"

    return _TOKEN.sub(rename, condition)


_CODE: dict[str, CodeType] = {
    rule["id"]: compile(python_source(rule["condition"]), rule["id"], "eval") for rule in RULES
}


def look_up(case: Mapping[str, Any], name: str) -> Any:
    """A fact by its dotted name."""
    if name.startswith("procurement.offer."):
        vendor = case["procurement"]["selected_vendor"]
        offers = case["procurement"]["offers"]
        return next(o for o in offers if o["vendor"] == vendor)[name.split(".")[2]]
    value: Any = case
    for part in name.split("."):
        value = value[part]
    return value


def holds(
    rule: Mapping[str, Any], fact: Callable[[str], Any], upstream: Sequence[str | None] = ()
) -> bool:
    """Whether the condition of a published rule holds, judged by Python."""
    scope = {
        "fact": fact,
        "lower": lambda value: str(value).lower(),
        "has_upstream": lambda word: word in upstream,
    }
    return bool(eval(_CODE[rule["id"]], {"__builtins__": {}}, scope))


def rules_at(gate: str, phase: str) -> list[dict[str, Any]]:
    """Published rules of a gate that are judged at a phase, in evaluation order."""
    by_id = {rule["id"]: rule for rule in RULES}
    own = [by_id[name] for name in GATES[gate]["rules"]]
    return [rule for rule in own if rule["phases"] == "all" or phase in rule["phases"]]


def fired(
    case: Mapping[str, Any], gate: str, phase: str, upstream: Sequence[str | None] = ()
) -> list[dict[str, Any]]:
    """Published rules that fire."""
    received = upstream if gate == "general" else ()
    return [
        rule
        for rule in rules_at(gate, phase)
        if holds(rule, lambda name: look_up(case, name), received)
    ]


def opinion(found: Sequence[Mapping[str, Any]], disposition: str) -> str:
    """The expert opinion that goes with the findings."""
    if not found:
        return "FAVORABLE"
    if disposition == "NO_GO":
        return "UNFAVORABLE"
    if disposition == "GO_WITH_RESERVATIONS" or all(rule["risk_acceptable"] for rule in found):
        return "FAVORABLE_WITH_RESERVATIONS"
    return "UNFAVORABLE"


def result(
    case: Mapping[str, Any], gate: str, phase: str, upstream: Sequence[tuple[str, str | None]] = ()
) -> dict[str, Any]:
    """The gate result in its JSON form, without the free texts of messages."""
    found = fired(case, gate, phase, [word for _, word in upstream])
    disposition = max((rule["disposition"] for rule in found), key=PRIORITY.index, default="GO")
    return {
        "gate": gate,
        "phase": phase,
        "expert_opinion": opinion(found, disposition),
        "disposition": disposition,
        "findings": [
            {
                "id": rule["id"],
                "severity": rule["severity"],
                "required_action": rule["action"],
                "action_owner": rule["owner"],
                "evidence_required": rule["evidence"],
                "disposition": rule["disposition"],
                "risk_acceptance_allowed": rule["risk_acceptable"],
            }
            for rule in found
        ],
        "blocking_findings": [
            rule["id"] for rule in found if rule["disposition"] in ("REWORK", "SUSPENSION", "NO_GO")
        ],
        "required_actions": [
            {"action": rule["action"], "owner": rule["owner"], "finding_id": rule["id"]}
            for rule in found
        ],
        "risk_owner": case["project"]["risk_owner"],
        "authorization_required": disposition in ("GO_WITH_RESERVATIONS", "SUSPENSION", "NO_GO"),
        "approval_reference": None,
        "upstream_context": [
            {"gate": name, "disposition": word} for name, word in upstream if gate == "general"
        ],
    }


def reading_order(case: Mapping[str, Any], gate: str, phase: str) -> list[str]:
    """The facts Python looks up when it judges the rules in order, each once."""
    read: dict[str, None] = dict.fromkeys(GATES[gate]["reads_first"])

    def fact(name: str) -> Any:
        read[name] = None
        return look_up(case, name)

    for rule in rules_at(gate, phase):
        holds(rule, fact)
    return list(read)


def plain(value: Any) -> Any:
    """A record in its JSON form, without messages, for comparison with `result`."""
    import msgspec

    form = json.loads(msgspec.json.encode(value))
    for finding in form["findings"]:
        del finding["message"]
    return form
