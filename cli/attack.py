"""`dgf attack …`: the attacks there are, what one of them plants, and variants of dossiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from cache import Store
from cache.errors import UsageError
from cli.columns import columns
from cli.steps import steps
from cli.terminal import Json, StorePath, emit, find_store
from generators.attacks import (
    GOALS,
    Attack,
    Options,
    Variant,
    attacks,
    build_variant,
    find_attack,
    recogniser,
)
from generators.attacks.options import Arm, Draws, GoalRule, Placebos
from generators.attacks.storing import attack_folder, attack_stored, clean_of_files, label
from generators.dossier.dataset import find_stored
from generators.dossier.importing import read_sound

app = typer.Typer(no_args_is_help=True, help="List, show and plant the attacks.")

AttackId = Annotated[str, typer.Argument(help="Id of an attack; `dgf attack list` has them.")]
WordingSet = Annotated[
    str, typer.Option("--wording", help="Wording set: dev to develop defences, test to measure.")
]


@app.callback()
def attack() -> None:
    """List, show and plant the attacks."""


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the attacks in the order of the paper, with their goals by letter.

    Example: dgf attack list
    """
    found = attacks().values()

    def human() -> str:
        table = columns(
            ("NO", "ATTACK", "GOALS", "FAMILY", "CARRIER"),
            ((a.number, a.id, "/".join(a.goals), a.family, a.carrier) for a in found),
        )
        letters = ", ".join(f"{letter} {name}" for letter, name in GOALS.items())
        return f"{table}\n\n{letters}"

    emit([_about(one) for one in found], as_json=as_json, human=human)


@app.command()
def show(
    attack_id: AttackId,
    dossier: Annotated[
        Path | None,
        typer.Argument(help="Folder of a clean dossier: show what would be planted in it."),
    ] = None,
    wording: WordingSet = "dev",
    as_json: Json = False,
) -> None:
    """Show where an attack plants, what it says, and what counts as received.

    Example: dgf attack show invisible --wording test
    """
    one = find_attack(attack_id)
    options = Options(wording_set=wording, rate=1.0)
    if dossier is not None:
        if not dossier.is_dir():
            hint = "write a stored dossier with `dgf dossier export` first"
            raise UsageError("no such folder", where=str(dossier), hint=hint)
        variant = build_variant(clean_of_files(read_sound(dossier)), one, options)
        emit(_planted(variant), as_json=as_json, human=lambda: _planted_text(variant))
        return
    texts = msgspec.to_builtins(one.texts(wording))
    templates = list(_templates(texts))
    data = {
        **_about(one),
        "wording_set": wording,
        "texts": texts,
        "patterns": {text: recogniser(text).pattern for _, text in templates},
    }

    def human() -> str:
        facts = [(name.replace("_", " "), _said(value)) for name, value in _about(one).items()]
        said = [f"{name}: {text}" for name, text in templates] or ["nothing: it plants data"]
        return "\n".join([columns(("FACT", "VALUE"), facts), "", f"SAYS ({wording})", *said])

    emit(data, as_json=as_json, human=human)


@app.command()
def apply(  # noqa: PLR0913, PLR0917  # one per option
    source: Annotated[
        str, typer.Argument(help="A clean dossier or dataset: name or id in the store, or folder.")
    ],
    attack_id: Annotated[
        list[str] | None,
        typer.Option("--attack", metavar="ID", help="An attack; repeat it. None: all of them."),
    ] = None,
    wording: WordingSet = "dev",
    rate: Annotated[float, typer.Option(help="Share of the eligible gates attacked.")] = 0.5,
    only_occurrence: Annotated[
        str | None, typer.Option(metavar="OCCURRENCE", help="Attack this gate alone.")
    ] = None,
    goal_rule: Annotated[
        str, typer.Option(help="drawn, or prefer-A: the approval wherever a gate admits it.")
    ] = "drawn",
    placebos: Annotated[
        str, typer.Option(help="compat-1 as published, or every-carrier for all attacks.")
    ] = "compat-1",
    crossover: Annotated[
        str | None,
        typer.Option(metavar="ARM", help="first or second half attacked, the rest placebos."),
    ] = None,
    draws: Annotated[
        str, typer.Option(help="compat-1 as published, or strict-2: no draws in common.")
    ] = "compat-1",
    output: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write folders DIR/attack_ID instead of storing."),
    ] = None,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Build the attacked copies of clean dossiers, in the store or as folders.

    Example: dgf attack apply DGF-BUY-020001_buy --attack narrative --wording test --rate 1
    """
    options = _options(
        wording_set=wording,
        rate=rate,
        only_occurrence=only_occurrence,
        goal_rule=goal_rule,
        placebos=placebos,
        crossover=crossover,
        draws=draws,
    )
    chosen = [find_attack(one) for one in attack_id] if attack_id else [*attacks().values()]
    if Path(source).is_dir() and output is None:
        raise UsageError(
            "the folder is not in a store",
            where=source,
            hint="import it with `dgf dossier import`, or name a folder to write with --output",
        )
    rows = (
        _to_store(source, chosen, options, store=store, quiet=as_json)
        if output is None
        else _to_folders(source, output, chosen, options, quiet=as_json)
    )

    def human() -> str:
        names = ("ATTACK", "DOSSIERS", "ATTACKED", "PLACEBOS", "IN")
        keys = ("attack", "dossiers", "attacked", "placebos", "place")
        return columns(names, ([row[key] for key in keys] for row in rows))

    emit(rows, as_json=as_json, human=human)


def _options(**given: Any) -> Options:
    """The options of a command line; a word that is none of the choices is a usage error."""
    choices: Mapping[str, Any] = {
        "goal_rule": GoalRule,
        "placebos": Placebos,
        "crossover": Arm | None,
        "draws": Draws,
    }
    for name, choice in choices.items():
        try:
            msgspec.convert(given[name], choice)
        except msgspec.ValidationError:
            option = name.replace("_", "-")
            hint = "`dgf attack apply --help` has them"
            raise UsageError(
                f"no such choice for --{option}", where=given[name], hint=hint
            ) from None
    return Options(**given)


def _to_store(
    source: str,
    chosen: Sequence[Attack[Any]],
    options: Options,
    *,
    store: Path | None,
    quiet: bool,
) -> list[dict[str, Any]]:
    with Store.open(find_store(store), "write") as opened, steps(quiet=quiet) as step:
        found = find_stored(opened, source)
        planted = attack_stored(
            opened,
            found,
            chosen,
            options,
            report=lambda name, done, total: step("attacked", name, done, total),
        )
    rows = {one.id: _row(one, f"{found.name}@{label(one.id, options)}") for one in chosen}
    for variant in planted:
        _count(rows[variant.attack], variant.attacked, variant.placebos)
    return [*rows.values()]


def _to_folders(
    source: str, output: Path, chosen: Sequence[Attack[Any]], options: Options, *, quiet: bool
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    if not Path(source).is_dir():
        raise UsageError(
            "no such folder",
            where=source,
            hint="--output copies folders; write a stored dossier with `dgf dossier export` first",
        )
    with steps(quiet=quiet) as step:
        for number, one in enumerate(chosen, start=1):
            target = output / f"attack_{one.id}"
            variants = attack_folder(Path(source), target, one, options)
            rows.append(_row(one, str(target)))
            for variant in variants:
                _count(rows[-1], len(variant.attacked), len(variant.placebos))
            step("attacked", one.id, number, len(chosen))
    return rows


def _row(one: Attack[Any], place: str) -> dict[str, Any]:
    return {"attack": one.id, "dossiers": 0, "attacked": 0, "placebos": 0, "place": place}


def _count(row: dict[str, Any], attacked: int, placebos: int) -> None:
    row["dossiers"] += 1
    row["attacked"] += attacked
    row["placebos"] += placebos


def _about(one: Attack[Any]) -> dict[str, Any]:
    return {
        "id": one.id,
        "number": one.number,
        "name": one.name,
        "family": one.family,
        "goals": [GOALS[letter] for letter in one.goals],
        "carrier": one.carrier,
        "places": one.places,
        "received_by": one.observation,
        "replay": one.replay,
        "placebo": one.has_placebo,
        "asks": one.asks,
    }


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _templates(texts: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a section, with the keys that lead to it."""
    match texts:
        case str():
            yield name, texts
        case dict():
            for key, value in texts.items():
                yield from _templates(value, f"{name}.{key}" if name else key)
        case _:
            for number, value in enumerate(texts, start=1):
                yield from _templates(value, f"{name} {number}")


def _planted(variant: Variant) -> dict[str, Any]:
    return {
        "dossier": variant.name,
        "attack": variant.attack,
        "files": [*variant.files, *variant.pictures],
        "manifest": variant.manifest,
    }


def _planted_text(variant: Variant) -> str:
    lines = [f"{variant.name} under {variant.attack}"]
    for entry in variant.manifest:
        goal = "placebo" if entry.placebo else str(entry.goal)
        lines += ["", f"{entry.occurrence_id}: {goal}, {entry.token}"]
        lines += [f"  {part.channel} {part.evidence_id}: {part.text}" for part in entry.parts]
    lines += ["", "CHANGED FILES", *variant.files, *variant.pictures]
    return "\n".join(lines)
