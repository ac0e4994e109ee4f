"""Conversions: from the way a record writes a value to the canonical value.

Everything a source can hold is met here: a cell that is empty, a word nobody knows, a number with
a thousand digits. What cannot be converted has no value; that is an outcome, not an error.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from generators.evidence import Decoder
from generators.readers.content import Json

Scalar: TypeAlias = bool | int | float | str | None
"""A canonical value; null where the case says null."""

MAX_NUMBER: Final = 10**15

_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?")
_CLAUSE_DAYS: Final = re.compile(r"\(([0-9]{1,6})\) days")
_NO_EXIT: Final = "No exit assistance"
_TRUE: Final = frozenset({"True", "true", "Yes", "yes"})
_FALSE: Final = frozenset({"False", "false", "No", "no"})


class NoValue(Exception):  # noqa: N818 - it never leaves the package
    """What was read holds no value of the wanted kind."""


def _text(raw: Json) -> str:
    if not isinstance(raw, str):
        raise NoValue
    text = raw.strip()
    if text in ("", "None"):
        raise NoValue
    return text


def _boolean(raw: Json) -> bool:
    if isinstance(raw, bool):
        return raw
    text = _text(raw)
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise NoValue


def _number(raw: Json) -> int | float:
    if isinstance(raw, bool):
        raise NoValue
    if isinstance(raw, int | float):
        return whole(raw)
    text = _text(raw)
    if not _DECIMAL.fullmatch(text):
        raise NoValue
    return whole(float(text) if {".", "e", "E"} & set(text) else int(text))


def whole(number: float) -> int | float:
    """An integral number as an integer; one that no record could mean has no value."""
    if not abs(number) <= MAX_NUMBER:
        raise NoValue
    return int(number) if isinstance(number, int) or number.is_integer() else number


def _thousandfold(raw: Json) -> int:
    return round(_number(raw) * 1000)


def _minutes_to_hours(raw: Json) -> int | float:
    return whole(round(_number(raw) / 60, 6))


def _number_or_word(raw: Json) -> Scalar:
    try:
        return _number(raw)
    except NoValue:
        return _text(raw)


def _clause_days(raw: Json) -> int:
    text = _text(raw)
    if text.startswith(_NO_EXIT):
        return 0
    match = _CLAUSE_DAYS.search(text)
    if match is None:
        raise NoValue
    return int(match[1])


_CONVERSIONS: Final[dict[str, Callable[[Json], Scalar]]] = {
    "text": _text,
    "bool": _boolean,
    "number": _number,
    "nullable_number": lambda raw: None if raw is None else _number(raw),
    "number_or_word": _number_or_word,
    "keur": _thousandfold,
    "seconds_to_ms": _thousandfold,
    "minutes_to_hours": _minutes_to_hours,
    "complement_of_100": lambda raw: whole(100 - _number(raw)),
    "non_empty": lambda raw: raw not in ("", None),
    "not_null": lambda raw: raw is not None,
    "clause_days": _clause_days,
}
"""`status`, `count`, `hours` and `months` need more than one raw value and are made elsewhere."""


def convert(decoder: Decoder, raw: Json, alias: Mapping[str, str]) -> Scalar:
    """The canonical value of `raw`; `alias` gives the record wording of a status word."""
    if decoder.convert == "status":
        text = _text(raw)
        return next((word for word, wording in alias.items() if wording == text), text)
    return _CONVERSIONS[decoder.convert](raw)


def derive(decoder: Decoder, value: Scalar) -> Scalar:
    """What the field says about the value read, if it does not hold the value itself."""
    test = decoder.derive
    if test is None:
        return value
    if test.equals is not None:
        return value == test.equals
    if test.greater_than is None or not isinstance(value, int | float):
        raise NoValue
    return value > test.greater_than


def elapsed_hours(start: Json, end: Json) -> int | float:
    """Hours between two ISO date-times."""
    try:
        elapsed = _moment(end) - _moment(start)
    except (ValueError, TypeError):  # no date-time, or one with a time zone and one without
        raise NoValue from None
    return whole(round(elapsed.total_seconds() / 3600, 6))


def _moment(raw: Json) -> dt.datetime:
    return dt.datetime.fromisoformat(_text(raw))


def months_between(start: Json, end: Json) -> int:
    """Whole calendar months between two ISO dates."""
    try:
        first, last = (dt.date.fromisoformat(_text(day)) for day in (start, end))
    except ValueError:
        raise NoValue from None
    months = (last.year - first.year) * 12 + last.month - first.month
    return months - (last.day < first.day)
