"""Draws as records: what is drawn, in what order, from which stream, by which law.

`draws.toml` holds the draws of the protocol and `versions.toml` the named versions of the
generator, each of which may replace some of them. Both are read once; text in them is parsed into
trees of the condition notation.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Literal, TypeAlias, TypeVar

import msgspec

from generators.facts.errors import CaseArgumentError, DrawTableError
from generators.governance.errors import NotationError
from generators.governance.notation import (
    GENERATOR_FUNCTIONS,
    Constant,
    Expression,
    Items,
    Scalar,
    parse,
)
from generators.governance.vocabulary import Record

DEFAULT_VERSION = "compat-1"

Written: TypeAlias = str | bool | int | float | list[Scalar]
"""What a file may say for a value: text is an expression, anything else stands for itself."""


class Pick(Record, frozen=True, kw_only=True):
    """One position of a list, each equally likely."""

    items: Expression


class Weighted(Record, frozen=True, kw_only=True):
    """One of `values`, as likely as its weight says."""

    values: tuple[str, ...]
    weights: tuple[Expression, ...]


class Chance(Record, frozen=True, kw_only=True):
    """True with a probability."""

    probability: Expression


class Whole(Record, frozen=True, kw_only=True):
    """A whole number between two limits, both included."""

    low: Expression
    high: Expression


class Real(Record, frozen=True, kw_only=True):
    """A number uniform between two limits."""

    low: Expression
    high: Expression


class Name(Record, frozen=True, kw_only=True):
    """A first and a last name, marked with the holder's `role`."""

    role: str


class Calc(Record, frozen=True, kw_only=True):
    """A computed value; the stream is not touched."""

    value: Expression


class PerDefect(Record, frozen=True, kw_only=True):
    """For each open defect in turn: kept with a probability, and if so an item picked for it."""

    probability: Expression
    items: Expression


Law: TypeAlias = Pick | Weighted | Chance | Whole | Real | Name | Calc | PerDefect


class Draw(Record, frozen=True, kw_only=True):
    """One draw.

    `field` is where the result goes, with the short name of its section: `profile.multi_az`. When
    `when` does not hold nothing is drawn, and the field takes `otherwise`, or keeps its value.
    `then` is what becomes of the drawn value.
    """

    field: str
    law: Law
    when: Expression | None
    otherwise: Expression | None
    then: Expression | None


class Block(Record, frozen=True, kw_only=True):
    """Draws into one section, made only when `when` holds, and `repeat` times in a row."""

    section: str
    when: Expression | None
    repeat: int
    draws: tuple[Draw, ...]


class Stream(Record, frozen=True, kw_only=True):
    """One seeded generator, and what it is used up for.

    With sums for seeds it starts at the case seed plus `offset` plus `stride` per attempt.
    """

    name: str
    offset: int
    stride: int
    blocks: tuple[Block, ...]


class Version(Record, frozen=True, kw_only=True, eq=False):
    """A named version of the generator: how streams are seeded, and every draw.

    `constants` are the lists and tables that expressions name without a dot.
    """

    name: str
    summary: str
    seeding: Literal["offsets", "hashed"]
    identity: Literal["short", "long"]
    streams: Mapping[str, Stream]
    constants: Mapping[str, object]


class _DrawRow(Record, frozen=True, kw_only=True):
    field: str
    pick: Written | None = None
    weighted: list[tuple[str, Written]] | None = None
    chance: Written | None = None
    whole: tuple[Written, Written] | None = msgspec.field(default=None, name="int")
    real: tuple[Written, Written] | None = None
    name: str | None = None
    calc: str | None = None
    per_defect: Written | None = None
    when: str | None = None
    otherwise: Written | None = msgspec.field(default=None, name="else")
    then: str | None = None


class _BlockRow(Record, frozen=True, kw_only=True):
    section: str
    draws: list[_DrawRow]
    when: str | None = None
    repeat: int = 1


class _StreamRow(Record, frozen=True, kw_only=True):
    name: str
    offset: int
    stride: int
    block: list[_BlockRow]


class _DrawFile(Record, frozen=True, kw_only=True):
    constants: dict[str, list[str] | dict[str, str | list[str]]]
    stream: list[_StreamRow]


class _VersionRow(Record, frozen=True, kw_only=True):
    name: str
    summary: str
    seeding: Literal["offsets", "hashed"]
    identity: Literal["short", "long"]
    replace: tuple[_DrawRow, ...] = ()


class _VersionFile(Record, frozen=True, kw_only=True):
    version: list[_VersionRow]


FileForm = TypeVar("FileForm")


def read_table(name: str, form: type[FileForm]) -> FileForm:
    """The data file `name` of this package."""
    text = files(__package__).joinpath(name).read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), form)


def version_names() -> tuple[str, ...]:
    """Names of the generator's versions, the default first."""
    return tuple(_versions())


def generator_version(name: str) -> Version:
    """The version of the generator with this name."""
    if name not in version_names():
        known = ", ".join(version_names())
        raise CaseArgumentError(f"unknown generator version {name!r}", hint=f"one of {known}")
    return _versions()[name]


@functools.cache
def _versions() -> Mapping[str, Version]:
    drawn = read_table("draws.toml", _DrawFile)
    streams = [_stream(row) for row in drawn.stream]
    versions: dict[str, Version] = {}
    for row in read_table("versions.toml", _VersionFile).version:
        changed = streams
        for replacement in row.replace:
            changed = _replaced(changed, _draw(replacement, ""))
        versions[row.name] = Version(
            name=row.name,
            summary=row.summary,
            seeding=row.seeding,
            identity=row.identity,
            streams={stream.name: stream for stream in changed},
            constants=drawn.constants,
        )
    return versions


def _replaced(streams: Sequence[Stream], draw: Draw) -> list[Stream]:
    """`streams` with `draw` in the place of the one draw of the same field."""
    found = [
        old
        for stream in streams
        for block in stream.blocks
        for old in block.draws
        if old.field == draw.field
    ]
    if len(found) != 1:
        raise DrawTableError(f"{len(found)} draws to replace, not one", where=draw.field)
    return [
        msgspec.structs.replace(
            stream,
            blocks=tuple(
                msgspec.structs.replace(
                    block, draws=tuple(draw if old is found[0] else old for old in block.draws)
                )
                for block in stream.blocks
            ),
        )
        for stream in streams
    ]


def _stream(row: _StreamRow) -> Stream:
    return Stream(
        name=row.name,
        offset=row.offset,
        stride=row.stride,
        blocks=tuple(_block(block) for block in row.block),
    )


def _block(row: _BlockRow) -> Block:
    return Block(
        section=row.section,
        when=_optional(row.when),
        repeat=row.repeat,
        draws=tuple(_draw(draw, row.section) for draw in row.draws),
    )


def _draw(row: _DrawRow, section: str) -> Draw:
    field = row.field if "." in row.field else f"{section}.{row.field}"
    try:
        return Draw(
            field=field,
            law=_law(row),
            when=_optional(row.when),
            otherwise=_optional(row.otherwise),
            then=_optional(row.then),
        )
    except (NotationError, DrawTableError) as error:
        raise DrawTableError(str(error), where=field) from None


def _law(row: _DrawRow) -> Law:  # noqa: PLR0911  # one return per law
    match row:
        case _DrawRow(per_defect=odds, pick=items) if odds is not None and items is not None:
            return PerDefect(probability=_expression(odds), items=_expression(items))
        case _DrawRow(pick=items) if items is not None:
            return Pick(items=_expression(items))
        case _DrawRow(weighted=pairs) if pairs is not None:
            return Weighted(
                values=tuple(value for value, _ in pairs),
                weights=tuple(_expression(weight) for _, weight in pairs),
            )
        case _DrawRow(chance=odds) if odds is not None:
            return Chance(probability=_expression(odds))
        case _DrawRow(whole=limits) if limits is not None:
            return Whole(low=_expression(limits[0]), high=_expression(limits[1]))
        case _DrawRow(real=limits) if limits is not None:
            return Real(low=_expression(limits[0]), high=_expression(limits[1]))
        case _DrawRow(name=role) if role is not None:
            return Name(role=role)
        case _DrawRow(calc=text) if text is not None:
            return Calc(value=_expression(text))
    raise DrawTableError("a draw without a law")


def _optional(written: Written | None) -> Expression | None:
    return None if written is None else _expression(written)


def _expression(written: Written) -> Expression:
    if isinstance(written, str):
        return parse(written, GENERATOR_FUNCTIONS)
    if isinstance(written, list):
        return Items(tuple(Constant(item) for item in written))
    return Constant(written)
