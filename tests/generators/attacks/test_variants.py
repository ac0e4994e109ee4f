"""What holds for every variant: its facts, its readers, its bytes, and what may differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from generators.attacks import CleanDossier, Entry, Options, Variant, attacks, reveal
from generators.attacks.storing import whole
from generators.dossier import model
from generators.dossier.validation import validate
from generators.dossier.verification import certification_problems
from generators.governance import GENERAL
from generators.readers.compiled import EvidenceLibrary
from generators.readers.content import ReadError
from generators.readers.dossier import CompiledDossier, list_evidence, read_evidence
from generators.readers.loading import FilesInMemory, compile_dossier
from tests.generators.attacks import oracle
from tests.generators.attacks.samples import made, sample, variant

ROUTES = ("buy", "integrate", "build")
SETS = {1: "dev", 2: "test", 3: "test", 4: "dev", 5: "dev"}
"""Difficulty to the wording set it is tested with."""

EVALUATOR = {model.CONTEXT_FILE, model.HIDDEN_FILE, model.README_FILE}
UPLOADING = {model.GRAPH_FILE, model.VISIBILITY_FILE}
WORLDS = [(route, difficulty) for difficulty in SETS for route in ROUTES]
EVERYWHERE = Options(rate=1.0, placebos="every-carrier")


def _world(route: str, difficulty: int) -> tuple[CleanDossier, dict[str, bytes]]:
    seed = 20_000 + difficulty
    return sample(route, difficulty, seed), dict(made(route, difficulty, seed).files)


def _built(attack_id: str, clean: CleanDossier, difficulty: int) -> Variant:
    return variant(
        attack_id, clean, msgspec.structs.replace(EVERYWHERE, wording_set=SETS[difficulty])
    )


def _compiled(files: dict[str, bytes], library: EvidenceLibrary | None = None) -> CompiledDossier:
    return compile_dossier(
        FilesInMemory(files), mode="blocks", library=library or EvidenceLibrary()
    )


@pytest.mark.parametrize(("route", "difficulty"), WORLDS)
@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_a_variant_is_as_sound_as_its_dossier(attack_id: str, route: str, difficulty: int) -> None:
    """Every variant validates and certifies, and its truth is that of the clean dossier."""
    clean, files = _world(route, difficulty)
    built = _built(attack_id, clean, difficulty)
    attacked = {**files, **built.files}
    assert validate(attacked) == ()
    assert certification_problems(attacked) == ()
    before, after = (msgspec.json.decode(side[model.HIDDEN_FILE]) for side in (files, attacked))
    for key in ("case_id", "canonical_truth", "reference_decisions"):
        assert before[key] == after[key]


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_only_carriers_and_root_files_differ(attack_id: str) -> None:
    """A variant changes the carriers, three files of the evaluator, and two where it uploads."""
    for route in ROUTES:
        clean, files = _world(route, 5)
        built = _built(attack_id, clean, 5)
        nodes = {
            n["evidence_id"]: n["path"] for n in _root(built, files, model.GRAPH_FILE)["nodes"]
        }
        carriers = {
            nodes[part.evidence_id]
            for entry in built.manifest
            for part in entry.parts
            if part.channel in {"read", "list"}
        }
        uploads = built.files.keys() - files.keys()
        assert uploads <= carriers
        assert built.files.keys() == carriers | EVALUATOR | (UPLOADING if uploads else set())
        assert bool(built.pictures) == (attack_id == "image")


def _root(built: Variant, files: dict[str, bytes], path: str) -> Any:
    return msgspec.json.decode({**files, **built.files}[path])


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_no_structured_value_of_a_record_changes(attack_id: str) -> None:
    """In an authoritative record only notes differ, and a row or entry more after the others."""
    clean, files = _world("buy", 5)
    built = _built(attack_id, clean, 5)
    before, after = _compiled(files), _compiled({**files, **built.files})
    for node in before.nodes:
        if node.authoritative and node.path in built.files:
            old, new = before.evidence(node.evidence_id), after.evidence(node.evidence_id)
            assert old is not None
            assert new is not None
            assert _without_notes(new.content, old.content) == old.content


def _without_notes(new: Any, old: Any) -> Any:
    """`new` without notes that `old` has not, and without what follows the last entry of `old`."""
    if isinstance(new, dict) and isinstance(old, dict):
        return {
            key: old[key] if key == "notes" and key in old else _without_notes(value, old.get(key))
            for key, value in new.items()
            if key in old or key != "notes"
        }
    if isinstance(new, list) and isinstance(old, list):
        return [_without_notes(a, b) for a, b in zip(new, old, strict=False)]
    return new


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_parts_are_delivered_as_the_manifest_says(attack_id: str) -> None:
    """Each part is a text of what its channel gives the gate that is to receive it."""
    for route in ROUTES:
        clean, files = _world(route, 5)
        built = _built(attack_id, clean, 5)
        dossier = _compiled({**files, **built.files})
        occurrences = {met.occurrence_id: met for met in clean.occurrences}
        for entry in built.manifest:
            carrier = entry.carrier_occurrence
            key = entry.occurrence_id if carrier is msgspec.UNSET else carrier
            assert entry.parts
            for part in entry.parts:
                gate, phase = occurrences[key].gate, occurrences[key].phase
                if part.channel == "read":
                    result = read_evidence(dossier, part.evidence_id, gate=gate, phase=phase)
                    assert not isinstance(result, ReadError)
                    assert any(part.text in text for text in _texts(result.get("content")))
                elif part.channel == "list":
                    listed = list_evidence(dossier, gate=gate, phase=phase)["evidence"]
                    assert isinstance(listed, list)
                    rows = [row for row in listed if isinstance(row, dict)]
                    titles = {row["evidence_id"]: row.get("title") for row in rows}
                    assert titles[part.evidence_id] == part.text
                elif part.channel == "prompt":
                    context = _root(built, files, model.CONTEXT_FILE)
                    assert f"({part.text})" in context["project"]["business_unit"]
                else:
                    drawings = [drawing.svg.decode() for drawing in built.pictures.values()]
                    assert any(part.text in drawing for drawing in drawings)


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict | list):
        for item in content.values() if isinstance(content, dict) else content:
            yield from _texts(item)


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_the_canary_is_in_what_is_planted(attack_id: str) -> None:
    """Some part of every entry carries its token, and no clean file does."""
    clean, files = _world("buy", 5)
    everything = b"\n".join(files.values())
    for entry in _built(attack_id, clean, 5).manifest:
        assert any(entry.token in reveal(part.text) for part in entry.parts)
        assert entry.token.encode() not in everything


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_bytes_repeat(attack_id: str) -> None:
    """The same dossier under the same attack gives the same bytes, whatever was asked before."""
    clean, files = _world("integrate", 3)
    again = sample("integrate", 3, 20_003)
    fresh = type(clean)(FilesInMemory(files), pictures=clean.pictures)
    assert _built(attack_id, again, 3) == _built(attack_id, fresh, 3)


def test_locations_do_not_move_while_texts_are_planted() -> None:
    """Every attack leaves the places of the others where they were."""
    for route in ROUTES:
        clean, files = _world(route, 5)
        for attack_id in oracle.attack_ids():
            attacked = {**files, **_built(attack_id, clean, 5).files}
            attacked[model.CONTEXT_FILE] = files[model.CONTEXT_FILE]
            copy = CleanDossier(FilesInMemory(attacked))
            for met in clean.specialists:
                assert copy.records(met) == clean.records(met)
                ids = [one.node.evidence_id for one in clean.documents(met)]
                assert [one.node.evidence_id for one in copy.documents(met)] == ids


def test_general_is_attacked_through_others_alone() -> None:
    """No attack but the relay has an entry for General, and that one has nothing else."""
    for route in ROUTES:
        clean, _ = _world(route, 5)
        for attack_id in oracle.attack_ids():
            gates = {entry.gate for entry in _built(attack_id, clean, 5).manifest}
            assert (GENERAL in gates) == (attack_id == "second_order" and bool(gates))


def test_a_property_belongs_to_one_gate() -> None:
    """No Word document has its properties set for two gates."""
    for route in ROUTES:
        clean, _ = _world(route, 5)
        for attack_id in oracle.attack_ids():
            if attack_id.startswith("docx_"):
                carriers = [e.evidence_id for e in _built(attack_id, clean, 5).manifest]
                assert len(carriers) == len(set(carriers))


def test_the_invented_reference_is_no_mandate() -> None:
    """An invented reference never happens to be real, and a foreign one always is."""
    clean, _ = _world("buy", 5)
    real = {mandate.reference for mandate in clean.mandates}
    for attack in attacks().values():
        for entry in _built(attack.id, clean, 5).attacked:
            if isinstance(entry.fake_reference, str):
                assert (entry.fake_reference in real) == (attack.id == "scope_confusion")


def test_the_readme_lists_what_was_planted() -> None:
    """The page for people has a line for every entry."""
    clean, files = _world("buy", 5)
    built = _built("narrative", clean, 5)
    page = built.files[model.README_FILE].decode()
    assert page.startswith(files[model.README_FILE].decode().rstrip())
    assert all(_line(entry) in page for entry in built.manifest)


def _line(entry: Entry) -> str:
    goal = "placebo" if entry.placebo else entry.goal
    return f"| {entry.occurrence_id} | {goal} | `{entry.path}` | `{entry.token}` |"


def test_a_whole_variant_has_every_file() -> None:
    """A variant's folder holds the clean files, the changed ones and the drawn picture."""
    clean, files = _world("buy", 5)
    built = _built("image", clean, 5)
    (picture,) = built.pictures
    folder = dict(whole(files, built))
    assert folder.keys() == files.keys() | {picture}
    assert folder[picture].startswith(b"\x89PNG")


@pytest.mark.parametrize("attack_id", oracle.attack_ids())
def test_the_long_route_is_attacked_gate_by_gate(attack_id: str) -> None:
    """Where a gate meets twice each meeting has an entry, and files of its own if it gets any."""
    clean, files = _world("full_lifecycle", 4)
    built = _built(attack_id, clean, 4)
    assert validate({**files, **built.files}) == ()
    keys = [entry.occurrence_id for entry in built.manifest]
    assert keys == sorted(set(keys), key=[o.occurrence_id for o in clean.occurrences].index)
    if attack_id in {"signed_pdf", "forwarded_email"}:
        assert len({entry.path for entry in built.manifest}) == len(clean.specialists)
