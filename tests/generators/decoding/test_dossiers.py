"""Acceptance on generated dossiers: decoding, certification, forged rows, careless readers.

These are the tests (a), (b), (e) and (f) that the protocol asks every implementation to keep.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from itertools import chain
from typing import Any

import msgspec
import pytest

from generators.decoding.certification import certification_report, certify
from generators.decoding.decode import decode
from generators.decoding.facts import decode_facts, sources_of
from generators.decoding.pointers import resolves
from generators.decoding.selection import Care
from generators.evidence import csv_bytes, json_bytes
from generators.evidence.graph import distort, unit
from generators.governance import decisive_fields, read_fact
from tests.generators.decoding.worlds import CATALOG, World, make_world

ROUTES = ("buy", "integrate", "build")
HISTORY_KEYS = ("item", "control", "vendor", "project_id")
"""Keys that tell the histories of one record apart."""

WORLDS = [(seed, ROUTES[seed % 3], 1 + seed % 5) for seed in range(71_000, 71_030)]


def worlds(*, composed: bool = False) -> list[World]:
    """Dossiers of the three routes at every difficulty."""
    return [
        make_world(seed, route=route, difficulty=difficulty, composed=composed)
        for seed, route, difficulty in WORLDS
    ]


def displayed(world: World, field: str, source: str, noise: str | None) -> Any:
    """What the source shows for the fact: the truth, or what its hidden mode makes of it."""
    truth: Any = read_fact(world.case, field)
    if noise is None:
        return truth
    vendor = world.case["procurement"]["selected_vendor"]
    blank = unit(world.case["seed"], source, noise.replace("<vendor>", vendor))
    return distort(truth, world.ctx.graph.modes[source], blank=blank)


def test_every_pair_of_field_and_source_decodes() -> None:
    """(a) All 116 pairs give the truth, or the truth as the document's hidden mode shows it."""
    pairs: Counter[tuple[str, str]] = Counter()
    for world in worlds():
        for field, decoders in CATALOG.decoders.items():
            for decoder in decoders:
                node = world.dossier.by_id[decoder.source]
                if decoder.form != "standard" or node.public_status != "AVAILABLE":
                    continue
                shown = displayed(world, field, decoder.source, decoder.noise)
                decoded = decode(decoder, world.content(decoder.source), world.known)
                where = (world.ctx.folder_name, field, decoder.source)
                if decoded is None:
                    assert shown in (None, "None"), where  # no value, or no such firewall
                    continue
                assert decoded.value == shown, where
                assert isinstance(decoded.value, bool) == isinstance(shown, bool), where
                content = world.content(decoder.source)
                assert all(resolves(content, p) for p in decoded.pointers), where
                pairs[field, decoder.source] += 1
    assert len(pairs) == 116


@pytest.mark.parametrize("composed", [False, True], ids=["standard", "composed"])
def test_every_occurrence_is_certified(composed: bool) -> None:
    """(b) Every gate of the three routes is decidable, also from composed records."""
    report = certification_report(
        (
            world.ctx.folder_name,
            len(world.occurrences),
            certify(world.dossier, case=world.case, occurrences=world.occurrences),
        )
        for world in worlds(composed=composed)
    )
    assert report.failures == ()
    assert report.is_certified
    assert report.cases == len(WORLDS)
    assert report.occurrences == sum(len(w.occurrences) for w in worlds())
    assert report.field_checks > 5 * report.occurrences


def with_forged_rows(world: World, source: str) -> bytes:
    """The owned record with newer entries by somebody else, who turns every value."""
    data = world.bytes_of(source)
    if source.endswith(("CATALOG", "CONTRACT_REGISTER")):
        document = json.loads(data)
        entries = document["decisions" if source == "TECH_CATALOG" else "contracts"]
        entries.extend(newer(entries))
        return json_bytes(document)
    rows: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(data.decode())))
    return csv_bytes([*rows, *newer(rows)], list(rows[0]))


def newer(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One forged entry per history: its keys kept, its values turned, its date far ahead."""
    forged = {
        tuple(entry.get(key) for key in HISTORY_KEYS): {
            **{k: v if k in HISTORY_KEYS else turned(v) for k, v in entry.items()},
            "as_of": "2999-01-01",
            "recorded_by": "Somebody",
        }
        for entry in entries
    }
    return list(forged.values())


def turned(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case dict():
            return {key: turned(member) for key, member in value.items()}
        case bool():
            return not value
        case "True" | "False":
            return str(value == "False")
        case int() | float():
            return value + 77
        case str() if value.replace(".", "", 1).isdigit():
            return str(float(value) + 77)
        case _:
            return "another word"


def test_forged_rows_change_nothing() -> None:
    """(e) Newer entries by others alter neither values nor citations; a believer falls for them."""
    deceived: Counter[str] = Counter()
    for world in worlds():
        available = [n for n in CATALOG.owners() if world.content(n) is not None]
        attacked = world.with_files({name: with_forged_rows(world, name) for name in available})
        credulous = msgspec.structs.replace(world.known, care="credulous")
        for decoder in chain.from_iterable(CATALOG.decoders.values()):
            if decoder.source not in available or decoder.form != "standard":
                continue
            evidence = attacked.evidence(decoder.source)
            assert evidence is not None
            before = decode(decoder, world.content(decoder.source), world.known)
            assert before is not None
            assert decode(decoder, evidence.content, world.known) == before
            believed = decode(decoder, evidence.content, credulous)
            assert believed is not None
            deceived[decoder.source] += believed.value != before.value
    assert all(deceived[name] > 0 for name in CATALOG.owners()), deceived


@pytest.mark.parametrize(("care", "most"), [("naive", True), ("strict", False)])
def test_careless_readers_fail(care: Care, most: bool) -> None:
    """(f) Without the rules on entities, dates and authors most dossiers are misread."""
    misread = 0
    for world in worlds():
        context = msgspec.structs.replace(world.given, care=care)
        misread += any(
            found.value != read_fact(world.case, field)
            for gate in world.occurrences
            for field, found in decode_facts(
                decisive_fields(world.case, gate.gate, phase=gate.phase),
                sources_of(world.dossier, gate=gate.gate, phase=gate.phase),
                context,
            ).items()
        )
    assert (misread > 0.9 * len(WORLDS)) is most
    assert most or misread == 0


def test_sources_the_gate_cannot_read_are_not_used() -> None:
    """Decoding for a gate sees only what that gate may read in its phase."""
    world = make_world(71_000, route="build")
    gate = world.occurrences[0]
    sources = sources_of(world.dossier, gate=gate.gate, phase=gate.phase)
    seen = {name for name in world.dossier.by_id if sources(name) is not None}
    listed = {n.evidence_id for n in world.dossier.in_scope(gate.gate, gate.phase)}
    assert seen
    assert seen < listed | {"nothing else"}
    assert sources("NO_SUCH_ID") is None
