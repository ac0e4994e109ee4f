"""The tools of a review as function definitions of the chat-completions form, and the answer form.

Names and arguments come from `generators.environment`, descriptions from the protocol's texts. The
definitions depend on the condition and the protocol alone, so every request of a gate has the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from generators.environment import SIGNATURES, SUBMIT, Parameter, support_keys, tool_texts
from generators.environment.submission import LISTS, SUPPORT
from generators.governance import DISPOSITIONS, Condition
from generators.readers.content import Json

Schema = dict[str, Json]

ANSWER_NAME: Final = "dgf_gate_decision"
"""Name of the answer form where a decision is asked for without tools."""


def review_tools(protocol: str) -> list[Schema]:
    """The eight tools, in the order in which they are offered."""
    descriptions = tool_texts(protocol).descriptions
    return [
        _function(
            name,
            descriptions[name],
            _object(
                {parameter.name: _property(parameter) for parameter in signature.parameters},
                required=[each.name for each in signature.parameters if each.required],
            ),
        )
        for name, signature in SIGNATURES.items()
    ]


def submission_tool(condition: Condition, *, protocol: str, strict: bool = False) -> Schema:
    """The ninth tool; `strict` where the model is known to keep to a schema."""
    description = tool_texts(protocol).descriptions[SUBMIT]
    return _function(SUBMIT, description, submission_schema(condition), strict=strict)


def submission_schema(condition: Condition) -> Schema:
    """The schema of a decision. The occurrence is not in it: the engine knows it."""
    properties: dict[str, Json] = {
        "disposition": {"type": "string", "enum": [*DISPOSITIONS]},
        **{name: _texts() for name in LISTS},
        SUPPORT: {"type": "array", "items": _support(condition)},
        "authorization_required": {"type": "boolean"},
        "rationale": {"type": "string"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    }
    return _object(properties, required=[*properties])


def answer_format(condition: Condition) -> Schema:
    """The `response_format` of the last request, which offers no tools."""
    form: Schema = {"name": ANSWER_NAME, "strict": True, "schema": submission_schema(condition)}
    return {"type": "json_schema", "json_schema": form}


def _support(condition: Condition) -> Schema:
    keys = support_keys(condition)
    return _object({key: {"type": "string"} for key in keys}, required=[*keys])


def _property(parameter: Parameter) -> Schema:
    match parameter.kind:
        case "text":
            return {"type": "string"}
        case "texts":
            return _texts()
        case "flag":
            return {"type": "boolean", "default": True}


def _texts() -> Schema:
    return {"type": "array", "items": {"type": "string"}}


def _object(properties: Mapping[str, Json], *, required: list[str]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [*required],
        "additionalProperties": False,
    }


def _function(name: str, description: str, parameters: Schema, *, strict: bool = False) -> Schema:
    function: Schema = {"name": name, "description": description, "parameters": parameters}
    if strict:
        function["strict"] = True
    return {"type": "function", "function": function}
