"""Index keys: bytes in the order of the tuples they stand for."""

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cache import keys
from cache.errors import CorruptionError, DgfError, UsageError
from cache.ids import ObjectId

texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6), st.text("\0\1\2a", max_size=6)
)
integers = st.integers(-(2**64) + 1, 2**64 - 1)
ids = st.binary(min_size=32, max_size=32).map(ObjectId)
parts = st.one_of(texts, integers, ids)
tuples = st.lists(parts, max_size=4).map(tuple)


def rank(key: keys.Key) -> list[tuple[int, object]]:
    """The documented order: text, then integers, then ids; each by its own order."""
    # A shorter list sorts before the longer ones it begins, as Python does it.
    order: list[tuple[int, object]] = []
    for part in key:
        if isinstance(part, ObjectId):
            order.append((2, bytes(part)))
        elif isinstance(part, str):
            order.append((0, [ord(character) for character in part]))
        else:
            order.append((1, part))
    return order


@given(tuples, tuples)
@example(("a",), ("a\0",))
@example(("a", "b"), ("a\0b",))
@example((255,), (256,))
@example((-256,), (-255,))
@example((-1,), (0,))
def test_byte_order_is_tuple_order(a: keys.Key, b: keys.Key) -> None:
    """Comparing encoded keys compares the tuples."""
    assert (keys.encode_key("i", a) < keys.encode_key("i", b)) == (rank(a) < rank(b))


@given(tuples)
def test_a_key_reads_back(key: keys.Key) -> None:
    """Decoding gives the index name and the parts, with their types."""
    name, found = keys.decode_key(keys.encode_key("runs/by-cell", key))
    assert (name, found) == ("runs/by-cell", key)
    assert [type(part) for part in found] == [type(part) for part in key]


@given(tuples, tuples)
@example(("a",), ("a\0",))
@example(("a",), ("a\1",))
@example(("a\0",), ("a\1",))
@example(("",), ("\0\1\1\2",))
def test_a_prefix_of_parts_is_a_prefix_of_bytes_and_of_nothing_else(
    a: keys.Key, b: keys.Key
) -> None:
    """A scan by prefix finds the keys that begin with the parts, not with the letters."""
    starts = keys.encode_key("i", b).startswith(keys.encode_key("i", a))
    assert starts == (b[: len(a)] == a)


@given(st.binary(max_size=60))
def test_damaged_keys_are_named_errors(data: bytes) -> None:
    """Any bytes either read as a key or are corruption."""
    with contextlib.suppress(CorruptionError):
        keys.decode_key(data)


def test_long_keys_are_refused() -> None:
    """A key stays below LMDB's 511 bytes."""
    room = keys.MAX_KEY_BYTES - len(keys.encode_key("i", ("",)))
    keys.encode_key("i", ("x" * room,))
    with pytest.raises(UsageError, match="too long"):
        keys.encode_key("i", ("x" * (room + 1),))
    keys.encode_ref("x" * keys.MAX_KEY_BYTES)
    with pytest.raises(UsageError, match="too long"):
        keys.encode_ref("x" * (keys.MAX_KEY_BYTES + 1))


@pytest.mark.parametrize("part", [True, 1.0, None, b"raw", 2**64, -(2**64), "\ud800"])
def test_other_parts_are_refused(part: object) -> None:
    """Keys are made of text, 64-bit integers and ids."""
    with pytest.raises(UsageError):
        keys.encode_key("i", (part,))  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("name", ["", "A", "a b", "a/", "/a", "a//b", "a\0", "é", "a" * 121, "-a"])
def test_names_of_indexes_and_logs(name: str) -> None:
    """Index and log names are plain lower-case words in folders."""
    with pytest.raises(DgfError):
        keys.check_name(name)


@pytest.mark.parametrize("name", ["", "a\0b", "a\nb", "/a", " a", "a\x7f", "a\x9b2J", "a\u2028b"])
def test_names_of_refs(name: str) -> None:
    """A ref is one line of text."""
    with pytest.raises(UsageError):
        keys.encode_ref(name)
