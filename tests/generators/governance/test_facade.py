"""The names other packages may use."""

from __future__ import annotations

from generators import governance

PUBLIC = """
Approval ApprovalEvent BLOCKING Candidate Case CaseFacts Condition Count DISPOSITIONS Decision
Disposition EffectiveReference FactError Field Finding GENERAL Gate GateResult GovernanceError
Handoff HandoffMode Mandate NEEDS_AUTHORIZATION NotationError OPINIONS Occurrence OccurrenceResult
Opinion PHASES PROTOCOL Phase Refusal RequiredAction ReturnToDesign Route Rule RuleTable
RuleTableError SCHEMA SEVERITIES Severity UnknownIdError UnknownVendorError UpstreamDisposition
builtin_rules candidate_findings decisive_fields effective_references evaluate_gate
evaluate_occurrence evaluate_route fact_snapshot handoff_of interpret_rules load_rules
oracle_handoff parse_rules premise_keys premises read_fact received_reference refuse
request_approval retained_offer select_upstream standing_approval
"""


def test_public_names_are_pinned() -> None:
    """The exported names are these, and each of them resolves."""
    assert sorted(governance.__all__) == sorted(PUBLIC.split())
    for name in governance.__all__:
        assert getattr(governance, name) is not None
