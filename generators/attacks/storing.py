"""Variants in a store, where they share every file they do not change, and variants as folders.

A variant in the store is a dossier under a name of its own, `NAME@ATTACK-SET`, so it can be shown,
checked and exported like any other. Folders keep the name of the clean dossier, as the published
package has it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from cache import BLOB, Batch, ObjectId, Store, Tree
from cache.trees import update
from generators.attacks.attack import Attack
from generators.attacks.carriers import read_json
from generators.attacks.clean import CleanDossier, PictureSize
from generators.attacks.options import Options
from generators.attacks.picture import png_size
from generators.attacks.variant import Variant, build_variant
from generators.dossier.assembly import RENDERER
from generators.dossier.dataset import DATASET_FILES, MANIFEST_FILE, StoredDataset, put_dataset
from generators.dossier.errors import DossierError
from generators.dossier.exporting import dataset_dossiers
from generators.dossier.folders import read_file, write_folder
from generators.dossier.importing import MAX_REPORT_BYTES, dossier_folders, read_sound
from generators.dossier.model import Dossier
from generators.dossier.pictures import Derivation, draw
from generators.dossier.storing import StoredDossier, index_dossier, summarize
from generators.evidence import json_bytes
from generators.readers.compiled import EvidenceLibrary
from generators.readers.loading import FilesInMemory

FULL_RATE: Final = Options(rate=1.0)
"""Options that a name need not mention, but for the wording set."""

Files = Mapping[str, bytes]
Report: TypeAlias = Callable[[str, int, int], None]
"""Told of each dossier that is attacked: its folder, how many are done, how many there are."""


class Planted(msgspec.Struct, frozen=True, kw_only=True):
    """A variant that is stored."""

    attack: str
    folder: str
    """The folder of its clean dossier in the source."""
    tree: ObjectId
    attacked: int
    """Gates that are attacked."""
    placebos: int
    """Gates that got a neutral text."""

    @classmethod
    def of(cls, variant: Variant, folder: str, tree: ObjectId) -> Planted:
        """What is kept of a variant once it is stored."""
        return cls(
            attack=variant.attack,
            folder=folder,
            tree=tree,
            attacked=len(variant.attacked),
            placebos=len(variant.placebos),
        )


def clean_of_files(files: Files, *, library: EvidenceLibrary | None = None) -> CleanDossier:
    """A clean dossier from the files of its folder."""
    pictures = {path: png_size(data) for path, data in files.items() if path.endswith(".png")}
    return CleanDossier(FilesInMemory(files), pictures=pictures, library=library)


def clean_of_dossier(dossier: Dossier) -> CleanDossier:
    """A clean dossier that has just been made."""
    pictures = {
        path: PictureSize(width=raster.width, height=raster.height)
        for path, raster in dossier.rasters.items()
    }
    return CleanDossier(FilesInMemory(dossier.files), pictures=pictures)


def clean_of_stored(
    dossier: StoredDossier, *, library: EvidenceLibrary | None = None
) -> CleanDossier:
    """A clean dossier of a store; its files are read when an attack needs them."""
    pictures: dict[str, PictureSize] = {}
    for path in dossier.ids:
        if path.endswith(".png"):
            made = dossier.derivation(path)
            pictures[path] = (
                png_size(dossier.load(path))
                if made is None
                else PictureSize(width=made.width, height=made.height)
            )
    return CleanDossier(dossier, pictures=pictures, library=library)


def label(attack_id: str, options: Options) -> str:
    """What tells a variant from others: attack, wording set, and a digest of unusual options."""
    usual = msgspec.structs.replace(FULL_RATE, wording_set=options.wording_set)
    if options == usual:
        return f"{attack_id}-{options.wording_set}"
    digest = hashlib.sha256(msgspec.json.encode(options)).hexdigest()[:8]
    return f"{attack_id}-{options.wording_set}-{digest}"


def put_variant(store: Store, batch: Batch, clean: StoredDossier, variant: Variant) -> ObjectId:
    """Add a variant of a stored dossier to a batch and make it findable; the result is its tree."""

    def load(oid: ObjectId) -> Tree:
        return store.get_record(oid, Tree, named_by=clean.name)

    changes: dict[str, ObjectId | None] = {
        path: batch.put(BLOB, data) for path, data in variant.files.items()
    }
    for path, drawing in variant.pictures.items():
        made = Derivation(
            source=batch.put(BLOB, drawing.svg),
            renderer=RENDERER,
            width=drawing.size.width,
            height=drawing.size.height,
        )
        changes[path] = batch.put_record(made)
    built = update(clean.tree, changes, load)
    batch.put_records(built.trees)
    count = len({*clean.ids, *changes})
    name = f"{clean.name}@{label(variant.attack, variant.options)}"
    index_dossier(batch, name, built.root, summarize(variant.files, count=count))
    return built.root


def attack_stored(
    store: Store,
    source: StoredDossier | StoredDataset,
    chosen: Sequence[Attack[Any]],
    options: Options,
    *,
    report: Report | None = None,
) -> list[Planted]:
    """Build and store the variants of a dossier, or of a dataset with datasets of them.

    Each dossier is parsed once for all its variants, which are stored together; datasets come last.
    A repeated call stores nothing twice.
    """
    dataset: StoredDataset | None
    dossiers: dict[str, StoredDossier]
    if isinstance(source, StoredDossier):
        dataset, dossiers = None, {source.name: source}
    else:
        dataset, dossiers = source, dataset_dossiers(store, source)
    library = EvidenceLibrary()
    planted: list[Planted] = []
    for number, (folder, dossier) in enumerate(dossiers.items(), start=1):
        clean, batch = clean_of_stored(dossier, library=library), store.batch()
        for attack in chosen:
            variant = build_variant(clean, attack, options)
            tree = put_variant(store, batch, dossier, variant)
            planted.append(Planted.of(variant, folder, tree))
        store.commit(batch)
        if report is not None:
            report(folder, number, len(dossiers))
    if dataset is not None:
        batch = store.batch()
        for attack in chosen:
            trees = {one.folder: one.tree for one in planted if one.attack == attack.id}
            name = f"{dataset.name}@{label(attack.id, options)}"
            files = _dataset_files(dataset.files(), attack, options, dataset.name)
            put_dataset(batch, name, files=files, dossiers=trees)
        store.commit(batch)
    return planted


def attack_folder(
    source: Path, target: Path, attack: Attack[Any], options: Options
) -> list[Variant]:
    """Write the variants of a dossier's or dataset's folder to the new folder `target`."""
    folders = dossier_folders(source)
    variants: list[Variant] = []

    def files() -> Iterator[tuple[str, bytes]]:
        for folder in folders:
            clean = read_sound(folder)
            variant = build_variant(clean_of_files(clean), attack, options)
            variants.append(variant)
            for path, data in whole(clean, variant):
                yield f"{folder.resolve().name}/{path}", data
        if folders != [source]:
            yield from _dataset_files(
                _reports(source), attack, options, source.resolve().name
            ).items()

    write_folder(target, files())
    return variants


def whole(clean: Files, variant: Variant) -> Iterable[tuple[str, bytes]]:
    """Path and content of everything a variant's folder holds; its picture is drawn now."""
    drawn = {
        path: draw(drawing.svg, width=drawing.size.width, height=drawing.size.height)
        for path, drawing in variant.pictures.items()
    }
    return sorted({**clean, **variant.files, **drawn}.items())


def _reports(source: Path) -> dict[str, bytes]:
    """Plan, manifest and reports of a dataset's folder, as far as they are there."""
    found: dict[str, bytes] = {}
    for name in DATASET_FILES:
        if (source / name).exists():
            data = read_file(source / name, limit=MAX_REPORT_BYTES)
            if not isinstance(data, bytes):
                raise DossierError(data.problem, where=f"{source.name}/{name}")
            found[name] = data
    return found


def _dataset_files(
    clean: Files, attack: Attack[Any], options: Options, name: str
) -> dict[str, bytes]:
    """The files of a clean dataset, with a manifest that tells of the attack."""
    if MANIFEST_FILE not in clean:
        return dict(clean)
    manifest = read_json(clean[MANIFEST_FILE])
    told = {
        "variant": "attack",
        "attack_templates": options.wording_set,
        "attack_rate": options.rate,
        "attack_placement": attack.id,
        "clean_dataset": name,
        "attack_options": msgspec.to_builtins(options),
    }
    return {**clean, MANIFEST_FILE: json_bytes({**manifest, **told})}
