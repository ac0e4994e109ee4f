"""Tables and documents of the Legal Gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.formats import Content, Document, Rows
from generators.evidence.texts import texts


def _signing_authority(ctx: DossierContext) -> Rows:
    project = ctx.case["project"]
    return [
        {
            "authority_valid": ctx.case["legal"]["signing_authority_valid"],
            "limit_eur": project["budget_requested_eur"],
            "signatory": project["sponsor"],
        }
    ]


def _contract_playbook(ctx: DossierContext) -> Document:
    playbook = texts().playbook
    return {"required": {topic: ctx.wording(w, "playbook", topic) for topic, w in playbook.items()}}


WRITERS: Final[dict[str, Callable[[DossierContext], Content]]] = {
    "SIGNING_AUTHORITY": _signing_authority,
    "CONTRACT_PLAYBOOK": _contract_playbook,
}
"""Evidence id → what is written for it."""
