"""Dossiers in a store: the same bytes back, shared with each other, found by name or id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from cache import BLOB, ObjectId, Store, hash_object
from cache.errors import CorruptionError
from generators.diagram import renderer_identity
from generators.dossier.errors import PictureError, UnknownDossierError
from generators.dossier.pictures import RENDERINGS, Derivation, find_picture, put_picture
from generators.dossier.storing import find_dossier, list_dossiers, tree_files
from tests.generators.dossier.samples import OTHER, SPEC, sample
from tests.generators.dossier.stores import DIAGRAM, PICTURE, keep, new_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with new_store(tmp_path / "store") as opened:
        yield opened


def test_every_file_comes_back(store: Store) -> None:
    """The stored dossier has the paths of the dossier and its picture, and the bytes of each."""
    dossier = sample()
    stored = keep(store, dossier)
    assert set(stored.ids) == {*dossier.files, PICTURE}
    assert stored.files() == dossier.files
    for path, data in dossier.files.items():
        assert stored.blob(path) == hash_object(BLOB, data).hex()
    assert stored.blob("no/such/file") is None


def test_the_id_follows_from_the_content(store: Store, tmp_path: Path) -> None:
    """Another store gives the same id; another dossier has another one."""
    stored = keep(store, sample())
    with new_store(tmp_path / "other") as other:
        assert keep(other, sample()).tree == stored.tree
    assert keep(store, sample(OTHER)).tree != stored.tree


def test_a_picture_is_named_by_how_it_is_made(store: Store) -> None:
    """Its entry says what it is drawn from and how large; the size is the protocol's."""
    dossier = sample()
    stored = keep(store, dossier)
    made = stored.derivation(PICTURE)
    assert isinstance(made, Derivation)
    assert made.source == hash_object(BLOB, dossier.files[DIAGRAM])
    assert (made.width, made.height) == (1980, 1320)
    assert made.id == stored.ids[PICTURE]
    assert stored.derivation(DIAGRAM) is None


def test_a_picture_nobody_has_drawn_is_an_error(store: Store) -> None:
    """Reading it says so; nothing is drawn behind the reader's back."""
    stored = keep(store, sample())
    with pytest.raises(PictureError, match="not been drawn"):
        stored.load(PICTURE)


def test_a_kept_picture_is_read(store: Store) -> None:
    """Drawn or not, the dossier keeps its id."""
    before = keep(store, sample())
    stored = keep(store, sample(), pictures={PICTURE: b"png"})
    assert stored.load(PICTURE) == b"png"
    assert stored.tree == before.tree


def test_of_several_pictures_that_of_the_installed_libraries_is_read(store: Store) -> None:
    """Pictures by other versions are kept beside; they serve where there is no own one."""
    made = keep(store, sample()).ids[PICTURE]
    batch = store.batch()
    batch.index(RENDERINGS, (made, "a-older"), batch.put(BLOB, b"older"))
    batch.index(RENDERINGS, (made, "zz-newer"), batch.put(BLOB, b"newer"))
    store.commit(batch)
    assert find_picture(store, made) in {b"older", b"newer"}
    batch = store.batch()
    put_picture(batch, made, b"here")
    store.commit(batch)
    assert find_picture(store, made) == b"here"
    entry = store.index_get(RENDERINGS, (made, renderer_identity()))
    assert entry is not None


def test_a_dossier_is_found_by_name_and_by_id(store: Store) -> None:
    """The folder name, the whole id or its first digits."""
    stored = keep(store, sample())
    keep(store, sample(OTHER))
    digits = stored.tree.hex()
    for wanted in (stored.name, digits, digits[:12], digits[:6]):
        assert find_dossier(store, wanted).tree == stored.tree
    assert stored.name == "DGF-BUY-031007_buy"
    assert [one.name for one in list_dossiers(store)] == [
        "DGF-BLD-031008_build",
        "DGF-BUY-031007_buy",
    ]


@pytest.mark.parametrize(
    "wanted", ["", "DGF-BUY-031007", "abc", "DGF-BUY-031007_buy/../x", "0" * 64]
)
def test_what_means_nothing_is_refused(store: Store, wanted: str) -> None:
    """A part of a name, too few digits, an id of nothing."""
    keep(store, sample())
    with pytest.raises(UnknownDossierError, match="nothing of that name"):
        find_dossier(store, wanted)


def test_what_means_several_is_refused_with_the_ids(store: Store) -> None:
    """Two dossiers of one name, such as a clean one and an attacked one, are told apart by id."""
    clean = sample()
    attacked = {**clean.files, "extra.txt": b"x"}
    first = keep(store, clean)
    second = keep(store, msgspec.structs.replace(clean, files=attacked))
    with pytest.raises(UnknownDossierError, match="several") as refused:
        find_dossier(store, clean.name)
    for one in (first, second):
        assert one.tree.hex()[:12] in str(refused.value)


def test_a_listing_needs_no_file(store: Store) -> None:
    """The index says what a listing shows."""
    stored = keep(store, sample())
    summary = find_dossier(store, stored.name).summary
    assert (summary.route, summary.seed, summary.difficulty) == ("buy", SPEC.seed, 3)
    assert summary.variant == "clean"
    assert summary.case_id == sample().case_id


def test_two_dossiers_share_what_is_equal(store: Store) -> None:
    """Files that do not depend on the case are stored once."""
    first, second = keep(store, sample()), keep(store, sample(OTHER))
    shared = set(first.ids.values()) & set(second.ids.values())
    assert first.ids["04_gate_contracts.json"] in shared
    assert first.ids["05_phase_visibility.json"] in shared


def test_the_tree_reaches_everything(store: Store) -> None:
    """The source of a picture is reached from the picture, as garbage collection needs it."""
    stored = keep(store, sample())
    ids = tree_files(store, stored.tree)
    made = store.get_record(ids[PICTURE], Derivation)
    assert isinstance(made.source, ObjectId)
    assert store.contains(made.source)


def test_a_file_that_is_gone_is_corruption(store: Store) -> None:
    """A miss for an id that a dossier's tree names is damage, not absence; the file is named."""
    kept = keep(store, sample())
    store.discard(kept.ids[DIAGRAM])
    with pytest.raises(CorruptionError, match=DIAGRAM):
        kept.derivation(DIAGRAM)
    with pytest.raises(CorruptionError, match=DIAGRAM):
        kept.load(DIAGRAM)
