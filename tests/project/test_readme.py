"""What the README shows is what the commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.invoke import Dgf

README = Path(__file__).parents[2] / "README.md"


def test_the_console_block_is_real(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command of the README's console block prints the lines shown below it, in order."""
    monkeypatch.setenv("DGF_STORE", str(tmp_path / "store"))
    dgf = Dgf(monkeypatch, capsys)
    (block,) = re.findall(r"```console\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    sessions = block.split("$ dgf ")[1:]
    assert len(sessions) == 3
    for session in sessions:
        command, _, shown = session.partition("\n")
        ran = dgf(*shlex.split(command))
        assert ran.code == 0
        printed = [line.rstrip() for line in ran.out.splitlines()]
        expected = [line.rstrip() for line in shown.rstrip().splitlines()]
        assert printed[: len(expected)] == expected
