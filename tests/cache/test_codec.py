"""The codec: golden bytes, refusals, references, upgrades."""

import contextlib
import struct
from typing import ClassVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache import codec
from cache.codec import Record
from cache.errors import RecordError
from cache.ids import ObjectId

ONE = ObjectId(bytes(range(32)))
TWO = ObjectId(bytes(range(32, 64)))


class Inner(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a record."""

    level: int
    ratio: float | None = None


class Sample(Record, frozen=True, kw_only=True):
    """One field of each sort."""

    kind: ClassVar[str] = "sample/2"

    name: str
    body: ObjectId
    counts: dict[str, int]
    parts: tuple[Inner, ...] = ()
    flag: bool = False
    raw: bytes = b""


class OldSample(Record, frozen=True, kw_only=True):
    """The version before `Sample`."""

    kind: ClassVar[str] = "sample/1"

    title: str
    body: ObjectId

    def upgrade(self) -> Record:
        """Call the title a name."""
        return Sample(name=self.title, body=self.body, counts={})


class Other(Record, frozen=True, kw_only=True):
    """A record that is no sample."""

    kind: ClassVar[str] = "other/1"

    x: float


def pack(value: object) -> bytes:  # noqa: PLR0911  # one return for each form
    """MessagePack by its specification, written apart from the library under test."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return pack_int(value)
        case float():
            return b"\xcb" + struct.pack(">d", value)
        case ObjectId():
            return b"\xc7\x20\x01" + bytes(value)  # ext 8, 32 bytes, type 1
        case bytes():
            return b"\xc4" + bytes([len(value)]) + value
        case str():
            data = value.encode()
            head = bytes([0xA0 + len(data)]) if len(data) < 32 else b"\xd9" + bytes([len(data)])
            return head + data
        case list() | tuple():
            return bytes([0x90 + len(value)]) + b"".join(map(pack, value))
        case dict():
            items = b"".join(pack(key) + pack(item) for key, item in value.items())
            return bytes([0x80 + len(value)]) + items
    raise TypeError(value)


def pack_int(value: int) -> bytes:
    """The shortest form of an integer."""
    if 0 <= value < 128 or -32 <= value < 0:
        return struct.pack(">B", value % 256)
    for code, form, low, high in [
        (0xCC, ">B", 0, 2**8), (0xCD, ">H", 0, 2**16), (0xCE, ">I", 0, 2**32),
        (0xCF, ">Q", 0, 2**64), (0xD0, ">b", -(2**7), 0), (0xD1, ">h", -(2**15), 0),
        (0xD2, ">i", -(2**31), 0), (0xD3, ">q", -(2**63), 0),
    ]:  # fmt: skip
        if low <= value < high:
            return bytes([code]) + struct.pack(form, value)
    raise OverflowError(value)


def sample_bytes(sample: Sample) -> bytes:
    """The canonical form of a sample, by hand."""
    return pack(
        {
            "name": sample.name,
            "body": sample.body,
            "counts": dict(sorted(sample.counts.items())),
            "parts": [{"level": part.level, "ratio": part.ratio} for part in sample.parts],
            "flag": sample.flag,
            "raw": sample.raw,
        }
    )


def test_golden_bytes() -> None:
    """A record is a map of all fields in declared order, defaults written, references as ext 1."""
    golden = bytes.fromhex(
        "86"  # six fields
        "a46e616d65" "a2c3a9"  # name: é
        "a4626f6479" "c72001" + bytes(range(32)).hex() +  # body: ext 8, length 32, type 1
        "a6636f756e7473" "82" "a161" "01" "a162" "cd0100"  # counts: sorted, {a: 1, b: 256}
        "a57061727473" "91" "82" "a56c6576656c" "ff" "a5726174696f" "cb3ff8000000000000"
        "a4666c6167" "c2"
        "a3726177" "c4020001"
    )  # fmt: skip
    record = Sample(
        name="é",
        body=ONE,
        counts={"b": 256, "a": 1},
        parts=(Inner(level=-1, ratio=1.5),),
        raw=b"\0\1",
    )
    assert codec.encode(record) == golden
    assert codec.decode("sample/2", golden, Sample) == record


samples = st.builds(
    Sample,
    name=st.text(max_size=8),
    body=st.sampled_from([ONE, TWO]),
    counts=st.dictionaries(st.text(max_size=3), st.integers(-(2**63), 2**64 - 1), max_size=15),
    parts=st.lists(
        st.builds(
            Inner,
            level=st.integers(-(2**63), 2**64 - 1),
            ratio=st.none() | st.floats(allow_nan=False, allow_infinity=False),
        ),
        max_size=5,
    ).map(tuple),
    flag=st.booleans(),
    raw=st.binary(max_size=40),
)


@given(samples)
def test_encoding_follows_the_specification(sample: Sample) -> None:
    """The bytes are those of an encoder written by hand, and decode to an equal record."""
    data = codec.encode(sample)
    assert data == sample_bytes(sample)
    assert codec.decode("sample/2", data, Sample) == sample


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_not_finite_floats_have_no_canonical_form(value: float) -> None:
    """NaN and infinity are refused: their bytes differ between machines or compare unequal."""
    with pytest.raises(RecordError, match="NaN and infinity"):
        codec.encode(Other(x=value))


def test_bytes_that_look_like_an_infinity_are_no_float() -> None:
    """The pattern of an infinity inside raw bytes is accepted."""
    record = Sample(name="n", body=ONE, counts={}, raw=b"\xcb\x7f\xf0\0\0\0\0\0\0")
    assert codec.decode("sample/2", codec.encode(record), Sample) == record


def test_lone_surrogates_are_refused() -> None:
    """Text that is not Unicode has no canonical form."""
    with pytest.raises(RecordError, match="surrogate"):
        codec.encode(Sample(name="\ud800", body=ONE, counts={}))


def test_a_value_of_the_wrong_type_is_refused() -> None:
    """An integer in a float's place would read back as another value."""
    with pytest.raises(RecordError, match="canonical form"):
        codec.encode(Other(x=1))


@pytest.mark.parametrize(
    ("why", "data"),
    [
        ("a wide integer", b"\x81\xa1x\xd3\0\0\0\0\0\0\0\1"),
        ("a float of 32 bits", b"\x81\xa1x\xca\x3f\x80\0\0"),
        ("a wide text header", b"\x81\xd9\x01x\xcb" + bytes(8)),
        ("an unknown field", b"\x82\xa1x\xcb" + bytes(8) + b"\xa1y\xc0"),
        ("a missing field", b"\x80"),
        ("a field twice", b"\x82" + 2 * (b"\xa1x\xcb" + bytes(8))),
        ("bytes behind the end", b"\x81\xa1x\xcb" + bytes(8) + b"\xc0"),
        ("cut short", b"\x81\xa1x\xcb" + bytes(7)),
        ("no map", b"\x90"),
        ("nothing", b""),
        ("another extension", b"\x81\xa1x\xd4\x02\x00"),
        ("invalid UTF-8", b"\x81\xa1\xff\xcb" + bytes(8)),
    ],
)
@pytest.mark.parametrize("kind", ["other/1", "unheard-of/1"])
def test_other_spellings_are_refused(kind: str, why: str, data: bytes) -> None:
    """One value has one form: any other bytes for it are refused, with or without a schema."""
    without_schema_fine = {"an unknown field", "a missing field", "no map"}
    if kind == "unheard-of/1" and why in without_schema_fine:
        codec.check_canonical(kind, data)
        return
    with pytest.raises(RecordError):
        codec.check_canonical(kind, data)


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    """Bytes nested beyond what can be walked are refused."""
    with pytest.raises(RecordError):
        codec.check_canonical("unheard-of/1", b"\x91" * 100_000 + b"\xc0")


def test_references_are_found_without_a_schema() -> None:
    """Every reference in bytes of an unknown kind is found, in order; raw kinds have none."""
    data = pack({"a": [ONE, {"deep": TWO}], "b": ONE, "c": bytes(32)})
    assert list(codec.references("unheard-of/1", data)) == [ONE, TWO, ONE]
    assert list(codec.references("blob", data)) == []


def test_an_older_version_is_upgraded_when_read() -> None:
    """Bytes of an older version decode as the type asked for; the bytes stay as they are."""
    data = pack({"title": "t", "body": ONE})
    assert codec.decode("sample/1", data, Sample) == Sample(name="t", body=ONE, counts={})
    assert codec.decode("sample/1", data, OldSample) == OldSample(title="t", body=ONE)


def test_another_type_than_the_stored_is_an_error() -> None:
    """Asking for a record as something it is not says so."""
    with pytest.raises(RecordError, match="not of the wanted type"):
        codec.decode("other/1", pack({"x": 1.0}), Sample)
    with pytest.raises(RecordError, match="no record of that kind"):
        codec.decode("unheard-of/1", pack({}), Sample)


def test_a_kind_belongs_to_one_type() -> None:
    """Two types cannot claim one kind, and a record's kind has a version."""
    with pytest.raises(RecordError, match="already is"):

        class Imposter(Record, frozen=True, kw_only=True):
            kind: ClassVar[str] = "other/1"

    with pytest.raises(RecordError, match="has a version"):

        class Unversioned(Record, frozen=True, kw_only=True):
            kind: ClassVar[str] = "unversioned"


@pytest.mark.parametrize("depth", [300, 900, 5000, 200_000])
def test_deep_records_are_taken_or_refused(depth: int) -> None:
    """Nesting beyond what can be read is a named error, with or without a float to look at."""
    nan_like = b"\xc4\x03\xcb\x7f\xf0"
    for data in b"\x91" * depth + b"\x90", b"\x92" + nan_like + b"\x91" * depth + b"\x90":
        with contextlib.suppress(RecordError):
            codec.check_canonical("unknown/1", data)
