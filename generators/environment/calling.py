"""One tool call: from what a model sent to the answer it gets. Whatever it sent, there is one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, TypeGuard

import msgspec

from generators.environment.faults import ToolFault
from generators.environment.review import Review
from generators.environment.signatures import SIGNATURES, ToolName, bind
from generators.environment.state import ToolState
from generators.environment.submission import SubmissionFault
from generators.environment.texts import tool_texts
from generators.environment.tools import TOOLS
from generators.environment.values import is_writable, writable_text
from generators.protocol import fill
from generators.readers.content import Json
from generators.readers.dossier import ToolResult

TOOL_ERROR: Final = "TOOL_ERROR"


class TraceEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A call that was answered, as scoring reads it.

    `args` is what the model sent and `result` the very object it received.
    """

    tool: str
    args: Mapping[str, Json]
    result: Mapping[str, Json]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a call comes to."""

    result: ToolResult
    state: ToolState

    @property
    def traced(self) -> bool:
        """Whether the call goes into the trace: all do but those that failed as calls."""
        return self.result.get("status") != TOOL_ERROR


def call(review: Review, state: ToolState, *, tool: str, arguments: Mapping[str, Json]) -> Answer:
    """Answer a call of one of the eight tools, or of a name that is none of them."""
    try:
        if not _is_tool(tool):
            raise ToolFault("unknown_tool", name=writable_text(tool))  # noqa: TRY301  # one way out
        if not is_writable(dict(arguments)):
            raise ToolFault("unwritable", name=tool)  # noqa: TRY301  # one way out
        result, after = TOOLS[tool](review, state, bind(tool, arguments))
    except ToolFault as fault:
        return Answer(result=_error(fault, tool=tool, protocol=review.protocol), state=state)
    return Answer(result=result, state=after)


def _is_tool(name: str) -> TypeGuard[ToolName]:
    return name in SIGNATURES


def _error(fault: ToolFault, *, tool: str, protocol: str) -> ToolResult:
    text = fill(tool_texts(protocol).tool_error[fault.code], name=writable_text(fault.name))
    return {"status": TOOL_ERROR, "error": text, "tool": writable_text(tool)}


def budget_exhausted(protocol: str) -> ToolResult:
    """The answer to a call over the tool budget, or beside the submission in a forced turn."""
    return {
        "status": "TOOL_BUDGET_EXHAUSTED",
        "message": tool_texts(protocol).budget_exhausted,
    }


def submission_error(fault: SubmissionFault, protocol: str) -> str:
    """What is wrong with a submission, as the agent is told and the run records it."""
    return fill(tool_texts(protocol).submission_refused[fault.code], name=fault.name)


def invalid_submission(fault: SubmissionFault, protocol: str) -> ToolResult:
    """The answer to a submission that does not count."""
    return {"status": "INVALID_SUBMISSION", "error": submission_error(fault, protocol)}


def message_text(result: Mapping[str, Json]) -> str:
    """A result as the text of the tool message."""
    return json.dumps(result, ensure_ascii=False)
