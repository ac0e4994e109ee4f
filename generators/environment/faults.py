"""Calls that fail as calls: the model gets a `TOOL_ERROR`, the trace nothing."""

from __future__ import annotations

from typing import Literal, TypeAlias

FaultCode: TypeAlias = Literal[
    "unknown_tool",
    "unknown_argument",
    "missing_argument",
    "not_text",
    "unwritable",
    "unreadable",
]


class ToolFault(Exception):  # noqa: N818 - it never leaves the package; `call` makes it a result
    """How binding and tools report that a call cannot be answered.

    Attributes
    ----------
    code
        Which text the model gets.
    name
        What that text speaks of: a tool, an argument, what is wrong with a file.
    """

    def __init__(self, code: FaultCode, *, name: str) -> None:
        super().__init__(code)
        self.code = code
        self.name = name
