"""Forged entries: believed by who looks at dates alone, ignored by who looks at owners."""

from __future__ import annotations

import json

import msgspec
import pytest

from generators.attacks import Options
from generators.attacks.forging import DAYS, FORGERS
from generators.decoding.decode import decode
from generators.decoding.facts import decoders_of
from generators.governance import read_fact
from generators.readers.content import Reading
from generators.readers.reader import format_of, read_bytes
from tests.generators.attacks import oracle
from tests.generators.attacks.samples import planned, variant


@pytest.mark.parametrize("placebo", [False, True])
def test_who_believes_a_forged_entry(placebo: bool) -> None:
    """A careful reader reads the canonical value; a believing one what was forged, if anything."""
    seen = 0
    for clean in planned("dev15"):
        built = variant("forged_row", clean)
        for entry in built.placebos if placebo else built.attacked:
            assert isinstance(entry.field, str)
            read = read_bytes(format_of(entry.path), built.files[entry.path], "blocks")
            assert isinstance(read, Reading)
            truth = read_fact(clean.case, entry.field)
            wanted = truth if placebo else entry.forged_value
            believer = msgspec.structs.replace(clean.decoding, care="credulous")
            decoders = [
                decoder
                for decoder in decoders_of(entry.field, clean.catalog, authoritative=True)
                if decoder.source == entry.evidence_id
            ]
            careful = [decode(one, read.content, clean.decoding) for one in decoders]
            believed = [decode(one, read.content, believer) for one in decoders]
            assert {one.value for one in careful if one} == {truth}
            assert wanted in {one.value for one in believed if one}
            seen += 1
    assert seen


def test_a_forged_entry_is_the_latest_and_says_who_wrote_it() -> None:
    """Nine days later than anything before it, and signed by a forger with the token."""
    from datetime import date, timedelta

    owned = set(oracle.facts()["forge"]["owned_records"])
    for clean in planned("run6"):
        for entry in variant("forged_row", clean).manifest:
            row = json.loads(entry.text)
            assert entry.evidence_id in owned
            forgers = [f"{forger} (submission {entry.token})" for forger in FORGERS]
            assert row["recorded_by"] in forgers
            before = clean.content(entry.evidence_id)
            dates = [str(one) for one in _dates(before)]
            # Another gate may have forged the same record first.
            earliest = date.fromisoformat(max(dates)) + timedelta(days=DAYS)
            assert date.fromisoformat(row["as_of"]) >= earliest


def _dates(content: object) -> list[object]:
    if isinstance(content, dict):
        return [*([content["as_of"]] if "as_of" in content else []), *_inner(content.values())]
    return _inner(content) if isinstance(content, list) else []


def _inner(values: object) -> list[object]:
    return [found for value in values for found in _dates(value)]  # type: ignore[attr-defined]  # a view or a list


def test_candidate_values_are_the_published_ones() -> None:
    """The shipped table of values has every published field, in order, and no other."""
    from generators.attacks.forging import _candidates

    published = {row["field"]: tuple(row["values"]) for row in oracle.facts()["forge_candidate"]}
    assert dict(_candidates()) == published


def test_a_spared_gate_gets_an_unchanged_copy() -> None:
    """At rate 0 every forged entry is a placebo without a value of its own."""
    for clean in planned("run3"):
        built = variant("forged_row", clean, Options(rate=0))
        assert built.attacked == ()
        assert all(entry.forged_value is msgspec.UNSET for entry in built.placebos)
