"""How fast variants are built, stored and written, beside the published package.

Run with `python -m benchmarks.attacks`. `DGF_REFERENCE` names the executable of the published
package; with it, both attack the same dossiers in one run. Figures are processor seconds per
variant, so other load on the machine counts little. Start-up is left out on both sides: that of the
published package by the difference between two datasets, of which the smaller one is part of the
larger. It reads, copies and writes a whole folder for each variant; what of that is done here
depends on the column.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from cache import Store
from generators.attacks import CleanDossier, Options, Variant, attacks, build_variant
from generators.attacks.storing import attack_stored, clean_of_files, whole
from generators.dossier import DossierSpec, build_dossier
from generators.dossier.folders import read_folder, write_folder
from generators.dossier.importing import import_folder
from generators.dossier.pictures import draw_pictures
from generators.dossier.storing import StoredDossier

ROUTES = ("buy", "integrate", "build")
SEED = 67_000
COUNT = 15
FEW = 3
"""Dossiers of the smaller of two datasets."""

OWN_ROWS = ("image", "signed_pdf")
"""Attacks that draw and sign: they have rows of their own."""

OPTIONS = Options(rate=1.0)

Files = dict[str, bytes]


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """Processor seconds per variant.

    Attributes
    ----------
    built
        In memory, of a dossier that is parsed already.
    stored
        From the store into the store, parsing included.
    written
        Built and written as a whole folder, its picture drawn.
    published
        By the published package; null without it, or where it lacks a library.
    """

    built: float
    stored: float
    written: float
    published: float | None


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


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
        write_folder(folder / dossier.name, {**dossier.files, **draw_pictures(dossier)}.items())


def _read(folder: Path) -> Files:
    files = read_folder(folder)
    if not isinstance(files, dict):
        raise SystemExit(f"{folder} is no dossier")
    return files


def _published(executable: str, datasets: Sequence[Path], attack_id: str) -> float | None:
    """Processor seconds per variant, from a larger and a smaller dataset."""
    spent: list[float] = []
    for dataset in datasets:
        target = dataset.with_name(f"{dataset.name}-{attack_id}")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [executable, "attack", "--dataset", str(dataset), "--output", str(target)]
        done = subprocess.run(
            [*command, "--rate", "1", "--placement", attack_id], check=False, capture_output=True
        )
        if done.returncode:
            return None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        shutil.rmtree(target)
    many, few = spent
    return (many - few) / (COUNT - FEW)


def _row(name: str, cost: Cost) -> None:
    ours = (cost.built, cost.stored, cost.written)
    row = f"{name:24}" + "".join(f"{1000 * one:8.1f} ms" for one in ours)
    if cost.published is not None:
        row += f"{1000 * cost.published:9.1f} ms" + "".join(
            f"{cost.published / one:8.1f} x" for one in ours
        )
    print(row)


def _cost(
    attack_id: str,
    dossiers: Sequence[tuple[Files, CleanDossier]],
    stored: tuple[Store, Sequence[StoredDossier]],
    target: Path,
    published: float | None,
) -> Cost:
    attack, (store, kept) = attacks()[attack_id], stored
    built = stored_in = written = 0.0
    for number, (files, clean) in enumerate(dossiers):
        variant = build_variant(clean, attack, OPTIONS)  # whatever is made once is made here
        place = target / f"{attack_id}-{number}"
        built += _seconds(partial(build_variant, clean, attack, OPTIONS))
        written += _seconds(partial(_write, place, files, variant))
        stored_in += _seconds(partial(attack_stored, store, kept[number], [attack], OPTIONS))
    count = len(dossiers)
    return Cost(
        built=built / count,
        stored=stored_in / count,
        written=(built + written) / count,
        published=published,
    )


def _write(place: Path, files: Files, variant: Variant) -> None:
    write_folder(place, whole(files, variant))


def _cold(files: Files, chosen: Sequence[str]) -> None:
    """All variants of a dossier from nothing but its files."""
    clean = clean_of_files(files)
    for attack_id in chosen:
        build_variant(clean, attacks()[attack_id], OPTIONS)


def _kept(store: Store, clean: Path) -> list[StoredDossier]:
    return sorted(import_folder(store, clean).dossiers, key=lambda one: one.name)


def _together(folder: Path, clean: Path, chosen: Sequence[str]) -> float:
    """Processor seconds per variant when a dossier's variants are stored in one call."""
    some = [attacks()[attack_id] for attack_id in chosen]
    with Store.open(folder, "create") as store:
        kept = _kept(store, clean)
        spent = [_seconds(partial(attack_stored, store, one, some, OPTIONS)) for one in kept]
    return sum(spent) / len(spent) / len(some)


def main() -> None:
    """Print the cost of a variant by attack, and the ratios to the published package."""
    executable = os.environ.get("DGF_REFERENCE")
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        clean = root / "clean"
        _make(executable, clean)
        folders = sorted(path for path in clean.iterdir() if path.is_dir())
        for folder in folders[:FEW]:
            shutil.copytree(folder, root / "few" / folder.name)
        dossiers = [(files, clean_of_files(files)) for files in map(_read, folders)]
        columns = ("built", "stored", "folder", "published", "built", "stored", "folder")
        print(f"{'attack':24}" + "".join(f"{name:>11}" for name in columns))
        costs: dict[str, Cost] = {}
        with Store.open(root / "store", "create") as store:
            kept = _kept(store, clean)
            for attack_id in attacks():
                datasets = (clean, root / "few")
                theirs = _published(executable, datasets, attack_id) if executable else None
                cost = _cost(attack_id, dossiers, (store, kept), root / "ours", theirs)
                costs[attack_id] = cost
                _row(attack_id, cost)
        chosen = [attack_id for attack_id in costs if attack_id not in OWN_ROWS]
        together = _together(root / "together", clean, chosen)
        _row(f"mean of {len(chosen)}, as a set", _mean(dossiers, costs, chosen, together))


def _mean(
    dossiers: Sequence[tuple[Files, CleanDossier]],
    costs: dict[str, Cost],
    chosen: Sequence[str],
    together: float,
) -> Cost:
    """The mean variant of a set that starts from nothing but the files of the dossiers."""
    cold = sum(_seconds(partial(_cold, files, chosen)) for files, _ in dossiers)
    some = [costs[attack_id] for attack_id in chosen]
    theirs = [cost.published for cost in some if cost.published is not None]
    return Cost(
        built=cold / len(dossiers) / len(chosen),
        stored=together,
        written=sum(cost.written for cost in some) / len(some),
        published=sum(theirs) / len(some) if len(theirs) == len(some) else None,
    )


if __name__ == "__main__":
    main()
