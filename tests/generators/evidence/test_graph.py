"""The graph: draws, hidden modes and their rates, visibility, and the rescue of records."""

from __future__ import annotations

import hashlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.evidence import Mode, is_visible, load_catalog, may_read, required_records, unit
from generators.evidence.graph import Shown, distort, draw_mode
from generators.governance import PHASES, builtin_rules, decisive_fields
from tests.generators.evidence.cases import make_context

CATALOG = load_catalog()
ITEMS = [source for source in CATALOG.sources.values() if not source.snapshot]


def test_unit_is_the_first_eight_bytes_of_the_hash() -> None:
    """A draw is the leading 64 bits of the SHA-256 of the parts, as a fraction of 2^64."""
    digest = hashlib.sha256(b"9000:HLD:").digest()
    assert unit(9000, "HLD", "") == int.from_bytes(digest[:8], "big") / 2**64
    assert unit("a", "b") == 0.4043523740656047  # vector of the attack chapter


@pytest.mark.parametrize("difficulty", [1, 2, 3, 4, 5])
def test_rates_of_the_hidden_modes(difficulty: int) -> None:
    """Withheld: 4 % per level; each distortion: 4 % + 1.8 % per level (within 4 sigma)."""
    seeds = range(30_000, 30_400)
    records = [s for s in ITEMS if s.authoritative]
    documents = [s for s in ITEMS if not s.authoritative]
    withheld = [draw_mode(s, seed=n, difficulty=difficulty) for n in seeds for s in records]
    shown = [draw_mode(s, seed=n, difficulty=difficulty) for n in seeds for s in documents]
    _assert_rate(withheld, "temporarily_unavailable", 0.04 * difficulty)
    for mode in ("stale", "conflicting_claim", "partial"):
        _assert_rate(shown, mode, 0.04 + 0.018 * difficulty)
    assert set(withheld) == {"temporarily_unavailable", "truthful"}
    assert "temporarily_unavailable" not in shown


def _assert_rate(modes: list[Mode], wanted: str, rate: float) -> None:
    share = modes.count(wanted) / len(modes)  # type: ignore[arg-type]  # a plain word
    assert abs(share - rate) < 4 * math.sqrt(rate * (1 - rate) / len(modes))


@pytest.mark.parametrize(
    ("mode", "value", "shown"),
    [
        ("truthful", 7, 7),
        ("temporarily_unavailable", "signed", "signed"),
        ("stale", True, True),
        ("stale", 7, 6),
        ("stale", 0, 0),
        ("stale", 0.7, 0.19999999999999996),
        ("stale", 0.2, 0),
        ("stale", "signed", "draft"),
        ("stale", "unheard of", "unheard of"),
        ("conflicting_claim", True, False),
        ("conflicting_claim", 7, 8),
        ("conflicting_claim", 0.25, 0.75),
        ("conflicting_claim", "none", "full"),
        ("conflicting_claim", "unheard of", "unheard of"),
        ("conflicting_claim", None, None),
    ],
)
def test_what_a_mode_displays(mode: Mode, value: Shown, shown: Shown) -> None:
    """Stale steps down, a contradiction steps up or flips, words go through their tables."""
    assert distort(value, mode, blank=0.0) == shown


@given(st.floats(0, 1, exclude_max=True), st.one_of(st.booleans(), st.integers(), st.text()))
def test_a_partial_document_leaves_values_out(blank: float, value: Shown) -> None:
    """Partial shows the truth or nothing; nothing below 0.45."""
    assert distort(value, "partial", blank=blank) == (None if blank < 0.45 else value)


def test_visibility_is_cumulative_with_the_published_counts() -> None:
    """10 items at opportunity, 7 more at framing, 32 design, 13 acceptance, 10 closure, 2 last."""
    counts = [sum(is_visible(source, phase) for source in ITEMS) for phase in PHASES]
    assert counts == [10, 17, 49, 62, 72, 74]


READABLE = {
    "buy": [(16, 5), (14, 6), (13, 5), (30, 16), (19, 12), (24, 12)],
    "integrate": [(7, 5), (20, 10), (30, 16), (14, 6), (13, 5), (24, 12)],
    "build": [(5, 4), (20, 10), (30, 16), (22, 15), (24, 12)],
}
"""Items a gate may read at its review, and the authoritative ones among them, in route order."""


@pytest.mark.parametrize("route", READABLE)
def test_what_each_review_may_read(route: str) -> None:
    """Consumers and visibility give the published number of items to every scheduled review."""
    found = []
    for occurrence in builtin_rules().route(route).occurrences:
        readable = [s for s in ITEMS if may_read(s, occurrence.gate, occurrence.phase)]
        found.append((len(readable), sum(source.authoritative for source in readable)))
    assert found == READABLE[route]


@pytest.mark.parametrize("route", ["buy", "integrate", "build"])
@pytest.mark.parametrize("difficulty", [1, 5])
def test_every_decisive_field_keeps_a_readable_record(route: str, difficulty: int) -> None:
    """After the rescue each decisive field has an available authoritative source at its review."""
    for seed in range(500, 540):
        ctx = make_context(seed=seed, difficulty=difficulty, route=route)
        for occurrence in ctx.route.occurrences:
            for name in decisive_fields(ctx.case, occurrence.gate, phase=occurrence.phase):
                sources = [CATALOG.sources[d.source] for d in CATALOG.decoders[name]]
                assert any(
                    source.authoritative
                    and may_read(source, occurrence.gate, occurrence.phase)
                    and ctx.graph.is_available(source.id)
                    for source in sources
                ), (seed, occurrence.occurrence_id, name)


def test_only_required_records_are_rescued() -> None:
    """A withheld record is available exactly when some review cannot do without it."""
    rescued = kept = 0
    for seed in range(500, 560):
        ctx = make_context(seed=seed, difficulty=5)
        required = required_records(ctx.case, ctx.route.occurrences)
        for source in ITEMS:
            if draw_mode(source, seed=seed, difficulty=5) != "temporarily_unavailable":
                continue
            assert ctx.graph.is_available(source.id) is (source.id in required)
            assert (ctx.graph.modes[source.id] == "truthful") is (source.id in required)
            rescued += source.id in required
            kept += source.id not in required
    assert rescued > 100
    assert kept > 100


def test_a_waiver_for_standard_technology_does_not_apply() -> None:
    """The waiver has status NOT_APPLICABLE exactly when the catalog status is standard."""
    standard = make_context(it={"catalog_status": "standard"}).graph
    assert standard.nodes["TECH_WAIVER"].public_status == "NOT_APPLICABLE"
    assert standard.modes["TECH_WAIVER"] == "truthful"
    assert make_context().graph.nodes["TECH_WAIVER"].public_status == "AVAILABLE"


def test_snapshots_are_always_there() -> None:
    """Snapshots close the graph: version 1, age 0, available, truthful, authoritative."""
    graph = make_context(difficulty=5).graph
    snapshots = list(graph.nodes.values())[74:]
    assert len(snapshots) == 8
    for node in snapshots:
        assert (node.version, node.age_days, node.public_status) == (1, 0, "AVAILABLE")
        assert node.authoritative
        assert graph.modes[node.evidence_id] == "truthful"
