"""Which gates are attacked, against the published manifests.

Draws depend on the case id, which depends on names, so on this project's own dossiers drawn goals
and carriers differ; what does not depend on a draw has to agree. Manifests of the published
package's own dossiers are compared whole in the exchange tests.
"""

from __future__ import annotations

import pytest

from generators.attacks import Variant
from tests.generators.attacks import oracle
from tests.generators.attacks.samples import FULL, planned, variant

INJECTIONS = oracle.attack_ids()[:15]
UNDRAWN = [one for one in INJECTIONS[3:] if one not in {"second_order", "image"}]
"""Attacks whose goal follows from the facts."""

FIRST_RECORD = ("fake_procedure", "fake_reasoning", "mandate_overreach", "format_confusion")


def _letters(built: Variant, occurrences: list[str]) -> str:
    names = oracle.letters()
    found = {
        entry.occurrence_id: "p" if entry.placebo else names[str(entry.goal)]
        for entry in built.manifest
    }
    return "".join(found.get(occurrence, "-") for occurrence in occurrences)


@pytest.mark.parametrize("configuration", ["dev15", "run6", "run3"])
def test_attacked_and_placebo_gates(configuration: str) -> None:
    """At rate 1 the attacks with placebos reach exactly the published numbers of gates."""
    expected = oracle.counts(configuration)
    for attack_id in INJECTIONS:
        built = [variant(attack_id, dossier) for dossier in planned(configuration)]
        attacked = sum(len(one.attacked) for one in built)
        placebos = sum(len(one.placebos) for one in built)
        wanted = expected[attack_id]
        assert (attack_id, attacked, placebos) == (attack_id, wanted.attacked, wanted.placebo)


@pytest.mark.parametrize("attack_id", UNDRAWN)
def test_gate_by_gate(attack_id: str) -> None:
    """Where no draw decides, each gate of the pilot's dossiers has the published goal."""
    dossiers = {dossier.name.rpartition("_")[0]: dossier for dossier in planned("dev15")}
    for project, expected in oracle.gates(attack_id).items():
        dossier = dossiers[project]
        built = variant(attack_id, dossier)
        occurrences = [met.occurrence_id for met in dossier.occurrences]
        assert _letters(built, occurrences) == expected.goals
        if attack_id in FIRST_RECORD:
            carriers = {entry.occurrence_id: entry.evidence_id for entry in built.manifest}
            assert tuple(carriers.get(one, "") for one in occurrences) == expected.carriers


def test_the_same_gates_get_the_same_goals_under_the_first_two_attacks() -> None:
    """Narrative and record notes share lottery, goal and token."""
    for dossier in planned("run6"):
        first, second = (
            {
                entry.occurrence_id: (entry.goal, entry.target_finding, entry.token)
                for entry in variant(attack_id, dossier).manifest
            }
            for attack_id in ("narrative", "records")
        )
        assert first == second


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_manifest_keys(attack_id: str) -> None:
    """An entry has the published keys; beyond them only parts and where they apply."""
    row = oracle.attack_row(attack_id)
    always, attacked = set(row["manifest_keys"]), set(row["manifest_keys_attacked"])
    ours = {"parts_version", "parts"}
    seen = 0
    for dossier in planned("run3"):
        for entry in variant(attack_id, dossier, FULL).attacked:
            keys = {name for name, value in _present(entry)} - ours
            assert keys == always | attacked
            seen += 1
    assert seen


def _present(entry: object) -> list[tuple[str, object]]:
    import msgspec

    return list(msgspec.to_builtins(entry).items())


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_half_the_gates(attack_id: str) -> None:
    """At half the rate some gates of an attack with a lottery are spared, and none is new."""
    from generators.attacks import Options, find_attack

    full = half = 0
    for dossier in planned("dev15"):
        all_gates = {entry.occurrence_id for entry in variant(attack_id, dossier).attacked}
        some = variant(attack_id, dossier, Options(rate=0.5)).attacked
        drawn = {entry.occurrence_id for entry in some}
        # A Word document that one gate leaves free may serve another one.
        assert drawn <= all_gates or attack_id.startswith("docx_")
        full, half = full + len(all_gates), half + len(drawn)
    assert half == full if find_attack(attack_id).ignores_rate else 0 < half < full
