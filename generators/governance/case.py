"""Reading a canonical case: facts by dotted name, the retained offer, a gate's snapshot.

A case is a nested mapping of JSON values. `section.key` names a fact in it; the facts
`procurement.offer.…` are read from the offer whose vendor is `procurement.selected_vendor`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from generators.governance.errors import FactError, UnknownVendorError
from generators.governance.loader import builtin_rules
from generators.governance.notation import Value
from generators.governance.semantics import UPSTREAM
from generators.governance.table import RuleTable
from generators.governance.vocabulary import Case

VENDOR: Final = "procurement.selected_vendor"
OFFER: Final = "procurement.offer."
"""Prefix of the facts that are read from the retained offer."""

RISK_OWNER: Final = "project.risk_owner"
"""A name carried along into results; no decision rests on it."""


class CaseFacts:
    """A case as the evaluator reads it: by dotted name, with upstream dispositions beside it."""

    __slots__ = ("_case", "_upstream")

    def __init__(self, case: Case, upstream: Sequence[str | None] = ()) -> None:
        self._case = case
        self._upstream = upstream

    def __getitem__(self, name: str, /) -> Value:
        if name == UPSTREAM:
            return self._upstream
        if name.startswith(OFFER):
            return _walk(retained_offer(self._case), name.removeprefix(OFFER))
        return _walk(self._case, name)


def _walk(start: Mapping[str, Any], name: str) -> Value:
    value: Any = start
    try:
        for part in name.split("."):
            value = value[part]
    except TypeError:  # something on the way is no object
        raise KeyError(name) from None
    found: Value = value
    return found


def read_fact(case: Case, name: str) -> Value:
    """The value of a fact by its dotted name."""
    try:
        return CaseFacts(case)[name]
    except KeyError:
        raise FactError("fact absent", where=name) from None


def retained_offer(case: Case) -> Mapping[str, Any]:
    """The first offer of the selected vendor."""
    try:
        procurement = case["procurement"]
        vendor = procurement["selected_vendor"]
        for offer in procurement["offers"]:
            if offer["vendor"] == vendor:
                found: Mapping[str, Any] = offer
                return found
    except KeyError as absent:
        raise FactError("fact absent", where=f"procurement, {absent}") from None
    except TypeError:
        raise FactError(
            "section is not an object with a list of offers", where="procurement"
        ) from None
    raise UnknownVendorError(
        f"no offer of the selected vendor {vendor!r}",
        where=VENDOR,
        hint="select the vendor of one of procurement.offers",
    )


def fact_snapshot(
    case: Case, gate: str, *, rules: RuleTable | None = None
) -> dict[str, dict[str, Any]]:
    """What a gate's reviewer is shown under the facts condition.

    The whole project section and the whole section of the gate; of other sections, only the
    decisive fields of the gate (the two redundancy flags of the architecture profile).
    """
    own = (rules or builtin_rules()).rules_of(gate)
    snapshot = {name: _section(case, name) for name in ("project", gate)}
    for name in (name for rule in own for name in rule.fields):
        section, _, key = name.partition(".")
        if section not in ("project", gate):
            snapshot.setdefault(section, {})[key] = read_fact(case, name)
    return snapshot


def _section(case: Case, name: str) -> dict[str, Any]:
    section = case.get(name)
    if not isinstance(section, Mapping):
        raise FactError("section absent or not an object", where=name)
    return dict(section)
