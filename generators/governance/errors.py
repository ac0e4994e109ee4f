"""What can be wrong with rules, with a case, or with a name that should be in the rules.

DgfError
├── GovernanceError          anything below
│   ├── NotationError        a condition or expression that cannot be read
│   ├── RuleTableError       a rules file that contradicts itself or the format
│   └── FactError            a case that cannot be judged: a fact absent, or of a kind with no order
│       └── UnknownVendorError   the selected vendor made no offer
└── UsageError
    └── UnknownIdError       a gate, phase, route, rule or occurrence nobody declared
"""

from __future__ import annotations

from collections.abc import Iterable

from cache.errors import DgfError, UsageError

SHOWN = 200
"""Characters of an expression that an error repeats."""


class GovernanceError(DgfError):
    """Anything wrong with rules or with the facts they are applied to."""


class NotationError(GovernanceError):
    """Raised when text is not an expression of the condition notation.

    Parameters
    ----------
    problem
        What was found, and what would have been right.
    text
        The whole expression.
    column
        Place of the first character that does not fit, counted from 1.
    """

    def __init__(self, problem: str, *, text: str, column: int) -> None:
        shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
        super().__init__(problem, where=f"column {column} of {shown!r}")
        self.text = text
        self.column = column

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process borders, and this one has parameters of its own.
        return (_rebuild_notation, (self.problem, self.text, self.column))


def _rebuild_notation(problem: str, text: str, column: int) -> NotationError:
    return NotationError(problem, text=text, column=column)


class RuleTableError(GovernanceError):
    """Raised when a rules file contradicts itself or the format; `where` is the path in it."""


class FactError(GovernanceError):
    """Raised when a fact is absent, or is compared with something it has no order with."""


class UnknownVendorError(FactError):
    """Raised when the selected vendor is not the vendor of any offer."""


class UnknownIdError(UsageError):
    """Raised for a gate, phase, route, rule or occurrence that the rules do not declare."""

    @classmethod
    def among(cls, kind: str, name: object, known: Iterable[str]) -> UnknownIdError:
        """The error for `name`, listing what could have been meant."""
        return cls(f"unknown {kind} {name!r}", hint=f"one of {', '.join(known)}")
