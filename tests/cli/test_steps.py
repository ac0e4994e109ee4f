"""Steps of a long command: lines where nobody watches, a bar on a terminal."""

from __future__ import annotations

import sys

import pytest

from cli.steps import steps


def test_each_step_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, with what a stranger named made harmless."""
    with steps(quiet=False) as step:
        step("read", "first", 1, 2)
        step("read", "second\x1b[31m", 2, 2)
    out, err = capsys.readouterr()
    assert (out, err) == ("", "read 1/2 first\nread 2/2 second\\x1b[31m\n")


def test_machines_are_told_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Quiet writes nothing anywhere."""
    with steps(quiet=True) as step:
        step("read", "first", 1, 1)
    assert capsys.readouterr() == ("", "")


def test_a_name_cannot_break_the_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal names are left out, so that markup in them does nothing."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with steps(quiet=False) as step:
        step("read", "[/nothing] [red]", 1, 2)
    assert "nothing" not in capsys.readouterr().err
