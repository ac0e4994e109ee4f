"""The built-in catalog says what the published one says, attribute by attribute."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cache.errors import UsageError
from generators.evidence.catalog import CellTest, Decoder, Test, load_catalog
from generators.governance import builtin_rules

PUBLISHED: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[2] / "data" / "catalog.toml").read_text("utf-8")
)
CATALOG = load_catalog()


def test_sources_equal_the_published_ones() -> None:
    """Every node has the published order, path, authority, consumers, phase, owner and noise."""
    owners = {row["source"]: row["owner"] for row in PUBLISHED["record_owner"]}
    assert list(CATALOG.sources) == [row["id"] for row in PUBLISHED["source"]]
    for row in PUBLISHED["source"]:
        source = CATALOG.source(row["id"])
        assert (source.path, source.format) == (row["path"], row["format"])
        assert source.authoritative is row["authoritative"]
        assert list(source.consumers) == row["consumers"]
        assert source.visible_from == row["visible_from"]
        assert source.snapshot is row.get("snapshot", False)
        assert source.owner == owners.get(row["id"]) == row.get("recorded_by")
        assert source.entity == row.get("entity_key")
        assert list(source.noise) == row.get("perturbed_keys", [])
        assert source.raster == row.get("companion")
        assert (source.not_applicable_when is not None) is ("not_applicable_when" in row)
    assert CATALOG.owners() == owners


def test_counts_of_the_paper() -> None:
    """74 items: 42 authoritative, 32 narrative; 40 csv, 18 docx, 14 json, 1 svg, 1 yaml."""
    items = [source for source in CATALOG.sources.values() if not source.snapshot]
    assert len(items) == 74
    assert sum(source.authoritative for source in items) == 42
    formats = Counter(source.format for source in items)
    assert formats == {"csv": 40, "docx": 18, "json": 14, "svg": 1, "yaml": 1}
    assert len(CATALOG.sources) == 82


def _published_test(test: dict[str, str]) -> Test:
    if "ctx" in test:
        return CellTest(identity=test["ctx"])
    return CellTest(prefix=test["prefix"]) if "prefix" in test else test["value"]


def _published_tests(row: dict[str, Any], key: str) -> dict[str, Test]:
    return {test["key"]: _published_test(test) for test in row.get(key, [])}


def test_decoders_equal_the_published_ones() -> None:
    """Every field has the published decoders, in rank order, with every attribute."""
    published: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(PUBLISHED["decoder"], key=lambda row: row["rank"]):
        published.setdefault(row["field"], []).append(row)
    assert {name: len(found) for name, found in CATALOG.decoders.items()} == {
        name: len(rows) for name, rows in published.items()
    }
    plain = ("source", "kind", "convert", "column", "label", "marker", "capture", "after")
    for name, rows in published.items():
        for row, decoder in zip(rows, CATALOG.decoders[name], strict=True):
            for attribute in (*plain, "list", "start", "end", "form", "aggregate"):
                assert getattr(decoder, attribute) == row.get(attribute), (name, attribute)
            assert CATALOG.is_authoritative(decoder) is row["authoritative"]
            assert list(decoder.path) == row.get("path", [])
            assert decoder.latest is row.get("latest", False) is row["history"]
            assert decoder.noise == row.get("perturb_key")
            assert decoder.select == _published_tests(row, "select")
            assert decoder.match == _published_tests(row, "match")
            assert _derivation(decoder) == row.get("derive")


def _derivation(decoder: Decoder) -> dict[str, object] | None:
    if decoder.derive is None:
        return None
    if decoder.derive.equals is not None:
        return {"op": "equals", "value": decoder.derive.equals}
    return {"op": "greater_than", "value": decoder.derive.greater_than}


@pytest.mark.parametrize("name", ["alias", "previous_state", "conflicting_claim"])
def test_wordings_equal_the_published_ones(name: str) -> None:
    """Aliases and the words of the hidden modes are the published ones."""
    assert getattr(CATALOG, name) == PUBLISHED[name]


def test_only_the_pentest_lacks_an_authoritative_source() -> None:
    """Every decisive field but `security.pentest_status` can be read from a record."""
    assert set(CATALOG.decoders) == set(builtin_rules().fields)
    unsupported = {
        name
        for name, decoders in CATALOG.decoders.items()
        if not any(CATALOG.is_authoritative(decoder) for decoder in decoders)
    }
    assert unsupported == {"security.pentest_status"}


def test_an_unknown_source_is_a_named_error() -> None:
    """An id outside the catalog names itself and the way to the list."""
    with pytest.raises(UsageError, match="NO_SUCH"):
        CATALOG.source("NO_SUCH")
