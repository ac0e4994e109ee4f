"""Equal specs give equal dossiers, whatever machine, moment or order they are made in."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generators.dossier import Dossier, DossierSpec, build_dossier
from generators.dossier.workers import in_workers

ROOT = Path(__file__).parents[3]
SPECS = [
    DossierSpec(seed=58_000, route="buy", difficulty=1),
    DossierSpec(seed=58_001, route="integrate", difficulty=3, architecture_attempt=2),
    DossierSpec(seed=58_002, route="build", difficulty=5, fact_attempts={"legal": 3, "it": 1}),
    DossierSpec(seed=58_003, route="full_lifecycle", difficulty=4, composed=True),
]
ELSEWHERE = {
    "another hash seed": {"PYTHONHASHSEED": "1"},
    "another time zone": {"TZ": "Pacific/Kiritimati"},
    "a plain C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "a Turkish locale": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    "another folder and home": {"HOME": "/nonexistent", "TMPDIR": "/tmp"},
}
PROGRAM = """\
import json
import locale
import time

from tests.generators.dossier.test_determinism import SPECS, build_dossier, digest

try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
time.time = lambda: 1.0
print(json.dumps([digest(build_dossier(spec)) for spec in reversed(SPECS)]))
"""


def digest(dossier: Dossier) -> str:
    """One digest over the name and every file of a dossier, in their order."""
    total = hashlib.sha256(f"{dossier.name} {dossier.rasters}".encode())
    for path, data in dossier.files.items():
        total.update(f"{path} {hashlib.sha256(data).hexdigest()}\n".encode())
    return total.hexdigest()


@pytest.fixture(scope="module")
def here() -> list[str]:
    """Digests of the dossiers made in this process."""
    return [digest(build_dossier(spec)) for spec in SPECS]


@pytest.mark.parametrize("where", ELSEWHERE)
def test_another_process_makes_the_same(where: str, here: list[str], tmp_path: Path) -> None:
    """Hash seed, time zone, locale, clock, folder and order of building change no byte."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": str(ROOT), **ELSEWHERE[where]},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)[::-1] == here


@pytest.mark.parametrize("workers", [1, 2])
def test_worker_processes_make_the_same(workers: int, here: list[str]) -> None:
    """Dossiers built in spawned workers are those built here, however many workers there are."""
    built = dict(in_workers(build_dossier, SPECS, workers=workers))
    outcomes = [built[number] for number in range(len(SPECS))]
    assert [digest(one) for one in outcomes if isinstance(one, Dossier)] == here


def test_every_part_of_a_spec_matters() -> None:
    """Changing the seed, the difficulty, an attempt or the lever changes the dossier."""
    plain = DossierSpec(seed=58_010, route="build", difficulty=4)
    changes: list[dict[str, Any]] = [
        {},
        {"seed": 58_011},
        {"difficulty": 5},
        {"architecture_attempt": 1},
        {"fact_attempts": {"security": 1}},
        {"composed": True},
        {"route": "buy"},
    ]
    variants = [msgspec.structs.replace(plain, **change) for change in changes]
    assert len({digest(build_dossier(spec)) for spec in variants}) == len(variants)
