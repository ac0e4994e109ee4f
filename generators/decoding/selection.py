"""Selection: which row of a record speaks about this project, today, with authority.

Records list other projects, earlier states and rows that others have written. The rules, in their
order: entries not written by the record's owner do not count; rows are tested for the entity and
for literal values; of a dated history the newest row holds; otherwise exactly one row must remain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from generators.decoding.values import NoValue, Scalar
from generators.evidence import CellTest, Decoder
from generators.evidence.catalog import Test
from generators.readers.content import Json

Care = Literal["strict", "naive", "credulous"]
"""How a reader selects: by all rules; by literal tests alone, first row; believing every author."""

Row = dict[str, Json]
Indexed = tuple[int, Row]


def rows_of(content: Json) -> list[Indexed]:
    """The rows of a table or list with their positions; what is no object is no row."""
    if not isinstance(content, list):
        raise NoValue
    return [(index, row) for index, row in enumerate(content) if isinstance(row, dict)]


def candidates(
    rows: Sequence[Indexed],
    decoder: Decoder,
    *,
    identity: Mapping[str, Scalar],
    owner: str | None,
    care: Care,
) -> list[Indexed]:
    """The rows that pass the owner rule and the decoder's tests."""
    if owner is not None and care == "strict":
        rows = [(i, row) for i, row in rows if row.get("recorded_by", owner) == owner]
    tests = [
        (key, _expected(test, identity))
        for key, test in decoder.select.items()
        if care != "naive" or not _is_entity_test(test)
    ]
    return [(i, row) for i, row in rows if all(_passes(row.get(k), t) for k, t in tests)]


def pick(rows: Sequence[Indexed], *, latest: bool, care: Care) -> Indexed:
    """The one row that holds."""
    if not rows:
        raise NoValue
    if care == "naive":
        return rows[0]
    if latest:
        dated = {_date(row): (index, row) for index, row in rows}
        if len(dated) < len(rows):
            raise NoValue
        return dated[max(dated)]
    if len(rows) > 1:
        raise NoValue
    return rows[0]


def _date(row: Row) -> str:
    date = row.get("as_of")
    if not isinstance(date, str) or not date:
        raise NoValue
    return date


def passes(row: Row, tests: Mapping[str, Test], identity: Mapping[str, Scalar]) -> bool:
    """Whether a row passes all of `tests`."""
    return all(_passes(row.get(key), _expected(test, identity)) for key, test in tests.items())


def _is_entity_test(test: Test) -> bool:
    return isinstance(test, CellTest) and test.identity is not None


def _expected(test: Test, identity: Mapping[str, Scalar]) -> Test:
    """The test with the identity it names filled in."""
    if isinstance(test, str) or test.identity is None:
        return test
    known = identity.get(test.identity)
    if not isinstance(known, str):
        raise NoValue
    return known


def _passes(cell: Json, test: Test) -> bool:
    if isinstance(test, str):
        return cell == test
    return isinstance(cell, str) and cell.startswith(test.prefix or "")
