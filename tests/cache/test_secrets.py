"""Credentials never reach the disk, plain or compressed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

import pytest
import zstandard

from cache import Batch, Record, Store, trees
from cache.errors import SecretError, UsageError
from cache.ids import hash_object

CANARY = "sk-or-v1-0123456789abcdef-canary"
MASK = "*" * len(CANARY)


class Request(Record, frozen=True, kw_only=True):
    """A record that might quote a credential."""

    kind: ClassVar[str] = "request-with-key/1"

    header: str


def everything_on_disk(folder: Path) -> bytes:
    """All bytes of the store: as they are, and every compressed part unpacked."""
    raw = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    with Store.open(folder) as store, store.view() as view:
        plain = b"".join(store.get(oid) for oid in view.ids())
    frames = raw.split(b"\x28\xb5\x2f\xfd")[1:]
    for frame in frames:
        reader = zstandard.ZstdDecompressor().decompressobj()
        try:
            plain += reader.decompress(b"\x28\xb5\x2f\xfd" + frame)
        except zstandard.ZstdError:
            continue
    return raw + plain


def test_a_planted_canary_is_nowhere(tmp_path: Path) -> None:
    """A forbidden value is masked before hashing in blobs, records, payloads and log entries."""
    quote = f"Authorization: Bearer {CANARY}\n"
    with Store.open(tmp_path, "create") as store:
        store.forbid(CANARY)
        batch = store.batch()
        small = batch.put("blob", quote.encode())
        large = batch.put("blob", quote.encode() * 500)
        record = batch.put_record(Request(header=quote))
        batch.index("i", ["k"], small, payload=quote.encode())
        batch.append("ledger", quote.encode())
        store.commit(batch)
        masked = quote.replace(CANARY, MASK)
        assert store.get(small) == masked.encode()
        assert small == hash_object("blob", masked.encode())
        assert store.get(large) == masked.encode() * 500
        assert store.get_record(record, Request) == Request(header=masked)
        assert store.log_read("ledger") == [(0, masked.encode())]
    assert CANARY.encode() not in everything_on_disk(tmp_path)


def test_the_search_would_find_a_canary(tmp_path: Path) -> None:
    """Without the mask the canary is found on the disk: the test above can fail."""
    with Store.open(tmp_path, "create") as store:
        store.put("blob", CANARY.encode() * 500)
    assert CANARY.encode() in everything_on_disk(tmp_path)


def test_names_with_a_secret_are_refused(tmp_path: Path) -> None:
    """A ref or an index key cannot be masked without changing what it names."""
    with Store.open(tmp_path, "create") as store:
        store.forbid(CANARY)
        oid = store.put("blob", b"x")
        batch = store.batch()
        batch.ref(f"runs/{CANARY}", oid)
        with pytest.raises(SecretError, match="name of a ref"):
            store.commit(batch)
        batch = store.batch()
        batch.index("runs", [CANARY], oid)
        with pytest.raises(SecretError, match="index key"):
            store.commit(batch)


@pytest.mark.parametrize("place", ["object", "payload", "log"])
@pytest.mark.parametrize("mine", [False, True])
def test_a_batch_made_elsewhere_is_searched(tmp_path: Path, place: str, mine: bool) -> None:
    """A batch without the store's mask, or older than a secret, is refused when it holds one."""
    with Store.open(tmp_path, "create") as store:
        batch = store.batch() if mine else Batch()
        oid = batch.put("blob", CANARY.encode() if place == "object" else b"x")
        batch.index("i", ["k"], oid, payload=CANARY.encode() if place == "payload" else b"")
        batch.append("ledger", CANARY.encode() if place == "log" else b"x")
        store.forbid(CANARY)
        with pytest.raises(SecretError, match="unmasked batch"):
            store.commit(batch)
    assert CANARY.encode() not in everything_on_disk(tmp_path)


def test_longer_secrets_go_first(tmp_path: Path) -> None:
    """A secret that contains another is masked as a whole."""
    with Store.open(tmp_path, "create") as store:
        store.forbid("abcdefgh")
        store.forbid("abcdefghijkl")
        assert store.get(store.put("blob", b"<abcdefghijkl>")) == b"<************>"


def test_short_secrets_are_refused(tmp_path: Path) -> None:
    """What would mask ordinary text is no secret."""
    with Store.open(tmp_path, "create") as store, pytest.raises(UsageError, match="too short"):
        store.forbid("sk-1")


def test_a_secret_that_orders_a_record_is_refused(tmp_path: Path) -> None:
    """A masked key would sort elsewhere: what is stored is canonical, or nothing is."""
    with Store.open(tmp_path, "create") as store:
        store.forbid(CANARY)
        batch = store.batch()
        oid = batch.put("blob", b"x")
        names = dict.fromkeys(("+", CANARY), trees.Entry(oid, is_tree=False))
        with pytest.raises(SecretError, match="form of a record"):
            batch.put_record(trees.Tree(entries=names))


def test_a_secret_may_be_bytes_of_the_environment(tmp_path: Path) -> None:
    """What `os.environ` gives for bytes that are not UTF-8 is masked as those bytes."""
    with Store.open(tmp_path, "create") as store:
        store.forbid(os.fsdecode(b"raw-\xff\xfe-credential"))
        assert store.get(store.put("blob", b"a raw-\xff\xfe-credential")) == b"a " + b"*" * 17
