"""Dossiers for tests that need some, and a foreign folder to damage."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from generators.dossier import Dossier, DossierSpec, build_dossier

SPEC = DossierSpec(seed=31_007, route="buy", difficulty=3)
OTHER = DossierSpec(seed=31_008, route="build", difficulty=3)


def sample(spec: DossierSpec = SPEC) -> Dossier:
    """A dossier."""
    return build_dossier(spec)


def write(folder: Path, files: Mapping[str, bytes]) -> Path:
    """The files as a folder, written without any of the code under test."""
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return folder


def read(folder: Path) -> dict[str, bytes]:
    """The files of a folder, read without any of the code under test."""
    return {
        place.relative_to(folder).as_posix(): place.read_bytes()
        for place in sorted(folder.rglob("*"))
        if place.is_file()
    }


def edit(folder: Path, name: str, change: Any) -> None:
    """Change a JSON file in place; `change` gets its content."""
    place = folder / name
    content = json.loads(place.read_bytes())
    change(content)
    place.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
