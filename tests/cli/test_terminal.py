"""Untrusted text cannot steer a terminal, and the store is found where a user expects it."""

from __future__ import annotations

import contextlib
import io
import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache.errors import UsageError
from cli.terminal import emit, find_store, safe


@given(st.text())
def test_safe_leaves_no_control_character(text: str) -> None:
    """After `safe`, only line feeds and tabs of all control and format characters remain."""
    shown = safe(text)
    steering = {c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}}
    assert steering <= {"\n", "\t"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – naïve 中文\n\tend", "plain – naïve 中文\n\tend"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202eb", "a\\u202eb"),
        ("\U000e0041", "\\U000e0041"),
        ("\r\x07", "\\x0d\\x07"),
    ],
)
def test_safe_shows_what_it_replaced(text: str, shown: str) -> None:
    """Escapes, overrides and invisible tag characters become visible; ordinary text stays."""
    assert safe(text) == shown


def test_find_store_looks_upward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name, the nearest `.dgf` folder from here upward is the store."""
    (tmp_path / ".dgf").mkdir()
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert find_store(None) == tmp_path / ".dgf"
    (tmp_path / "a" / ".dgf").mkdir()
    assert find_store(None) == tmp_path / "a" / ".dgf"


def test_find_store_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing store is a usage error that names the place and the way out."""
    with pytest.raises(UsageError) as caught:
        find_store(tmp_path / "none")
    assert str(tmp_path / "none") in str(caught.value)
    assert "--store" in str(caught.value)
    monkeypatch.chdir(tmp_path)
    assert find_store(None, must_exist=False) == tmp_path / ".dgf"


@given(st.text())
def test_json_output_is_harmless_and_still_the_same_data(text: str) -> None:
    """Whatever a value holds, the JSON printed decodes to it and holds nothing that steers."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        emit({"value": text}, as_json=True, human=str)
    assert json.loads(printed.getvalue()) == {"value": text}
    assert safe(printed.getvalue()) == printed.getvalue()
