"""How fast dossiers are made and written, beside the published package.

Run with `python -m benchmarks.dossiers`. `DGF_REFERENCE` names the executable of the published
package; with it, both are measured in one run. Figures are processor seconds per dossier, so other
load on the machine counts little; start-up is left out on both sides.
"""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from cache import Store
from generators.dossier import Dossier, DossierSpec, build_dossier
from generators.dossier.folders import write_folder
from generators.dossier.pictures import draw_pictures
from generators.dossier.storing import put_dossier
from generators.dossier.validation import validate
from generators.dossier.verification import certification

ROUTES = ("buy", "integrate", "build")
DIFFICULTY = 4
COUNT = 30
PICTURES = 9
REFERENCE_CASES = (1, 3)
"""Cases per route of two runs of the published package; the difference has no start-up in it."""

_seeds = count(66_000)


def _dossier() -> Dossier:
    seed = next(_seeds)
    spec = DossierSpec(seed=seed, route=ROUTES[seed % len(ROUTES)], difficulty=DIFFICULTY)
    return build_dossier(spec)


def _seconds(work: Callable[[], object], repeats: int) -> float:
    """Processor seconds of one call of `work`, the mean of `repeats`."""
    work()
    start = time.process_time()
    for _ in range(repeats):
        work()
    return (time.process_time() - start) / repeats


def _reference_seconds(executable: str, folder: Path) -> float:
    """Processor seconds per dossier of the published package."""
    spent = []
    for cases in REFERENCE_CASES:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [executable, "generate", "--cases-per-route", str(cases), "--seed", "66000"]
        target = ["--difficulty", str(DIFFICULTY), "--output-dir", str(folder / f"{cases}")]
        subprocess.run([*command, *target], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    few, many = REFERENCE_CASES
    return (spent[1] - spent[0]) / ((many - few) * len(ROUTES))


def _bytes(folder: Path) -> int:
    return sum(place.stat().st_size for place in folder.rglob("*") if place.is_file())


def _row(name: str, seconds: float, reference: float | None) -> None:
    ratio = f"{reference / seconds:8.1f} x" if reference else ""
    print(f"{name:34}{1000 * seconds:9.1f} ms {1 / seconds:9.1f} /s {ratio}")


def main() -> None:
    """Print the cost of a dossier, step by step, and the ratio to the published package."""
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        executable = os.environ.get("DGF_REFERENCE")
        reference = _reference_seconds(executable, root) if executable else None
        numbers = count()

        def written(*, pictures: bool) -> None:
            dossier = _dossier()
            extra = draw_pictures(dossier) if pictures else {}
            write_folder(root / f"ours-{next(numbers)}", (dict(dossier.files) | extra).items())

        if reference is not None:
            _row("published package, folder", reference, reference)
        _row("made", _seconds(_dossier, COUNT), reference)
        _row(
            "made, written to a folder", _seconds(lambda: written(pictures=False), COUNT), reference
        )
        _row(
            "the same with the picture",
            _seconds(lambda: written(pictures=True), PICTURES),
            reference,
        )
        with Store.open(root / "store", "create") as store:

            def stored() -> None:
                batch = store.batch()
                put_dossier(batch, _dossier())
                store.commit(batch)

            _row("made, kept in a store", _seconds(stored, COUNT), reference)
        disk = _bytes(root / "store") / (COUNT + 1)
        sample = _dossier()
        _row("validated", _seconds(lambda: validate(sample.files), COUNT), None)
        _row("certified", _seconds(lambda: certification(sample.files), COUNT), None)
        size = sum(map(len, sample.files.values()))
        print(f"\none dossier: {len(sample.files)} files, {size / 1000:.0f} kB without the picture")
        print(f"in a store of {COUNT + 1}: {disk / 1000:.0f} kB of disk each")
        if executable is not None:
            folder = root / str(REFERENCE_CASES[0])
            theirs = _bytes(folder) / (REFERENCE_CASES[0] * len(ROUTES))
            print(f"published package: {theirs / 1000:.0f} kB each, with the picture")


if __name__ == "__main__":
    main()
