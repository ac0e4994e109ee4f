"""What can go wrong when cases are chosen.

DgfError
├── SamplingError            anything below
│   ├── ExhaustedError       no attempt gives an architecture or a decision that is wanted
│   ├── CollisionError       two cases of a plan share what must be unique
│   └── PlanError            a plan file that cannot be read, or that no longer gives its cases
└── UsageError
    └── PlanArgumentError    a policy, route or number of cases nothing can be planned for
"""

from __future__ import annotations

from cache.errors import DgfError, UsageError


class SamplingError(DgfError):
    """Anything wrong with choosing cases."""


class ExhaustedError(SamplingError):
    """Raised when every attempt allowed has been made in vain; `where` names seed and route."""


class CollisionError(SamplingError):
    """Raised when two cases share a value that must be unique; `where` names the field."""


class PlanError(SamplingError):
    """Raised for a plan that cannot be read, or whose cases come out differently."""


class PlanArgumentError(UsageError):
    """Raised for a policy, route or number of cases nothing can be planned for."""
