"""Texts under a protocol name: found, read into records, and never changed in silence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from cache.errors import UsageError
from generators.protocol import (
    DEFAULT_PROTOCOL,
    ProtocolError,
    digest,
    families,
    faults,
    fill,
    protocols,
    texts,
)
from generators.protocol.digests import SEAL_FILE, family_digest, seal_text, sealed

ROOT = Path(__file__).parents[3]
GREETINGS = 'hello = "Good day"\nlines = ["one", "two"]\n'


class Greetings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts of a made-up family."""

    hello: str
    lines: list[str]


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of protocols of our own: 2030.01 with one family, and an empty seal."""
    monkeypatch.setattr("generators.protocol.library.shipped", lambda: tmp_path)
    monkeypatch.setattr("generators.protocol.digests.shipped", lambda: tmp_path)
    (tmp_path / "2030.01").mkdir()
    (tmp_path / "2030.01" / "greetings.toml").write_text(GREETINGS)
    (tmp_path / "2030.01" / "notes.txt").write_text("not a family")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / SEAL_FILE).write_text("")
    _forget()
    yield tmp_path
    _forget()


def _forget() -> None:
    for cached in (texts, family_digest, digest):
        cached.cache_clear()


def write(shelf: Path, text: str, protocol: str = "2030.01") -> None:
    """Put other texts in the place of the greetings."""
    (shelf / protocol).mkdir(exist_ok=True)
    (shelf / protocol / "greetings.toml").write_text(text)
    _forget()


def test_shipped_texts_are_the_sealed_ones() -> None:
    """No text of a shipped protocol was edited, removed or added without a seal."""
    told = "\n".join(f"{fault.where}: {fault.problem}\n  {fault.hint}" for fault in faults())
    assert told == ""


def test_the_default_protocol_is_shipped() -> None:
    """New runs have a protocol, and it is the newest one."""
    assert protocols()[-1] == DEFAULT_PROTOCOL
    assert {"policy", "wording"} <= set(families(DEFAULT_PROTOCOL))
    assert set(sealed()) == set(protocols())


def test_a_family_is_read_into_its_record(shelf: Path) -> None:
    """A folder with a protocol's name is a protocol, its TOML files are its families."""
    assert protocols() == ("2030.01",)
    assert families("2030.01") == ("greetings",)
    found = texts("greetings", Greetings, protocol="2030.01")
    assert found == Greetings(hello="Good day", lines=["one", "two"])


def test_protocols_run_side_by_side(shelf: Path) -> None:
    """A new protocol leaves the texts and the digest of the older one as they were."""
    before = digest("2030.01")
    write(shelf, 'hello = "Hi"\nlines = []\n', "2030.02")
    assert protocols() == ("2030.01", "2030.02")
    assert texts("greetings", Greetings, protocol="2030.01").hello == "Good day"
    assert texts("greetings", Greetings, protocol="2030.02").hello == "Hi"
    assert digest("2030.01") == before != digest("2030.02")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('hello = "x"', r"missing required field `lines`.*\[2030.01/greetings.toml\]"),
        ('hello = "x"\nlines = [1]', r"Expected `str`, got `int` - at `\$\.lines\[0\]`"),
        (f"{GREETINGS}bye = 'x'", "unknown field `bye`"),
        ("hello =", r"not TOML: .*\[2030.01/greetings.toml\]"),
    ],
)
def test_texts_of_the_wrong_form_are_refused(shelf: Path, text: str, error: str) -> None:
    """The error names the file and the key."""
    write(shelf, text)
    with pytest.raises(ProtocolError, match=error):
        texts("greetings", Greetings, protocol="2030.01")


def test_unknown_names_are_refused(shelf: Path) -> None:
    """A protocol nobody ships is the user's mistake; a family it lacks is ours."""
    with pytest.raises(UsageError, match=r"unknown protocol '2031.01': one of 2030.01"):
        texts("greetings", Greetings, protocol="2031.01")
    with pytest.raises(UsageError, match="unknown protocol"):
        families("../2030.01")
    with pytest.raises(ProtocolError, match=r"no such text family .*the protocol has greetings"):
        texts("farewells", Greetings, protocol="2030.01")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (f"# a remark\n\n{GREETINGS}", True),
        ('hello = """Good day"""\nlines = [\n  "one",\n  "two",\n]', True),
        (GREETINGS.replace("\n", "\r\n"), True),
        ('hello = "Good day "\nlines = ["one", "two"]', False),
        ('hello = "Good day"\nlines = ["two", "one"]', False),
        ('lines = ["one", "two"]\nhello = "Good day"', False),
        (f'{GREETINGS}more = ""', False),
    ],
)
def test_the_digest_covers_what_is_said_and_not_its_layout(
    shelf: Path, text: str, same: bool
) -> None:
    """Values and their order count; remarks, line breaks and quoting do not."""
    before = digest("2030.01")
    write(shelf, text)
    assert (digest("2030.01") == before) is same


def test_a_date_has_no_digest(shelf: Path) -> None:
    """Texts are texts: a TOML date is refused, not turned into text in some form or other."""
    write(shelf, "hello = 2030-01-01")
    with pytest.raises(ProtocolError, match="write it as text"):
        digest("2030.01")


def test_a_seal_is_made_once_and_holds(shelf: Path) -> None:
    """Unsealed texts are a fault; sealed ones are not; edited or removed ones say what to do."""
    (unsealed,) = faults()
    assert (unsealed.where, unsealed.problem) == ("2030.01/greetings", "these texts are not sealed")
    assert "python -m generators.protocol seal 2030.01" in unsealed.hint

    (shelf / SEAL_FILE).write_text(seal_text("2030.01"))
    assert faults() == ()
    assert sealed() == {"2030.01": {"greetings": family_digest("2030.01", "greetings")}}

    write(shelf, GREETINGS.replace("Good day", "Good night"))
    (edited,) = faults()
    assert edited.where == "2030.01/greetings"
    assert "were edited" in edited.problem
    assert "a protocol of their own" in edited.hint
    with pytest.raises(ProtocolError, match=r"were edited.*\[2030.01/greetings\]"):
        seal_text("2030.01")

    (shelf / "2030.01" / "greetings.toml").unlink()
    (gone,) = faults()
    assert gone.problem == "these texts are gone"


def test_sealing_a_protocol_leaves_the_others_alone(shelf: Path) -> None:
    """The seal of one protocol is added to those of the others, in the order of their names."""
    (shelf / SEAL_FILE).write_text(seal_text("2030.01"))
    write(shelf, GREETINGS, "2029.12")
    (shelf / SEAL_FILE).write_text(seal_text("2029.12"))
    assert list(sealed()) == ["2029.12", "2030.01"]
    assert faults() == ()


def test_the_seal_file_is_what_sealing_writes() -> None:
    """Sealing what is sealed changes nothing, so the shipped file was written by the command."""
    shipped = (ROOT / "generators" / "protocol" / SEAL_FILE).read_text("utf-8")
    assert seal_text(DEFAULT_PROTOCOL) == shipped


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [([], 2, "usage:"), (["seal", "1999.01"], 2, "unknown protocol '1999.01'")],
)
def test_the_command_refuses_what_it_cannot_seal(
    arguments: list[str], code: int, error: str
) -> None:
    """`python -m generators.protocol` says in one line what is wrong."""
    done = subprocess.run(
        [sys.executable, "-m", "generators.protocol", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code
    assert error in done.stderr
    assert done.stderr.count("\n") == 1


def test_places_are_filled_once_and_only_by_name() -> None:
    """A value is put in as it is, braces and all; JSON in a text stays; a missing value fails."""
    text = 'Say {what}: {"key": {"deep": 1}} {} {Upper} {0}'
    assert fill(text, what="{who}") == 'Say {who}: {"key": {"deep": 1}} {} {Upper} {0}'
    assert fill("nothing to fill", unused="x") == "nothing to fill"
    with pytest.raises(ProtocolError, match=r"\{what\}"):
        fill(text)
