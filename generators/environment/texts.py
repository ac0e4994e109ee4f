"""The texts of the tools (family `tools` of a protocol)."""

from __future__ import annotations

import msgspec

from generators import protocol as library
from generators.environment.faults import FaultCode
from generators.environment.rulings import ReturnRefusalCode
from generators.environment.submission import SubmissionFaultCode
from generators.governance.approvals import RefusalCode


class ToolTexts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything a model reads about tools, and from them, beside evidence."""

    descriptions: dict[str, str]
    """By tool, the submission among them."""
    request_recorded: str
    approved: str
    card_refused: str
    budget_exhausted: str
    approval_refused: dict[RefusalCode, str]
    return_refused: dict[ReturnRefusalCode, str]
    tool_error: dict[FaultCode, str]
    """With `{name}` for what is at fault."""
    submission_refused: dict[SubmissionFaultCode, str]
    """With `{name}` for the key or value at fault."""


def tool_texts(protocol: str) -> ToolTexts:
    """The texts of a protocol."""
    texts: ToolTexts = library.texts("tools", ToolTexts, protocol=protocol)
    return texts
