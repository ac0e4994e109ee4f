"""The free texts of tables and records, several wordings a slot (`texts.toml`)."""

from __future__ import annotations

import functools
import tomllib
from importlib.resources import files

import msgspec

Wordings = tuple[str, ...]


class Texts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every slot with its wordings."""

    api_purpose: Wordings
    decision: Wordings
    """More than a register has; `{compute}`, `{data}`, `{prefix}`, `{region}`, `{zone}` in some."""
    accessibility_scope: Wordings
    mapping_pointer: Wordings
    vendor_note: Wordings
    vendor_statement: Wordings
    """Places: `{vendor}` and `{name}`, the project's."""
    playbook: dict[str, Wordings]
    """By contract topic, in the order of the playbook."""
    control_detail: dict[str, Wordings]
    """By control of the compliance register, in the order in which they are recorded."""


@functools.cache
def texts() -> Texts:
    """The built-in texts."""
    text = (files("generators.evidence") / "texts.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Texts)
