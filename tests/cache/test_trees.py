"""Trees: pure functions against dictionaries of paths."""

import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache import codec, trees
from cache.errors import MissingObjectError, RecordError
from cache.ids import ObjectId, hash_object

names = st.sampled_from(["a", "b", "c.txt", "Ü", "a b"])
files = st.dictionaries(
    st.lists(names, min_size=1, max_size=4).map("/".join), st.integers(0, 5), max_size=12
)


def oid(number: int) -> ObjectId:
    """Some object."""
    return hash_object("blob", b"%d" % number)


def without_clashes(paths: dict[str, int]) -> dict[str, ObjectId]:
    """The paths that can stand beside each other: a file is not a directory as well."""
    return {
        path: oid(number)
        for path, number in paths.items()
        if not any(other.startswith(path + "/") for other in paths)
    }


class Trees:
    """Stored trees, in a dictionary; counts what is loaded."""

    def __init__(self) -> None:
        self.stored: dict[ObjectId, bytes] = {}
        self.loaded: list[ObjectId] = []

    def add(self, built: trees.Built) -> ObjectId:
        """Store what was built."""
        for tree in built.trees:
            data = codec.encode(tree)
            self.stored[hash_object(tree.kind, data)] = data
        return built.root

    def load(self, root: ObjectId) -> trees.Tree:
        """Read a tree."""
        self.loaded.append(root)
        return codec.decode("tree/1", self.stored[root], trees.Tree)


@given(files)
def test_what_is_built_is_walked(paths: dict[str, int]) -> None:
    """Walking gives the files that were put in, in order of path components."""
    wanted = without_clashes(paths)
    store = Trees()
    root = store.add(trees.build(wanted))
    found = list(trees.walk(root, store.load))
    assert dict(found) == wanted
    assert [path.split("/") for path, _ in found] == sorted(path.split("/") for path in wanted)
    for path, target in wanted.items():
        assert trees.lookup(root, path, store.load) == trees.Entry(target, is_tree=False)


@given(files, st.randoms(use_true_random=False))
def test_the_id_depends_on_the_files_alone(paths: dict[str, int], order: random.Random) -> None:
    """The order in which files are given does not matter."""
    wanted = without_clashes(paths)
    items = list(wanted.items())
    order.shuffle(items)
    assert trees.build(dict(items)).root == trees.build(wanted).root


@given(files, files)
def test_diff_says_what_update_needs(before: dict[str, int], after: dict[str, int]) -> None:
    """Applying the differences of two trees to the first gives the second, id and all."""
    old, new = without_clashes(before), without_clashes(after)
    store = Trees()
    first, second = store.add(trees.build(old)), store.add(trees.build(new))
    changes = list(trees.diff(first, second, store.load))
    gone = {change.path: change.before for change in changes if change.before is not None}
    come = {change.path: change.after for change in changes if change.after is not None}
    assert gone == {path: old[path] for path in old if new.get(path) != old[path]}
    assert come == {path: new[path] for path in new if old.get(path) != new[path]}
    removed = store.add(trees.update(first, dict.fromkeys(gone), store.load))
    assert store.add(trees.update(removed, come, store.load)) == second


@given(files, files)
def test_update_equals_building_anew(before: dict[str, int], changes: dict[str, int]) -> None:
    """Updating a tree gives the very tree that building from all files gives."""
    old = without_clashes(before)
    new = {path: oid(9) for path in without_clashes(changes)}
    store = Trees()
    root = store.add(trees.build(old))
    merged = {
        path: target
        for path, target in old.items()
        if not any(
            path == other or path.startswith(other + "/") or other.startswith(path + "/")
            for other in new
        )
    }
    assert store.add(trees.update(root, new, store.load)) == trees.build(merged | new).root


def test_equal_subtrees_are_shared_and_never_loaded() -> None:
    """A change in one directory stores that path anew, and comparing loads no other directory."""
    store = Trees()
    everything = {f"{top}/{sub}/f": oid(0) for top in "abcdefgh" for sub in "uvwxyz"}
    everything |= {f"{top}/own": oid(ord(top)) for top in "abcdefgh"}
    root = store.add(trees.build(everything))
    store.loaded.clear()
    changed = trees.update(root, {"c/own": oid(1)}, store.load)
    assert len(changed.trees) == 2  # the root and c
    assert len(store.loaded) == 2
    store.add(changed)
    store.loaded.clear()
    difference = list(trees.diff(root, changed.root, store.load))
    assert difference == [trees.Change("c/own", oid(ord("c")), oid(1))]
    assert len(store.loaded) == 4


def test_removing_the_last_file_removes_its_directory() -> None:
    """There are no empty directories; an empty root is a tree without entries."""
    store = Trees()
    root = store.add(trees.build({"a/b/c": oid(1), "d": oid(2)}))
    smaller = trees.update(root, {"a/b/c": None}, store.load)
    assert smaller.root == trees.build({"d": oid(2)}).root
    store.add(smaller)
    empty = trees.update(smaller.root, {"d": None, "never/was": None}, store.load)
    assert empty.root == trees.build({}).root


@pytest.mark.parametrize(
    "path",
    ["", "/a", "a/", "a//b", ".", "a/../b", "./a", "a\\b", "a\0", "a\nb", "\x85", "a/" + "x" * 256,
     "\ud800"],
)  # fmt: skip
def test_bad_names_are_refused(path: str) -> None:
    """A name that could leave its directory, or fool a terminal, never enters a tree."""
    with pytest.raises(RecordError, match="not a name"):
        trees.build({path: oid(1)})


def test_stored_trees_with_bad_names_are_refused() -> None:
    """A tree from elsewhere is held to the same rules when it is read."""
    name = b"\x81\xa7entries\x81\xa2.."
    data = name + b"\x92\xc7\x20\x01" + bytes(32) + b"\xc2"
    with pytest.raises(RecordError):
        codec.decode("tree/1", data, trees.Tree)


@pytest.mark.parametrize("order", [["a", "a/b"], ["a/b", "a"]])
def test_a_file_is_not_a_directory(order: Iterable[str]) -> None:
    """One path cannot be both."""
    with pytest.raises(RecordError, match="both a file and a directory"):
        trees.build(dict.fromkeys(order, oid(1)))


@pytest.mark.parametrize("path", ["x", "a/x", "a/b/c", "a/b/c/d"])
def test_a_missing_path_is_named(path: str) -> None:
    """Looking up a path that is not there says which."""
    store = Trees()
    root = store.add(trees.build({"a/b": oid(1)}))
    with pytest.raises(MissingObjectError, match="no such path") as caught:
        trees.lookup(root, path, store.load)
    assert path in str(caught.value)


def chain(depth: int, top: ObjectId) -> tuple[Trees, ObjectId]:
    """A file below directories of one entry each, as an archive may bring them."""
    store = Trees()
    entry = trees.Entry(top, is_tree=False)
    for _ in range(depth):
        tree = trees.Tree(entries={"d": entry})
        entry = trees.Entry(hash_object(tree.kind, codec.encode(tree)), is_tree=True)
        store.add(trees.Built(entry.id, [tree]))
    return store, entry.id


def test_trees_of_any_depth_are_read() -> None:
    """Depth is bounded by no stack: walking, looking up and comparing take what is stored."""
    depth = 3000
    store, one = chain(depth, oid(1))
    other, two = chain(depth, oid(2))
    path = "/".join("d" * depth)
    assert list(trees.walk(one, store.load)) == [(path, oid(1))]
    assert trees.lookup(one, path, store.load).id == oid(1)
    store.stored |= other.stored
    [change] = trees.diff(one, two, store.load)
    assert change == trees.Change(path, oid(1), oid(2))


def test_paths_have_a_bounded_depth() -> None:
    """A path that no file system could hold is refused when the tree is built."""
    deepest = "d/" * trees.MAX_DEPTH
    trees.build({f"{deepest[2:]}f": oid(1)})
    with pytest.raises(RecordError, match="parts"):
        trees.build({f"{deepest}f": oid(1)})
    with pytest.raises(RecordError, match="parts"):
        trees.build({"d/" * 100_000 + "f": oid(1)})
