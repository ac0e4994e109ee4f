"""The eight tools of a review: their names, their arguments, and how calls are bound to them.

A table, in the order in which the tools are offered (DGF-Bench protocol, section on tools). JSON
schemas are made from it, and calls are checked against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from generators.environment.faults import ToolFault
from generators.governance.vocabulary import Record
from generators.readers.content import Json

ToolName: TypeAlias = Literal[
    "list_evidence",
    "read_evidence",
    "get_authorization_mandates",
    "request_evidence",
    "request_vendor_evidence",
    "create_risk_card",
    "return_to_design",
    "approve_with_conditions",
]
TOOL_NAMES: Final[tuple[ToolName, ...]] = get_args(ToolName)

SUBMIT: Final = "submit_gate_decision"
"""The ninth tool. It ends the review and is no part of the environment."""

Kind: TypeAlias = Literal["text", "texts", "flag"]


class Parameter(Record, frozen=True, kw_only=True):
    """An argument of a tool.

    `required` is what a model is told. What counts is `default`, the value of an argument that is
    absent; if there is none, the call fails.
    """

    name: str
    kind: Kind
    required: bool = False
    default: Json | msgspec.UnsetType = msgspec.UNSET


class Signature(Record, frozen=True, kw_only=True):
    """What a tool takes. A tolerant tool ignores arguments it does not know."""

    parameters: tuple[Parameter, ...]
    tolerant: bool = False


def _text(name: str) -> Parameter:
    return Parameter(name=name, kind="text", required=True)


def _optional(name: str, default: str | None) -> Parameter:
    return Parameter(name=name, kind="text", default=default)


def _texts(name: str) -> Parameter:
    return Parameter(name=name, kind="texts", required=True)


SIGNATURES: Final[Mapping[ToolName, Signature]] = {
    "list_evidence": Signature(
        parameters=(Parameter(name="include_unavailable", kind="flag", default=True),),
        tolerant=True,
    ),
    "read_evidence": Signature(parameters=(_text("evidence_id"),), tolerant=True),
    "get_authorization_mandates": Signature(parameters=()),
    "request_evidence": Signature(parameters=(_text("evidence_id"), _optional("reason", ""))),
    "request_vendor_evidence": Signature(
        parameters=(_optional("vendor", None), _optional("evidence_type", None))
    ),
    "create_risk_card": Signature(
        parameters=(
            _text("finding_id"),
            _text("risk_owner"),
            _text("rationale"),
            _optional("expiry_date", None),
        )
    ),
    "return_to_design": Signature(parameters=(_texts("finding_ids"), _optional("reason", ""))),
    "approve_with_conditions": Signature(
        parameters=(
            _text("gate"),
            _texts("finding_ids"),
            _texts("conditions"),
            Parameter(name="approval_reference", kind="text", required=True, default=""),
        )
    ),
}


def bind(tool: ToolName, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments of a call, one for each parameter; what they hold is for the tool to judge.

    Raises
    ------
    ToolFault
        If one is missing, or unknown to a tool that is not tolerant.
    """
    signature = SIGNATURES[tool]
    unknown = sorted(arguments.keys() - {parameter.name for parameter in signature.parameters})
    if unknown and not signature.tolerant:
        raise ToolFault("unknown_argument", name=unknown[0])
    return {parameter.name: _value(parameter, arguments) for parameter in signature.parameters}


def _value(parameter: Parameter, arguments: Mapping[str, Json]) -> Json:
    if parameter.name in arguments:
        return arguments[parameter.name]
    if parameter.default is msgspec.UNSET:
        raise ToolFault("missing_argument", name=parameter.name)
    return parameter.default
