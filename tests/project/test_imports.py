"""What an import costs, and what the public API is."""

from __future__ import annotations

import subprocess
import sys

import pytest

import dgf_async

HEAVY = (
    "aiohttp",
    "cairosvg",
    "cairocffi",
    "docx",
    "lxml",
    "numpy",
    "pyhanko",
    "pypdf",
    "scipy",
    "statsmodels",
)

PUBLIC_API = [
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


def _modules_after(code: str) -> set[str]:
    probe = f"import sys\n{code}\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=60
    )
    return {line.split(".")[0] for line in done.stderr.splitlines()}


@pytest.mark.parametrize(
    "code",
    [
        "import dgf_async",
        (
            "import cli.main; sys.argv = ['dgf', '--help']\n"
            "try: cli.main.main()\nexcept SystemExit: pass"
        ),
        "import cache, generators, scorers, cli",
    ],
    ids=["library", "dgf --help", "packages"],
)
def test_light_start_loads_no_heavy_library(code: str) -> None:
    """Starting up loads none of the libraries that only some commands need."""
    assert _modules_after(code) & set(HEAVY) == set()


def test_public_api_is_pinned() -> None:
    """The exported names are these, and each of them resolves."""
    assert sorted(dgf_async.__all__) == PUBLIC_API
    for name in PUBLIC_API:
        assert getattr(dgf_async, name).__name__ == name
    assert dir(dgf_async) == dgf_async.__all__


def test_unknown_public_name_is_an_attribute_error() -> None:
    """A name that is not exported fails as any missing attribute does."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = dgf_async.no_such_name
