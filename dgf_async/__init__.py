"""Public API of dgf-async: everything a library user needs, imported from here alone.

Names load on first use (PEP 562): `import dgf_async` costs nothing and pulls in no heavy library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cache.errors import DgfError, StoreError, UsageError

_HOMES = {
    "DgfError": "cache.errors",
    "StoreError": "cache.errors",
    "UsageError": "cache.errors",
}

__all__ = ["DgfError", "StoreError", "UsageError"]


def __getattr__(name: str) -> Any:
    try:
        home = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
