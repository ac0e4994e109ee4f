"""The store beside bare LMDB with the same hashing and compression, and beside plain files.

    python -m benchmarks.store [--rounds N] [--objects N] [--folder DIR] [--json]

Speed: objects of the sizes a sweep writes (tool calls, answers, documents), durable in batches,
then read in random order. Ours and the peer take turns in one run; printed are the medians and
the median ratio of the rounds. Size: three dossiers of Word documents and tables, each with 27
copies in which little is different, as files and as a store.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import hashlib
import io
import json
import random
import shutil
import statistics
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import docx
import lmdb
import zstandard

from cache import AsyncStore, Store, trees
from cache.compact import compact
from cache.ids import ObjectId

BATCH: Final = 64
WAITERS: Final = 256
COMPRESS_FROM: Final = 192
MAP_BYTES: Final = 4 << 30

DOSSIERS: Final = 3
COPIES: Final = 27
DOCUMENTS: Final = 12

WORDS: Final = (
    "access", "agreed", "approval", "audit", "backup", "baseline", "board", "budget", "carrier",
    "change", "clause", "contract", "control", "cost", "data", "delivery", "deviation",
    "evidence", "exit", "finding", "gate", "incident", "integration", "interface", "licence",
    "mandate", "migration", "model", "operation", "owner", "penalty", "plan", "policy", "process",
    "provider", "quality", "record", "region", "release", "report", "review", "risk", "route",
    "scope", "security", "service", "supplier", "support", "system", "term", "test", "threshold",
    "transfer", "user", "value", "vendor", "version",
)  # fmt: skip


# -- what is written


def prose(chance: random.Random, length: int) -> str:
    """Text of about `length` characters, with names and numbers that do not repeat."""
    words: list[str] = []
    size = 0
    while size < length:
        words.append(
            str(chance.randrange(10**6)) if chance.random() < 0.2 else chance.choice(WORDS)
        )
        size += len(words[-1]) + 1
    return " ".join(words)


def sweep_objects(seed: int, count: int) -> list[bytes]:
    """Objects as a sweep writes them: many small, some of a few kilobytes, few of a document."""
    chance = random.Random(seed)
    sizes = chance.choices([150, 600, 3_000, 12_000, 60_000], [30, 30, 25, 12, 3], k=count)
    return [prose(chance, size).encode() for size in sizes]


# -- the two sides: each function gives the seconds that it took, without opening and closing


def bare_put(folder: Path, objects: list[bytes]) -> float:
    """LMDB, SHA-256 and zstandard, and nothing else."""
    compress = zstandard.ZstdCompressor(level=3, write_checksum=False).compress
    with lmdb.open(str(folder), map_size=MAP_BYTES, max_dbs=1, lib_version=0) as environment:
        db = environment.open_db(b"objects")
        began = time.perf_counter()
        for start in range(0, len(objects), BATCH):
            with environment.begin(db=db, write=True) as transaction:
                for data in objects[start : start + BATCH]:
                    packed = b"\1" + compress(data) if len(data) >= COMPRESS_FROM else b"\0" + data
                    transaction.put(digest(data), packed)
        return time.perf_counter() - began


def store_put(folder: Path, objects: list[bytes]) -> float:
    """The store's batches."""
    with Store.open(folder, "create") as store:
        began = time.perf_counter()
        for start in range(0, len(objects), BATCH):
            batch = store.batch()
            for data in objects[start : start + BATCH]:
                batch.put("blob", data)
            store.commit(batch)
        return time.perf_counter() - began


def async_put(folder: Path, objects: list[bytes]) -> float:
    """Tasks that each await one durable object after the other."""

    async def task(store: AsyncStore, waiting: Iterator[bytes]) -> None:
        for data in waiting:
            await store.put("blob", data)

    async def main() -> float:
        async with AsyncStore.open(folder) as store:
            waiting = iter(objects)
            began = time.perf_counter()
            async with asyncio.TaskGroup() as tasks:
                for _ in range(WAITERS):
                    tasks.create_task(task(store, waiting))
            return time.perf_counter() - began

    return asyncio.run(main())


def bare_get(folder: Path, digests: list[bytes]) -> float:
    """A plain loop in one transaction: get, decompress, hash, compare."""
    decompress = zstandard.ZstdDecompressor().decompress
    with lmdb.open(str(folder), max_dbs=1, lib_version=0) as environment:
        db = environment.open_db(b"objects", create=False)
        began = time.perf_counter()
        with environment.begin(db=db) as transaction:
            for key in digests:
                value = transaction.get(key, b"\0")
                data = decompress(value[1:]) if value[0] else value[1:]
                if digest(data) != key:
                    raise ValueError("damaged")
        return time.perf_counter() - began


def view_get(folder: Path, digests: list[bytes]) -> float:
    """The store, one view for all reads."""
    ids = list(map(ObjectId, digests))
    with Store.open(folder) as store:
        began = time.perf_counter()
        with store.view() as view:
            for oid in ids:
                view.get_object(oid)
        return time.perf_counter() - began


def store_get(folder: Path, digests: list[bytes]) -> float:
    """The store, each read in a transaction of its own."""
    ids = list(map(ObjectId, digests))
    with Store.open(folder) as store:
        began = time.perf_counter()
        for oid in ids:
            store.get(oid)
        return time.perf_counter() - began


def digest(data: bytes) -> bytes:
    """The id of a blob, computed without the store."""
    return hashlib.sha256(b"blob\0" + data).digest()


class Speed(NamedTuple):
    """One way of ours beside the bare one: medians over all rounds."""

    what: str
    ours: float
    """Objects per second."""
    bare: float
    ratio: float
    """Median of the ratios of each round."""


def measure_speed(folder: Path, rounds: int, count: int) -> list[Speed]:
    """Write and read the same objects both ways, in turns."""
    seconds: dict[str, list[float]] = {name: [] for name in (*PUTS, *GETS, "bare put", "bare get")}
    for number in range(rounds):
        objects = sweep_objects(number, count)
        digests = random.Random(number).sample([digest(data) for data in objects], count)
        puts = [("bare put", bare_put), *PUTS.items()]
        gets = [("bare get", bare_get), *GETS.items()]
        turn = 1 if number % 2 else -1
        for name, put in puts[::turn]:
            seconds[name].append(put(folder / name, objects))
        for name, get in gets[::turn]:
            place = folder / ("bare put" if name == "bare get" else PUT)
            seconds[name].append(get(place, digests))
        for place in folder.iterdir():
            shutil.rmtree(place)
    return [
        Speed(
            what=name,
            ours=count / statistics.median(seconds[name]),
            bare=count / statistics.median(seconds[peer]),
            ratio=statistics.median(
                theirs / ours for theirs, ours in zip(seconds[peer], seconds[name], strict=True)
            ),
        )
        for peer, names in (("bare put", PUTS), ("bare get", GETS))
        for name in names
    ]


PUT: Final = f"puts, batches of {BATCH}"
PUTS: Final = {PUT: store_put, f"puts, {WAITERS} tasks awaiting": async_put}
GETS: Final = {"gets in one view": view_get, "gets, each by itself": store_get}


# -- size


class Size(NamedTuple):
    """Dossiers and their copies as files, and as a store."""

    files: int
    file_bytes: int
    """Sum of the sizes of the files, Word documents compressed as python-docx writes them."""
    distinct: int
    store_bytes: int
    """The store's data file after compaction."""
    ratio: float


def measure_size(folder: Path) -> Size:
    """Put dossiers and copies of them into a store, and count both."""
    files = file_bytes = 0
    with Store.open(folder / "store", "create") as store:
        for seed in range(DOSSIERS):
            dossier = Dossier(seed)
            for copy in range(COPIES + 1):
                if copy:
                    dossier.change()
                files += len(dossier.files)
                file_bytes += sum(map(len, dossier.files.values()))
                batch = store.batch()
                paths = {
                    path: batch.put("blob", plain(data)) for path, data in dossier.files.items()
                }
                built = trees.build(paths)
                batch.put_records(built.trees)
                batch.ref(f"dossiers/{seed}/{copy}", built.root)
                store.commit(batch)
        with store.view() as view:
            distinct = sum(1 for _ in view.ids())
    store_bytes = compact(folder / "store").bytes_after
    return Size(files, file_bytes, distinct, store_bytes, file_bytes / store_bytes)


class Dossier:
    """Word documents, tables and records of one case.

    State: the files now, and the paragraphs they are made of.
    """

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(f"dossier {seed}")
        self._texts = [
            [prose(self._chance, self._chance.randrange(200, 900)) for _ in range(25)]
            for _ in range(DOCUMENTS)
        ]
        self.files = {
            f"docs/{number:02}.docx": word(text) for number, text in enumerate(self._texts)
        }
        for number in range(6):
            self.files[f"tables/{number}.csv"] = table(self._chance)
            record = {key: prose(self._chance, 40) for key in WORDS[:30]}
            self.files[f"records/{number}.json"] = json.dumps(record, indent=1).encode()

    def change(self) -> None:
        """Change a sentence of two documents and one record, as an attack does."""
        for number in self._chance.sample(range(DOCUMENTS), 2):
            self._texts[number][self._chance.randrange(25)] += " " + prose(self._chance, 80)
            self.files[f"docs/{number:02}.docx"] = word(self._texts[number])
        path = f"records/{self._chance.randrange(6)}.json"
        record = json.loads(self.files[path])
        record[self._chance.choice(WORDS[:30])] = prose(self._chance, 60)
        self.files[path] = json.dumps(record, indent=1).encode()


def word(paragraphs: list[str]) -> bytes:
    """A Word document."""
    document = docx.Document()
    for number, text in enumerate(paragraphs):
        if number % 6 == 0:
            document.add_heading(text[:40], level=1)
        document.add_paragraph(text)
    saved = io.BytesIO()
    document.save(saved)
    return saved.getvalue()


def table(chance: random.Random) -> bytes:
    """A table of costs."""
    out = io.StringIO()
    writer = csv.writer(out)
    for number in range(80):
        writer.writerow([number, prose(chance, 20), chance.randrange(10**6), chance.random()])
    return out.getvalue().encode()


def plain(data: bytes) -> bytes:
    """A Word document with its members stored, as this project keeps them: the store compresses."""
    if not data.startswith(b"PK"):
        return data
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(out, "w") as kept:
        for name in sorted(given.namelist()):
            kept.writestr(zipfile.ZipInfo(name), given.read(name))
    return out.getvalue()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--objects", type=int, default=3000)
    parser.add_argument("--folder", type=Path, help="where to write (default: the system's)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        (Path(folder) / "speed").mkdir()
        speeds = measure_speed(Path(folder) / "speed", options.rounds, options.objects)
        size = measure_size(Path(folder))
    if options.json:
        print(
            json.dumps({"speed": [s._asdict() for s in speeds], "size": size._asdict()}, indent=2)
        )
        return
    print(f"{'objects per second':32} {'ours':>9} {'bare':>9} {'ratio':>7}")
    for speed in speeds:
        print(f"{speed.what:32} {speed.ours:9.0f} {speed.bare:9.0f} {speed.ratio:7.2f}")
    print(
        f"{size.files} files of {size.file_bytes / 1e6:.1f} MB are {size.distinct} objects in "
        f"{size.store_bytes / 1e6:.1f} MB: {size.ratio:.1f} times smaller"
    )


if __name__ == "__main__":
    main()
