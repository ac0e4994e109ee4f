"""SIGKILL at any moment: the store opens and every acknowledged commit is whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

POINTS = 200


def test_acknowledged_commits_survive_sigkill(tmp_path: Path) -> None:
    """A real writer, killed at 200 random moments, loses nothing it has acknowledged."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.cache.killing", str(tmp_path / "store"), str(POINTS), "1"],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
