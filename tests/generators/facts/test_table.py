"""Tables of draws: what is refused, and that nothing in them is left unused."""

from __future__ import annotations

import random
from typing import Any

import pytest

from generators.facts import DrawTableError, generator_version, version_names
from generators.facts.compiled import compile_stream
from generators.facts.identity import words
from generators.facts.table import Block, Calc, Draw, Law, Stream, read_table
from generators.governance.notation import GENERATOR_FUNCTIONS, parse
from tests.generators.facts.oracle import DRAWS, GENERATOR
from tests.generators.governance.oracle import FIELDS

SHORT = {
    "profile": "architecture_profile",
    "compute": "architecture_profile.semantic_compute",
    "edge": "architecture_profile.semantic_edge",
    "data": "architecture_profile.semantic_data",
    "network": "architecture_profile.semantic_network",
}


def _stream(law: Law) -> Stream:
    draw = Draw(field="project.x", law=law, when=None, otherwise=None, then=None)
    block = Block(section="project", when=None, repeat=1, draws=(draw,))
    return Stream(name="project", offset=0, stride=0, blocks=(block,))


def _value(expression: str, **facts: Any) -> Any:
    """What a computed value comes to in compiled form."""
    tree = parse(expression, GENERATOR_FUNCTIONS)
    draw = compile_stream(
        _stream(Calc(value=tree)),
        constants={"odds": ["a", "b"]},
        names=((), ()),
        open_defects=lambda _: [],
    )
    world = {"project": dict(facts), "tmp": {}}
    draw(world, 3, random.Random(1), 0)
    return world["project"]["x"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("if(project.a > 1, 5, 7)", 5),
        ("trunc(-2.7)", -2),
        ("trunc(2.7) + difficulty", 5),
        ("round(2.675, 2)", 2.67),
        ("min(3, 1.5)", 1.5),
        ("max(0, project.a)", 2),
        ('without(odds, "a")', ["b"]),
        ('join("v", 1, ".", project.a)', "v1.2"),
        ("value_or(project.missing, 9)", 9),
        ("value_or(project.a, 9)", 2),
        ('collect("none", "two", project.a == 2, "three", project.a == 3)', ["two"]),
        ('collect("none", "three", project.a == 3)', ["none"]),
        ('lower("MIXED")', "mixed"),
        ("odds", ["a", "b"]),
        ("[project.a, 1]", [2, 1]),
        ("-project.a * 2 - 1", -5),
        ("not (project.a == 2 and project.a < 1)", True),
        ("null", None),
    ],
)
def test_compiled_values_mean_what_the_notation_says(expression: str, expected: Any) -> None:
    """Functions of the generator, as the protocol defines them."""
    assert _value(expression, a=2) == expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("unheard_of", "neither a fact nor a constant"),
        ("value_or(1, 2)", "name of a fact"),
    ],
)
def test_values_that_cannot_be_computed_are_refused(expression: str, message: str) -> None:
    """A name that is nothing, and a default for what is not a fact."""
    with pytest.raises(DrawTableError, match=message):
        _value(expression)


def test_every_published_fact_is_drawn() -> None:
    """The fields of our table and of the published one are the same, intermediates aside."""
    streams = generator_version("compat-1").streams
    ours = {
        draw.field for stream in streams.values() for block in stream.blocks for draw in block.draws
    }
    named = {
        f"{SHORT.get(section, section)}.{key}"
        for section, _, key in (field.partition(".") for field in ours)
        if section != "tmp"
    }
    published = {row["field"] for row in DRAWS if not row["field"].startswith("tmp.")}
    assert published <= named


def test_every_decisive_field_is_drawn() -> None:
    """No rule looks at a fact that no draw gives."""
    streams = generator_version("compat-1").streams
    ours = {
        draw.field for stream in streams.values() for block in stream.blocks for draw in block.draws
    }
    for field in FIELDS:
        name = field["name"].replace("architecture_profile.", "profile.")
        name = name.replace("procurement.offer.", "offer.")
        assert name in ours | {"procurement.selected_vendor"}, name


def test_streams_are_the_published_ones() -> None:
    """Names and order of the eleven streams."""
    names = list(generator_version("compat-1").streams)
    assert names == [row["name"] for row in GENERATOR["streams"]]


def test_pools_have_the_published_sizes() -> None:
    """Words are ours, how many there are is not; none is there twice."""
    sizes = GENERATOR["name_pools"]
    pools = {
        "first": words().first_names,
        "last": words().last_names,
        "project_domains": words().domains,
        "codenames": words().codenames,
        "vendor_roots": words().vendor_roots,
    }
    for name, pool in pools.items():
        assert len(pool) == len(set(pool)) == sizes[name]


def test_versions_replace_what_they_name() -> None:
    """`hashed-2` changes no draw; `coherent-3` changes two."""

    def laws(version: str) -> dict[str, list[Draw]]:
        found: dict[str, list[Draw]] = {}
        for stream in generator_version(version).streams.values():
            for block in stream.blocks:
                for draw in block.draws:
                    found.setdefault(draw.field, []).append(draw)
        return found

    published = laws("compat-1")
    assert laws("hashed-2") == published
    changed = {field for field, draws in laws("coherent-3").items() if draws != published[field]}
    assert changed == {"profile.restore_tested", "tech_readiness.dr_required"}


def test_layouts_name_every_key_once() -> None:
    """A key twice in a section would hide a fact."""
    layout = read_table("layout.toml", dict[str, tuple[str, ...]])
    for section, keys in layout.items():
        assert len(keys) == len(set(keys)), section
    assert set(version_names()) == {"compat-1", "hashed-2", "coherent-3"}
