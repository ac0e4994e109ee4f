"""Folders into a store: a dossier or a dataset, made by this project or by another one.

Everything is read and checked before anything is stored, and nothing can be found before all of it
is stored. A picture that this release draws from the very facts of the dossier becomes a derivation
again, so what was exported comes back under the same ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from cache import BLOB, Batch, ObjectId, Store
from cache.errors import DgfError
from cache.trees import check_name
from generators.dossier import model
from generators.dossier.assembly import build_dossier, make_context
from generators.dossier.dataset import DATASET_FILES, MANIFEST_FILE, StoredDataset, put_dataset
from generators.dossier.errors import DossierContentError, FolderError, Problem
from generators.dossier.folders import read_file, read_folder
from generators.dossier.model import Dossier, DossierSpec
from generators.dossier.pictures import derivation, draw, find_picture, put_picture
from generators.dossier.storing import (
    StoredDossier,
    Summary,
    index_dossier,
    put_tree,
    stored_dossier,
    summarize,
)
from generators.dossier.validation import validate
from generators.facts import version_names

MAX_DOSSIERS: Final = 10_000
MAX_REPORT_BYTES: Final = 64 * 1024 * 1024
MAX_SEED: Final = 2**63 - 1

Files: TypeAlias = Mapping[str, bytes]
Report: TypeAlias = Callable[[str, int, int], None]
"""Told of each folder that is read: its name, how many are done, how many there are."""


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a folder."""

    dossiers: tuple[StoredDossier, ...]
    dataset: StoredDataset | None
    """Set if the folder was a dataset."""


class _Manifest(msgspec.Struct, frozen=True, kw_only=True):
    class Row(msgspec.Struct, frozen=True, kw_only=True):
        case_dir: str

    cases: tuple[Row, ...]


def import_folder(store: Store, folder: Path, *, report: Report | None = None) -> Imported:
    """Take the dossier or the dataset in `folder` into a store.

    Raises
    ------
    FolderError
        If there is neither in it.
    DossierContentError
        If anything is wrong with what is in it; the store then has nothing of it.
    """
    places = dossier_folders(folder)
    for number, place in enumerate(places, start=1):
        read_sound(place)
        if report is not None:
            report(place.name, number, len(places))
    extra = {} if places == [folder] else _dataset_files(folder)
    found: list[tuple[str, ObjectId, Summary]] = []
    for place in places:
        batch = store.batch()
        files = read_sound(place)
        found.append((name_of(files), *_put(store, batch, files)))
        store.commit(batch)
    last = store.batch()
    for name, tree, summary in found:
        index_dossier(last, name, tree, summary)
    dataset: StoredDataset | None = None
    if places != [folder]:
        trees = {place.name: tree for place, (_, tree, _) in zip(places, found, strict=True)}
        name = folder.resolve().name
        dataset = StoredDataset(store, name, put_dataset(last, name, files=extra, dossiers=trees))
    store.commit(last)
    kept = (stored_dossier(store, name, tree) for name, tree, _ in found)
    return Imported(dossiers=tuple(filter(None, kept)), dataset=dataset)


def dossier_folders(folder: Path) -> list[Path]:
    """The folders of the dossiers in `folder`: itself, or those of the dataset it is.

    A manifest says which they are; without one, every folder with a context file is.
    """
    if not folder.is_dir():
        raise FolderError("no such folder", where=str(folder))
    if (folder / model.CONTEXT_FILE).exists():
        return [folder]
    if (folder / MANIFEST_FILE).exists():
        names = _listed(folder)
    else:
        names = sorted(
            place.name for place in folder.iterdir() if (place / model.CONTEXT_FILE).exists()
        )
    if not names:
        hint = f"a dossier has a {model.CONTEXT_FILE}, a dataset has dossiers in it"
        raise FolderError("neither a dossier nor a dataset", where=str(folder), hint=hint)
    if len(names) > MAX_DOSSIERS:
        problem = Problem(file=".", problem=f"has over {MAX_DOSSIERS} dossiers")
        raise DossierContentError(str(folder), [problem])
    return [folder / name for name in names]


def read_sound(folder: Path) -> dict[str, bytes]:
    """The files of a dossier's folder, if there is nothing wrong with them."""
    files = read_folder(folder)
    if isinstance(files, list):
        raise DossierContentError(str(folder), files)
    problems = validate(files) or _beyond(files)
    if problems:
        raise DossierContentError(str(folder), problems)
    return files


def name_of(files: Files) -> str:
    """What a sound dossier is called: project id and route."""
    context = json_object(files[model.CONTEXT_FILE])
    return f"{context['project']['project_id']}_{context['route']['key']}"


def json_object(data: bytes) -> dict[str, Any]:
    """A root file of a sound dossier."""
    return msgspec.json.decode(data, type=dict[str, Any])


def _listed(folder: Path) -> list[str]:
    """The dossiers of a manifest, in its order."""
    data = read_file(folder / MANIFEST_FILE, limit=MAX_REPORT_BYTES)
    problems: list[Problem] = []
    names: list[str] = []
    if isinstance(data, Problem):
        problems.append(data)
    else:
        try:
            names = [row.case_dir for row in msgspec.json.decode(data, type=_Manifest).cases]
            for name in names:
                check_name(name)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, DgfError) as error:
            problems.append(Problem(file=MANIFEST_FILE, problem=f"is no manifest: {error}"))
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            problems.append(Problem(file=MANIFEST_FILE, problem=f"lists {name} more than once"))
        if (folder / name).is_symlink() or not (folder / name).is_dir():
            problems.append(Problem(file=name, problem="is listed, but is no folder here"))
    if problems:
        raise DossierContentError(str(folder), problems)
    return names


def _dataset_files(folder: Path) -> dict[str, bytes]:
    """Plan, manifest and reports, as far as they are there."""
    read = {
        name: read_file(folder / name, limit=MAX_REPORT_BYTES)
        for name in DATASET_FILES
        if (folder / name).exists()
    }
    problems = [found for found in read.values() if isinstance(found, Problem)]
    if problems:
        raise DossierContentError(str(folder), problems)
    return {name: data for name, data in read.items() if isinstance(data, bytes)}


def _beyond(files: Files) -> Sequence[Problem]:
    """What is valid, but more than a store's index can hold."""
    context = json_object(files[model.CONTEXT_FILE])
    if not 0 <= context["seed"] <= MAX_SEED:
        return [Problem(file=model.CONTEXT_FILE, problem="the seed is out of range")]
    return []


def _put(store: Store, batch: Batch, files: Files) -> tuple[ObjectId, Summary]:
    """Add a sound dossier to a batch."""
    pictures = _derived(store, batch, files)
    ids = pictures | {
        path: batch.put(BLOB, data) for path, data in files.items() if path not in pictures
    }
    return put_tree(batch, ids), summarize(files, count=len(ids))


def _derived(store: Store, batch: Batch, files: Files) -> dict[str, ObjectId]:
    """Path to derivation of the pictures that are, or would be, drawn from the dossier's facts.

    A picture may be left out of a folder. One that is there has to be the very one that is kept
    for the derivation, or that is drawn here; any other stays what it is.
    """
    clean = own_dossier(files)
    if clean is None:
        return {}
    found: dict[str, ObjectId] = {}
    for path, raster in clean.rasters.items():
        svg = clean.files[raster.source]
        made = derivation(raster, svg)
        kept = find_picture(store, made.id)
        if path in files:
            drawn = kept or draw(svg, width=raster.width, height=raster.height)
            if files[path] != drawn:
                continue
            if kept is None:
                put_picture(batch, made.id, drawn)
        elif raster.source not in files:
            continue
        batch.put(BLOB, svg)
        found[path] = batch.put_record(made)
    return found


def own_dossier(files: Files) -> Dossier | None:
    """The dossier this release makes for the same case; None if it makes no such case."""
    context = json_object(files[model.CONTEXT_FILE])
    for version in version_names():
        try:
            spec = DossierSpec(
                seed=context["seed"],
                route=context["route"]["key"],
                difficulty=context["difficulty"],
                architecture_attempt=context.get("architecture_attempt", 0),
                fact_attempts=context.get("fact_attempts", {}),
                generator=version,
            )
            if make_context(spec).case_id == context["case_id"]:
                return build_dossier(spec)
        except (DgfError, AttributeError, TypeError, ValueError):
            continue  # attempts nobody can have made: another generator's
    return None
