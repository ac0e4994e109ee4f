"""Folders into a store: everything or nothing, the same ids back, one line a problem."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cache import BLOB, Store, hash_object
from generators.dossier.errors import DossierContentError, FolderError
from generators.dossier.exporting import export_dataset, export_dossier
from generators.dossier.generation import draw_missing, make_dataset
from generators.dossier.importing import import_folder, own_dossier
from generators.sampling import make_plan
from tests.generators.dossier.samples import OTHER, SPEC, edit, sample, write
from tests.generators.dossier.stores import DIAGRAM, PICTURE, keep, new_store

GRAPH, CONTEXT = "02_evidence_graph.json", "00_project_context.json"
TRUTH, ROUTE = "99_hidden_ground_truth.json", "01_route_manifest.json"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with new_store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dossier's folder without a picture."""
    return write(tmp_path / "in", sample().files)


def is_empty(store: Store) -> bool:
    """Whether nothing at all is in a store."""
    with store.view() as view:
        return not list(view.ids()) and not view.index_names()


# -- round trips


def test_what_was_exported_comes_back_under_its_id(store: Store, tmp_path: Path) -> None:
    """With its picture, into another store: same id, and the picture need not be drawn there."""
    dossier = keep(store, sample())
    draw_missing(store, [dossier], workers=0)
    export_dossier(dossier, tmp_path / "out")
    with new_store(tmp_path / "other") as other:
        found = import_folder(other, tmp_path / "out").dossiers[0]
        assert (found.name, found.tree) == (dossier.name, dossier.tree)
        assert found.load(PICTURE) == dossier.load(PICTURE)
        assert found.summary.case_id == dossier.summary.case_id


def test_a_folder_without_pictures_gives_the_same_id(store: Store, folder: Path) -> None:
    """The picture can be drawn again, so leaving it out loses nothing."""
    assert import_folder(store, folder).dossiers[0].tree == keep(store, sample()).tree


def test_the_name_of_the_folder_does_not_matter(store: Store, tmp_path: Path) -> None:
    """A dossier is called by its project and route."""
    write(tmp_path / "whatever", sample().files)
    assert import_folder(store, tmp_path / "whatever").dossiers[0].name == "DGF-BUY-031007_buy"


def test_a_foreign_picture_stays_what_it_is(store: Store, folder: Path) -> None:
    """A picture with something painted into it is part of the dossier and of its id."""
    (folder / PICTURE).write_bytes(b"\x89PNG painted over")
    found = import_folder(store, folder).dossiers[0]
    assert found.derivation(PICTURE) is None
    assert found.load(PICTURE) == b"\x89PNG painted over"
    assert found.tree != keep(store, sample()).tree


def test_a_claimed_picture_does_not_become_the_kept_one(store: Store, folder: Path) -> None:
    """A stranger's folder cannot slip another picture under a clean dossier."""
    (folder / PICTURE).write_bytes(b"\x89PNG painted over")
    import_folder(store, folder)
    clean = keep(store, sample())
    draw_missing(store, [clean], workers=0)
    assert clean.load(PICTURE) != b"\x89PNG painted over"


def test_a_changed_diagram_keeps_the_clean_picture(store: Store, folder: Path) -> None:
    """Text planted in the SVG changes the SVG alone; the picture is still that of the facts."""
    svg = (folder / DIAGRAM).read_bytes()
    (folder / DIAGRAM).write_bytes(svg.replace(b"</svg>", b"<text>planted</text></svg>"))
    found = import_folder(store, folder).dossiers[0]
    made = found.derivation(PICTURE)
    assert made is None or made.source == hash_object(BLOB, svg)


def test_a_dataset_comes_back_under_its_id(store: Store, tmp_path: Path) -> None:
    """Plan, manifest, reports and dossiers: the whole tree is equal."""
    plan = make_plan(policy="natural", seed=31_100, cases_per_route=1, difficulty=2)
    made, dataset = make_dataset(store, plan, workers=0)
    assert dataset is not None
    export_dataset(store, dataset, tmp_path / "out", pictures=False)
    with new_store(tmp_path / "other") as other:
        found = import_folder(other, tmp_path / "out")
        assert found.dataset is not None
        assert found.dataset.tree == dataset.tree
        assert [one.tree for one in found.dossiers] == [one.tree for one in made.stored]


def test_a_dataset_needs_no_manifest(store: Store, tmp_path: Path) -> None:
    """Then its dossiers are the folders that have a context, by name."""
    for number, spec in enumerate((SPEC, OTHER)):
        write(tmp_path / "set" / f"dossier-{number}", sample(spec).files)
    write(tmp_path / "set" / "notes", {"readme.txt": b"not a dossier"})
    found = import_folder(store, tmp_path / "set")
    assert found.dataset is not None
    assert list(found.dataset.dossiers) == ["dossier-0", "dossier-1"]
    export_dataset(store, found.dataset, tmp_path / "set-again", pictures=False)
    again = import_folder(store, tmp_path / "set-again").dataset
    assert again is not None
    assert again.tree == found.dataset.tree


def test_unknown_files_are_kept(store: Store, folder: Path) -> None:
    """A dossier may have more files than this release knows; they are part of it."""
    write(folder, {"notes/extra.txt": b"more"})
    assert import_folder(store, folder).dossiers[0].load("notes/extra.txt") == b"more"


def test_importing_twice_is_importing_once(store: Store, folder: Path) -> None:
    """The second time adds nothing."""
    first = import_folder(store, folder).dossiers[0]
    assert import_folder(store, folder).dossiers[0].tree == first.tree


# -- refusals


def set_path(path: str) -> Callable[[Path], None]:
    """Give the first node of the graph another path, in both graphs."""

    def change(folder: Path) -> None:
        edit(folder, GRAPH, lambda graph: graph["nodes"][0].update(path=path))

    return change


def in_json(name: str, change: Callable[[Any], object]) -> Callable[[Path], None]:
    """Change one JSON file."""
    return lambda folder: edit(folder, name, change)


def put(name: str, data: bytes) -> Callable[[Path], object]:
    """Replace one file."""
    return lambda folder: (folder / name).write_bytes(data)


def remove(name: str) -> Callable[[Path], None]:
    """Remove one file."""
    return lambda folder: (folder / name).unlink()


def withheld(folder: Path) -> None:
    """Put a file where a record is withheld."""
    nodes = json.loads((folder / GRAPH).read_bytes())["nodes"]
    path = next(node["path"] for node in nodes if node["public_status"] == "UNAVAILABLE")
    write(folder, {path: b"a,b\r\n"})


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "path out of the dossier": (set_path("../../etc/passwd"), GRAPH),
    "absolute path": (set_path("/etc/passwd"), GRAPH),
    "path to the truth": (set_path(TRUTH), GRAPH),
    "no truth": (remove(TRUTH), TRUTH),
    "no graph": (remove(GRAPH), GRAPH),
    "context in another encoding": (put(CONTEXT, '{"é": 1}'.encode("latin-1")), CONTEXT),
    "context in UTF-16": (put(CONTEXT, "{}".encode("utf-16")), CONTEXT),
    "empty context": (put(CONTEXT, b""), CONTEXT),
    "cut off": (put(TRUTH, b'{"case_id": "x", "canonical'), TRUTH),
    "nested without end": (put(TRUTH, b"[" * 100_000), TRUTH),
    "nested in a good place": (
        put(GRAPH, b'{"nodes": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"),
        GRAPH,
    ),
    "not an object": (put(ROUTE, b"[]"), ROUTE),
    "unknown route": (in_json(CONTEXT, lambda c: c["route"].update(key="rent")), CONTEXT),
    "unknown protocol": (in_json(CONTEXT, lambda c: c.update(schema_version="v8")), CONTEXT),
    "another case": (in_json(CONTEXT, lambda c: c.update(case_id="0")), TRUTH),
    "negative seed": (in_json(CONTEXT, lambda c: c.update(seed=-1)), CONTEXT),
    "absurd seed": (in_json(CONTEXT, lambda c: c.update(seed=10**300)), CONTEXT),
    "a meeting less": (in_json(ROUTE, lambda r: r["occurrences"].pop()), ROUTE),
    "a node twice": (in_json(GRAPH, lambda g: g["nodes"].append(g["nodes"][0])), GRAPH),
    "a node in one graph only": (in_json(GRAPH, lambda g: g["nodes"].pop(3)), GRAPH),
    "evidence gone": (remove("shared/project_charter.docx"), "shared/project_charter.docx"),
    "evidence that is withheld": (withheld, "gate_evidence"),
    "another decision": (
        in_json(TRUTH, lambda t: t["reference_decisions"][0].update(disposition="GO")),
        TRUTH,
    ),
    "facts that are no object": (in_json(TRUTH, lambda t: t.update(canonical_truth=[])), TRUTH),
    "a section that is no object": (
        in_json(TRUTH, lambda t: t["canonical_truth"].update(legal=7)),
        TRUTH,
    ),
    "a link": (lambda folder: (folder / "shared" / "link").symlink_to("/etc"), "shared/link"),
    "a huge file": (put("shared/big.bin", bytes(9 * 1024 * 1024)), "shared/big.bin"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_dossier_is_refused_whole(store: Store, folder: Path, fault: str) -> None:
    """The line names the file, and the store stays empty."""
    damage, file = FAULTS[fault]
    damage(folder)
    with pytest.raises(DossierContentError) as refused:
        import_folder(store, folder)
    assert refused.value.problems[0].file.startswith(file)
    assert len(str(refused.value).splitlines()) == 1 + len(refused.value.problems)
    assert is_empty(store)


def test_too_many_files_are_refused(store: Store, folder: Path) -> None:
    """A dossier has about a hundred files; ten thousand are not looked through."""
    write(folder, {f"many/{n}": b"" for n in range(2_000)})
    with pytest.raises(DossierContentError, match="is one of over 1000 files"):
        import_folder(store, folder)
    assert is_empty(store)


def test_a_dataset_with_one_bad_dossier_is_refused_whole(store: Store, tmp_path: Path) -> None:
    """The good ones before and behind it are not taken either."""
    for number, spec in enumerate((SPEC, OTHER)):
        write(tmp_path / "set" / f"dossier-{number}", sample(spec).files)
    remove(GRAPH)(tmp_path / "set" / "dossier-1")
    with pytest.raises(DossierContentError, match=r"dossier-1 [\s\S]*02_evidence_graph.json"):
        import_folder(store, tmp_path / "set")
    assert is_empty(store)


@pytest.mark.parametrize(
    ("manifest", "problem"),
    [
        (b"{", "is no manifest"),
        (b'{"cases": [{"case_dir": 7}]}', "is no manifest"),
        (b'{"cases": [{"case_dir": "../in"}]}', "is no manifest"),
        (b'{"cases": [{"case_dir": "/etc"}]}', "is no manifest"),
        (b'{"cases": [{"case_dir": "gone"}]}', "gone: is listed, but is no folder here"),
        (b'{"cases": [{"case_dir": "link"}]}', "link: is listed, but is no folder here"),
        (b'{"cases": [{"case_dir": "d"}, {"case_dir": "d"}]}', "lists d more than once"),
    ],
)
def test_a_manifest_leads_nowhere_else(
    store: Store, tmp_path: Path, manifest: bytes, problem: str
) -> None:
    """It lists folders of the dataset, each once, and nothing outside."""
    write(tmp_path / "set" / "d", sample().files)
    write(tmp_path / "in", sample().files)
    (tmp_path / "set" / "link").symlink_to(tmp_path / "in")
    write(tmp_path / "set", {"dataset_manifest.json": manifest})
    with pytest.raises(DossierContentError) as refused:
        import_folder(store, tmp_path / "set")
    assert problem in str(refused.value)
    assert is_empty(store)


def test_a_folder_of_something_else_is_refused(store: Store, tmp_path: Path) -> None:
    """An empty folder, and one that is not there."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(FolderError, match="neither a dossier nor a dataset"):
        import_folder(store, tmp_path / "empty")
    with pytest.raises(FolderError, match="no such folder"):
        import_folder(store, tmp_path / "none")


def test_what_cannot_be_stored_in_time_is_no_dossier(store: Store, folder: Path) -> None:
    """If the disk refuses while dossiers go in, nothing can be found afterwards."""

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    store.commit = refuse  # type: ignore[assignment,method-assign]  # the disk, full
    with pytest.raises(OSError, match="No space"):
        import_folder(store, folder)
    assert is_empty(store)


# -- anything else

ROOTS = (CONTEXT, ROUTE, GRAPH, TRUTH, "04_gate_contracts.json", "05_phase_visibility.json",
         "agent_submission_template.json")  # fmt: skip
WHOLE = sample().files
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=True),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.just("../../../etc/passwd"),
)


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        yield (*above, key)
        yield from places(item, (*above, key))


PLACES = {name: list(places(json.loads(WHOLE[name]))) for name in ROOTS}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_change_of_a_root_file_is_taken_or_refused(
    store: Store, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever stands anywhere in a root file: a dossier, or a refusal with its problems."""
    name = data.draw(st.sampled_from(ROOTS))
    *way, last = data.draw(st.sampled_from(PLACES[name]))
    content = copy.deepcopy(json.loads(WHOLE[name]))
    inner = content
    for step in way:
        inner = inner[step]
    inner[last] = data.draw(VALUES)
    changed = {**WHOLE, name: json.dumps(content).encode()}
    folder = write(tmp_path_factory.mktemp("changed"), changed)
    try:
        found = import_folder(store, folder).dossiers[0]
    except DossierContentError:
        return
    assert found.load(name) == changed[name]


def test_own_dossiers_are_told_from_others() -> None:
    """Every version of the generator is recognised; another case's id is not."""
    files = sample().files
    own = own_dossier(files)
    assert own is not None
    assert own.files == files
    context = json.loads(files[CONTEXT])
    foreign = {**files, CONTEXT: json.dumps({**context, "case_id": "0"}).encode()}
    assert own_dossier(foreign) is None
    assert own_dossier(sample_of("hashed-2")) is not None


def sample_of(version: str) -> dict[str, bytes]:
    """Files of a dossier by another version of the generator."""
    return dict(sample(msgspec.structs.replace(SPEC, generator=version)).files)
