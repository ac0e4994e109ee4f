"""Running `dgf` as a shell would, inside the test process."""

from __future__ import annotations

import sys
from typing import NamedTuple

import pytest

from cli.main import main


class Ran(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class Dgf:
    """The `dgf` command: call it with arguments."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Ran:
        """Run one command line to its end."""
        self._monkeypatch.setattr(sys, "argv", ["dgf", *map(str, arguments)])
        code: object = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        out, err = self._capsys.readouterr()
        return Ran(code if isinstance(code, int) else 0, out, err)
