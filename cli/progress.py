"""Progress of long work on standard error, where somebody may be watching; nothing elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from cache.progress import Progress, silent

_EVERY: Final = 0.1
"""Seconds between two looks at the terminal."""


@contextmanager
def progress() -> Iterator[Progress]:
    """Somewhere to report progress to: a line that is redrawn, and gone at the end."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Bar(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        shown = 0.0

        def report(doing: str, done: int, total: int | None) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown >= _EVERY:
                shown = now
                bar.update(task, description=doing, completed=done, total=total)

        yield report
