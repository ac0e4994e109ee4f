"""`dgf dossier show`: what is in the store, in a dossier, in a document."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from cache import Store
from cache.errors import UsageError
from cli.columns import columns
from cli.dossier_listing import dossier_row, dossier_table, named, short
from cli.terminal import Json, StorePath, emit, find_store
from generators.dossier import model
from generators.dossier.contents import Contents, EvidenceRow, FactRow
from generators.dossier.dataset import (
    find_stored,
    list_datasets,
)
from generators.dossier.errors import DossierContentError, Problem
from generators.dossier.exporting import dataset_dossiers
from generators.dossier.folders import read_folder
from generators.dossier.storing import StoredDossier, list_dossiers
from generators.readers.content import Json as JsonValue
from generators.readers.content import ReadError

Files = Mapping[str, bytes]


def show(
    dossier: Annotated[
        str | None,
        typer.Argument(help="A dossier's name, id or folder, or a dataset. None: list them all."),
    ] = None,
    file: Annotated[
        str | None, typer.Argument(help="An evidence id or a path: show this as text.")
    ] = None,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Show what is in a dossier: its evidence with hidden modes, and where each fact stands.

    Example: dgf dossier show DGF-BUY-020000_buy BUDGET_APPROVAL
    """
    if dossier is None:
        with Store.open(find_store(store)) as opened:
            _show_all(opened, as_json=as_json)
        return
    if _is_dossier_folder(dossier):
        _show_files(Path(dossier).name, _read(Path(dossier)), file, as_json=as_json)
        return
    with Store.open(find_store(store)) as opened:
        found = find_stored(opened, dossier)
        if isinstance(found, StoredDossier):
            _show_files(found.name, found.files(), file, as_json=as_json)
        else:
            inside = list(dataset_dossiers(opened, found).values())
            data = {**named(found), "dossiers": [dossier_row(one) for one in inside]}
            emit(data, as_json=as_json, human=lambda: dossier_table(inside))


def _show_all(store: Store, *, as_json: bool) -> None:
    dossiers, datasets = list_dossiers(store), list_datasets(store)
    data = {
        "dossiers": [dossier_row(one) for one in dossiers],
        "datasets": [{**named(one), "dossiers": count} for one, count in datasets],
    }

    def human() -> str:
        rows = ((*short(one), count) for one, count in datasets)
        listed = columns(("DATASET", "ID", "DOSSIERS"), rows)
        return f"{dossier_table(dossiers)}\n\n{listed}" if datasets else dossier_table(dossiers)

    emit(data, as_json=as_json, human=human)


def _show_files(name: str, files: Files, file: str | None, *, as_json: bool) -> None:
    contents = Contents(files)
    if file is None:
        _show_contents(name, contents, as_json=as_json)
    else:
        _show_file(contents, file, as_json=as_json)


def _show_contents(name: str, contents: Contents, *, as_json: bool) -> None:
    context, decisions = contents.parts.context, contents.parts.hidden.reference_decisions
    evidence, facts = contents.evidence(), list(contents.facts())
    others = sorted(set(contents.files) - {row.node.path for row in evidence})
    data = {
        "name": name,
        "case_id": context.case_id,
        "route": context.route.key,
        "seed": context.seed,
        "difficulty": context.difficulty,
        "variant": context.variant,
        "evidence": evidence,
        "other_files": others,
        "decisions": decisions,
        "facts": facts,
    }

    def human() -> str:
        parts = [
            f"{name}: {context.project.project_name}\ncase {context.case_id}",
            _evidence_table(evidence),
            "\n".join(["OTHER FILES", *others]),
            columns(
                ("OCCURRENCE", "DISPOSITION", "FINDINGS"),
                (
                    (one.occurrence_id, one.disposition, ", ".join(one.finding_ids) or "none")
                    for one in decisions
                ),
            ),
            _facts_table(facts),
        ]
        return "\n\n".join(parts)

    emit(data, as_json=as_json, human=human)


def _evidence_table(evidence: Sequence[EvidenceRow]) -> str:
    return columns(
        ("EVIDENCE", "STATUS", "KIND", "MODE", "FROM", "BYTES", "FILE"),
        (
            (
                row.node.evidence_id,
                row.node.public_status.lower(),
                "record" if row.node.authoritative else "narrative",
                row.mode,
                row.visible_from or "never",
                "-" if row.size is None else row.size,
                row.node.path,
            )
            for row in evidence
        ),
    )


def _facts_table(facts: Sequence[FactRow]) -> str:
    return columns(
        ("OCCURRENCE", "FACT", "VALUE", "RECORD", "AT"),
        (
            (
                row.occurrence_id,
                row.field,
                _text(row.value),
                row.source or "nowhere it may read",
                _at(row.pointers),
            )
            for row in facts
        ),
    )


def _show_file(contents: Contents, file: str, *, as_json: bool) -> None:
    ids = {node.evidence_id: node for node in contents.parts.graph.nodes}
    node = ids.get(file) or next((n for n in ids.values() if n.path == file), None)
    path = node.path if node else file
    if path not in contents.files:
        reason = f"it is {node.public_status.lower()}" if node else "the dossier has no such file"
        raise UsageError(reason, where=file, hint="`dgf dossier show DOSSIER` lists the files")
    reading = contents.read(path)
    if isinstance(reading, ReadError):
        raise DossierContentError(path, [Problem(file=path, problem=reading.detail)])
    shown = list(contents.shown_in(node.evidence_id)) if node else []
    data = {"path": path, "content": reading.content, "facts": shown}

    def human() -> str:
        text = _as_text(reading.content)
        if not shown:
            return text
        table = columns(
            ("FACT", "SHOWN", "TRUE VALUE", "AT"),
            ((r.field, _text(r.shown), _text(r.value), _at(r.pointers)) for r in shown),
        )
        return f"{text}\n\n{table}"

    emit(data, as_json=as_json, human=human)


def _as_text(content: JsonValue) -> str:
    """A document as a person reads it: tables in columns, everything else as it is."""
    if isinstance(content, str):
        return content
    rows = content if isinstance(content, list) else []
    if rows and all(isinstance(row, dict) for row in rows):
        heading = list(dict.fromkeys(key for row in rows if isinstance(row, dict) for key in row))
        return columns(
            heading,
            ([_cell(row.get(key)) for key in heading] for row in rows if isinstance(row, dict)),
        )
    return json.dumps(content, indent=2, ensure_ascii=False)


def _cell(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _at(pointers: Sequence[str]) -> str:
    return (
        pointers[0] + (f" and {len(pointers) - 1} more" if pointers[1:] else "")
        if pointers
        else "-"
    )


def _is_dossier_folder(text: str) -> bool:
    return (Path(text) / model.CONTEXT_FILE).is_file()


def _read(folder: Path) -> dict[str, bytes]:
    files = read_folder(folder)
    if isinstance(files, list):
        raise DossierContentError(str(folder), files)
    return files
