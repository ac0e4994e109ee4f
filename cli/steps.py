"""Steps of a long command that are worth a line each: one is done, of so many.

On a terminal they move a bar. Elsewhere each is a line on standard error, unless the command is to
be quiet because a machine reads it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from cli.progress import progress
from cli.terminal import safe

Step: TypeAlias = Callable[[str, str, int, int], None]
"""Told what was done, to what, how many that makes, and of how many."""


@contextmanager
def steps(*, quiet: bool) -> Iterator[Step]:
    """Somewhere to report steps to."""
    if sys.stderr.isatty():
        with progress() as bar:
            # The name stays out: it may come from a stranger's folder, and a bar knows markup.
            yield lambda doing, name, done, total: bar(doing, done, total)
    elif quiet:
        yield lambda *_: None
    else:
        yield _line


def _line(doing: str, name: str, done: int, total: int) -> None:
    sys.stderr.write(safe(f"{doing} {done}/{total} {name}") + "\n")
    sys.stderr.flush()
