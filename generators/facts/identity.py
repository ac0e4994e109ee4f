"""What tells one case from another and decides nothing: ids, codes, names, address ranges.

Formulas: DGF-Bench protocol, section 6. Words are this project's own (`words.toml`).
"""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
from typing import Any, Final, Literal

from generators.facts.table import read_table
from generators.governance.routes import Route
from generators.governance.vocabulary import Record

Style = Literal["short", "long"]
"""`short`: five-digit codes as published. `long`: eight digits, addresses that repeat later."""

FIRST_START: Final = dt.date(2026, 9, 21)
PREFIX_LIMIT: Final = 22
"""Characters a resource prefix may have."""

CODE_DIGITS: Final = {"short": 5, "long": 8}
LONG_BLOCKS: Final = 256 * 256 // 3
"""Blocks of three /24 networks in 10.0.0.0/8."""


class Words(Record, frozen=True, kw_only=True):
    """Invented names, by what they name."""

    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    codenames: tuple[str, ...]
    domains: tuple[str, ...]
    vendor_roots: tuple[str, ...]


@functools.cache
def words() -> Words:
    """The names cases are given."""
    return read_table("words.toml", Words)


def project_code(seed: int, route: str, *, style: Style = "short") -> str:
    """The code that makes a project's names unique."""
    digest = hashlib.sha256(f"{route}|{seed}".encode()).hexdigest()
    return digest[: CODE_DIGITS[style]].upper()


def networks(seed: int, *, style: Style = "short") -> tuple[str, str, str]:
    """The address ranges of hub, applications and data."""
    if style == "short":
        second, first = 16 + seed // 16 % 200, 16 * (seed % 16)
        hub, app, data = (f"10.{second}.{first + k}.0/24" for k in range(3))
    else:
        start = 3 * (seed % LONG_BLOCKS)
        hub, app, data = (f"10.{n // 256}.{n % 256}.0/24" for n in range(start, start + 3))
    return hub, app, data


def project_identity(seed: int, route: Route, *, style: Style) -> dict[str, Any]:
    """The facts of `project` that follow from seed and route."""
    code = project_code(seed, route.id, style=style)
    pools, n = words(), len(route.id)
    codename = pools.codenames[(7 * seed + 11 * n) % len(pools.codenames)]
    domain = pools.domains[(13 * seed + 5 * n) % len(pools.domains)]
    subject = f"acquisition of {domain}" if route.id == "integrate" else domain
    return {
        "project_id": f"DGF-{route.project_id_code}-{seed:06d}",
        "generation_seed": seed,
        "project_name": f"{codename}: {subject} [{code}]",
        "project_code": code,
        "project_type": route.project_type,
        "route": route.id,
    }


def project_dates(start_shift: int, duration: int) -> dict[str, str]:
    """Start and go-live, `start_shift` days after the first start and `duration` days later."""
    start = FIRST_START + dt.timedelta(days=start_shift)
    end = start + dt.timedelta(days=duration)
    return {"start_date": start.isoformat(), "target_go_live": end.isoformat()}


def architecture_identity(code: str, topology_seed: int) -> dict[str, str]:
    """Id and resource prefix of an architecture."""
    number = f"{topology_seed % 100000:05d}"
    return {
        "architecture_id": f"ARCH-{code}-{number}",
        "resource_prefix": f"{code}-{number}".lower()[:PREFIX_LIMIT],
    }


def vendor_names(code: str, holder: int, *, count: int) -> list[str]:
    """Names of the vendors that make an offer; `holder` says with which root to begin."""
    roots = words().vendor_roots
    places = range(1, count + 1)
    return [f"{roots[(holder + place - 1) % len(roots)]} {code}-{place}" for place in places]
