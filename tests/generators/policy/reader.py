"""A reader of requirements: from a sentence back to what it tests, by a grammar of its own.

It knows the protocol's words for facts, and nothing of how sentences are made; so a sentence that
says something else than its rule is read as something else.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import generators.protocol
from tests.generators.governance.oracle import FIELDS

Facts: TypeAlias = Mapping[str, Any]
Test: TypeAlias = Callable[[Facts, Sequence[str]], bool]

WORDING = Path(generators.protocol.__file__).with_name("2026.12") / "wording.toml"
WORDS: dict[str, dict[str, Any]] = tomllib.loads(WORDING.read_text("utf-8"))["fields"]
VOCABULARY = {field["name"]: field.get("values", []) for field in FIELDS}
HOLDS = {words["holds"]: name for name, words in WORDS.items() if "holds" in words}
FAILS = {words["fails"]: name for name, words in WORDS.items() if "fails" in words}
SUBJECTS = {words["subject"]: name for name, words in WORDS.items() if "subject" in words}

SENTENCE = re.compile(
    r"(?P<id>[A-Z0-9-]+): (?P<message>.+?)\. Raised when (?P<condition>.+?)\."
    r"(?: Here n is (?P<counted>.+?)\.)? Reviews: (?P<reviews>.+?)\."
    r" Severity (?P<severity>\w+); disposition (?P<disposition>\w+);"
    r" the risk may (?P<refused>not )?be accepted\."
    r" Action (?P<action>\w+), by (?P<owner>.+); evidence: (?P<evidence>.+)\."
)
REMARK = re.compile(r" \(([^()]*)\)")
ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "below": lambda left, right: left < right,
    "at most": lambda left, right: left <= right,
    "above": lambda left, right: left > right,
    "at least": lambda left, right: left >= right,
}


class Reading(NamedTuple):
    """What a requirement says."""

    parts: dict[str, str]
    test: Test
    facts: tuple[str, ...]


def read(sentence: str) -> Reading:
    """What `sentence` says; an assertion fails where it cannot be read."""
    match = SENTENCE.fullmatch(sentence)
    assert match, f"not a requirement: {sentence}"
    parts = {name: text or "" for name, text in match.groupdict().items()}
    facts: list[str] = []
    return Reading(parts, _condition(parts["condition"], facts), tuple(facts))


def _condition(text: str, facts: list[str]) -> Test:
    bare = REMARK.sub("", text)
    assert not (", and " in bare and ", or " in bare), f"can be read in two ways: {text}"
    word = ", or " if ", or " in bare else ", and "
    remarks = iter(REMARK.findall(text))
    terms = [_clause(part, remarks, facts) for part in bare.split(word)]
    fold = any if word == ", or " else all
    return lambda case, upstream: fold(term(case, upstream) for term in terms)


def _clause(clause: str, remarks: Iterator[str], facts: list[str]) -> Test:
    if clause in HOLDS or clause in FAILS:
        name, wanted = HOLDS.get(clause) or FAILS[clause], clause in HOLDS
        facts.append(name)
        return lambda case, _: bool(case[name]) is wanted
    if match := re.fullmatch(r"(some|no) decision handed over is (\w+)", clause):
        some, disposition = match[1] == "some", match[2]
        return lambda _, upstream: (disposition in upstream) is some
    name, rest = _subject(clause)
    facts.append(name)
    # Every comparison says what becomes of values beside the ones it names.
    remark = next(remarks)
    if match := re.fullmatch(r"is (below|at most|above|at least) (.+)", rest):
        return _order(name, match[1], match[2], remark, facts)
    match = re.fullmatch(r"is (anything but )?(.+?)(, whatever the case of its letters)?", rest)
    assert match, f"not a comparison: {clause}"
    return _membership(name, match[2], remark, but=bool(match[1]), any_case=bool(match[3]))


def _subject(text: str) -> tuple[str, str]:
    found = [subject for subject in SUBJECTS if text.startswith(f"{subject} ")]
    assert found, f"nothing known at the start of: {text}"
    subject = max(found, key=len)
    return SUBJECTS[subject], text.removeprefix(f"{subject} ")


def _order(name: str, word: str, limit: str, remark: str, facts: list[str]) -> Test:
    included = word in ("at most", "at least")
    compare = ORDER[word]
    if match := re.fullmatch(r"(?:([\d.]+) times )?(the .+)", limit):
        factor, other = float(match[1] or 1), SUBJECTS[match[2]]
        facts.append(other)
        assert remark == ("equality included" if included else "equality excluded")
        return lambda case, _: compare(case[name], case[other] * factor)
    number = float(limit.split(maxsplit=1)[0])
    assert remark == f"exactly {limit} {'included' if included else 'excluded'}"
    return lambda case, _: compare(case[name], number)


def _membership(name: str, words: str, remark: str, *, but: bool, any_case: bool) -> Test:
    values = _values(name, words)
    closed = [value for value in VOCABULARY[name] if isinstance(value, str)]
    if len(closed) == len(VOCABULARY[name]):
        others = remark.removeprefix("that is, " if but else "not when it is ")
        assert others != remark, f"{name}: no word on other values"
        told = [*values, *_values(name, others)]
        assert sorted(map(str, told)) == sorted(closed), f"{name}: not the whole vocabulary"
    else:
        assert remark.startswith("no other value counts"), f"{name}: no word on other values"

    def test(case: Facts, _: Sequence[str]) -> bool:
        value = case[name]
        found = (
            str(value).lower() in [str(word).lower() for word in values]
            if any_case
            else value in values
        )
        return found is not but

    return test


def _values(name: str, words: str) -> list[Any]:
    known = {text: value for value, text in WORDS[name].get("words", {}).items()}
    if "absent" in WORDS[name]:
        known[WORDS[name]["absent"]] = None
    return [
        float(word.split()[1]) if word.startswith("exactly ") else known[word]
        for word in re.split(r", | or ", words)
    ]
