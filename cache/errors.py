"""The root of the error tree, and the errors of the store.

DgfError                    every expected failure of the project
├── UsageError              a wrong argument, file or id given by the user
└── StoreError              anything wrong with a store
    ├── StoreMissingError   there is no store at the path
    ├── StoreFormatError    not a store of ours, or a version this release does not read
    ├── StoreLockedError    another process holds the writer's lock
    ├── StorePlacementError a store cannot be safe there (a network file system, a forked child)
    ├── StoreFullError      the disk or the map has no room left
    ├── StoreConflictError  other bytes, or another target, under a name that is already taken
    ├── RecordError         a value without a canonical form, or bytes that are not one
    ├── SecretError         a forbidden secret where it cannot be masked
    ├── ArchiveError        a file that is not a whole and genuine archive of a store
    ├── MissingObjectError  an id nobody in this store has heard of
    └── CorruptionError     bytes that do not match their id, or an id that is named but absent

Each error says what is wrong, where, and what to do next. The command line prints exactly that,
on one line.
"""

from __future__ import annotations

from typing import ClassVar


class DgfError(Exception):
    """An expected failure.

    Parameters
    ----------
    problem
        What is wrong, in one sentence without a final full stop.
    where
        The file, key, row or id it is about.
    hint
        The next step for whoever reads it.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, problem: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f" [{self.where}]" if self.where else ""
        advice = f": {self.hint}" if self.hint else ""
        return f"{self.problem}{place}{advice}"

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments do not survive the default pickling, and errors cross processes.
        return (_rebuild, (type(self), self.problem, self.where, self.hint))


def _rebuild(cls: type[DgfError], problem: str, where: str | None, hint: str | None) -> DgfError:
    return cls(problem, where=where, hint=hint)


class UsageError(DgfError):
    """A wrong argument, file or id given by the user."""

    exit_code = 2


class StoreError(DgfError):
    """Anything wrong with a store."""

    exit_code = 4


class StoreMissingError(StoreError):
    """Raised when there is no store at the path."""


class StoreFormatError(StoreError):
    """Raised when a folder is not a store, or has a format version this release does not read."""


class StoreLockedError(StoreError):
    """Raised when another process holds the writer's lock; `where` names host, pid and start."""


class StorePlacementError(StoreError):
    """Raised when a store would live it cannot be safe: on a network, in a forked child."""


class StoreFullError(StoreError):
    """Raised when the disk or the map has no room left; everything acknowledged before is kept."""


class StoreConflictError(StoreError):
    """Raised when a name is already taken by something else."""


class RecordError(StoreError):
    """Raised for a value that has no canonical form, or bytes that are not their kind's form."""


class SecretError(StoreError):
    """Raised when a forbidden secret stands where masking it would change a name."""


class ArchiveError(StoreError):
    """Raised when a file is not a whole and genuine archive of a store."""


class MissingObjectError(StoreError):
    """Raised for an id that neither is stored nor is named by anything in the store."""


class CorruptionError(StoreError):
    """Raised when bytes do not match their id, or when an id that something names is absent."""
