"""Work in worker processes: one result or one failure per job, whatever happens to the others.

Workers are spawned, never forked, and end with their owner. Results come as they are ready and name
the job they belong to. A job that raises, or whose process dies, is a `Failure`; so is nobody else.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeAlias, TypeVar

import msgspec

from cache.errors import DgfError

Job = TypeVar("Job")
Result = TypeVar("Result")


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a job has no result."""

    text: str


def in_workers(
    work: Callable[[Job], Result], jobs: Sequence[Job], *, workers: int
) -> Iterator[tuple[int, Result | Failure]]:
    """Do `work` on each of `jobs`; pairs of a job's position and its outcome, in any order.

    Parameters
    ----------
    work
        A function of a module, which a worker can import.
    workers
        How many processes; with 0 the work is done in this one.
    """
    if workers == 0:
        for position, job in enumerate(jobs):
            yield position, _attempt(work, job)
        return
    waiting = deque(enumerate(jobs))
    while waiting:
        suspects: list[_Numbered[Job]] = []
        with _pool(min(workers, len(waiting))) as pool:
            yield from _drain(pool, work, waiting, suspects, ahead=2 * workers)
        for position, job in suspects:
            with _pool(1) as pool:
                yield position, _outcome(pool.submit(_attempt, work, job))


_Numbered: TypeAlias = tuple[int, Job]


def _drain(
    pool: ProcessPoolExecutor,
    work: Callable[[Job], Result],
    waiting: deque[_Numbered[Job]],
    suspects: list[_Numbered[Job]],
    *,
    ahead: int,
) -> Iterator[tuple[int, Result | Failure]]:
    """Empty `waiting`, or stop when a worker dies: whoever was running then is a suspect."""
    running: dict[Future[Result | Failure], _Numbered[Job]] = {}
    while running or (waiting and not suspects):
        while waiting and not suspects and len(running) < ahead:
            job = waiting.popleft()
            try:
                running[pool.submit(_attempt, work, job[1])] = job
            except BrokenProcessPool:
                suspects.append(job)
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            job = running.pop(future)
            try:
                yield job[0], future.result()
            except BrokenProcessPool:
                suspects.append(job)


def _outcome(future: Future[Result | Failure]) -> Result | Failure:
    try:
        return future.result()
    except BrokenProcessPool:
        return Failure(text="the process that worked on it died (killed, or out of memory)")


def _attempt(work: Callable[[Job], Result], job: Job) -> Result | Failure:
    try:
        return work(job)
    except DgfError as error:
        return Failure(text=str(error))
    except Exception as error:  # noqa: BLE001  # whatever it is, it belongs to this job alone
        return Failure(text=f"{type(error).__name__}: {error}")


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("spawn"), initializer=_start_worker
    )


def _start_worker() -> None:
    # An interrupt belongs to the owner, which ends its workers in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_owner, daemon=True).start()


def _end_with_owner() -> None:
    """Leave when the owner is gone: a killed owner cannot tell its workers to stop."""
    owner = multiprocessing.parent_process()
    if owner is not None:
        owner.join()
        os._exit(1)
