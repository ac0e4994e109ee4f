"""Decoding: one decoder applied to one source, giving a value and the pointers that show it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from generators.decoding.pointers import pointer
from generators.decoding.selection import Care, Indexed, candidates, passes, pick, rows_of
from generators.decoding.values import (
    NoValue,
    Scalar,
    convert,
    derive,
    elapsed_hours,
    months_between,
    whole,
)
from generators.evidence import Catalog, Decoder, load_catalog
from generators.readers.content import Json

_CAPTURES: Final = {"no_period": r"[^.]+", "non_space": r"\S+", "word": r"\w+"}


class Decoded(msgspec.Struct, frozen=True, kw_only=True):
    """A value read from a source.

    Attributes
    ----------
    source
        The evidence it stands in.
    pointers
        Where: any one of them shows the value.
    aggregate
        Whether any pointer into the source shows it, because it says something about all rows.
    """

    value: Scalar
    source: str
    pointers: tuple[str, ...]
    aggregate: bool = False


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader knows before it reads, and how carefully it reads.

    Attributes
    ----------
    identity
        Field to value: the given project identity, and every value decoded so far.
    """

    identity: Mapping[str, Scalar]
    care: Care = "strict"
    catalog: Catalog = msgspec.field(default_factory=load_catalog)


def decode(decoder: Decoder, content: Json, context: Context) -> Decoded | None:
    """What `decoder` reads in the content of its source; None if it finds no value."""
    try:
        raw_value, pointers = _KINDS[decoder.kind](decoder, content, context)
        value = derive(decoder, raw_value)
    except NoValue:
        return None
    return Decoded(
        value=value, source=decoder.source, pointers=pointers, aggregate=decoder.aggregate
    )


_Found = tuple[Scalar, tuple[str, ...]]


def _convert(decoder: Decoder, raw: Json, context: Context) -> Scalar:
    return convert(decoder, raw, context.catalog.alias)


def _candidates(decoder: Decoder, rows: Json, context: Context) -> list[Indexed]:
    return candidates(
        rows_of(rows),
        decoder,
        identity=context.identity,
        owner=context.catalog.sources[decoder.source].owner,
        care=context.care,
    )


def _picked(decoder: Decoder, rows: Json, context: Context) -> Indexed:
    found = _candidates(decoder, rows, context)
    return pick(found, latest=decoder.latest, care=context.care)


def _named(key: str | None) -> str:
    """A key that this kind of decoder has; those of other kinds leave it out."""
    if key is None:
        raise NoValue
    return key


def _member(value: Json, key: str) -> Json:
    if not isinstance(value, dict) or key not in value:
        raise NoValue
    return value[key]


def _follow(value: Json, path: tuple[str, ...]) -> Json:
    for key in path:
        value = _member(value, key)
    return value


def _csv_cell(decoder: Decoder, content: Json, context: Context) -> _Found:
    column = _named(decoder.column)
    index, row = _picked(decoder, content, context)
    return _convert(decoder, _member(row, column), context), (pointer(index, column),)


def _csv_uniform(decoder: Decoder, content: Json, context: Context) -> _Found:
    column = _named(decoder.column)
    cells = [(index, _member(row, column)) for index, row in rows_of(content)]
    if not cells or any(cell != cells[0][1] for _, cell in cells):
        raise NoValue
    pointers = tuple(pointer(index, column) for index, _ in cells)
    return _convert(decoder, cells[0][1], context), pointers


def _csv_count(decoder: Decoder, content: Json, context: Context) -> _Found:
    rows = _candidates(decoder, content, context)
    count = sum(passes(row, decoder.match, context.identity) for _, row in rows)
    return count, tuple(pointer(index) for index, _ in rows[:1])


def _csv_sum(decoder: Decoder, content: Json, context: Context) -> _Found:
    column = _named(decoder.column)
    rows = _candidates(decoder, content, context)
    addends = [_convert(decoder, _member(row, column), context) for _, row in rows]
    return _total(addends), tuple(pointer(index, column) for index, _ in rows)


def _csv_elapsed_hours(decoder: Decoder, content: Json, context: Context) -> _Found:
    return _csv_span(decoder, content, context, elapsed_hours)


def _csv_months_between(decoder: Decoder, content: Json, context: Context) -> _Found:
    return _csv_span(decoder, content, context, months_between)


def _csv_span(
    decoder: Decoder, content: Json, context: Context, measure: Callable[[Json, Json], Scalar]
) -> _Found:
    start, end = _named(decoder.start), _named(decoder.end)
    index, row = _picked(decoder, content, context)
    value = measure(_member(row, start), _member(row, end))
    return value, (pointer(index, start), pointer(index, end))


def _json_value(decoder: Decoder, content: Json, context: Context) -> _Found:
    raw = _follow(content, decoder.path)
    return _convert(decoder, raw, context), (pointer(*decoder.path),)


def _json_entry(decoder: Decoder, content: Json, context: Context) -> _Found:
    name = _named(decoder.list)
    index, entry = _picked(decoder, _member(content, name), context)
    raw = _follow(entry, decoder.path)
    return _convert(decoder, raw, context), (pointer(name, index, *decoder.path),)


def _json_sum(decoder: Decoder, content: Json, context: Context) -> _Found:
    members = _follow(content, decoder.path)
    if not isinstance(members, dict):
        raise NoValue
    addends = [_convert(decoder, raw, context) for raw in members.values()]
    return _total(addends), tuple(pointer(*decoder.path, key) for key in members)


def _total(addends: list[Scalar]) -> int | float:
    numbers = [addend for addend in addends if isinstance(addend, int | float)]
    if not numbers or len(numbers) < len(addends):
        raise NoValue
    return whole(sum(numbers))


def _docx_label(decoder: Decoder, content: Json, context: Context) -> _Found:
    prefix = f"{decoder.label} | "
    for index, block in _text_blocks(content):
        if block.startswith(prefix):
            raw = block.removeprefix(prefix)
            return _convert(decoder, raw, context), (pointer(index),)
    raise NoValue


def _docx_clause(decoder: Decoder, content: Json, context: Context) -> _Found:
    clause = _clause_pattern(decoder.marker, decoder.capture, decoder.after)
    for index, block in _text_blocks(content):
        match = clause.search(block)
        if match:
            return _convert(decoder, match[1], context), (pointer(index),)
    raise NoValue


def _text_blocks(content: Json) -> list[tuple[int, str]]:
    if not isinstance(content, list):
        raise NoValue
    return [(at, text) for at, text in enumerate(content) if isinstance(text, str)]


@functools.cache
def _clause_pattern(marker: str | None, capture: str | None, after: str | None) -> re.Pattern[str]:
    return re.compile(
        re.escape(marker or "") + f"({_CAPTURES[capture or 'word']})" + re.escape(after or "")
    )


_KINDS: Final[dict[str, Callable[[Decoder, Json, Context], _Found]]] = {
    "csv_cell": _csv_cell,
    "csv_uniform": _csv_uniform,
    "csv_count": _csv_count,
    "csv_sum": _csv_sum,
    "csv_elapsed_hours": _csv_elapsed_hours,
    "csv_months_between": _csv_months_between,
    "json_value": _json_value,
    "json_entry": _json_entry,
    "json_sum": _json_sum,
    "docx_label": _docx_label,
    "docx_clause": _docx_clause,
}
