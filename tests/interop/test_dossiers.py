"""Dossiers both ways: the published package accepts ours, and we accept the published ones.

Its validation compares what findings say word for word, so the messages of the rules are taken from
a dossier it wrote; everything else in our dossiers is our own.
"""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cache import Store
from generators.dossier import Dossier, DossierSpec, build_dossier
from generators.dossier.folders import read_folder, write_folder
from generators.dossier.importing import import_folder
from generators.dossier.pictures import draw_pictures
from generators.dossier.validation import validate
from generators.dossier.verification import (
    baseline_problems,
    certification,
    certification_problems,
)
from generators.governance import RuleTable, builtin_rules
from tests.interop.conftest import Dataset

pytestmark = [pytest.mark.interop, pytest.mark.timeout(1800)]

ROUTES = ("buy", "integrate", "build")


def _messages(contracts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Rule and message of every finding in the policies of a dossier's contracts."""
    for contract in contracts.values():
        code = ast.parse(contract["decision_policy"]["rule_definition_python"])
        for node in ast.walk(code):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "finding":
                yield str(ast.literal_eval(node.args[0])), _text(node.args[2])


def _text(message: ast.expr) -> str:
    """A message; a number put into it becomes the place `{count}`."""
    if isinstance(message, ast.JoinedStr):
        parts = message.values
        return "".join(str(p.value) if isinstance(p, ast.Constant) else "{count}" for p in parts)
    return str(ast.literal_eval(message))


@pytest.fixture(scope="module")
def rules(datasets: list[Dataset]) -> RuleTable:
    """Our rules with the published messages."""
    folder = datasets[0].dossiers[0].folder
    messages = dict(_messages(json.loads((folder / "04_gate_contracts.json").read_text("utf-8"))))
    assert messages.keys() == builtin_rules().rules.keys()
    return builtin_rules().with_messages(messages)


def _write(root: Path, dossiers: list[Dossier], *, pictures: int = 0) -> list[Path]:
    """Write dossiers as folders below `root`, the first ones with their pictures."""
    for number, dossier in enumerate(dossiers):
        extra = draw_pictures(dossier) if number < pictures else {}
        write_folder(root / dossier.name, (dict(dossier.files) | extra).items())
    return [root / dossier.name for dossier in dossiers]


def _run(reference: str, *arguments: str) -> dict[str, Any]:
    """The JSON that a command prints; a command that fails shows what it printed."""
    command = [reference, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


@pytest.mark.parametrize("composed", [False, True])
def test_our_dossiers_are_accepted(
    reference: str, rules: RuleTable, tmp_path: Path, composed: bool
) -> None:
    """All routes, all difficulties: valid and certified one by one, certified and verified."""
    specs = [
        DossierSpec(seed=62_000 + 10 * d + n, route=route, difficulty=d, composed=composed)
        for d in range(1, 6)
        for n, route in enumerate(ROUTES)
    ]
    built = [build_dossier(spec, rules=rules) for spec in specs]
    for folder in _write(tmp_path / "ours", built, pictures=2):
        answer = _run(reference, "validate", "--case", str(folder), "--require-certified")
        assert answer["status"] == "PASS", answer
    report = _run(reference, "certify", "--dataset", str(tmp_path / "ours"))
    assert report["certified_occurrences"] == report["occurrences"] > 80
    verified = tmp_path / "verified.json"
    _run(reference, "verify", "--dataset", str(tmp_path / "ours"), "--output", str(verified))
    answer = json.loads(verified.read_text("utf-8"))
    assert answer["status"] == "PASS"
    assert answer["public_baseline_complete_cases"] == len(specs)
    print(f"\naccepted: {len(specs)} dossiers, {report['occurrences']} certified reviews")


def test_our_full_lifecycle_is_accepted(reference: str, rules: RuleTable, tmp_path: Path) -> None:
    """The route that cannot be certified is valid and passes the baseline of facts."""
    spec = DossierSpec(seed=63_000, route="full_lifecycle", difficulty=4)
    (folder,) = _write(tmp_path / "ours", [build_dossier(spec, rules=rules)])
    assert _run(reference, "validate", "--case", str(folder))["status"] == "PASS"
    verified = tmp_path / "verified.json"
    _run(reference, "verify", "--dataset", str(tmp_path / "ours"), "--output", str(verified))
    assert json.loads(verified.read_text("utf-8"))["public_baseline_complete_cases"] == 1


def test_published_dossiers_are_accepted(datasets: list[Dataset], rules: RuleTable) -> None:
    """Every published dossier is valid here to the word, and its decisive values all come back."""
    reviews = values = 0
    for dataset in datasets:
        for dossier in dataset.dossiers:
            files = read_folder(dossier.folder)
            assert isinstance(files, dict), files
            assert validate(files) == ()
            assert validate(files, rules=rules, wording=True) == ()
            assert baseline_problems(files) == ()
            if dossier.planned["route"] != "full_lifecycle":
                assert certification_problems(files) == ()
                checks = certification(files)
                values += len(checks)
                reviews += len({check.occurrence_id for check in checks})
    assert values > 1500
    print(f"\ndecoded from published dossiers: {values} of {values} values, {reviews} reviews")


def test_published_datasets_are_imported(datasets: list[Dataset], tmp_path: Path) -> None:
    """A published dataset comes into a store with all its dossiers, file by file."""
    with Store.open(tmp_path / "store", "create") as store:
        for dataset in datasets[:2]:
            imported = import_folder(store, dataset.folder)
            assert imported.dataset is not None
            assert len(imported.dossiers) == len(dataset.dossiers)
            for stored in imported.dossiers:
                files = read_folder(dataset.folder / stored.name)
                assert isinstance(files, dict)
                assert {path: stored.load(path) for path in stored.ids} == files
