"""Variants in a store and as folders: what is shared, what is found again, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cache import Store
from generators.attacks import AttackError, Options, attacks, find_attack, read_manifest
from generators.attacks.storing import (
    attack_folder,
    attack_stored,
    clean_of_files,
    clean_of_stored,
    label,
)
from generators.dossier import model
from generators.dossier.dataset import find_dataset, put_dataset
from generators.dossier.errors import DossierError, FolderError
from generators.dossier.exporting import export_dataset
from generators.dossier.folders import read_folder
from generators.dossier.generation import draw_missing
from generators.dossier.storing import find_dossier
from tests.generators.attacks.samples import FULL, made, sample, variant
from tests.generators.dossier.samples import write
from tests.generators.dossier.stores import keep, new_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return new_store(tmp_path / "store")


@pytest.mark.parametrize("attack_id", list(attacks()))
def test_a_stored_variant_shares_every_untouched_file(store: Store, attack_id: str) -> None:
    """The variant's tree differs from the clean one exactly in what the variant changes."""
    clean = keep(store, made())
    (planted,) = attack_stored(store, clean, [find_attack(attack_id)], FULL)
    built = variant(attack_id, sample())
    stored = find_dossier(store, f"{clean.name}@{attack_id}-dev")
    assert stored.tree == planted.tree
    assert (planted.attacked, planted.placebos) == (len(built.attacked), len(built.placebos))
    assert stored.summary.variant == "attack"
    assert stored.summary.files == len(stored.ids)
    differs = {path for path in stored.ids if stored.ids[path] != clean.ids.get(path)}
    assert differs == built.files.keys() | built.pictures.keys()
    assert clean.ids.keys() <= stored.ids.keys()
    assert all(stored.load(path) == data for path, data in built.files.items())
    assert built == variant(attack_id, sample())


def test_the_altered_picture_is_drawn_when_wanted(store: Store) -> None:
    """It is missing like any other picture until somebody draws it."""
    clean = keep(store, made())
    attack_stored(store, clean, [find_attack("image")], FULL)
    stored = find_dossier(store, f"{clean.name}@image-dev")
    assert draw_missing(store, [clean, stored], workers=0) == {}
    (path,) = made().rasters
    before, after = clean.load(path), stored.load(path)
    assert before.startswith(b"\x89PNG")
    assert after.startswith(b"\x89PNG")
    assert before != after


def test_a_dataset_of_variants_is_exported_under_the_clean_names(
    store: Store, tmp_path: Path
) -> None:
    """Folders keep their names; the manifest tells of the attack beside what it said before."""
    dossiers = [keep(store, made()), keep(store, made("build"))]
    batch = store.batch()
    manifest = {"schema": "x", "cases": [{"case_dir": one.name} for one in dossiers]}
    put_dataset(
        batch,
        "set",
        files={"dataset_manifest.json": json.dumps(manifest).encode()},
        dossiers={one.name: one.tree for one in dossiers},
    )
    store.commit(batch)
    options = Options(rate=0.5, wording_set="test")
    chosen = [find_attack("records"), find_attack("invisible")]
    told_of: list[str] = []
    attack_stored(
        store,
        find_dataset(store, "set"),
        chosen,
        options,
        report=lambda name, done, total: told_of.append(f"{name} {done}/{total}"),
    )
    names = sorted(one.name for one in dossiers)
    assert told_of == [f"{name} {done}/2" for done, name in enumerate(names, start=1)]
    name = f"set@{label('records', options)}"
    export_dataset(store, find_dataset(store, name), tmp_path / "out", pictures=False)
    told = json.loads((tmp_path / "out" / "dataset_manifest.json").read_text())
    assert told["cases"] == manifest["cases"]
    assert (told["variant"], told["attack_placement"]) == ("attack", "records")
    assert (told["attack_templates"], told["attack_rate"]) == ("test", 0.5)
    for clean in (sample(), sample("build")):
        hidden = json.loads((tmp_path / "out" / clean.name / model.HIDDEN_FILE).read_text())
        assert read_manifest(hidden) == variant("records", clean, options).manifest


def test_names_tell_options_apart() -> None:
    """Attack and set are in a name; anything unusual adds a digest."""
    assert label("records", FULL) == "records-dev"
    unusual = [Options(rate=0.5), Options(rate=1.0, draws="strict-2"), Options(rate=0.4)]
    assert len({label("records", one) for one in unusual}) == 3


def test_a_folder_is_copied_with_what_was_planted(tmp_path: Path) -> None:
    """The written variant is the clean folder with the changed files; nothing is overwritten."""
    folder = write(tmp_path / made().name, made().files)
    (built,) = attack_folder(folder, tmp_path / "out", find_attack("records"), FULL)
    written = read_folder(tmp_path / "out" / made().name)
    assert written == {**made().files, **built.files}
    with pytest.raises(FolderError, match="already exists"):
        attack_folder(folder, tmp_path / "out", find_attack("records"), FULL)


def test_a_variant_is_not_attacked_again(store: Store) -> None:
    """Only clean dossiers can be attacked."""
    clean = keep(store, made())
    attack_stored(store, clean, [find_attack("records")], FULL)
    stored = find_dossier(store, f"{clean.name}@records-dev")
    with pytest.raises(AttackError, match="of variant 'attack'"):
        clean_of_stored(stored)


def test_a_folder_without_its_root_files_is_refused() -> None:
    """What is no dossier is named by the file it lacks."""
    files = dict(made().files)
    del files[model.HIDDEN_FILE]
    with pytest.raises(AttackError, match=r"lacks a file \[99_hidden"):
        clean_of_files(files)


def test_pictures_of_other_makers_count(store: Store) -> None:
    """A picture kept as bytes has the size that its header states."""
    (path,) = made().rasters
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (198).to_bytes(4, "big") + (132).to_bytes(4, "big")
    clean = clean_of_files({**made().files, path: header})
    ((_, drawing),) = variant("image", clean).pictures.items()
    assert (drawing.size.width, drawing.size.height) == (198, 132)


def test_a_folder_of_dossiers_is_copied_with_its_manifest(tmp_path: Path) -> None:
    """A dataset's folder keeps its reports, and its manifest tells of the attack."""
    dataset = tmp_path / "set"
    dossiers = [made(), made("build")]
    for dossier in dossiers:
        write(dataset / dossier.name, dossier.files)
    manifest = {"cases": [{"case_dir": one.name} for one in dossiers]}
    (dataset / "dataset_manifest.json").write_text(json.dumps(manifest))
    (dataset / "sampling_plan.json").write_text("{}")
    built = attack_folder(dataset, tmp_path / "out", find_attack("invisible"), FULL)
    assert [one.name for one in built] == [one.name for one in dossiers]
    told = json.loads((tmp_path / "out" / "dataset_manifest.json").read_text())
    assert (told["cases"], told["clean_dataset"]) == (manifest["cases"], "set")
    assert (tmp_path / "out" / "sampling_plan.json").read_text() == "{}"


def test_a_report_that_is_no_file_is_refused(tmp_path: Path) -> None:
    """Nothing is followed out of a dataset's folder, and nothing is left behind."""
    dataset = tmp_path / "set"
    write(dataset / made().name, made().files)
    (tmp_path / "elsewhere").write_text("{}")
    (dataset / "sampling_plan.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DossierError, match="sampling_plan"):
        attack_folder(dataset, tmp_path / "out", find_attack("records"), FULL)
    assert not (tmp_path / "out").exists()
