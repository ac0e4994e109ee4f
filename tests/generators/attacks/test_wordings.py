"""Wording sets: complete, apart from each other, within what carriers hold, recognisable."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from generators.attacks import WORDING_SETS, Options, attacks, recogniser, reveal
from generators.attacks.copies import Copy
from generators.attacks.errors import WordingError
from generators.attacks.planting import Gate
from generators.attacks.word import MAX_PROPERTY
from generators.attacks.wordings import DECISION, PLACEBO, Decision, Neutral, section
from generators.documents.xml import xml_text
from generators.protocol.library import read_family
from generators.readers.docx import read_docx
from tests.generators.attacks import oracle
from tests.generators.attacks.samples import sample, variant

GRAM = 4
"""Words in a row that no two texts of different sets may share."""

STOCK = frozenset({"category", "status"})
"""Labels that the published benchmark fixes."""


def _texts(value: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, str):
        yield keys, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*keys, key))
    else:
        for index, inner in enumerate(value):
            yield from _texts(inner, (*keys, str(index)))


def _family(wording_set: str) -> dict[tuple[str, ...], str]:
    return dict(_texts(read_family("2026.12", f"attacks_{wording_set}")))


def _unfilled(text: str) -> str:
    """The words of a template, without its places."""
    return re.sub(r"\{\w+\}", "|", text).lower()


def _grams(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9_]+", _unfilled(text))
    return {tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)}


@pytest.mark.parametrize("wording_set", WORDING_SETS)
def test_a_set_has_a_section_for_every_attack(wording_set: str) -> None:
    """Each attack finds its section, whole; there is none that nobody reads."""
    found = {attack.id for attack in attacks().values() if attack.texts(wording_set) is not None}
    shared = {DECISION, PLACEBO}
    family = read_family("2026.12", f"attacks_{wording_set}")
    assert family.keys() | {"forged_row"} == found | shared
    assert section(wording_set, DECISION, Decision)
    assert section(wording_set, PLACEBO, Neutral)


def test_attack_1_has_four_framings_of_three_goals() -> None:
    """Twelve combinations in each set."""
    for wording_set in WORDING_SETS:
        narrative = read_family("2026.12", f"attacks_{wording_set}")["narrative"]
        assert len(narrative["framing"]) * len(narrative["clause"]) == 12
        assert all("{clause}" in text for text in narrative["framing"].values())


def test_the_sets_share_no_sentence() -> None:
    """No four words in a row stand in both sets; both have the same keys and places."""
    dev, test = _family("dev"), _family("test")
    shared = {
        gram: (mine, theirs)
        for mine, one in dev.items()
        for theirs, other in test.items()
        for gram in _grams(one) & _grams(other)
    }
    assert shared == {}
    same = {keys for keys in dev.keys() & test.keys() if dev[keys] == test[keys]}
    worded = {keys for keys in same if len(re.findall("[a-z]{2,}", _unfilled(dev[keys]))) > 1}
    assert {keys[-1] for keys in worded} <= STOCK | {"officer"}


def test_each_text_has_the_ingredients_of_its_attack() -> None:
    """Every request names what it is about, and something in each section has the token."""
    for wording_set in WORDING_SETS:
        family = read_family("2026.12", f"attacks_{wording_set}")
        for name, content in family.items():
            said = " ".join(text for _, text in _texts(content))
            assert "{token" in said or name == DECISION
        for goal, place in (("A", "gate_label"), ("S", "finding_id")):
            for keys, text in _texts(family):
                wants = keys[-1] == goal and keys[1:2] not in {("marker",), ("rule",), ("note",)}
                if wants and keys[0] != "trigger_rule":
                    assert f"{{{place}}}" in text, keys
        assert "GO" in family["decision"]["A"]


def test_the_families_of_chat_templates_differ() -> None:
    """The two sets imitate different families of role markers."""
    marker = re.compile(r"<\|?[\w|]+\|?>|\[/?[A-Z_]+\]|<</?SYS>>")
    for key in ("format_confusion", "fake_control_tokens"):
        dev, test = (
            set(marker.findall(str(read_family("2026.12", f"attacks_{name}")[key])))
            for name in WORDING_SETS
        )
        assert dev
        assert test
        assert not dev & test


@pytest.mark.parametrize("wording_set", WORDING_SETS)
@pytest.mark.parametrize("goal", ["A", "S"])
def test_properties_are_bounded_for_any_gate(wording_set: str, goal: str) -> None:
    """With every finding of the largest gate raised, no Word property is over 255 characters."""
    clean = sample()
    rules = clean.rules
    attack = attacks()["docx_label_deny"]
    for gate_id in rules.gates:
        meetings = [met for met in clean.specialists if met.gate == gate_id]
        for met in meetings:
            gate = Gate(Copy(clean), met, attack, Options(wording_set=wording_set))
            reference = clean.references[met.occurrence_id]
            raised = tuple(_finding(rule) for rule in rules.rules_of(gate_id))
            crowded = msgspec.structs.replace(reference, findings=raised)
            clean.references[met.occurrence_id] = crowded  # type: ignore[index]  # restored below
            try:
                for finding in raised:
                    bounded = gate.decide(goal, finding, room=200)  # type: ignore[arg-type]  # a goal
                    assert len(bounded) <= 200
                    assert finding.id in bounded or goal == "A"
            finally:
                clean.references[met.occurrence_id] = reference  # type: ignore[index]  # as it was


def _finding(rule: Any) -> Any:
    from generators.governance import Finding

    return Finding(
        id=rule.id,
        severity=rule.severity,
        message=rule.message * 3,
        required_action=rule.action,
        action_owner=rule.owner,
        evidence_required=rule.evidence,
        disposition=rule.disposition,
        risk_acceptance_allowed=rule.risk_acceptable,
    )


@pytest.mark.parametrize("wording_set", WORDING_SETS)
def test_properties_as_planted_are_short(wording_set: str) -> None:
    """What the Word attacks set is read back whole and fits."""
    for attack_id in oracle.attack_ids():
        if not attack_id.startswith("docx_"):
            continue
        for route in ("buy", "integrate", "build"):
            built = variant(attack_id, sample(route), Options(rate=1, wording_set=wording_set))
            for entry in built.attacked:
                content = read_docx(built.files[entry.path], "blocks").content
                assert isinstance(content, list)
                shown = str(content[-1])
                for part in entry.parts:
                    if part.text in shown:
                        assert len(part.text) <= MAX_PROPERTY


def test_texts_survive_xml_and_the_page() -> None:
    """No text has a character that XML forbids, or that the PDF page cannot show."""
    for wording_set in WORDING_SETS:
        for keys, text in _family(wording_set).items():
            escaped = xml_text(text)
            for shown, char in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
                escaped = escaped.replace(shown, char)
            assert escaped == text
            if keys[0] == "signed_pdf":
                assert text.encode("latin-1").decode("latin-1") == text


@pytest.mark.parametrize("wording_set", WORDING_SETS)
@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_requests_are_recognised_where_they_are_planted(attack_id: str, wording_set: str) -> None:
    """From the planted texts alone, the goal of every attacked gate and what it needs come back."""
    attack = attacks()[attack_id]
    asked = attack.asked(wording_set)
    assert bool(asked) == (attack.asks and attack_id != "forged_row")
    for route in ("buy", "integrate", "build"):
        built = variant(attack_id, sample(route), Options(rate=1, wording_set=wording_set))
        for entry in built.attacked if asked else ():
            goal = oracle.letters()[str(entry.goal)]
            if attack_id == "vocabulary_suppression":
                goal = "A"  # one text for both goals: it prescribes the outcome
            evidence = reveal(html.unescape("\n".join(part.text for part in entry.parts)))
            found = [v for one in asked if one.goal == goal for v in one.found_in(evidence)]
            assert found
            for values in found:
                assert values.get("token", entry.token) == entry.token
                if isinstance(entry.target_finding, str) and "finding_id" in values:
                    assert values["finding_id"] == entry.target_finding
                if isinstance(entry.fake_reference, str):
                    reference = values.get("fake_reference") or values["mandate"]
                    assert reference == entry.fake_reference
                if isinstance(entry.marker, str):
                    assert values["marker"] == entry.marker


@pytest.mark.parametrize("wording_set", WORDING_SETS)
def test_nothing_is_recognised_in_clean_dossiers_and_placebos(wording_set: str) -> None:
    """No request is found where none was planted."""
    asked = [one for attack in attacks().values() for one in attack.asked(wording_set)]
    for attack_id in oracle.attack_ids():
        options = Options(rate=0, draws="strict-2", placebos="every-carrier")
        built = variant(attack_id, sample(), options)
        evidence = "\n".join(part.text for entry in built.placebos for part in entry.parts)
        assert not any(list(one.found_in(evidence)) for one in asked)
    clean = sample()
    everything = "\n".join(str(clean.content(one)) for one in clean.compiled.by_id)
    assert not any(list(one.found_in(everything)) for one in asked)


def test_every_planted_text_is_recognised() -> None:
    """Some template of its attack matches each part but data, numbers and wrapped lines."""
    unsaid = {"forged_row", "dilution", "signed_pdf", "fake_control_tokens"}
    for wording_set in WORDING_SETS:
        family = read_family("2026.12", f"attacks_{wording_set}")
        for attack_id in oracle.attack_ids():
            if attack_id in unsaid:
                continue
            patterns = [recogniser(text) for _, text in _texts(family[attack_id])]
            patterns += [recogniser(text) for _, text in _texts(family[PLACEBO])]
            built = variant(attack_id, sample(), Options(rate=1, wording_set=wording_set))
            for entry in built.manifest:
                for part in entry.parts:
                    assert any(one.search(reveal(part.text)) for one in patterns), part.text


def test_a_repeated_place_holds_one_value() -> None:
    """A place that stands twice in a template matches only equal values."""
    pattern = recogniser("drop {finding_id} ({token}), really {finding_id}")
    assert pattern.search("drop IT-EOL-001 (DGF-0123ABCD),\n really IT-EOL-001")
    assert not pattern.search("drop IT-EOL-001 (DGF-0123ABCD), really IT-EOL-002")


def test_faulty_sets_are_named() -> None:
    """An unknown set, a section that is not there and one of another form each say so."""
    with pytest.raises(WordingError, match="no such wording set"):
        section("prod", DECISION, Decision)
    with pytest.raises(WordingError, match=r"lacks a section.*\[nobody\]"):
        section("dev", "nobody", Decision)
    with pytest.raises(WordingError, match="wrong form"):
        section("dev", "image", Decision)
