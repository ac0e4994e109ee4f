"""`dgf dossier make`, `export`, `import`, `show` and `check`, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generators.dossier import DossierSpec, build_dossier, generation
from tests.cli.invoke import Dgf
from tests.generators.dossier.samples import read

BUY, BUILD = "DGF-BUY-036000_buy", "DGF-BLD-036001_build"
MAKE = ("make", "--seed", 36000, "--dossiers", 2, "--difficulty", 5, "--route", "buy",
        "--route", "build")  # fmt: skip
TRUTH = "99_hidden_ground_truth.json"


class Dossier:
    """`dgf dossier …` with a store of its own."""

    def __init__(self, dgf: Dgf, folder: Path) -> None:
        self._dgf = dgf
        self.folder = folder
        self.store = folder / "store"

    def __call__(self, command: str, *arguments: object) -> Any:
        """Run a command that has to succeed; what its `--json` says."""
        ran = self.run(command, *arguments, "--json")
        assert (ran.code, ran.err) == (0, "")
        return json.loads(ran.out)

    def run(self, command: str, *arguments: object) -> Any:
        """Run a command."""
        return self._dgf("dossier", command, *arguments, "--store", self.store)


@pytest.fixture
def dossier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Dossier:
    """The command, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Dossier(Dgf(monkeypatch, capsys), tmp_path)


def test_make_keeps_dossiers_and_their_dataset(dossier: Dossier) -> None:
    """Names, ids, seeds one after the other; a second time makes nothing."""
    made = dossier(*MAKE)
    assert [one["name"] for one in made["dossiers"]] == [BUY, BUILD]
    assert [one["summary"]["seed"] for one in made["dossiers"]] == [36000, 36001]
    assert (made["reused"], made["failures"], made["notes"], made["to"]) == (0, [], [], None)
    again = dossier(*MAKE)
    assert again["reused"] == 2
    assert (again["dossiers"], again["dataset"]) == (made["dossiers"], made["dataset"])
    listed = dossier("show")
    assert {one["name"] for one in listed["dossiers"]} == {BUY, BUILD}
    assert listed["datasets"] == [{**made["dataset"], "dossiers": 2}]


def test_make_can_write_a_folder(dossier: Dossier) -> None:
    """With `--to` the dataset is there as files, with the pictures unless they are unwanted."""
    made = dossier(*MAKE, "--to", "out", "--no-pictures")
    files = read(dossier.folder / "out")
    assert len(files) == made["files"]
    assert f"{BUY}/{TRUTH}" in files
    assert not any(path.endswith(".png") for path in files)
    single = ("make", "--seed", 36000, "--dossiers", 1, "--difficulty", 5, "--route", "buy")
    dossier(*single, "--to", "pictured")
    pictures = [p for p in read(dossier.folder / "pictured") if p.endswith(".png")]
    assert pictures == [f"{BUY}/gate_evidence/architecture/Architecture_Diagram_Detailed.png"]


def test_make_tells_people_each_step(dossier: Dossier) -> None:
    """Piped: a line for every dossier on standard error, the table on standard output."""
    ran = dossier.run(*MAKE)
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "dossier 1/2 seed 36000, route buy",
        "dossier 2/2 seed 36001, route build",
    ]
    assert ran.out.splitlines()[0].split() == [
        "DOSSIER", "ID", "VARIANT", "DIFFICULTY", "FILES", "PROJECT",
    ]  # fmt: skip
    assert "made 2, already there 0" in ran.out


def test_make_says_what_cannot_be_certified(dossier: Dossier) -> None:
    """The full lifecycle is made, with a note; certifying it fails with the same."""
    full = ("make", "--seed", 5, "--dossiers", 1, "--route", "full_lifecycle")
    (note,) = dossier(*full)["notes"]
    assert "cannot be certified" in note
    assert note in dossier.run(*full).out
    assert dossier("check")["holds"] is True
    ran = dossier.run("check", "--certify")
    assert ran.code == 1
    assert note in ran.out


def test_make_says_what_failed(dossier: Dossier, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1, seed and reason; the others are kept, and the same command goes on."""

    def sometimes(spec: DossierSpec) -> object:
        if spec.route == "buy":
            raise OSError("no luck")
        return build_dossier(spec)

    with monkeypatch.context() as patched:
        patched.setattr(generation, "build_dossier", sometimes)
        ran = dossier.run(*MAKE, "--to", "out")
    assert ran.code == 1
    assert "failed: seed 36000, buy: OSError: no luck" in ran.out
    assert "no dataset was made" in ran.out
    assert "dossier 1/2 seed 36000, route buy: OSError: no luck" in ran.err
    assert not (dossier.folder / "out").exists()
    assert dossier(*MAKE)["reused"] == 1


def test_make_without_means_to_draw_keeps_the_dossiers(
    dossier: Dossier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names a dossier and the way out; everything made is in the store."""

    def broken(*_: object, **__: object) -> bytes:
        raise OSError("no ink")

    monkeypatch.setattr(generation, "draw", broken)
    ran = dossier.run(*MAKE, "--to", "out", "--workers", 0)
    assert ran.code == 1
    assert "no ink" in ran.err
    assert "--no-pictures" in ran.err
    assert not (dossier.folder / "out").exists()
    assert len(dossier("show")["dossiers"]) == 2


def test_make_balanced(dossier: Dossier) -> None:
    """The plan of the dataset says how it was sampled."""
    made = dossier("make", "--seed", 36100, "--dossiers", 3, "--sampling", "balanced")
    assert made["dataset"]["name"].startswith("balanced-coverage-v1-seed36100")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--seed", "1", "--dossiers", "4"], "ask for a multiple of 3"),
        (["--seed", "1", "--dossiers", "0"], "ask for a multiple of 3"),
        (["--seed", "1", "--dossiers", "1", "--route", "rent"], "unknown route 'rent'"),
        (["--seed", "-1", "--dossiers", "3"], "seed"),
        (["--seed", "1", "--dossiers", "3", "--difficulty", "6"], "no difficulty 6"),
        (["--dossiers", "3"], "Missing option '--seed'"),
        (["--seed", "1", "--dossiers", "3", "--sampling", "odd"], "Invalid value"),
    ],
)
def test_make_refuses_what_cannot_be_made(
    dossier: Dossier, arguments: list[str], error: str
) -> None:
    """Exit code 2, one line, nothing made."""
    ran = dossier.run("make", *arguments)
    assert ran.code == 2
    assert error in " ".join(ran.err.replace("│", " ").split())
    assert not dossier.store.exists()


def test_a_folder_in_the_way_is_found_before_anything_is_made(dossier: Dossier) -> None:
    """`--to` and `export` refuse an existing folder at once."""
    (dossier.folder / "out").mkdir()
    ran = dossier.run(*MAKE, "--to", "out")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "dgf: already exists [out]: name a folder that does not exist\n"
    assert not dossier.store.exists()


def test_export_and_import_give_the_same_ids(dossier: Dossier) -> None:
    """A dossier and a dataset, out of one store and into another."""
    made = dossier(*MAKE)
    dossier("export", BUY, "one", "--no-pictures")
    dossier("export", made["dataset"]["id"][:8], "all", "--no-pictures")
    dossier.store = dossier.folder / "other"
    assert dossier("import", "one")["dossiers"] == [made["dossiers"][0]]
    imported = dossier("import", "all")
    assert imported["dataset"]["id"] == made["dataset"]["id"]
    assert imported["dossiers"] == made["dossiers"]


def test_export_draws_the_picture(dossier: Dossier) -> None:
    """The first export draws it, the second takes what was kept."""
    dossier(*MAKE)
    dossier("export", BUY, "first", "--workers", 0)
    ran = dossier.run("export", BUY, "second")
    assert (ran.code, ran.err) == (0, "")
    assert read(dossier.folder / "first") == read(dossier.folder / "second")


def test_export_public_copies(dossier: Dossier) -> None:
    """No truth; a phase on demand; only of dossiers, and only whole sentences of options."""
    made = dossier(*MAKE)
    dossier("export", BUY, "public", "--public", "--phase", "design", "--no-pictures")
    files = read(dossier.folder / "public")
    assert TRUTH not in files
    assert files["PHASE.txt"] == b"design\n"
    for arguments, error in (
        ([BUY, "x", "--phase", "design"], "add --public"),
        ([BUY, "x", "--public", "--phase", "never", "--no-pictures"], "unknown phase 'never'"),
        ([made["dataset"]["name"], "x", "--public", "--no-pictures"], "made of one dossier"),
        (["nobody", "x"], "nothing of that name or id"),
    ):
        ran = dossier.run("export", *arguments)
        assert ran.code == 2
        assert error in ran.err
        assert not (dossier.folder / "x").exists()


def test_export_with_other_messages(dossier: Dossier) -> None:
    """Findings say what the file gives them; `check --wording` notices, `check` does not mind."""
    dossier(*MAKE)
    truth = json.loads(_file(dossier, BUY, TRUTH))
    found = [f for d in truth["reference_decisions"] for f in d["findings"]]
    messages = {finding["id"]: "in other words" for finding in found}
    (dossier.folder / "messages.json").write_text(json.dumps(messages), encoding="utf-8")
    dossier("export", BUY, "out", "--messages", "messages.json", "--no-pictures")
    written = json.loads((dossier.folder / "out" / TRUTH).read_bytes())
    said = {f["message"] for d in written["reference_decisions"] for f in d["findings"]}
    assert said == {"in other words"}
    assert dossier("check", "out")["holds"] is True
    assert dossier.run("check", "out", "--wording").code == 1


def _file(dossier: Dossier, name: str, path: str) -> bytes:
    target = dossier.folder / "copy"
    dossier("export", name, target, "--no-pictures")
    return (target / path).read_bytes()


def test_import_refuses_with_a_line_a_problem(dossier: Dossier) -> None:
    """Exit code 1, the files named, no escape sequence of a hostile name, nothing in the store."""
    dossier(*MAKE)
    dossier("export", BUY, "out", "--no-pictures")
    (dossier.folder / "out" / TRUTH).unlink()
    (dossier.folder / "out" / "05_phase_visibility.json").write_bytes(b"{")
    dossier.store = dossier.folder / "other"
    ran = dossier.run("import", "out")
    assert ran.code == 1
    lines = ran.err.splitlines()
    assert [line.split(":")[0].strip() for line in lines[-2:]] == [
        "05_phase_visibility.json",
        TRUTH,
    ]
    (dossier.folder / "out" / "red\x1b[31m").write_bytes(b"")
    assert "\x1b" not in dossier.run("import", "out").err
    assert dossier("show") == {"dossiers": [], "datasets": []}
    assert dossier.run("import", "nowhere").code == 1


def test_show_lists_evidence_decisions_and_facts(dossier: Dossier) -> None:
    """A table of contents with hidden modes, and each decisive fact with its place."""
    dossier(*MAKE)
    shown = dossier("show", BUY)
    assert len(shown["evidence"]) == 82
    assert {row["mode"] for row in shown["evidence"]} > {"truthful"}
    assert TRUTH in shown["other_files"]
    assert len(shown["decisions"]) == 6
    assert all(row["source"] and row["pointers"] for row in shown["facts"])
    text = dossier.run("show", BUY).out
    for heading in ("EVIDENCE", "OTHER FILES", "DISPOSITION", "FACT"):
        assert heading in text
    assert "procurement.selected_vendor" in text


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("BUDGET_APPROVAL", "approved_keur"),
        ("gate_evidence/general/budget_approval.csv", "general.budget_approved_eur"),
        ("PROJECT_CHARTER", "Criticality"),
        ("HLD", "label"),
        ("REVIEW_FACTS_LEGAL", "liability_cap_multiplier"),
        ("README_CASE.md", "dgf dossier"),
        (TRUTH, "canonical_truth"),
    ],
)
def test_show_a_file_as_text(dossier: Dossier, file: str, says: str) -> None:
    """By evidence id or path: tables in columns, documents as paragraphs, JSON indented."""
    dossier(*MAKE)
    ran = dossier.run("show", BUY, file)
    assert (ran.code, ran.err) == (0, "")
    assert says in ran.out
    assert dossier("show", BUY, file)["content"]


def test_show_says_what_a_document_claims_and_what_is_true(dossier: Dossier) -> None:
    """Shown value and true value stand beside each other with the pointer."""
    dossier(*MAKE)
    facts = dossier("show", BUY, "BUDGET_APPROVAL")["facts"]
    assert {fact["field"] for fact in facts} == {
        "general.budget_approved_eur",
        "general.budget_requested_eur",
    }
    assert all(fact["shown"] == fact["value"] for fact in facts)


def test_show_folders_and_datasets(dossier: Dossier) -> None:
    """A dossier's folder is shown as one of the store; a dataset is its dossiers."""
    made = dossier(*MAKE)
    dossier("export", BUY, "out", "--no-pictures")
    assert dossier("show", "out")["facts"] == dossier("show", BUY)["facts"]
    assert dossier("show", made["dataset"]["name"])["dossiers"] == sorted(
        made["dossiers"], key=lambda one: str(one["name"])
    )


def test_show_refuses_what_is_not_there(dossier: Dossier) -> None:
    """An unknown dossier, an unknown file, an item that is withheld."""
    dossier(*MAKE)
    evidence = dossier("show", BUY)["evidence"]
    withheld = next(
        row["node"]["evidence_id"]
        for row in evidence
        if row["node"]["public_status"] == "UNAVAILABLE"
    )
    for arguments, error in (
        (["nobody"], "nothing of that name or id"),
        ([BUY, "no.txt"], "the dossier has no such file"),
        ([BUY, withheld], "it is unavailable"),
    ):
        ran = dossier.run("show", *arguments)
        assert ran.code == 2
        assert error in ran.err


def test_check_everything_in_the_store(dossier: Dossier) -> None:
    """Sound, certified, and answered right by a reader without a model, which calls no model."""
    dossier(*MAKE)
    checked = dossier("check", "--certify", "--baseline", "--wording")
    assert (checked["holds"], checked["checked"], checked["model_api_calls"]) == (True, 2, 0)
    assert "not scored" in checked["note"]
    for result in checked["dossiers"]:
        assert result["certified_occurrences"] == result["occurrences"] > 0
        assert result["field_checks"] > 0
    assert "11 of 11 occurrences certified" in dossier.run("check", "--certify").out


def test_check_a_folder_that_does_not_hold(dossier: Dossier) -> None:
    """Exit code 1 and the problem; the sound dossier beside it holds; digests of the folder."""
    made = dossier(*MAKE, "--to", "out", "--no-pictures")
    assert len(dossier("check", "out")["dataset_fingerprint"]) == 64
    place = dossier.folder / "out" / BUILD / "gate_evidence/it/technology_catalog.json"
    place.write_bytes(b"{}")
    ran = dossier.run("check", "out", "--certify", "--json")
    assert ran.code == 1
    problems = {one["name"]: one["problems"] for one in json.loads(ran.out)["dossiers"]}
    assert problems[BUY] == []
    assert any("it.catalog_status" in problem["problem"] for problem in problems[BUILD])
    assert "2 of 2 dossiers hold" in dossier.run("check", made["dataset"]["name"]).out


def test_commands_that_need_a_store_say_so(dossier: Dossier) -> None:
    """Without a store there is nothing to show, check or export."""
    for arguments in (("show",), ("check",), ("export", BUY, "out")):
        ran = dossier.run(*arguments)
        assert ran.code == 2
        assert "there is no store here" in ran.err
