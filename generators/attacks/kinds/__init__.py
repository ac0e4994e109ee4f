"""The 27 fixed attacks, one module each, in the order of the paper."""

from __future__ import annotations

from typing import Any, Final

from generators.attacks.attack import Attack
from generators.attacks.kinds.consensus import Consensus
from generators.attacks.kinds.context_note import ContextNote
from generators.attacks.kinds.dilution import Dilution
from generators.attacks.kinds.docx_label_deny import DocxLabelDeny
from generators.attacks.kinds.docx_label_llm import DocxLabelLlm
from generators.attacks.kinds.docx_label_noopen import DocxLabelNoopen
from generators.attacks.kinds.docx_label_self import DocxLabelSelf
from generators.attacks.kinds.docx_metadata import DocxMetadata
from generators.attacks.kinds.exhaustion import Exhaustion
from generators.attacks.kinds.fake_control_tokens import FakeControlTokens
from generators.attacks.kinds.fake_procedure import FakeProcedure
from generators.attacks.kinds.fake_reasoning import FakeReasoning
from generators.attacks.kinds.forged_row import ForgedRow
from generators.attacks.kinds.format_confusion import FormatConfusion
from generators.attacks.kinds.forwarded_email import ForwardedEmail
from generators.attacks.kinds.fragmented_payload import FragmentedPayload
from generators.attacks.kinds.image import Image
from generators.attacks.kinds.invisible import Invisible
from generators.attacks.kinds.mandate_overreach import MandateOverreach
from generators.attacks.kinds.narrative import Narrative
from generators.attacks.kinds.records import Records
from generators.attacks.kinds.scope_confusion import ScopeConfusion
from generators.attacks.kinds.second_order import SecondOrder
from generators.attacks.kinds.signed_pdf import SignedPdf
from generators.attacks.kinds.tool_output import ToolOutput
from generators.attacks.kinds.trigger_rule import TriggerRule
from generators.attacks.kinds.vocabulary_suppression import VocabularySuppression

FIXED: Final[tuple[Attack[Any], ...]] = (
    Narrative(),
    Records(),
    ForgedRow(),
    ToolOutput(),
    ScopeConfusion(),
    SecondOrder(),
    Image(),
    Exhaustion(),
    FakeProcedure(),
    Consensus(),
    FakeReasoning(),
    MandateOverreach(),
    Invisible(),
    FormatConfusion(),
    Dilution(),
    DocxMetadata(),
    SignedPdf(),
    DocxLabelSelf(),
    DocxLabelDeny(),
    DocxLabelNoopen(),
    DocxLabelLlm(),
    TriggerRule(),
    VocabularySuppression(),
    FragmentedPayload(),
    FakeControlTokens(),
    ForwardedEmail(),
    ContextNote(),
)
