"""`dgf dossier check`: whether dossiers hold what they promise."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from cache import Store
from cli.dossier_listing import dossiers_of, not_certifiable
from cli.steps import steps
from cli.terminal import Json, StorePath, emit, find_store
from generators.decoding.certification import certification_report
from generators.dossier import model
from generators.dossier.dataset import (
    MANIFEST_FILE,
    fingerprint,
)
from generators.dossier.errors import Problem
from generators.dossier.folders import read_folder
from generators.dossier.importing import dossier_folders
from generators.dossier.storing import list_dossiers
from generators.dossier.validation import validate
from generators.dossier.verification import baseline_problems, certification
from generators.governance import builtin_rules

BASELINE_NOTE = (
    "the baseline is a reader without a model; its answers are compared with the reference, "
    "they are not scored"
)

Files = Mapping[str, bytes]


def check(  # one per option
    dossier: Annotated[
        str | None,
        typer.Argument(help="A dossier or dataset: its name, id or folder. None: all there are."),
    ] = None,
    certify: Annotated[
        bool,
        typer.Option(
            "--certify", help="Also that every review can be decided from authoritative records."
        ),
    ] = False,
    baseline: Annotated[
        bool,
        typer.Option(
            "--baseline", help="Also that a reader without a model gets every review right."
        ),
    ] = False,
    wording: Annotated[
        bool, typer.Option("--wording", help="Also that findings are worded as by this release.")
    ] = False,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Check that dossiers are sound; exit code 1 says that something does not hold.

    Example: dgf dossier check --certify
    """
    results: list[dict[str, Any]] = []
    with _chosen(dossier, store) as (found, total), steps(quiet=True) as step:
        for done, (name, files) in enumerate(found, start=1):
            results.append(_check(name, files, certify=certify, baseline=baseline, wording=wording))
            step("checked", name, done, total)
    holds = all(not result["problems"] for result in results)
    data: dict[str, Any] = {"holds": holds, "checked": len(results), "dossiers": results}
    if dossier is not None and Path(dossier).is_dir():
        data |= _digests(Path(dossier))
    if baseline:
        data |= {"model_api_calls": 0, "note": BASELINE_NOTE}
    emit(data, as_json=as_json, human=lambda: _verdict(results, data, certify=certify))
    if not holds:
        raise typer.Exit(1)


@contextmanager
def _chosen(
    dossier: str | None, store: Path | None
) -> Iterator[tuple[Iterator[tuple[str, Files | list[Problem]]], int]]:
    """Name and files of what is to be checked, one after the other, and how many there are."""
    if dossier is not None and Path(dossier).is_dir():
        places = dossier_folders(Path(dossier))
        yield ((place.name, read_folder(place)) for place in places), len(places)
        return
    with Store.open(find_store(store)) as opened:
        stored = list_dossiers(opened) if dossier is None else dossiers_of(opened, dossier)
        yield ((one.name, one.files()) for one in stored), len(stored)


def _check(
    name: str, files: Files | list[Problem], *, certify: bool, baseline: bool, wording: bool
) -> dict[str, Any]:
    problems = files if isinstance(files, list) else list(validate(files, wording=wording))
    result: dict[str, Any] = {"name": name, "problems": problems}
    if problems or isinstance(files, list):
        return result
    route = builtin_rules().route(msgspec.json.decode(files[model.CONTEXT_FILE])["route"]["key"])
    result["occurrences"] = len(route.occurrences)
    if certify:
        report = certification_report([(name, len(route.occurrences), certification(files))])
        result |= {
            "certified_occurrences": report.certified_occurrences,
            "field_checks": report.field_checks,
            "failure_counts": report.failure_counts,
        }
        if not route.certifiable:
            problems.append(Problem(file=model.ROUTE_FILE, problem=not_certifiable(route.id)))
        problems += [
            Problem(file=model.HIDDEN_FILE, problem=f"{f.occurrence_id}: {f.field} is {f.status}")
            for f in report.failures
        ]
    if baseline:
        problems += baseline_problems(files)
    return result


def _digests(folder: Path) -> dict[str, str]:
    """The digests by which other tools know a dataset's folder."""
    read = [(place.name, read_folder(place)) for place in dossier_folders(folder)]
    sound = [(name, files) for name, files in read if isinstance(files, dict)]
    digests = {"dataset_fingerprint": fingerprint(sound)} if len(sound) == len(read) else {}
    manifest = folder / MANIFEST_FILE
    if manifest.is_file():
        digests["manifest_sha256"] = hashlib.sha256(manifest.read_bytes()).hexdigest()
    return digests


def _verdict(results: Sequence[dict[str, Any]], data: dict[str, Any], *, certify: bool) -> str:
    lines: list[str] = []
    for result in results:
        problems = result["problems"]
        lines.append(f"{result['name']}: " + ("holds" if not problems else _count(problems)))
        lines += [f"  {problem}" for problem in problems]
    sound = sum(not result["problems"] for result in results)
    lines += ["", f"{sound} of {len(results)} dossiers hold"]
    if certify:
        met = sum(result.get("occurrences", 0) for result in results)
        certified = sum(result.get("certified_occurrences", 0) for result in results)
        checks = sum(result.get("field_checks", 0) for result in results)
        lines.append(f"{certified} of {met} occurrences certified, {checks} facts compared")
    lines += [f"{key}: {data[key]}" for key in ("dataset_fingerprint", "note") if key in data]
    return "\n".join(lines)


def _count(problems: Sequence[Problem]) -> str:
    return "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
