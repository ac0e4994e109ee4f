"""The fixed texts of a dossier's root files (`texts.toml`)."""

from __future__ import annotations

import functools
import tomllib
from importlib.resources import files

import msgspec


class ToolText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a tool is documented: its arguments with their types, and what it returns."""

    args: dict[str, str]
    returns: str


class Texts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every text, by what it is for."""

    canary: str
    """A sentence with a GUID by which leaked copies are found."""
    hidden_note: str
    mandate_scope: str
    readme: str
    objective: dict[str, str]
    """By gate."""
    tools: dict[str, ToolText]


@functools.cache
def texts() -> Texts:
    """The built-in texts."""
    text = (files("generators.dossier") / "texts.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Texts)
