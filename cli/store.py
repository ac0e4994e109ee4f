"""`dgf store …`: look into, check, clean, copy and merge a store."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from cache import archive
from cache.codec import decode
from cache.collect import Collection, collect
from cache.compact import compact as compact_store
from cache.contents import contents
from cache.errors import UsageError
from cache.ids import ObjectId
from cache.merge import MergeReport, Source
from cache.merge import merge as merge_stores
from cache.stats import StoreStats
from cache.stats import stats as count
from cache.store import Mode, Store
from cache.trees import Tree
from cache.verify import Level, Verdict
from cache.verify import verify as verify_store
from cli.columns import columns
from cli.objects import DIGITS, content, find, shown_text, size
from cli.progress import progress
from cli.terminal import Json, StorePath, emit, find_store, writing_output

app = typer.Typer(no_args_is_help=True, help="Look into, check, clean, copy and merge a store.")

STANDARD: Final = "-"
"""Standard input or output in a file's place."""

SHOWN_FINDINGS: Final = 50

Target = Annotated[
    str, typer.Argument(metavar="REF|ID[:PATH]", help="A ref, or 6 or more digits of an id.")
]


@app.command()
def stats(store: StorePath = None, as_json: Json = False) -> None:
    """Count objects, bytes, names and pages, and show what sharing saves.

    PLAIN is what was put, STORED what it takes compressed, and DEDUPE how many copies of each
    byte there would be if nothing were shared.

    Example: dgf store stats
    """
    with Store.open(find_store(store)) as opened, progress() as report:
        counted = count(opened, progress=report)
    emit(counted, as_json=as_json, human=lambda: _stats_text(counted))


def _stats_text(counted: StoreStats) -> str:
    rows = [
        (k.kind, k.objects, size(k.plain), size(k.stored), f"{k.dedupe:.2f}") for k in counted.kinds
    ]
    whole = (counted.objects, size(counted.plain), size(counted.stored), f"{counted.dedupe:.2f}")
    names = [("refs", counted.refs)]
    names += [(f"index {name}", entries) for name, entries in counted.indexes.items()]
    names += [(f"log {name}", entries) for name, entries in counted.logs.items()]
    free = counted.free_pages * counted.page_bytes
    kinds = columns(("KIND", "OBJECTS", "PLAIN", "STORED", "DEDUPE"), [*rows, ("all", *whole)])
    return (
        f"{kinds}\n\n{columns(('NAMES', 'ENTRIES'), names)}\n\n"
        f"file {size(counted.file_bytes)}, of which {size(free)} are free "
        f"({counted.free_pages} pages)"
    )


@app.command()
def verify(
    level: Annotated[Level, typer.Option(help="The deepest level to check.")] = "connectivity",
    sample: Annotated[
        str | None,
        typer.Option(help="Hash only so many objects (500) or such a part of them (5%)."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Chooses the sample.")] = 0,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Check that a store is whole: its pages, then all hashes, then that nothing named is missing.

    Ends with exit code 1 if anything is damaged. Free pages and objects that nothing names are
    harmless.

    Example: dgf store verify --sample 5%
    """
    wanted = None if sample is None else _sample(sample)
    with progress() as report:
        verdict = verify_store(
            find_store(store), deepest=level, sample=wanted, seed=seed, progress=report
        )
    emit(verdict, as_json=as_json, human=lambda: _verdict_text(verdict))
    if not verdict.whole:
        raise typer.Exit(1)


def _sample(written: str) -> int | float:
    number, percent = written.removesuffix("%"), written.endswith("%")
    try:
        value = float(number) / 100 if percent else int(number)
    except ValueError:
        value = -1
    if not value > 0 or (percent and value > 1):
        raise UsageError("not a sample", where=written, hint="write a number (500) or a part (5%)")
    return value


def _verdict_text(verdict: Verdict) -> str:
    lines = [
        f"{result.level}: {result.checked} of {result.total} "
        f"{_CHECKED[result.level]}, {result.damaged or 'no'} damaged"
        for result in verdict.levels
    ]
    lines += [
        f"{'harmless' if finding.harmless else 'DAMAGE'}: {finding.what} [{finding.where}]: "
        f"{finding.advice}"
        for finding in verdict.findings[:SHOWN_FINDINGS]
    ]
    if len(verdict.findings) > SHOWN_FINDINGS:
        lines.append(f"… {len(verdict.findings) - SHOWN_FINDINGS} more with --json")
    if verdict.free_pages:
        lines.append(f"{verdict.free_pages} free pages are never read; damage there is harmless")
    lines.append("the store is whole" if verdict.whole else "the store is DAMAGED")
    return "\n".join(lines)


_CHECKED: Final[dict[Level, str]] = {
    "pages": "pages in use",
    "hashes": "objects and entries",
    "connectivity": "objects followed",
}


@app.command()
def gc(
    delete: Annotated[bool, typer.Option("--delete", help="Remove what is removable.")] = False,
    grace: Annotated[
        str, typer.Option(help="Keep what was put within this time: 30m, 12h, 7d.")
    ] = "1d",
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Show what no ref and no index entry reaches any more; with --delete, remove it.

    The file keeps its size; `dgf store compact` gives the space back.

    Example: dgf store gc --grace 7d --delete
    """
    kept = _duration(grace)
    mode: Mode = "write" if delete else "read"
    with Store.open(find_store(store), mode) as opened, progress() as report:
        done = collect(opened, grace=kept, delete=delete, progress=report)
    emit(done, as_json=as_json, human=lambda: _gc_text(done))


def _duration(written: str) -> timedelta:
    found = re.fullmatch(r"(\d{1,6})([smhd])|0", written)
    if found is None:
        raise UsageError("not a time", where=written, hint="write 0, 90s, 30m, 12h or 7d")
    unit = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}[found[2] or "s"]
    return timedelta(**{unit: int(found[1] or 0)})


def _gc_text(done: Collection) -> str:
    rows = [(r.kind, r.kept, r.young, r.removable) for r in done.kinds]
    rows.append(("all", done.kept, done.young, done.removable))
    table = columns(
        ("KIND", "KEPT", "YOUNG", "REMOVABLE"),
        ((kind, *(f"{s.objects} ({size(s.bytes)})" for s in sums)) for kind, *sums in rows),
    )
    if done.deleted:
        return f"{table}\nobjects removed: {done.removed}"
    return f"{table}\nnothing removed: add --delete to remove what is removable"


@app.command()
def compact(store: StorePath = None, as_json: Json = False) -> None:
    """Give the disk back what the store does not use: a verified copy takes the file's place.

    Example: dgf store compact
    """
    with progress() as report:
        done = compact_store(find_store(store), progress=report)
    emit(
        done,
        as_json=as_json,
        human=lambda: (
            f"{size(done.bytes_before)} before, {size(done.bytes_after)} after; "
            f"{done.objects} objects verified in the copy"
        ),
    )


@app.command()
def export(
    file: Annotated[str, typer.Argument(help="The archive to write; - for standard output.")],
    ref: Annotated[
        list[str] | None,
        typer.Option(help="Only what this ref reaches (NAME/ for all below it); repeatable."),
    ] = None,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Write a store, or what some refs reach, into one file that any machine can import.

    Example: dgf store export sweep.dgfa --ref sweeps/pilot
    """
    with (
        Store.open(find_store(store)) as opened,
        opened.view() as view,
        progress() as report,
    ):
        items = contents(view, ref)
        if file == STANDARD:
            with writing_output():
                archive.write(items, sys.stdout.buffer, progress=report)
                sys.stdout.buffer.flush()
            return
        written = archive.write_file(items, Path(file), progress=report)
    emit(
        written,
        as_json=as_json,
        human=lambda: (
            f"{written.objects} objects, {written.index_entries} index entries, "
            f"{written.log_entries} log entries and {written.refs} refs in {size(written.bytes)}\n"
            f"sha256 {written.digest}"
        ),
    )


@app.command("import")
def import_(
    file: Annotated[str, typer.Argument(help="An archive; - for standard input.")],
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Take an archive into a store, which is made if there is none.

    Everything is checked before anything is written. Ends with exit code 1 if the store has
    something else under the same name; its own stays.

    Example: dgf store import sweep.dgfa --store ./elsewhere
    """
    folder = find_store(store, must_exist=False)
    with _archive(file) as source:
        _merge(folder, source, create=True, as_json=as_json)


@app.command()
def merge(
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="Another store, or an archive.")],
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Take everything from another store or an archive, except where the two disagree.

    Ends with exit code 1 if they disagree about a ref, an index entry or a log: the difference is
    listed, and what is here stays. Objects that are damaged here are repaired.

    Example: dgf store merge ../other-machine/.dgf
    """
    folder = find_store(store)
    with _store(other) if other.is_dir() else _archive(str(other)) as source:
        _merge(folder, source, create=False, as_json=as_json)


@contextmanager
def _archive(file: str) -> Iterator[Source]:
    if file == STANDARD:
        with archive.open_stream(sys.stdin.buffer, Path.cwd()) as items:
            yield items
    else:
        with archive.open_file(Path(file)) as items:
            yield items


@contextmanager
def _store(folder: Path) -> Iterator[Source]:
    with Store.open(folder) as other, other.view() as view:
        yield lambda: contents(view)


def _merge(folder: Path, source: Source, *, create: bool, as_json: bool) -> None:
    with Store.open(folder, "create" if create else "write") as opened, progress() as report:
        done = merge_stores(opened, source, progress=report)
    emit(done, as_json=as_json, human=lambda: _merge_text(done))
    if done.conflicts:
        raise typer.Exit(1)


def _merge_text(done: MergeReport) -> str:
    text = (
        f"added {done.objects_added} of {done.objects} objects, {done.index_entries_added} index "
        f"entries, {done.log_entries_added} log entries and {done.refs_added} refs"
    )
    if done.objects_repaired:
        text += f"\nrepaired {done.objects_repaired} objects that were damaged here"
    for conflict in done.conflicts:
        text += (
            f"\nCONFLICT: {conflict.what} {conflict.name}: {conflict.ours} stays, "
            f"not {conflict.theirs}"
        )
    return text


@app.command()
def cat(
    target: Target,
    raw: Annotated[bool, typer.Option("--raw", help="Write the bytes as they are.")] = False,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Print an object: records as JSON, text as text.

    Example: dgf store cat 8a32b0a7:shared/project_charter.docx --raw > charter.docx
    """
    with Store.open(find_store(store)) as opened:
        found = find(opened, target)
        stored = opened.get_object(found.oid, named_by=found.named_by)
    if raw:
        with writing_output():
            sys.stdout.buffer.write(stored.data)
            sys.stdout.buffer.flush()
        return
    shown = shown_text(stored)
    if shown is None and not as_json:
        raise UsageError(
            f"{len(stored.data)} bytes that are not text",
            where=found.oid.hex(),
            hint="--raw writes them to standard output",
        )
    data = {
        "id": found.oid.hex(),
        "kind": stored.kind,
        "bytes": len(stored.data),
        "content": content(stored),
    }
    emit(data, as_json=as_json, human=lambda: shown or "")


@app.command("ls")
def list_(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[REF|ID[:PATH]|PREFIX]",
            help="A tree to look into, or the beginning of refs to list (default: all refs).",
        ),
    ] = None,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """List refs, or what is in a tree.

    Example: dgf store ls 8a32b0a7:gate_evidence
    """
    with Store.open(find_store(store)) as opened:
        refs = opened.refs(target or "")
        if target is None or (refs and opened.ref(target) is None):
            rows = [_row(opened, name, oid, f"ref {name!r}") for name, oid in refs]
        else:
            rows = _tree_rows(opened, target)
    emit(
        rows,
        as_json=as_json,
        human=lambda: columns(
            ("ID", "KIND", "SIZE", "NAME"),
            ((r["id"][:DIGITS], r["kind"], size(r["bytes"]), r["name"]) for r in rows),
        ),
    )


def _tree_rows(store: Store, target: str) -> list[dict[str, Any]]:
    found = find(store, target)
    kind, data = store.get_object(found.oid, named_by=found.named_by)
    if kind != Tree.kind:
        return [_row(store, target, found.oid, found.named_by)]
    entries = decode(kind, data, Tree).entries
    return [
        _row(store, name + "/" * entry.is_tree, entry.id, f"tree {found.oid}")
        for name, entry in sorted(entries.items())
    ]


def _row(store: Store, name: str, oid: ObjectId, named_by: str) -> dict[str, Any]:
    header = store.header(oid, named_by=named_by)
    return {"id": oid.hex(), "kind": header.kind, "bytes": header.length, "name": name}
