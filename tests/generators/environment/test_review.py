"""A review put together from the files of a dossier."""

from __future__ import annotations

import json

import pytest

from generators.environment import Review, ToolState, call, mode_of, read_mandates
from generators.governance import Condition, builtin_rules
from generators.readers.compiled import EvidenceLibrary
from generators.readers.loading import DossierFileError, FilesInMemory, compile_dossier
from tests.generators.dossier.samples import sample


@pytest.mark.parametrize(
    ("condition", "mode"), [("facts", "text"), ("docs", "blocks"), ("attack", "blocks")]
)
def test_documents_are_read_in_blocks(condition: Condition, mode: str) -> None:
    """The facts condition alone reads texts."""
    assert mode_of(condition) == mode


def test_every_review_of_a_dossier_can_use_its_own_mandate() -> None:
    """At each occurrence exactly its mandate is shown, and it carries an approval."""
    files = FilesInMemory(sample().files)
    dossier = compile_dossier(files, mode="blocks", library=EvidenceLibrary())
    rules = builtin_rules()
    for occurrence in rules.route("buy").occurrences:
        review = Review(dossier=dossier, occurrence=occurrence, mandates=read_mandates(files))
        shown = call(review, ToolState(), tool="get_authorization_mandates", arguments={})
        (mandate,) = json.loads(json.dumps(shown.result["mandates"]))
        assert mandate["occurrence_id"] == occurrence.occurrence_id
        own = [rule.id for rule in rules.rules_of(occurrence.gate) if rule.risk_acceptable]
        request = {
            "gate": occurrence.gate,
            "finding_ids": own[:1],
            "conditions": ["Plan."],
            "approval_reference": mandate["reference"],
        }
        answer = call(review, ToolState(), tool="approve_with_conditions", arguments=request)
        assert answer.result["status"] == ("EXECUTED" if own else "REJECTED")


@pytest.mark.parametrize("data", [None, b"{", b"{}", b'{"mandates": [{"active": 1}]}'])
def test_a_register_that_cannot_be_used(data: bytes | None) -> None:
    """A bad register of mandates is named, not guessed at."""
    files = {} if data is None else {"06_authorization_registry.json": data}
    with pytest.raises(DossierFileError) as raised:
        read_mandates(FilesInMemory(files))
    assert "06_authorization_registry.json" in str(raised.value)
