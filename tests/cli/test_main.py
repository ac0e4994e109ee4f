"""The root command: mistakes on the command line end with one line and a usage exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cache import Store
from tests.cli.invoke import Dgf


@pytest.fixture
def dgf(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Dgf:
    """The command, run in this process."""
    return Dgf(monkeypatch, capsys)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["polcy"], "did you mean `dgf policy`"),
        (["zzz"], "`dgf --help` lists them"),
        (["policy", "shw"], "Did you mean 'show'"),
        (["policy", "show", "--zzz"], "No such option: --zzz"),
        (["dossier", "facts"], "Missing argument"),
        (["dossier", "facts", "x"], "valid integer"),
        (["policy", "show", "\x1b[31m"], "\\x1b[31m"),
    ],
)
def test_a_mistake_is_one_line(dgf: Dgf, line: list[str], said: str) -> None:
    """A wrong command, option or value: exit code 2, one line on standard error, no output."""
    ran = dgf(*line)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err


@pytest.mark.parametrize("line", [[], ["policy"]])
def test_no_command_shows_help(dgf: Dgf, line: list[str]) -> None:
    """Without a command the help is shown, and the exit code says that nothing was done."""
    ran = dgf(*line)
    assert ran.code == 2
    assert "Commands" in ran.out
    assert ran.err == ""


def test_help_and_version_succeed(dgf: Dgf) -> None:
    """`--help` lists the groups and `--version` names the distribution; both exit with 0."""
    shown = dgf("--help")
    assert shown.code == 0
    assert "store" in shown.out
    version = dgf("--version")
    assert version.code == 0
    assert version.out.startswith("dgf-async ")


def test_a_reader_that_goes_away_is_no_error() -> None:
    """`dgf … | head` ends quietly when the reader closes the pipe."""
    line = f"{sys.executable} -m cli.main policy list --json | head -c 1"
    done = subprocess.run(["bash", "-c", line], check=False, capture_output=True, timeout=60)
    assert done.stdout == b"["
    assert done.stderr == b""


def test_output_is_utf8_whatever_the_terminal_says() -> None:
    """The bytes are the same on any machine, and no encoding ends in a traceback."""
    line = [sys.executable, "-m", "cli.main", "dossier", "facts", "77", "--route", "buy"]
    shown = [
        subprocess.run(
            line,
            check=True,
            capture_output=True,
            timeout=60,
            env=os.environ | {"PYTHONIOENCODING": encoding},
        ).stdout
        for encoding in ("ascii", "latin-1", "utf-16", "utf-8")
    ]
    assert len(set(shown)) == 1
    assert "W1 — Buy" in shown[0].decode("utf-8")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_one_line() -> None:
    """A full disk ends with exit code 2 and one line, not with a traceback."""
    line = [sys.executable, "-m", "cli.main", "policy", "list"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(line, check=False, stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 2
    assert done.stderr == (
        b"dgf: cannot write the result: No space left on device [standard output]\n"
    )


def test_an_interruption_is_said_in_one_line(dgf: Dgf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends with exit code 130 and one line, not with silence."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cli.policy.builtin_rules", interrupted)
    ran = dgf("policy", "list")
    assert (ran.code, ran.out, ran.err) == (130, "", "dgf: interrupted\n")


def test_a_closed_output_is_no_traceback() -> None:
    """Started with standard output closed (`dgf … >&-`), a command does its work and is silent."""
    command = '"$0" -m cli.main policy check >&-'
    ran = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable],
        check=False,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_store_opens_where_the_locale_cannot_spell_its_path(tmp_path: Path) -> None:
    """Under `LC_ALL=C` without UTF-8 mode, a path with other letters is as good as any."""
    folder = tmp_path / "Prüfung 日本"
    with Store.open(folder, "create") as store:
        store.put("blob", b"x")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = subprocess.run(
        [sys.executable, "-m", "cli.main", "store", "stats", "--store", os.fsencode(folder)],
        check=False,
        capture_output=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | plain,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
