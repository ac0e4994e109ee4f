"""`dgf store`: what each command prints, its exit code, and that nothing untrusted gets through."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from cache import trees
from cache.ids import ObjectId, hash_object
from cache.store import Store
from tests.cache.samples import add, tamper
from tests.cli.invoke import Dgf

HOSTILE = "plan \x1b[2Jwith\u202eescapes\r\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with a tree, a record, an orphan, an index and a log."""
    with Store.open(tmp_path / "store", "create", sync=False) as store:
        batch = store.batch()
        plan = batch.put("blob", HOSTILE.encode())
        scan = batch.put("blob", b"\x89PNG\xff\xfe")
        built = trees.build({"docs/plan.txt": plan, "docs/scan.png": scan, "read:me": plan})
        batch.put_records(built.trees)
        batch.ref("dossiers/7", built.root)
        batch.ref("dossiers/8", built.root)
        batch.index("cells", ["m", 1], add(batch, 5, [plan]))
        batch.append("ledger", b"line")
        batch.put("blob", b"orphan")
        store.commit(batch)
    return tmp_path / "store"


@pytest.fixture
def dgf(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Dgf:
    """`dgf` with that store as the one it finds."""
    monkeypatch.setenv("DGF_STORE", str(folder))
    return Dgf(monkeypatch, capsys)


@pytest.fixture
def root(folder: Path) -> ObjectId:
    """The id of the tree."""
    with Store.open(folder) as store:
        found = store.ref("dossiers/7")
    assert found is not None
    return found


def raw(*arguments: object, store: Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """A process of its own, for bytes on standard input and output."""
    return subprocess.run(
        [sys.executable, "-m", "cli.main", *map(str, arguments)],
        input=given,
        capture_output=True,
        env={**os.environ, "DGF_STORE": str(store)},
        timeout=60,
        check=False,
    )


# -- stats, ls, cat


def test_stats_counts(dgf: Dgf) -> None:
    """Kinds, names and pages are counted, for people and for machines."""
    ran = dgf("store", "stats")
    assert ran.code == 0
    assert "log ledger" in ran.out
    data = json.loads(dgf("store", "stats", "--json").out)
    assert data["objects"] == 6
    assert (data["refs"], data["indexes"], data["logs"]) == (2, {"cells": 1}, {"ledger": 1})


def test_ls_lists_refs_and_trees(dgf: Dgf, root: ObjectId) -> None:
    """Without an argument all refs, with a prefix those, with a tree what is in it."""
    names = [row["name"] for row in json.loads(dgf("store", "ls", "--json").out)]
    assert names == ["dossiers/7", "dossiers/8"]
    assert dgf("store", "ls", "dossiers/").out.count("dossiers/") == 2
    for written in ("dossiers/7", root.hex(), root.hex()[:6]):
        rows = json.loads(dgf("store", "ls", written, "--json").out)
        assert [(row["name"], row["kind"]) for row in rows] == [
            ("docs/", "tree/1"), ("read:me", "blob"),
        ]  # fmt: skip
    rows = json.loads(dgf("store", "ls", "dossiers/7:docs", "--json").out)
    assert [(row["name"], row["bytes"]) for row in rows] == [
        ("plan.txt", len(HOSTILE.encode())), ("scan.png", 6),
    ]  # fmt: skip
    [row] = json.loads(dgf("store", "ls", "dossiers/7:docs/scan.png", "--json").out)
    assert row["id"] == hash_object("blob", b"\x89PNG\xff\xfe").hex()
    assert root.hex()[:12] in dgf("store", "ls").out


def test_cat_prints_records_as_json(dgf: Dgf, root: ObjectId) -> None:
    """A record is shown with its fields; ids in it can be typed again."""
    shown = json.loads(dgf("store", "cat", "dossiers/7").out)
    docs, is_tree = shown["entries"]["docs"]
    assert is_tree
    again = json.loads(dgf("store", "cat", docs, "--json").out)
    assert again["kind"] == "tree/1"
    assert set(again["content"]["entries"]) == {"plan.txt", "scan.png"}
    assert json.loads(dgf("store", "cat", root.hex(), "--json").out)["content"] == shown


def test_cat_of_untrusted_text_is_safe(dgf: Dgf) -> None:
    """Control characters of a stored text do not reach the terminal."""
    out = dgf("store", "cat", "dossiers/7:docs/plan.txt").out
    assert "plan" in out
    assert not {"\x1b", "\u202e", "\r"} & set(out)
    data = json.loads(dgf("store", "cat", "dossiers/7:read:me", "--json").out)
    assert data["content"] == HOSTILE


def test_cat_raw_writes_the_bytes(folder: Path, dgf: Dgf) -> None:
    """`--raw` is the content and nothing else; without it, bytes that are no text are refused."""
    for path, content in ("plan.txt", HOSTILE.encode()), ("scan.png", b"\x89PNG\xff\xfe"):
        done = raw("store", "cat", f"dossiers/7:docs/{path}", "--raw", store=folder)
        assert (done.returncode, done.stdout) == (0, content)
    ran = dgf("store", "cat", "dossiers/7:docs/scan.png")
    assert ran.code == 2
    assert "--raw" in ran.err
    data = json.loads(dgf("store", "cat", "dossiers/7:docs/scan.png", "--json").out)
    assert data["content"] == {"base64": "iVBOR//+"}


@pytest.mark.parametrize(
    ("written", "code", "says"),
    [
        ("nothing", 2, "no such ref"),
        ("", 2, "no such ref"),
        ("abc12", 2, "no such ref"),  # five digits are too few
        ("0" * 64, 4, "no object"),
        ("dossiers/7:docs/none", 2, "no such path"),
        ("dossiers/7:docs/plan.txt/x", 2, "no such path"),
        ("nothing:docs", 2, "no such ref"),
    ],
)
def test_what_is_not_there_is_said(dgf: Dgf, written: str, code: int, says: str) -> None:
    """One line on standard error says what was not found."""
    ran = dgf("store", "cat", written)
    assert (ran.code, ran.out) == (code, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1


def test_a_path_needs_a_tree(dgf: Dgf) -> None:
    """A path into something that is no tree is a mistake that is named."""
    blob = hash_object("blob", b"orphan").hex()
    ran = dgf("store", "cat", f"{blob}:docs")
    assert (ran.code, "has no paths" in ran.err) == (2, True)


def test_a_short_id_that_is_not_unique_lists_the_others(folder: Path, dgf: Dgf) -> None:
    """An id may be shortened as long as one object begins like that."""
    seen: dict[str, bytes] = {}
    pair: list[bytes] = []
    for number in range(1_000_000):
        data = b"%d" % number
        before = seen.setdefault(hash_object("blob", data).hex()[:6], data)
        if before is not data:
            pair = [before, data]
            break
    one, two = (hash_object("blob", data).hex() for data in pair)
    with Store.open(folder, "write") as store:
        for data in pair:
            store.put("blob", data)
    assert one[:6] == two[:6]
    ran = dgf("store", "cat", one[:6])
    assert ran.code == 2
    assert one[:14] in ran.err
    assert two[:14] in ran.err
    assert dgf("store", "cat", one[:20]).out == pair[0].decode() + "\n"


# -- verify


def test_verify_says_whole_or_damaged(folder: Path, dgf: Dgf) -> None:
    """Exit code 0 for a whole store, 1 for a damaged one, with findings and advice."""
    ran = dgf("store", "verify")
    assert ran.code == 0
    assert "harmless: objects that nothing names: 1" in ran.out
    assert ran.out.endswith("the store is whole\n")
    damaged = hash_object("blob", HOSTILE.encode())
    tamper(folder, "objects", damaged, b"wrong")
    ran = dgf("store", "verify")
    assert ran.code == 1
    [line] = [line for line in ran.out.splitlines() if line.startswith("DAMAGE: ")]
    assert damaged.hex() in line
    assert "dgf store merge" in line
    data = json.loads(dgf("store", "verify", "--json").out)
    assert data["whole"] is False
    assert [f["where"] for f in data["findings"] if not f["harmless"]] == [damaged.hex()]
    ran = dgf("store", "cat", damaged.hex())
    assert (ran.code, ran.out) == (4, "")


def test_verify_can_be_shallow_and_sampled(dgf: Dgf) -> None:
    """Levels and samples are chosen on the command line; nonsense is refused."""
    data = json.loads(dgf("store", "verify", "--level", "pages", "--json").out)
    assert [level["level"] for level in data["levels"]] == ["pages"]
    for written, hashed in ("2", 2), ("50%", 3), ("100%", 6), ("99", 6):
        ran = dgf("store", "verify", "--level", "hashes", "--sample", written, "--json")
        level = json.loads(ran.out)["levels"][1]
        assert level["total"] - level["checked"] == 6 - hashed
    for nonsense in ("0", "-3", "200%", "half", "5.5", ""):
        ran = dgf("store", "verify", f"--sample={nonsense}")
        assert (ran.code, "not a sample" in ran.err) == (2, True)


# -- gc and compact


def test_gc_needs_to_be_told_to_delete(folder: Path, dgf: Dgf) -> None:
    """A dry run by default; with --delete the orphan goes, and nothing else."""
    ran = dgf("store", "gc", "--grace", "0")
    assert (ran.code, "add --delete" in ran.out) == (0, True)
    assert json.loads(dgf("store", "gc", "--json").out)["young"]["objects"] == 1
    data = json.loads(dgf("store", "gc", "--grace", "0", "--json").out)
    assert (data["deleted"], data["removable"]["objects"]) == (False, 1)
    with Store.open(folder) as store:
        assert store.contains(hash_object("blob", b"orphan"))
    assert "objects removed: 1" in dgf("store", "gc", "--grace", "0s", "--delete").out
    with Store.open(folder) as store:
        assert not store.contains(hash_object("blob", b"orphan"))
    assert dgf("store", "verify").code == 0


@pytest.mark.parametrize("nonsense", ["1", "1w", "d", "-1d", "1d1h", "9999999d", ""])
def test_gc_refuses_a_time_it_does_not_understand(dgf: Dgf, nonsense: str) -> None:
    """A grace time that is not understood deletes nothing."""
    ran = dgf("store", "gc", f"--grace={nonsense}", "--delete")
    assert (ran.code, "not a time" in ran.err) == (2, True)


def test_compact_says_what_it_saved(dgf: Dgf) -> None:
    """Sizes before and after, and what was verified."""
    ran = dgf("store", "compact")
    assert (ran.code, "6 objects verified" in ran.out) == (0, True)
    assert json.loads(dgf("store", "compact", "--json").out)["objects"] == 6


def test_a_store_that_is_written_is_left_alone(folder: Path, dgf: Dgf) -> None:
    """Commands that change a store say who is writing, and end with exit code 4."""
    with Store.open(folder, "write"):
        for command in (["gc", "--delete"], ["compact"], ["import", str(folder / "none")]):
            ran = dgf("store", *command)
            assert ran.code in {2, 4}
            assert ran.out == ""


# -- export, import, merge


def test_a_store_travels_through_a_file(folder: Path, dgf: Dgf, tmp_path: Path) -> None:
    """Exported and imported, everything has the same ids, and a repeat adds nothing."""
    out, other = tmp_path / "out.dgfa", tmp_path / "other"
    ran = dgf("store", "export", out)
    assert (ran.code, "6 objects" in ran.out) == (0, True)
    ran = dgf("store", "import", out, "--store", other)
    assert (ran.code, "added 6 of 6 objects" in ran.out) == (0, True)
    assert dgf("store", "ls", "--json").out == dgf("store", "ls", "--json", "--store", other).out
    data = json.loads(dgf("store", "merge", folder, "--store", other, "--json").out)
    assert (data["objects"], data["objects_added"], data["conflicts"]) == (6, 0, [])
    assert dgf("store", "merge", out, "--store", other).code == 0
    assert dgf("store", "export", out).code == 2  # it exists


def test_a_store_travels_through_a_pipe(folder: Path, dgf: Dgf, tmp_path: Path) -> None:
    """`-` is standard output and standard input."""
    piped = raw("store", "export", "-", store=folder)
    assert piped.returncode == 0
    dgf("store", "export", tmp_path / "out.dgfa")
    assert piped.stdout == (tmp_path / "out.dgfa").read_bytes()
    done = raw("store", "import", "-", "--json", store=tmp_path / "new", given=piped.stdout)
    assert done.returncode == 0
    assert json.loads(done.stdout)["objects_added"] == 6
    torn = raw("store", "import", "-", store=tmp_path / "none", given=piped.stdout[:-1])
    assert (torn.returncode, torn.stdout) == (4, b"")
    assert torn.stderr.startswith(b"dgf: the archive is torn")
    assert not (tmp_path / "none").exists()


def test_part_of_a_store_can_be_exported(dgf: Dgf, tmp_path: Path) -> None:
    """With --ref only what it reaches; an unknown ref leaves no file."""
    out = tmp_path / "out.dgfa"
    assert dgf("store", "export", out, "--ref", "dossiers/9").code == 2
    assert not list(tmp_path.glob("out*"))
    data = json.loads(dgf("store", "export", out, "--ref", "dossiers/7", "--json").out)
    assert (data["objects"], data["refs"], data["index_entries"]) == (4, 1, 0)


def test_conflicts_end_with_exit_code_one(dgf: Dgf, tmp_path: Path) -> None:
    """What the two disagree about is listed; what was here stays."""
    with Store.open(tmp_path / "other", "create", sync=False) as other:
        batch = other.batch()
        batch.ref("dossiers/7", batch.put("blob", b"different"))
        other.commit(batch)
    before = json.loads(dgf("store", "ls", "--json").out)
    ran = dgf("store", "merge", tmp_path / "other")
    assert ran.code == 1
    assert "CONFLICT: ref dossiers/7" in ran.out
    assert json.loads(dgf("store", "ls", "--json").out) == before
    [conflict] = json.loads(dgf("store", "merge", tmp_path / "other", "--json").out)["conflicts"]
    assert conflict["theirs"] == hash_object("blob", b"different").hex()


@pytest.mark.parametrize("command", ["import", "merge"])
def test_a_file_that_is_no_archive_is_refused(dgf: Dgf, tmp_path: Path, command: str) -> None:
    """A named error, exit code 4; a file that cannot be read is exit code 2."""
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8" * 100)
    ran = dgf("store", command, tmp_path / "photo.jpg")
    assert (ran.code, "not an archive" in ran.err) == (4, True)
    ran = dgf("store", command, tmp_path / "none")
    assert (ran.code, "cannot be read" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "command",
    ["stats", "ls", "verify", "gc", "compact", "export x", "merge .", "cat x"],
)
def test_without_a_store_each_command_says_so(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    command: str,
) -> None:
    """One line, exit code 2 or 4, and nothing is created."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DGF_STORE", raising=False)
    ran = Dgf(monkeypatch, capsys)("store", *command.split())
    assert ran.code in {2, 4}
    assert ran.err.startswith("dgf: ")
    assert list(tmp_path.iterdir()) == []


def test_progress_is_shown_to_a_terminal_only(
    dgf: Dgf, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Standard error stays empty in a pipe, and standard output is the same either way."""
    ran = dgf("store", "stats")
    assert ran.err == ""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    assert dgf("store", "stats").out == ran.out
    assert "counting" in terminal.getvalue()
    assert dgf("store", "export", tmp_path / "out.dgfa").code == 0
    assert "exporting" in terminal.getvalue()


# -- odd places


@pytest.mark.parametrize("gone", ["ref", "tree"])
def test_what_a_name_promises_and_is_not_there_is_damage(
    folder: Path, dgf: Dgf, root: ObjectId, gone: str, tmp_path: Path
) -> None:
    """A listing and an export say that something is damaged, not that it never was there."""
    target = root if gone == "ref" else hash_object("blob", HOSTILE.encode())
    tamper(folder, "objects", target, None)
    listing = ("ls",) if gone == "ref" else ("ls", "dossiers/7:docs")
    for command in (listing, ("export", tmp_path / "out.dgfa")):
        ran = dgf("store", *command)
        assert (ran.code, ran.out) == (4, "")
        assert "names an object that is not stored" in ran.err
        assert target.hex() in ran.err


@pytest.mark.parametrize("key", [None, True, 7, 1.5, b"\xff", (1, "x")])
def test_records_of_other_releases_are_shown_as_json(folder: Path, dgf: Dgf, key: object) -> None:
    """A record of an unknown kind may have any MessagePack map in it; JSON has text for keys."""
    with Store.open(folder, "write") as store:
        oid = store.put("future/9", msgspec.msgpack.encode({key: ["kept"]}))
    [(_, shown)] = json.loads(dgf("store", "cat", oid.hex()).out).items()
    assert shown == ["kept"]
    assert json.loads(dgf("store", "cat", oid.hex(), "--json").out)["kind"] == "future/9"


@pytest.mark.parametrize("command", ["ls", "cat dossiers/7:docs/plan.txt --raw", "export -"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
def test_an_output_that_is_full_is_named(folder: Path, command: str) -> None:
    """One line instead of a traceback when the result cannot be written."""
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "cli.main", "store", *command.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "DGF_STORE": str(folder)},
            timeout=60,
            check=False,
        )
    assert ran.returncode == 2
    assert ran.stderr.startswith(b"dgf: cannot write the result: ")
    assert ran.stderr.count(b"\n") == 1


def test_a_pipe_with_a_name_is_imported(folder: Path, dgf: Dgf, tmp_path: Path) -> None:
    """What `<(…)` of a shell passes is read like standard input."""
    assert dgf("store", "export", tmp_path / "out.dgfa").code == 0
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["/bin/sh", "-c", f"cat '{tmp_path}/out.dgfa' > '{pipe}'"]):
        ran = dgf("store", "import", pipe, "--store", tmp_path / "other", "--json")
    assert json.loads(ran.out)["objects_added"] == 6


def test_an_endless_input_is_refused_at_its_first_line(tmp_path: Path) -> None:
    """What is no archive is not copied to the disk to find out."""
    with Path("/dev/zero").open("rb") as zeros:
        ran = subprocess.run(
            [sys.executable, "-m", "cli.main", "store", "import", "-"],
            stdin=zeros,
            capture_output=True,
            env={**os.environ, "DGF_STORE": str(tmp_path / "store")},
            cwd=tmp_path,
            timeout=60,
            check=False,
        )
    assert ran.returncode == 4
    assert b"not an archive" in ran.stderr
    assert list(tmp_path.iterdir()) == []
