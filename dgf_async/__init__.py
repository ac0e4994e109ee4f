"""Public API of dgf-async: everything a library user needs, imported from here alone.

Names load on first use (PEP 562): `import dgf_async` costs nothing and pulls in no heavy library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cache import AsyncStore, Batch, ObjectId, Record, Store, Tree
    from cache.errors import DgfError, StoreError, UsageError
    from generators.dossier import Dossier, DossierSpec, build_dossier
    from generators.facts import make_case
    from generators.governance import (
        GateResult,
        RuleTable,
        builtin_rules,
        evaluate_gate,
        evaluate_route,
        load_rules,
    )
    from generators.governance.policy import policy
    from generators.sampling import Plan, make_plan

_HOMES = {
    "cache": ("AsyncStore", "Batch", "ObjectId", "Record", "Store", "Tree"),
    "cache.errors": ("DgfError", "StoreError", "UsageError"),
    "generators.dossier": ("Dossier", "DossierSpec", "build_dossier"),
    "generators.facts": ("make_case",),
    "generators.governance": (
        "GateResult",
        "RuleTable",
        "builtin_rules",
        "evaluate_gate",
        "evaluate_route",
        "load_rules",
    ),
    "generators.governance.policy": ("policy",),
    "generators.sampling": ("Plan", "make_plan"),
}
"""Where each public name is defined."""

__all__ = [
    "AsyncStore",
    "Batch",
    "DgfError",
    "Dossier",
    "DossierSpec",
    "GateResult",
    "ObjectId",
    "Plan",
    "Record",
    "RuleTable",
    "Store",
    "StoreError",
    "Tree",
    "UsageError",
    "build_dossier",
    "builtin_rules",
    "evaluate_gate",
    "evaluate_route",
    "load_rules",
    "make_case",
    "make_plan",
    "policy",
]


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
