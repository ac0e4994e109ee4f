"""Evidence of two published dossiers, made again from their seeds: equal to the byte.

`tests/data/evidence.json` holds what the published generator wrote, as far as it names nobody and
holds no prose; names and prose are this project's own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generators.evidence import DossierContext, build_records, build_tables
from generators.facts import make_case
from generators.governance import builtin_rules

PUBLISHED: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "evidence.json").read_text("utf-8")
)


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda one: one["route"])
def test_files_are_the_published_ones(published: dict[str, Any]) -> None:
    """The same seed, route and difficulty give the same tables and records, byte for byte."""
    route = published["route"]
    case = make_case(published["seed"], route=route, difficulty=published["difficulty"])
    ctx = DossierContext(case, case_id="", route=builtin_rules().route(route))
    built = build_tables(ctx) | build_records(ctx)
    assert len(published["files"]) >= 25
    for path, text in published["files"].items():
        assert built[path] == text.encode(), path
