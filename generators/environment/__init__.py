"""The environment of a review: eight tools as pure functions, their state, and the submission.

`call` answers whatever a model sends; `approval_events` rules on a recorded review again. Schemas,
budgets and the message loop are the engine's.
"""

from generators.environment.calling import (
    Answer,
    TraceEntry,
    budget_exhausted,
    call,
    invalid_submission,
    message_text,
    submission_error,
)
from generators.environment.replay import approval_events
from generators.environment.review import Review, handed_over, mode_of, read_mandates
from generators.environment.signatures import (
    SIGNATURES,
    SUBMIT,
    TOOL_NAMES,
    Parameter,
    Signature,
    ToolName,
)
from generators.environment.state import Approved, EvidenceRequest, Returned, RiskCard, ToolState
from generators.environment.submission import (
    Submission,
    SubmissionFault,
    check_submission,
    support_keys,
)
from generators.environment.texts import ToolTexts, tool_texts

__all__ = [
    "SIGNATURES",
    "SUBMIT",
    "TOOL_NAMES",
    "Answer",
    "Approved",
    "EvidenceRequest",
    "Parameter",
    "Returned",
    "Review",
    "RiskCard",
    "Signature",
    "Submission",
    "SubmissionFault",
    "ToolName",
    "ToolState",
    "ToolTexts",
    "TraceEntry",
    "approval_events",
    "budget_exhausted",
    "call",
    "check_submission",
    "handed_over",
    "invalid_submission",
    "message_text",
    "mode_of",
    "read_mandates",
    "submission_error",
    "support_keys",
    "tool_texts",
]
