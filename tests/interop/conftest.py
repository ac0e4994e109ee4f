"""Datasets of the published package, generated once for all exchange tests.

`DGF_REFERENCE` names its executable. Only its command line is used, and the files it writes.
"""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

WORKERS = 2


class Dossier(msgspec.Struct, frozen=True, kw_only=True):
    """One dossier the published package wrote, and the line of the plan it came from."""

    folder: Path
    planned: dict[str, Any]
    hidden: dict[str, Any]

    @property
    def truth(self) -> dict[str, Any]:
        """The canonical case, with its `case_id`."""
        truth: dict[str, Any] = self.hidden["canonical_truth"]
        return truth


class Dataset(msgspec.Struct, frozen=True, kw_only=True):
    """One dataset the published package wrote."""

    folder: Path
    plan: dict[str, Any]
    dossiers: tuple[Dossier, ...]

    def report(self, name: str) -> dict[str, Any]:
        """One of the dataset's own JSON files."""
        report: dict[str, Any] = json.loads((self.folder / name).read_text("utf-8"))
        return report


def _generate(executable: str, folder: Path, arguments: list[str]) -> Dataset:
    command = [executable, "generate", *arguments, "--output-dir", str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=900)
    plan = json.loads((folder / "sampling_plan.json").read_text("utf-8"))
    return Dataset(
        folder=folder,
        plan=plan,
        dossiers=tuple(_dossier(folder, planned) for planned in plan["cases"]),
    )


def _dossier(folder: Path, planned: dict[str, Any]) -> Dossier:
    (found,) = folder.glob(f"DGF-*-{planned['seed']:06d}_{planned['route']}")
    hidden = json.loads((found / "99_hidden_ground_truth.json").read_text("utf-8"))
    return Dossier(folder=found, planned=planned, hidden=hidden)


@pytest.fixture(scope="session")
def reference() -> str:
    """The executable of the published package."""
    executable = os.environ.get("DGF_REFERENCE")
    if executable is None:
        pytest.skip("DGF_REFERENCE names no executable of the published package; run bin/interop")
    return executable


@pytest.fixture(scope="session")
def datasets(reference: str, tmp_path_factory: pytest.TempPathFactory) -> list[Dataset]:
    """At every difficulty a natural dataset on all four routes and a balanced one on three."""
    root = tmp_path_factory.mktemp("reference")
    jobs = []
    for difficulty in range(1, 6):
        common = ["--difficulty", str(difficulty), "--cases-per-route"]
        natural = [*common, "1", "--seed", str(70_000 + 100 * difficulty)]
        balanced = [*common, "2", "--seed", str(80_000 + 100 * difficulty)]
        jobs += [
            [*natural, "--sampling-policy", "natural", "--include-full-lifecycle"],
            [*balanced, "--sampling-policy", "balanced"],
        ]
    with ThreadPoolExecutor(WORKERS) as pool:
        folders = [root / str(number) for number in range(len(jobs))]
        return list(pool.map(_generate, [reference] * len(jobs), folders, jobs))
