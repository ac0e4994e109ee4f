"""Dossiers in a store: put as trees, found by name or id, read file by file.

A dossier is the tree of its files; its id is the tree's. A picture stands in it as the derivation
that makes it, or as plain bytes when it came from elsewhere and nothing derives it. The index has
an entry per dossier, with what a listing shows.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from cache import BLOB, Batch, IndexEntry, ObjectId, Store, Tree
from cache.trees import build, walk
from generators.dossier import model
from generators.dossier.errors import UnknownDossierError
from generators.dossier.model import Dossier
from generators.dossier.pictures import Derivation, derivation, put_picture, require_picture
from generators.dossier.truth import ContextFile

DOSSIERS: Final = "dossiers"
"""Index: folder name, tree → the tree; the payload is a `Summary`."""

_TITLE_CHARACTERS: Final = 120
_MIN_PREFIX: Final = 4
_HEX: Final = frozenset("0123456789abcdef")


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a listing says of a dossier."""

    case_id: str
    route: str
    seed: int
    difficulty: int
    variant: str
    """`clean`, or `attack` for a copy with planted content."""
    title: str
    """Name of the project, cut to what an index entry holds."""
    files: int


class StoredDossier:
    """A dossier of a store. Readers take it as the files of a dossier (`readers.DossierFiles`)."""

    def __init__(self, store: Store, name: str, tree: ObjectId, summary: Summary) -> None:
        self.name = name
        self.tree = tree
        self.summary = summary
        self._store = store

    def __repr__(self) -> str:
        return f"<StoredDossier {self.name} {self.tree.hex()[:12]}>"

    @functools.cached_property
    def ids(self) -> Mapping[str, ObjectId]:
        """Path to object, in order of path."""
        return tree_files(self._store, self.tree)

    def blob(self, path: str) -> str | None:
        """The id of what stands at `path`, or None."""
        found = self.ids.get(path)
        return None if found is None else found.hex()

    def load(self, path: str) -> bytes:
        """The bytes of a file that exists.

        Raises
        ------
        PictureError
            If it is a picture that has not been drawn yet.
        """
        kind, data = self._store.get_object(self.ids[path], named_by=f"{self.name}/{path}")
        if kind == Derivation.kind:
            return require_picture(self._store, self.ids[path], path)
        return data

    def files(self) -> dict[str, bytes]:
        """Path to content of everything but derived pictures."""
        return {path: self.load(path) for path in self.ids if self.derivation(path) is None}

    def derivation(self, path: str) -> Derivation | None:
        """How the picture at `path` is made; None for plain bytes."""
        target, named_by = self.ids[path], f"{self.name}/{path}"
        if self._store.header(target, named_by=named_by).kind != Derivation.kind:
            return None
        return self._store.get_record(target, Derivation, named_by=named_by)


def tree_files(store: Store, tree: ObjectId) -> dict[str, ObjectId]:
    """Path to object of everything below a tree of the store."""

    def load(oid: ObjectId) -> Tree:
        return store.get_record(oid, Tree, named_by=f"tree {tree.hex()}")

    return dict(walk(tree, load))


def put_dossier(
    batch: Batch, dossier: Dossier, *, pictures: Mapping[str, bytes] | None = None
) -> ObjectId:
    """Add a dossier, and pictures of it that have been drawn, to a batch; the result is its tree.

    It is found only after `index_dossier`.
    """
    ids = {path: batch.put(BLOB, data) for path, data in dossier.files.items()}
    for path, raster in dossier.rasters.items():
        made = batch.put_record(derivation(raster, dossier.files[raster.source]))
        ids[path] = made
        if pictures and path in pictures:
            put_picture(batch, made, pictures[path])
    return put_tree(batch, ids)


def put_tree(batch: Batch, ids: Mapping[str, ObjectId]) -> ObjectId:
    """Add the trees that hold `ids` by path; the result is their root."""
    built = build(ids)
    batch.put_records(built.trees)
    return built.root


def summarize(files: Mapping[str, bytes], *, count: int) -> Summary:
    """What a listing says of a sound dossier, which has `count` files with its pictures."""
    context = msgspec.json.decode(files[model.CONTEXT_FILE], type=ContextFile)
    return Summary(
        case_id=context.case_id,
        route=context.route.key,
        seed=context.seed,
        difficulty=context.difficulty,
        variant=context.variant,
        title=context.project.project_name,
        files=count,
    )


def index_dossier(batch: Batch, name: str, tree: ObjectId, summary: Summary) -> None:
    """Make a dossier findable."""
    short = msgspec.structs.replace(summary, title=summary.title[:_TITLE_CHARACTERS])
    # The summary follows from the tree, so a later release may say it differently.
    payload = msgspec.msgpack.encode(short)
    batch.index(DOSSIERS, (name, tree), tree, payload=payload, replace=True)


def stored_dossier(store: Store, name: str, tree: ObjectId) -> StoredDossier | None:
    """The dossier with exactly that folder name and that tree."""
    entry = store.index_get(DOSSIERS, (name, tree))
    return None if entry is None else _stored(store, entry)


def list_dossiers(store: Store) -> list[StoredDossier]:
    """Every dossier of a store, by name."""
    return [_stored(store, entry) for entry in store.index_scan(DOSSIERS)]


def find_dossier(store: Store, wanted: str) -> StoredDossier:
    """The dossier with that folder name, or whose id begins with that text.

    Raises
    ------
    UnknownDossierError
        If it means no dossier, or several.
    """
    return _stored(store, only(matching(store, DOSSIERS, wanted), wanted))


def matching(store: Store, index: str, wanted: str) -> list[IndexEntry]:
    """The entries of an index by name and tree that a name, or a prefix of an id, means."""
    named = store.index_scan(index, (wanted,))
    if named or len(wanted) < _MIN_PREFIX or not _HEX.issuperset(wanted):
        return named
    # Several names may stand for one tree; any of them will do.
    found = {e.target: e for e in store.index_scan(index) if e.target.hex().startswith(wanted)}
    return list(found.values())


def only(found: Sequence[IndexEntry], wanted: str) -> IndexEntry:
    """The one entry that was found for `wanted`."""
    if len(found) == 1:
        return found[0]
    if not found:
        raise UnknownDossierError(
            "nothing of that name or id",
            where=wanted[:80],
            hint=f"give a folder name or {_MIN_PREFIX} or more digits of an id; "
            "`dgf dossier show` lists what there is",
        )
    ids = ", ".join(entry.target.hex()[:12] for entry in found)
    raise UnknownDossierError("it means several", where=wanted[:80], hint=f"one of {ids}")


def _stored(store: Store, entry: IndexEntry) -> StoredDossier:
    summary = msgspec.msgpack.decode(entry.payload, type=Summary)
    return StoredDossier(store, str(entry.key[0]), entry.target, summary)
