"""What departs from the published way: single gates, goals, placebos, crossover, draws."""

from __future__ import annotations

import msgspec
import pytest

from cache.errors import UsageError
from generators.attacks import Entry, Options, Variant, find_attack
from generators.governance import UnknownIdError
from tests.generators.attacks import oracle
from tests.generators.attacks.samples import FULL, planned, sample, variant

IDS = oracle.attack_ids()


def _gates(entries: tuple[Entry, ...]) -> set[str]:
    return {entry.occurrence_id for entry in entries}


@pytest.mark.parametrize("attack_id", IDS)
def test_one_gate_alone(attack_id: str) -> None:
    """A single-gate variant has that gate's entry and no other, and no placebo."""
    clean = sample()
    for entry in variant(attack_id, clean).attacked:
        only = Options(rate=1.0, only_occurrence=entry.occurrence_id)
        (single,) = variant(attack_id, clean, only).manifest
        assert not single.placebo
        assert (single.occurrence_id, single.token) == (entry.occurrence_id, entry.token)
        assert (single.goal, single.target_finding) == (entry.goal, entry.target_finding)


def test_an_unknown_gate_is_refused() -> None:
    """An occurrence the route has not is an error that names those it has."""
    with pytest.raises(UnknownIdError, match="BUY-01-PROCUREMENT-1"):
        variant("narrative", sample(), Options(only_occurrence="BUY-99-LEGAL-1"))


def test_the_pilots_targets_prefer_the_approval() -> None:
    """With prefer-A the eight gates of the replays have the published goals."""
    dossiers = {dossier.name: dossier for dossier in planned("dev15")}
    for target in oracle.facts()["pilot_target"]:
        options = Options(rate=1.0, goal_rule="prefer-A", only_occurrence=target["occurrence_id"])
        for attack_id in ("signed_pdf", "trigger_rule", "context_note", "forwarded_email"):
            (entry,) = variant(attack_id, dossiers[target["case"]], options).manifest
            assert oracle.letters()[str(entry.goal)] == target["goal"]


@pytest.mark.parametrize("attack_id", IDS)
def test_a_placebo_in_every_carrier(attack_id: str) -> None:
    """With rate 0 and placebos everywhere each attack has neutral entries and no attacked one."""
    options = Options(rate=0.0, placebos="every-carrier", draws="strict-2")
    built = [variant(attack_id, sample(route), options) for route in ("buy", "integrate", "build")]
    assert any(one.placebos for one in built)
    assert not any(one.attacked for one in built)
    for one in built:
        for entry in one.placebos:
            assert entry.goal is msgspec.UNSET
            assert entry.target_finding is msgspec.UNSET
            assert any(entry.token in part.text for part in entry.parts)
            assert not any(" GO" in part.text or "finding" in part.text for part in entry.parts)


@pytest.mark.parametrize("attack_id", IDS)
def test_crossover_attacks_each_gate_once(attack_id: str) -> None:
    """Two copies attack each gate once; what one attacks gets a placebo in the other, if it can."""
    attacked: set[str] = set()
    everything: set[str] = set()
    for seed in range(20_004, 20_008):
        clean = sample(seed=seed)
        halves = [variant(attack_id, clean, Options(crossover=arm)) for arm in ("first", "second")]
        first, second = (_gates(half.attacked) for half in halves)
        assert not first & second
        attacked |= first | second
        everything |= _gates(variant(attack_id, clean).attacked)
        if not attack_id.startswith("docx_"):  # there a document may be free in one copy alone
            assert first | second == _gates(variant(attack_id, clean).attacked)
            assert first <= _gates(halves[1].placebos)
            assert second <= _gates(halves[0].placebos)
    assert attacked <= everything or attack_id.startswith("docx_")


def test_strict_draws_tell_the_first_two_attacks_apart() -> None:
    """Under strict-2 narrative and record notes have tokens and lotteries of their own."""
    clean = sample()
    strict = Options(rate=1.0, draws="strict-2")
    tokens = [
        {entry.token for entry in variant(one, clean, strict).manifest}
        for one in ("narrative", "records")
    ]
    assert not tokens[0] & tokens[1]
    other = variant("tool_output", clean, strict).manifest
    assert other == variant("tool_output", clean, FULL).manifest


def test_strict_draws_let_the_rate_count_everywhere() -> None:
    """Under strict-2 a rate of 0 attacks nobody, also under attacks that otherwise ignore it."""
    for attack_id in IDS:
        assert variant(attack_id, sample(), Options(rate=0.0, draws="strict-2")).attacked == ()
        ignores = find_attack(attack_id).ignores_rate
        assert bool(variant(attack_id, sample(), Options(rate=0.0)).attacked) == ignores


def test_another_order_of_targets() -> None:
    """The target rule can be made the same for all attacks."""
    options = Options(rate=1.0, goal_rule="prefer-A", target_rule="unacceptable-first")
    for route in ("buy", "integrate", "build"):
        by_image = _targets(variant("image", sample(route), options))
        by_note = _targets(variant("context_note", sample(route), options))
        assert by_image.items() <= by_note.items()


def _targets(built: Variant) -> dict[str, object]:
    return {entry.occurrence_id: entry.target_finding for entry in built.attacked}


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_an_impossible_rate_is_refused(rate: float) -> None:
    """A rate is a share."""
    with pytest.raises(UsageError, match="not from 0 to 1"):
        Options(rate=rate)


def test_an_unknown_set_is_refused() -> None:
    """There are two wording sets."""
    with pytest.raises(UsageError, match="one of dev, test"):
        Options(wording_set="prod")
