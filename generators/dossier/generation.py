"""Making many dossiers: planned, built in worker processes, stored as they are ready.

What comes out depends on the specs alone, never on the number of workers or the order in which they
finish. A dossier that fails takes no other one with it. What is stored already is not made again,
so an interrupted call is finished by the same call.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, TypeAlias

import msgspec

from cache import ObjectId, Store
from generators.dossier.assembly import build_dossier
from generators.dossier.dataset import StoredDataset, dataset_files, dataset_name, put_dataset
from generators.dossier.model import Dossier, DossierSpec
from generators.dossier.pictures import draw, find_picture, put_picture
from generators.dossier.storing import (
    StoredDossier,
    index_dossier,
    put_dossier,
    stored_dossier,
    summarize,
)
from generators.dossier.workers import Failure, in_workers
from generators.sampling import Plan

MADE: Final = "dossiers-made"
"""Index: digest of a spec, edition → tree of what was made from it; the payload is its name."""

_SOURCES: Final = (".py", ".toml", ".json", ".xml", ".rels")
"""What code and texts are kept in; anything else in the package is no part of what it makes."""


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """One more step is done."""

    step: str
    """`dossier` or `picture`."""
    name: str
    done: int
    total: int
    failure: str | None = None


Report: TypeAlias = Callable[[Progress], None]


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a set of specs."""

    dossiers: tuple[StoredDossier | Failure, ...]
    """One for each spec, in their order."""
    reused: int
    """How many were stored before."""

    @property
    def failures(self) -> list[tuple[int, Failure]]:
        """Position and reason of what failed."""
        return [(n, one) for n, one in enumerate(self.dossiers) if isinstance(one, Failure)]

    @property
    def stored(self) -> list[StoredDossier]:
        """The dossiers there are now."""
        return [one for one in self.dossiers if not isinstance(one, Failure)]


def make_dossiers(
    store: Store, specs: Sequence[DossierSpec], *, workers: int, report: Report | None = None
) -> Made:
    """Make the dossiers of `specs` that the store does not have, and store each when it is ready.

    Parameters
    ----------
    store
        Open for writing.
    workers
        Processes to build in; 0 for this one.
    report
        Told of every dossier that is made, reused or failed.
    """
    outcomes: dict[int, StoredDossier | Failure] = {}

    def note(position: int, outcome: StoredDossier | Failure) -> None:
        outcomes[position] = outcome
        if report is not None:
            label = f"seed {specs[position].seed}, route {specs[position].route}"
            report(_progress("dossier", label, outcome, done=len(outcomes), total=len(specs)))

    todo: list[int] = []
    for position, spec in enumerate(specs):
        known = _find_made(store, spec)
        if known is None:
            todo.append(position)
        else:
            note(position, known)
    reused = len(outcomes)
    for number, built in in_workers(build_dossier, [specs[n] for n in todo], workers=workers):
        position = todo[number]
        if isinstance(built, Failure):
            note(position, built)
        else:
            note(position, _keep(store, specs[position], built))
    return Made(dossiers=tuple(outcomes[n] for n in range(len(specs))), reused=reused)


def make_dataset(
    store: Store, plan: Plan, *, workers: int, report: Report | None = None
) -> tuple[Made, StoredDataset | None]:
    """Make the dossiers of a plan, and the dataset of them unless one has failed."""
    specs = [DossierSpec.planned(row, generator=plan.generator) for row in plan.cases]
    made = make_dossiers(store, specs, workers=workers, report=report)
    if made.failures:
        return made, None
    batch, name = store.batch(), dataset_name(plan)
    tree = put_dataset(
        batch,
        name,
        files=dataset_files(plan, made.stored),
        dossiers={dossier.name: dossier.tree for dossier in made.stored},
    )
    store.commit(batch)
    return made, StoredDataset(store, name, tree)


def missing_pictures(store: Store, dossiers: Iterable[StoredDossier]) -> dict[ObjectId, Drawing]:
    """By derivation, the pictures of `dossiers` that nobody has drawn yet."""
    missing: dict[ObjectId, Drawing] = {}
    for dossier in dossiers:
        for path, target in dossier.ids.items():
            made = dossier.derivation(path)
            if made is not None and find_picture(store, target) is None:
                svg = store.get(made.source, named_by=f"{dossier.name}/{path}")
                missing[target] = Drawing(
                    name=dossier.name, svg=svg, width=made.width, height=made.height
                )
    return missing


def draw_missing(
    store: Store,
    dossiers: Iterable[StoredDossier],
    *,
    workers: int,
    report: Report | None = None,
) -> dict[str, Failure]:
    """Draw every picture of `dossiers` that nobody has drawn, and keep it.

    The result says by dossier which could not be drawn.
    """
    missing = missing_pictures(store, dossiers)
    targets, jobs = list(missing), list(missing.values())
    failures: dict[str, Failure] = {}
    outcomes = in_workers(_draw, jobs, workers=workers)
    for done, (position, picture) in enumerate(outcomes, start=1):
        name = jobs[position].name
        if isinstance(picture, Failure):
            failures[name] = picture
        else:
            batch = store.batch()
            put_picture(batch, targets[position], picture)
            store.commit(batch)
        if report is not None:
            report(_progress("picture", name, picture, done=done, total=len(jobs)))
    return failures


class Drawing(msgspec.Struct, frozen=True, kw_only=True):
    """A picture to be drawn."""

    name: str
    """The dossier it is for."""
    svg: bytes
    width: int
    height: int


def _draw(job: Drawing) -> bytes:
    return draw(job.svg, width=job.width, height=job.height)


def _progress(step: str, name: str, outcome: object, *, done: int, total: int) -> Progress:
    failure = outcome.text if isinstance(outcome, Failure) else None
    return Progress(step=step, name=name, done=done, total=total, failure=failure)


def _keep(store: Store, spec: DossierSpec, dossier: Dossier) -> StoredDossier:
    batch = store.batch()
    tree = put_dossier(batch, dossier)
    count = len(dossier.files) + len(dossier.rasters)
    summary = summarize(dossier.files, count=count)
    index_dossier(batch, dossier.name, tree, summary)
    batch.index(MADE, _made_key(spec), tree, payload=dossier.name.encode())
    store.commit(batch)
    return StoredDossier(store, dossier.name, tree, summary)


def _find_made(store: Store, spec: DossierSpec) -> StoredDossier | None:
    """The dossier that this very release has made from `spec`, if the store has it."""
    entry = store.index_get(MADE, _made_key(spec))
    if entry is None:
        return None
    return stored_dossier(store, entry.payload.decode(), entry.target)


def _made_key(spec: DossierSpec) -> tuple[str, str]:
    plain = msgspec.structs.replace(spec, canonical_sha256=None)
    encoded = msgspec.json.encode(plain, order="sorted")
    return hashlib.sha256(encoded).hexdigest(), edition()


@functools.cache
def edition() -> str:
    """The digest of everything that makes a dossier; equal editions give equal bytes."""
    digest = hashlib.sha256()
    for path, data in sorted(_sources(files("generators"), "")):
        digest.update(f"{path}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()[:16]


def _sources(folder: Traversable, above: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _sources(item, f"{above}{item.name}/")
        elif item.name.endswith(_SOURCES):
            yield above + item.name, item.read_bytes()
