"""What can be wrong with a dossier, or with a folder that is offered as one.

DgfError
├── DossierError             anything below
│   ├── DossierContentError  files that are no sound dossier: one line a problem
│   ├── PictureError         a picture nobody has drawn yet
│   └── FolderError          a folder that cannot be written, or is not what is asked for
└── UsageError
    └── UnknownDossierError  a name or an id that means no dossier, or several
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cache.errors import DgfError, UsageError


class Problem(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One thing that is wrong, and the file it is wrong in."""

    file: str
    """Path below the dossier's or the dataset's folder."""
    problem: str
    """One clause without a final full stop."""

    def __str__(self) -> str:
        return f"{self.file}: {self.problem}"


class DossierError(DgfError):
    """Anything wrong with a dossier."""


class DossierContentError(DossierError):
    """Raised for files that are no sound dossier; says one line a problem."""

    def __init__(self, folder: str, problems: Sequence[Problem]) -> None:
        lines = "".join(f"\n  {problem}" for problem in problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        super().__init__(f"{folder} is not a sound dossier, {count}{lines}")
        self.folder = folder
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.folder, self.problems)


class PictureError(DossierError):
    """Raised when a picture is wanted that has not been drawn yet."""


class FolderError(DossierError):
    """Raised when a folder cannot be written, or is not what is asked for."""


class UnknownDossierError(UsageError):
    """Raised for a name or an id that means no dossier of the store, or several."""
