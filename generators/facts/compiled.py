"""Streams as Python functions, for drawing thousands of cases a second.

One function per stream: it reads and writes the sections of a case under construction and uses up
one `random.Random`. Whole numbers are taken as in `uniform`, written out where the limit is known.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from generators.facts.expressions import (
    constant_variable,
    section_variable,
    sections_of,
    source,
)
from generators.facts.table import (
    Block,
    Calc,
    Chance,
    Draw,
    Law,
    Name,
    PerDefect,
    Pick,
    Real,
    Stream,
    Weighted,
    Whole,
)
from generators.facts.uniform import below, weigh
from generators.governance.notation import Call, Constant, Expression, Fact, Items

World: TypeAlias = Mapping[str, dict[str, Any]]
"""The sections of a case under construction, by the short names the draws use."""

Listing: TypeAlias = Callable[[World], list[str]]
"""From a case under construction to the keys of the conditions that hold."""

MADE: Final = "tmp"
"""The section of intermediate values; a repeated block leaves its records here, as `offers`."""

_INDENT: Final = "    "


class DrawStream(Protocol):
    """Makes the draws of one stream."""

    def __call__(self, world: World, difficulty: int, rng: random.Random, holder: int) -> None:
        """Write the drawn facts into `world`, using up `rng`.

        `holder` is the number that goes into people's names.
        """
        ...


def own(value: Any) -> Any:
    """A value that a case may keep: no list or table of the constants."""
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, dict) else value


def compile_stream(
    stream: Stream,
    *,
    constants: Mapping[str, object],
    names: tuple[Sequence[str], Sequence[str]],
    open_defects: Listing,
) -> DrawStream:
    """The function that makes the draws of `stream`.

    `names` are the first and the last names to pick from.
    """
    lines = [
        "def draw(world, difficulty, rng, holder):",
        f"{_INDENT}random, bits = rng.random, rng.getrandbits",
    ]
    written = {draw.field.partition(".")[0] for block in stream.blocks for draw in block.draws}
    read = sections_of(_expressions(stream), constants=constants)
    lines += _indented(_open(read | written | {MADE}))
    for block in stream.blocks:
        lines += _indented(_block(block))
    scope = {
        "accumulate": itertools.accumulate,
        "below": below,
        "own": own,
        "weigh": weigh,
        "first_names": tuple(names[0]),
        "last_names": tuple(names[1]),
        "open_defects": open_defects,
    }
    compiled: DrawStream = _define("draw", lines, scope, constants)
    return compiled


def compile_listing(
    conditions: Mapping[str, Expression], *, constants: Mapping[str, object]
) -> Listing:
    """The function that lists, in order, the keys of `conditions` that hold."""
    read = sections_of(conditions.values(), constants=constants)
    lines = ["def hold(world):", f"{_INDENT}found = []"]
    lines += _indented(_open(read))
    for key, condition in conditions.items():
        lines.append(f"{_INDENT}if {source(condition)}:")
        lines.append(f"{_INDENT * 2}found.append({key!r})")
    lines.append(f"{_INDENT}return found")
    compiled: Listing = _define("hold", lines, {}, constants)
    return compiled


def _define(
    name: str, lines: Sequence[str], scope: Mapping[str, object], constants: Mapping[str, object]
) -> Any:
    variables = {constant_variable(name): _frozen(value) for name, value in constants.items()}
    namespace: dict[str, Any] = {**variables, **scope}
    # The text comes from parsed trees: names the grammar allows, and literals written by repr.
    exec("\n".join(lines), namespace)  # noqa: S102
    return namespace[name]


def _frozen(value: object) -> object:
    """`value` with tuples for lists: constants are shared by every case."""
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, Mapping):
        return {key: _frozen(item) for key, item in value.items()}
    return value


def _open(sections: set[str]) -> Iterator[str]:
    return (f"{section_variable(name)} = world[{name!r}]" for name in sorted(sections))


def _indented(lines: Iterable[str]) -> list[str]:
    return [_INDENT + line for line in lines]


def _expressions(stream: Stream) -> Iterator[Expression | None]:
    for block in stream.blocks:
        yield block.when
        for draw in block.draws:
            yield from (draw.when, draw.otherwise, draw.then, *_parameters(draw.law))


def _parameters(law: Law) -> tuple[Expression, ...]:  # noqa: PLR0911  # one arm per law
    match law:
        case Pick(items=items):
            return (items,)
        case Weighted(weights=weights):
            return weights
        case Chance(probability=probability):
            return (probability,)
        case Whole(low=low, high=high) | Real(low=low, high=high):
            return (low, high)
        case Name():
            return ()
        case Calc(value=value):
            return (value,)
        case PerDefect(probability=probability, items=items):
            return (probability, items)


def _block(block: Block) -> list[str]:
    lines = [line for draw in block.draws for line in _draw(draw)]
    if block.repeat > 1:
        record = section_variable(block.section)
        lines = [
            f"made = {section_variable(MADE)}[{block.section + 's'!r}] = []",
            f"for _ in range({block.repeat}):",
            *_indented([*lines, f"made.append(dict({record}))"]),
        ]
    if block.when is not None:
        lines = [f"if {source(block.when)}:", *_indented(lines)]
    return lines


def _draw(draw: Draw) -> Iterator[str]:
    section, _, key = draw.field.partition(".")
    target = f"{section_variable(section)}[{key!r}]"
    *steps, value = _drawing(draw.law)
    if draw.then is not None:
        steps, value = [*steps, f"drawn = {value}"], source(draw.then)
    lines = [*steps, f"{target} = {value}"]
    if draw.when is None:
        yield from lines
        return
    yield f"if {source(draw.when)}:"
    yield from _indented(lines)
    if draw.otherwise is not None:
        yield f"else: {target} = {source(draw.otherwise)}"


def _drawing(law: Law) -> list[str]:  # noqa: C901, PLR0911  # one arm per law
    """Statements, and as the last item the value drawn."""
    match law:
        case Calc(value=value):
            return [f"own({source(value)})" if _may_be_shared(value) else source(value)]
        case Chance(probability=probability):
            return [f"random() < {source(probability)}"]
        case Pick(items=Items(items) as written):
            return [*_number_below(len(items)), f"{source(written)}[number]"]
        case Pick(items=items):
            return [f"items = {source(items)}", "items[below(bits, len(items))]"]
        case Weighted(values=values, weights=weights):
            return [f"{values!r}[weigh(random(), {_cumulative(weights)})]"]
        case Whole(low=Constant(int() as low), high=Constant(int() as high)):
            return [*_number_below(high - low + 1), f"{low} + number"]
        case Whole(low=low, high=high):
            return [f"low = {source(low)}", f"low + below(bits, {source(high)} - low + 1)"]
        case Real(low=low, high=high):
            return [f"low = {source(low)}", f"low + ({source(high)} - low) * random()"]
        case Name(role=role):
            return [
                "first = first_names[below(bits, len(first_names))]",
                "last = last_names[below(bits, len(last_names))]",
                f"f'{{first}} {{last}}-{{holder}}-{role}'",
            ]
        case PerDefect(probability=probability, items=items):
            return [
                "kept = {}",
                "for defect in open_defects(world):",
                f"{_INDENT}if random() < {source(probability)}:",
                f"{_INDENT * 2}items = {source(items)}",
                f"{_INDENT * 2}kept[defect] = items[below(bits, len(items))]",
                "kept",
            ]


def _may_be_shared(value: Expression) -> bool:
    """Whether `value` may be a list or table of the constants, which every case would then hold."""
    match value:
        case Fact(name):
            return "." not in name
        case Call(function):
            return function in {"if", "lookup"}
    return isinstance(value, Items)


def _number_below(n: int) -> list[str]:
    """`below`, written out where `n` is known."""
    width = n.bit_length()
    return [f"number = bits({width})", f"while number >= {n}: number = bits({width})"]


def _cumulative(weights: Sequence[Expression]) -> str:
    known = [weight.value for weight in weights if isinstance(weight, Constant)]
    numbers = [value for value in known if isinstance(value, int | float)]
    if len(numbers) == len(weights):
        return repr(tuple(itertools.accumulate(numbers)))
    return f"tuple(accumulate(({''.join(source(weight) + ', ' for weight in weights)})))"
