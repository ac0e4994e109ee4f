"""`dgf dossier diff`: what differs between two dossiers, as a reader of both would see it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cache import Store
from cli.terminal import Json, StorePath, emit, find_store
from generators.attacks.difference import Change, FileDifference, differences
from generators.dossier import model
from generators.dossier.importing import read_sound
from generators.dossier.storing import StoredDossier, find_dossier


def diff(
    clean: Annotated[str, typer.Argument(help="A dossier: name or id in the store, or folder.")],
    attacked: Annotated[str, typer.Argument(help="The dossier to compare it with.")],
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Show every value that differs between two dossiers, and where; also what nobody sees.

    Example: dgf dossier diff DGF-BUY-020000_buy DGF-BUY-020000_buy@invisible-test
    """
    found = differences(_files(clean, store), _files(attacked, store))
    emit(found, as_json=as_json, human=lambda: _text(found))


def _files(name: str, store: Path | None) -> dict[str, bytes]:
    """Path to content; of a picture that is derived, how it is derived."""
    if (Path(name) / model.CONTEXT_FILE).is_file():
        return read_sound(Path(name))
    with Store.open(find_store(store)) as opened:
        dossier = find_dossier(opened, name)
        return dossier.files() | _pictures(dossier)


def _pictures(dossier: StoredDossier) -> dict[str, bytes]:
    return {
        path: msgspec.json.encode(str(made.id))
        for path in dossier.ids
        if (made := dossier.derivation(path)) is not None
    }


def _text(found: list[FileDifference]) -> str:
    if not found:
        return "the two do not differ"
    lines: list[str] = []
    for one in found:
        lines.append(f"{one.state} {one.path}")
        for change in one.changes:
            lines += _change(change)
    return "\n".join(lines)


def _change(change: Change) -> list[str]:
    lines = [f"  at {change.at}"]
    if change.before is not None:
        lines.append(f"    - {change.before}")
    if change.after is not None:
        lines.append(f"    + {change.after}")
    if change.hidden is not None:
        lines.append(f"    reads: {change.hidden}")
    return lines
