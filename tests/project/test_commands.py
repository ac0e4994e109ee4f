"""Every command explains itself: help with an example, and a line in the documentation."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from cli.main import GROUPS

ROOT = Path(__file__).parents[2]


def _commands() -> Iterator[tuple[str, str, set[str]]]:
    for name, (module, _) in GROUPS.items():
        group = typer.main.get_group(importlib.import_module(module).app)
        for verb, command in group.commands.items():
            options = {opt for param in command.params for opt in param.opts}
            yield f"{name} {verb}", command.help or "", options


COMMANDS = list(_commands())


@pytest.mark.parametrize(("command", "text", "options"), COMMANDS, ids=[c[0] for c in COMMANDS])
def test_command_is_explained(command: str, text: str, options: set[str]) -> None:
    """A command has help with an example of itself, `--json`, and a mention in the docs."""
    assert f"dgf {command}" in text, "the help shows no example"
    assert "--json" in options, "no --json"
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert any(f"dgf {command}" in page.read_text() for page in pages), "no page mentions it"


def test_groups_are_documented_nouns() -> None:
    """Each group of the root command is a module with an app and a one-line summary."""
    for name, (module, line) in GROUPS.items():
        assert importlib.import_module(module).app is not None, name
        assert line.endswith("."), name
