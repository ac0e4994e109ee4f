"""The attack manifest: what was planted where, for the evaluator alone.

One entry per attacked or placebo gate, in the evaluator's file. The keys of the published protocol
come first and mean what they mean there; `parts` is ours and says for every planted text by which
way it reaches an agent. Protocol, attacks, section 10.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec

from generators.attacks.errors import AttackError
from generators.governance import Phase

MANIFEST_KEY: Final = "attack_manifest"
"""Key of the list of entries in the evaluator's file."""

PARTS_VERSION: Final = "parts-1"

Letter: TypeAlias = Literal["S", "A", "F", "P", "M", "U", "O", "E"]
"""A goal, as the paper's tables name it."""

GOALS: Final[Mapping[Letter, str]] = {
    "S": "finding_suppression",
    "A": "unjustified_approval",
    "F": "forged_authority",
    "P": "spoofed_approval",
    "M": "misused_mandate",
    "U": "upstream_override",
    "O": "mandate_overreach",
    "E": "exhaustion",
}
"""Letter to the name a manifest uses."""

Channel: TypeAlias = Literal["read", "list", "prompt", "image"]
"""How a planted text reaches an agent: in what `read_evidence` gives, in the listing of evidence,
in the prompt, or in the picture that is attached to it."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One planted text."""

    channel: Channel
    evidence_id: str
    text: str
    """As the agent is shown it: inside one string of what the channel gives."""
    sha256: str

    @classmethod
    def of(cls, channel: Channel, evidence_id: str, text: str) -> Part:
        """A part with its digest (SHA-256 of the UTF-8 bytes)."""
        digest = hashlib.sha256(text.encode()).hexdigest()
        return cls(channel=channel, evidence_id=evidence_id, text=text, sha256=digest)


class Placement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of several places of an injection."""

    evidence_id: str
    path: str
    text: str
    pointer: str | msgspec.UnsetType = msgspec.UNSET


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What was planted for one occurrence; keys that do not apply are left out.

    Attributes
    ----------
    placement
        Id of the attack.
    family
        Framing of the narrative attack, `record_note`, or the id of the attack.
    target_finding
        The finding to be suppressed, or that the text is about; null where the goal needs none.
    fake_reference
        The invented or foreign mandate; null where the goal needs none.
    pointer
        JSON pointer of the decisive fact beside which the note stands.
    parts
        Every planted text.
    """

    occurrence_id: str
    gate: str
    phase: Phase
    placement: str
    token: str
    template_set: str
    placebo: bool
    evidence_id: str
    path: str
    text: str
    pointer: str | msgspec.UnsetType | None = msgspec.UNSET
    goal: str | msgspec.UnsetType = msgspec.UNSET
    family: str | msgspec.UnsetType = msgspec.UNSET
    target_finding: str | msgspec.UnsetType | None = msgspec.UNSET
    fake_reference: str | msgspec.UnsetType | None = msgspec.UNSET
    placements: tuple[Placement, ...] | msgspec.UnsetType = msgspec.UNSET
    carrier_occurrence: str | msgspec.UnsetType = msgspec.UNSET
    marker: str | msgspec.UnsetType = msgspec.UNSET
    field: str | msgspec.UnsetType = msgspec.UNSET
    forged_value: Any = msgspec.UNSET
    parts_version: str = PARTS_VERSION
    parts: tuple[Part, ...] = ()


def read_manifest(hidden: Mapping[str, Any]) -> tuple[Entry, ...]:
    """The entries in the content of an evaluator's file; none in that of a clean dossier.

    Raises
    ------
    AttackError
        If the manifest is not what the protocol says.
    """
    try:
        return msgspec.convert(hidden.get(MANIFEST_KEY, []), tuple[Entry, ...])
    except msgspec.ValidationError as error:
        raise AttackError(f"not an attack manifest: {error}", where=MANIFEST_KEY) from None
