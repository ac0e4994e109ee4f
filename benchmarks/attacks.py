"""How fast variants are built and written, beside the published package.

Run with `python -m benchmarks.attacks`. `DGF_REFERENCE` names the executable of the published
package; with it, both attack the same dossiers in one run and write whole folders. Figures are
processor seconds per variant, so other load on the machine counts little. Start-up is left out on
both sides: that of the published package by the difference between two datasets, of which the
smaller one is part of the larger.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from generators.attacks import Options, attacks, build_variant
from generators.attacks.storing import clean_of_files, whole
from generators.dossier import DossierSpec, build_dossier
from generators.dossier.folders import read_folder, write_folder
from generators.dossier.pictures import draw_pictures

ROUTES = ("buy", "integrate", "build")
SEED = 67_000
COUNT = 9
FEW = 3
"""Dossiers of the smaller of two datasets."""

OWN_ROWS = ("image", "signed_pdf")
"""Attacks that draw and sign: they have rows of their own."""

OPTIONS = Options(rate=1.0)


def _make(executable: str | None, folder: Path) -> None:
    """The clean dossiers: the published package's if it is there, else ours."""
    if executable is not None:
        plan = ["--seed", str(SEED), "--cases-per-route", str(COUNT // len(ROUTES))]
        command = [executable, "generate", *plan, "--difficulty", "4", "--output-dir", str(folder)]
        subprocess.run(command, check=True, capture_output=True)
        return
    for number in range(COUNT):
        spec = DossierSpec(seed=SEED + number, route=ROUTES[number % 3], difficulty=4)
        dossier = build_dossier(spec)
        write_folder(folder / dossier.name, ({**dossier.files, **draw_pictures(dossier)}).items())


def _ours(folders: Sequence[Path], attack_id: str, target: Path) -> tuple[float, float]:
    """Processor seconds of building a variant, and of building and writing it."""
    attack = attacks()[attack_id]
    building = writing = 0.0
    for folder in folders:
        files = read_folder(folder)
        if not isinstance(files, dict):
            raise SystemExit(f"{folder} is no dossier")
        clean = clean_of_files(files)
        build_variant(clean, attack, OPTIONS)  # the other attacks of the dossier have warmed it up
        start = time.process_time()
        variant = build_variant(clean, attack, OPTIONS)
        built = time.process_time()
        write_folder(target / folder.name, whole(files, variant))
        building += built - start
        writing += time.process_time() - start
    return building / len(folders), writing / len(folders)


def _reference(executable: str, dataset: Path, attack_id: str, target: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [executable, "attack", "--dataset", str(dataset), "--output", str(target)]
    subprocess.run(
        [*command, "--rate", "1", "--placement", attack_id], check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _few(clean: Path, folder: Path) -> Path:
    for place in sorted(path for path in clean.iterdir() if path.is_dir())[:FEW]:
        shutil.copytree(place, folder / place.name)
    return folder


def main() -> None:
    """Print the cost of a variant by attack, and the ratio to the published package."""
    executable = os.environ.get("DGF_REFERENCE")
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        _make(executable, root / "clean")
        few = _few(root / "clean", root / "few")
        folders = sorted(path for path in (root / "clean").iterdir() if path.is_dir())
        print(f"{'attack':24}{'build':>9}{'+ write':>9}{'published':>11}{'ratio':>9}{'+ write':>9}")
        totals = [0.0, 0.0, 0.0]
        for attack_id in attacks():
            built, written = _ours(folders, attack_id, root / "ours" / attack_id)
            reference = None
            if executable is not None:
                both = [
                    _reference(executable, dataset, attack_id, root / name / attack_id)
                    for name, dataset in (("theirs", root / "clean"), ("theirs-few", few))
                ]
                reference = (both[0] - both[1]) / (len(folders) - FEW)
            _row(attack_id, built, written, reference)
            if attack_id not in OWN_ROWS:
                totals = [
                    t + s for t, s in zip(totals, (built, written, reference or 0.0), strict=True)
                ]
        _row("all but these two", totals[0], totals[1], totals[2] if executable else None)


def _row(name: str, built: float, written: float, reference: float | None) -> None:
    own = f"{name:24}{1000 * built:6.1f} ms{1000 * written:6.1f} ms"
    if reference is None:
        print(own)
    else:
        ratios = f"{reference / built:7.1f} x{reference / written:7.1f} x"
        print(f"{own}{1000 * reference:8.1f} ms{ratios}")


if __name__ == "__main__":
    main()
