"""Object ids: what they are made of, and how they are read and written."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache.errors import RecordError, UsageError
from cache.ids import ObjectId, check_kind, hash_object, is_record


def test_an_id_is_the_sha256_of_kind_nul_and_bytes() -> None:
    """An id is computed from the kind, a NUL and the bytes, as anybody can with sha256sum."""
    # printf 'blob\0hello' | sha256sum
    expected = "b7da690ebce9312567657893e936fe6935d0a52372f2703f02616bbd53eccb0c"
    assert hash_object("blob", b"hello").hex() == expected


def test_the_kind_is_part_of_the_id() -> None:
    """The same bytes as another kind are another object."""
    assert hash_object("blob", b"x") != hash_object("note/1", b"x")


@given(st.binary(min_size=32, max_size=32))
def test_an_id_survives_its_text_form(digest: bytes) -> None:
    """`parse` undoes `hex`, and equality, order and hash are those of the bytes."""
    oid = ObjectId(digest)
    assert ObjectId.parse(oid.hex()) == oid == digest
    assert hash(oid) == hash(digest)
    assert str(oid) == oid.hex()
    assert pickle.loads(pickle.dumps(oid)) == oid


@pytest.mark.parametrize(
    "text", ["", "ab", "AB" * 32, "g" * 64, "ab" * 33, " " + "ab" * 32, "ab" * 32 + "\n", "٣" * 64]
)
def test_only_the_exact_text_form_is_an_id(text: str) -> None:
    """Anything but 64 lower-case hexadecimal digits is a usage error that shows the text."""
    with pytest.raises(UsageError, match="not an object id"):
        ObjectId.parse(text)


def test_an_id_has_32_bytes() -> None:
    """A digest of another length is refused."""
    with pytest.raises(UsageError, match="32 bytes, not 31"):
        ObjectId(bytes(31))


def test_the_repr_is_short() -> None:
    """A debugger shows the beginning of an id."""
    assert repr(ObjectId(bytes.fromhex("ab" * 32))) == "<ObjectId abababababab…>"


@pytest.mark.parametrize("kind", ["blob", "tree/1", "gate-run/12", "a.b-c/1", "x9"])
def test_well_formed_kinds(kind: str) -> None:
    """`name` and `name/N` are kinds; the second are records."""
    assert check_kind(kind) == kind.encode()
    assert is_record(kind) == ("/" in kind)


@pytest.mark.parametrize(
    "kind",
    ["", "Blob", "blob/", "blob/0", "blob/01", "blob/1/2", "/1", "9x", "a b", "a-", "a--b", "é",
     "blob\0", "blob\n", "a" * 65],
)  # fmt: skip
def test_malformed_kinds(kind: str) -> None:
    """A kind that could be read two ways, or not at all, is refused."""
    with pytest.raises(RecordError, match="not a kind"):
        hash_object(kind, b"")
