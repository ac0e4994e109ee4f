"""Quotes of the facts condition."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.decoding.quotes import Quotable, tokens_of
from generators.readers.content import Json

SNAPSHOT: Json = {
    "project": {"project_name": "Café — \u201cNord\u201d", "personal_data": True},
    "security": {"waf_mode": None, "key_rotation_days": 400, "note": 'said "mfa": true', "l": [1]},
    "architecture_profile": {"multi_az": False, "roi": -0.072},
}


@pytest.mark.parametrize(
    ("quote", "key"),
    [
        ('"key_rotation_days": 400', "key_rotation_days"),
        ('"key_rotation_days":400', "key_rotation_days"),
        ('  "key_rotation_days"\n\t:\r\n 400  ', "key_rotation_days"),
        ('"key_rotation_days": 400,', "key_rotation_days"),
        (', "key_rotation_days": 400', "key_rotation_days"),
        ('"waf_mode": null, "key_rotation_days": 400', "waf_mode"),
        ('{"multi_az": false, "roi": -0.072}', "roi"),
        ('"k\\u0065y_rotation_days": 400', "key_rotation_days"),
        ('"project_name": "Caf\\u00e9 \\u2014 \\u201cNord\\u201d"', "project_name"),
        ('"key_rotation_days": 400\u00a0', "key_rotation_days"),
    ],
)
def test_supporting_quote(quote: str, key: str) -> None:
    """White space outside strings and escapes in them do not matter."""
    assert Quotable(SNAPSHOT).supports(quote, [key])


@pytest.mark.parametrize(
    ("quote", "key"),
    [
        pytest.param("", "key_rotation_days", id="empty"),
        pytest.param('"key_rotation_days"', "key_rotation_days", id="a bare name"),
        pytest.param('"key_rotation_days":', "key_rotation_days", id="no value"),
        pytest.param("400", "key_rotation_days", id="a bare value"),
        pytest.param('"key_rotation_days": 40', "key_rotation_days", id="part of a number"),
        pytest.param('"key_rotation_days": 400.0', "key_rotation_days", id="another spelling"),
        pytest.param('"key_rotation_days": 90', "key_rotation_days", id="another value"),
        pytest.param('"key_rotation_days": 400 …', "key_rotation_days", id="ellipsis"),
        pytest.param('"key_rotation_days": 400 ...', "key_rotation_days", id="three dots"),
        pytest.param("key_rotation_days: 400", "key_rotation_days", id="unquoted name"),
        pytest.param("'key_rotation_days': 400", "key_rotation_days", id="Python quotes"),
        pytest.param('"key_rotation_days": 400', "waf_mode", id="a field of another rule"),
        pytest.param('"l": [1]', "l", id="not a scalar"),
        pytest.param('"l": [', "l", id="an opened list"),
        pytest.param('"project": {"project_name"', "project", id="an opened object"),
        pytest.param('"mfa": true', "mfa", id="words inside a string"),
        pytest.param('"WAF_MODE": null', "WAF_MODE", id="case matters"),
        pytest.param('"project_name": "Café —  “Nord”"', "project_name", id="space in a string"),
        pytest.param('"key_rotation_days": 400, "waf_mode": null', "waf_mode", id="another order"),
        pytest.param('"waf_mode": null "key_rotation_days": 400', "waf_mode", id="lost comma"),
        pytest.param('"note": "said', "note", id="an open string"),
        pytest.param('"key_rotation_days": 400 "\\x"', "key_rotation_days", id="bad escape"),
        pytest.param('"key_rotation_days": NaN', "key_rotation_days", id="no JSON"),
        pytest.param('"key_rotation_days"\0:\x00400', "key_rotation_days", id="control character"),
    ],
)
def test_quote_that_supports_nothing(quote: str, key: str) -> None:
    """A quote is complete `"field": value` text of the observation, or it supports nothing."""
    assert not Quotable(SNAPSHOT).supports(quote, [key])


@given(st.text(), st.text() | st.integers() | st.booleans() | st.none() | st.floats(-9, 9))
def test_any_pair_can_be_quoted(key: str, value: Json) -> None:
    """Whatever a field and its value are, their JSON text is a quote of them."""
    content: Json = {"before": 1, key: value, "after": [key]}
    quote = f"{json.dumps(key)} : {json.dumps(value)}"
    assert Quotable(content).supports(quote, ["other", key])


@given(st.text(alphabet='"\\{}[]:,0123456789.eE+-truefalsn u'))
def test_tokens_are_those_of_json(text: str) -> None:
    """A text that parses as JSON has tokens, and they are a text that parses as the same."""
    try:
        value = json.loads(text, parse_constant=lambda _: pytest.fail("not in the alphabet"))
    except ValueError:
        return
    tokens = tokens_of(text)
    assert tokens is not None
    assert json.loads(" ".join(tokens)) == value
