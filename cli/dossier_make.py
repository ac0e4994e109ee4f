"""`dgf dossier make`, `export` and `import`: dossiers into a store, and in and out of folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from cache import Store
from cache.errors import UsageError
from cli.dossier_listing import (
    dossier_row,
    dossier_table,
    dossiers_of,
    named,
    not_certifiable,
    short,
)
from cli.steps import Step, steps
from cli.terminal import Json, StorePath, emit, find_store
from generators.dossier.dataset import find_stored
from generators.dossier.errors import FolderError, PictureError
from generators.dossier.exporting import (
    export_dataset,
    export_dossier,
    export_public,
    read_messages,
)
from generators.dossier.generation import (
    Made,
    Progress,
    Report,
    draw_missing,
    make_dataset,
    missing_pictures,
)
from generators.dossier.importing import import_folder
from generators.dossier.storing import StoredDossier
from generators.facts import DEFAULT_VERSION
from generators.governance import builtin_rules
from generators.sampling import ROUTES, Edition, Plan, Policy, make_plan

BUILDING_SECONDS = 0.02
DRAWING_SECONDS = 0.3
STARTING_SECONDS = 1.0
"""Orders of magnitude, of one dossier, one picture and a worker process."""

Workers = Annotated[
    int | None,
    typer.Option(min=0, help="Processes to work in; 0 for this one. Default: as many as pay off."),
]
Pictures = Annotated[
    bool,
    typer.Option("--pictures/--no-pictures", help="Whether the folder gets the diagram as PNG."),
]


def make(  # noqa: PLR0913, PLR0917  # one per option
    seed: Annotated[int, typer.Option(help="Seed of the first case; later ones follow it.")],
    dossiers: Annotated[int, typer.Option(help="How many, spread evenly over the routes.")],
    difficulty: Annotated[int, typer.Option(help="1 to 5.")] = 4,
    route: Annotated[
        list[str] | None,
        typer.Option(
            help="buy, integrate, build or full_lifecycle; may be repeated. "
            "Default: the first three."
        ),
    ] = None,
    sampling: Annotated[
        Literal["natural", "balanced"],
        typer.Option(help="natural: facts as drawn; balanced: outcomes spread evenly."),
    ] = "natural",
    edition: Annotated[
        Literal["v1", "v2"],
        typer.Option(help="v1: seeds one after the other; v2: seeds that would collide left out."),
    ] = "v1",
    generator_version: Annotated[
        str, typer.Option(help="Version of the fact generator.")
    ] = DEFAULT_VERSION,
    to: Annotated[
        Path | None, typer.Option(help="Also write the dataset to this new folder.")
    ] = None,
    pictures: Pictures = True,
    workers: Workers = None,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Make dossiers and keep them in the store; what is there already is not made again.

    Example: dgf dossier make --seed 20000 --dossiers 6 --difficulty 4 --to dossiers
    """
    _refuse_existing(to)
    plan = _plan(
        route or ROUTES,
        dossiers,
        policy=sampling,
        seed=seed,
        difficulty=difficulty,
        edition=edition,
        version=generator_version,
    )
    builders = _processes(workers, jobs=dossiers, seconds=BUILDING_SECONDS)
    files = None
    with (
        Store.open(find_store(store, must_exist=False), "create") as opened,
        steps(quiet=as_json) as step,
    ):
        made, dataset = make_dataset(opened, plan, workers=builders, report=_reporting(step))
        if dataset is not None and to is not None:
            if pictures:
                _draw(opened, made.stored, workers=workers, step=step)
            files = export_dataset(opened, dataset, to, pictures=pictures)
    failures = _failures(plan, made)
    notes = [
        not_certifiable(name)
        for name in dict.fromkeys(row.route for row in plan.cases)
        if not builtin_rules().route(name).certifiable
    ]
    data = {
        "dataset": None if dataset is None else named(dataset),
        "dossiers": [dossier_row(dossier) for dossier in made.stored],
        "reused": made.reused,
        "failures": failures,
        "notes": notes,
        "to": None if files is None else str(to),
        "files": files,
    }

    def human() -> str:
        fresh = len(made.stored) - made.reused
        lines = [dossier_table(made.stored), "", f"made {fresh}, already there {made.reused}"]
        if dataset is not None:
            lines.append("dataset {} {}".format(*short(dataset)))
        if files is not None:
            lines.append(f"wrote {files} files to {to}")
        lines += [f"note: {note}" for note in notes]
        lines += [f"failed: seed {f['seed']}, {f['route']}: {f['problem']}" for f in failures]
        if failures:
            lines.append("no dataset was made; the same command tries again what failed")
        return "\n".join(lines)

    emit(data, as_json=as_json, human=human)
    if failures:
        raise typer.Exit(1)


def export(  # noqa: PLR0913, PLR0917  # one per option
    name: Annotated[str, typer.Argument(help="A dossier or a dataset: its name, or its id.")],
    to: Annotated[Path, typer.Argument(help="The folder to write; it must not exist.")],
    public: Annotated[
        bool,
        typer.Option(
            "--public", help="Without the truth, the snapshots and everything that is withheld."
        ),
    ] = False,
    phase: Annotated[
        str | None, typer.Option(help="With --public: only what is visible in this phase.")
    ] = None,
    messages: Annotated[
        Path | None,
        typer.Option(
            help="A JSON file, rule id to text: what findings say to an implementation that "
            "compares their words."
        ),
    ] = None,
    pictures: Pictures = True,
    workers: Workers = None,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Write a dossier or a dataset to a new folder, in the layout other tools read.

    Example: dgf dossier export DGF-BUY-020000_buy out/dossier
    """
    _refuse_existing(to)
    if phase is not None and not public:
        raise UsageError("--phase cuts public copies only", hint="add --public")
    if public and messages is not None:
        raise UsageError("a public copy has no findings", hint="leave out --messages")
    rules = None if messages is None else read_messages(messages)
    folder = find_store(store)
    if pictures:
        _draw_for(folder, name, workers=workers, quiet=as_json)
    with Store.open(folder) as opened:
        found = find_stored(opened, name)
        if isinstance(found, StoredDossier):
            if public:
                files = export_public(found, to, phase=phase, pictures=pictures)
            else:
                files = export_dossier(found, to, pictures=pictures, rules=rules)
        elif public:
            raise UsageError("public copies are made of one dossier", where=found.name)
        else:
            files = export_dataset(opened, found, to, pictures=pictures, rules=rules)
        data = {**named(found), "to": str(to), "files": files}
    emit(data, as_json=as_json, human=lambda: f"wrote {files} files of {data['name']} to {to}")


def import_(
    folder: Annotated[Path, typer.Argument(help="A dossier's or a dataset's folder.")],
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Take a dossier or a dataset into the store, whoever made it; all of it or nothing.

    Example: dgf dossier import out/dossier
    """
    if not folder.is_dir():
        raise FolderError("no such folder", where=str(folder))
    with (
        Store.open(find_store(store, must_exist=False), "create") as opened,
        steps(quiet=as_json) as step,
    ):
        found = import_folder(
            opened, folder, report=lambda name, done, total: step("read", name, done, total)
        )
    data = {
        "dataset": None if found.dataset is None else named(found.dataset),
        "dossiers": [dossier_row(dossier) for dossier in found.dossiers],
    }

    def human() -> str:
        lines = [dossier_table(found.dossiers)]
        if found.dataset is not None:
            lines += ["", "dataset {} {}".format(*short(found.dataset))]
        return "\n".join(lines)

    emit(data, as_json=as_json, human=human)


def _plan(
    routes: Sequence[str],
    dossiers: int,
    *,
    policy: Policy,
    seed: int,
    difficulty: int,
    edition: Edition,
    version: str,
) -> Plan:
    if dossiers < 1 or dossiers % len(routes):
        multiple = f"a multiple of {len(routes)}" if len(routes) > 1 else "1 or more"
        raise UsageError(
            f"{dossiers} dossiers cannot be spread over {', '.join(routes)}",
            hint=f"ask for {multiple}, or name other routes with --route",
        )
    return make_plan(
        policy=policy,
        seed=seed,
        cases_per_route=dossiers // len(routes),
        difficulty=difficulty,
        routes=routes,
        edition=edition,
        version=version,
    )


def _draw_for(folder: Path, name: str, *, workers: int | None, quiet: bool) -> None:
    """Draw what an export needs; only that takes the writer's lock."""
    with Store.open(folder) as opened:
        if not missing_pictures(opened, dossiers_of(opened, name)):
            return
    with Store.open(folder, "write") as opened, steps(quiet=quiet) as step:
        _draw(opened, dossiers_of(opened, name), workers=workers, step=step)


def _draw(
    store: Store, dossiers: Sequence[StoredDossier], *, workers: int | None, step: Step
) -> None:
    drawers = _processes(workers, jobs=len(dossiers), seconds=DRAWING_SECONDS)
    failed = draw_missing(store, dossiers, workers=drawers, report=_reporting(step))
    for name, failure in failed.items():
        raise PictureError(
            failure.text,
            where=name,
            hint="the dossiers are in the store: export them with --no-pictures",
        )


def _refuse_existing(folder: Path | None) -> None:
    if folder is not None and os.path.lexists(folder):
        raise FolderError(
            "already exists", where=str(folder), hint="name a folder that does not exist"
        )


def _processes(given: int | None, *, jobs: int, seconds: float) -> int:
    """How many worker processes: none where starting them takes longer than the work."""
    if given is not None:
        return given
    return (os.cpu_count() or 1) if jobs * seconds > STARTING_SECONDS else 0


def _reporting(step: Step) -> Report:
    def report(done: Progress) -> None:
        name = done.name if done.failure is None else f"{done.name}: {done.failure}"
        step(done.step, name, done.done, done.total)

    return report


def _failures(plan: Plan, made: Made) -> list[dict[str, Any]]:
    return [
        {"seed": plan.cases[n].seed, "route": plan.cases[n].route, "problem": failure.text}
        for n, failure in made.failures
    ]
