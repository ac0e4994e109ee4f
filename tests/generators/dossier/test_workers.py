"""Work in worker processes: an outcome for every job, whatever happens to the others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cache.errors import UsageError
from generators.dossier.workers import Failure, in_workers

OWNER = """
import sys, time
from generators.dossier.workers import in_workers
from tests.generators.dossier.test_workers import note_and_wait

if __name__ == "__main__":
    for _ in in_workers(note_and_wait, [sys.argv[1]], workers=1):
        pass
"""


def work(job: int) -> int:
    """Squares; some jobs go wrong in different ways."""
    if job == 3:
        raise UsageError("three", where="job 3", hint="take another")
    if job == 4:
        raise ZeroDivisionError("four")
    if job == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return job * job


def note_and_wait(path: str) -> None:
    """Say who works, then take long."""
    Path(path).write_text(str(os.getpid()), encoding="ascii")
    time.sleep(100)


@pytest.mark.parametrize("workers", [0, 2])
def test_every_job_has_one_outcome(workers: int) -> None:
    """Results are the same for any number of workers, and an error is its own job's alone."""
    jobs = [0, 1, 2, 3, 4, 6, 7]
    outcomes = list(in_workers(work, jobs, workers=workers))
    assert sorted(position for position, _ in outcomes) == list(range(len(jobs)))
    assert {jobs[position]: outcome for position, outcome in outcomes} == {
        0: 0,
        1: 1,
        2: 4,
        3: Failure(text="three [job 3]: take another"),
        4: Failure(text="ZeroDivisionError: four"),
        6: 36,
        7: 49,
    }


def test_a_dying_process_takes_one_job_with_it() -> None:
    """Who kills its process fails; everybody who ran beside it or waited behind gets a result."""
    jobs = [1, 5, 2, 6, 7, 8]
    outcomes = {jobs[n]: outcome for n, outcome in in_workers(work, jobs, workers=2)}
    died = outcomes.pop(5)
    assert isinstance(died, Failure)
    assert "died" in died.text
    assert outcomes == {1: 1, 2: 4, 6: 36, 7: 49, 8: 64}


def test_nothing_to_do_starts_nothing() -> None:
    """No jobs, no outcomes."""
    assert list(in_workers(work, [], workers=2)) == []


def test_workers_end_with_their_owner(tmp_path: Path) -> None:
    """When the owner is killed its workers do not stay behind."""
    script, note = tmp_path / "owner.py", tmp_path / "pid"
    script.write_text(OWNER, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    with subprocess.Popen([sys.executable, script, note], env=environment) as owner:
        worker = int(_until(lambda: note.exists() and note.read_text("ascii")))
        owner.kill()
    assert _until(lambda: not _lives(worker))


def _until(condition: object) -> str:
    assert callable(condition)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return str(found)
        time.sleep(0.05)
    raise AssertionError("waited in vain")


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # An orphan of a container without an init process stays as a zombie, which runs no more.
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state != "Z"
