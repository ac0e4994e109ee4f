"""Equal variants on any machine: nothing depends on hash seeds, clocks, zones or locales."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from generators.attacks import Options, attacks
from tests.generators.attacks.samples import sample, variant

ROOT = Path(__file__).parents[3]
ELSEWHERE = {
    "another hash seed": {"PYTHONHASHSEED": "1"},
    "another zone and a plain locale": {"TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
}
PROGRAM = """\
import time

from tests.generators.attacks.test_determinism import digest

time.time = lambda: 1.0
print(digest(backwards=True))
"""


def digest(*, backwards: bool = False) -> str:
    """One digest over all variants of a dossier, made in either order."""
    found: dict[str, str] = {}
    for attack_id in sorted(attacks(), reverse=backwards):
        total = hashlib.sha256()
        for wording_set in ("dev", "test"):
            options = Options(rate=1.0, wording_set=wording_set, placebos="every-carrier")
            built = variant(attack_id, sample(), options)
            for path, data in built.files.items():
                total.update(path.encode() + b"\0" + data)
            for path, drawing in built.pictures.items():
                total.update(path.encode() + b"\0" + drawing.svg)
        found[attack_id] = total.hexdigest()
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()


@pytest.fixture(scope="module")
def here() -> str:
    """The digest in this process."""
    return digest()


@pytest.mark.parametrize("where", ELSEWHERE)
def test_variants_are_equal_elsewhere(where: str, here: str) -> None:
    """Another process in other surroundings, in reverse order, makes the same bytes."""
    environment = {**os.environ, **ELSEWHERE[where]}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == here
