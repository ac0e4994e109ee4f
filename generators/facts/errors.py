"""What can be wrong with asking for a case, or with the tables cases are drawn from.

DgfError
├── UsageError
│   └── CaseArgumentError   a seed, difficulty, attempt or version no case can be made for
└── DrawTableError          a table of draws that contradicts itself or the format
"""

from __future__ import annotations

from cache.errors import DgfError, UsageError


class CaseArgumentError(UsageError):
    """Raised for an argument no case can be made for."""


class DrawTableError(DgfError):
    """Raised when a table of draws cannot be used; `where` names the file and the draw."""
