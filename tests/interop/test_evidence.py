"""Our graph and records against dossiers the reference package generates, black box.

`DGF_REFERENCE` names its executable. Only its command line is used, and the files it writes.
"""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generators.evidence import DossierContext, build_records, build_tables
from generators.governance import builtin_rules

REFERENCE = os.environ.get("DGF_REFERENCE")
pytestmark = [
    pytest.mark.interop,
    pytest.mark.timeout(900),
    pytest.mark.skipif(REFERENCE is None, reason="DGF_REFERENCE names no reference executable"),
]

FREE_TEXT: dict[str, tuple[str, ...]] = {
    "adr_register.csv": ("decision",),
    "vendor_responses.json": ("note", "statement"),
    "accessibility_report.csv": ("scope",),
    "contract_playbook.json": (
        "DPA",
        "audit_right",
        "exit_assistance_days",
        "security_log_export",
        "signing_authority",
    ),
    "control_matrix.csv": ("evidence",),
    "flow_matrix.csv": ("purpose",),
    "compliance_register.csv": ("detail",),
}
"""Files with prose of our own, and the keys that hold it; they are equal in everything else."""


@pytest.fixture(scope="module")
def dossiers(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Dossiers of the three routes at every difficulty."""
    assert REFERENCE is not None
    root = tmp_path_factory.mktemp("reference")
    for difficulty in range(1, 6):
        arguments = ["generate", "--cases-per-route", "2", "--seed", str(61_000 + 100 * difficulty)]
        target = root / f"d{difficulty}"
        arguments += ["--difficulty", str(difficulty), "--output-dir", str(target)]
        subprocess.run([REFERENCE, *arguments], check=True, capture_output=True, timeout=600)
    return sorted(path.parent for path in root.glob("*/*/00_project_context.json"))


def _context(folder: Path) -> tuple[DossierContext, dict[str, Any]]:
    hidden = json.loads((folder / "99_hidden_ground_truth.json").read_text("utf-8"))
    public = json.loads((folder / "00_project_context.json").read_text("utf-8"))
    route = builtin_rules().route(public["route"]["key"])
    ctx = DossierContext(hidden["canonical_truth"], case_id=hidden["case_id"], route=route)
    return ctx, hidden


def test_graphs_are_equal(dossiers: list[Path]) -> None:
    """Every node has the reference's path, version, age, status and hidden mode."""
    for folder in dossiers:
        ctx, hidden = _context(folder)
        ours = [
            {**msgspec.to_builtins(node), "_hidden_mode": ctx.graph.modes[name]}
            for name, node in ctx.graph.nodes.items()
        ]
        assert json.loads(json.dumps(ours)) == hidden["evidence_graph"]["nodes"], folder.name
    print(f"\ngraphs equal: {len(dossiers)} of {len(dossiers)} dossiers, 82 nodes each")


def _plain(name: str, data: bytes) -> Any:
    """The content without its prose; rows as a multiset where prose decides their order."""
    free = FREE_TEXT[name]
    if name.endswith(".json"):
        return _without(json.loads(data), free)
    rows = [_without(row, free) for row in csv.DictReader(io.StringIO(data.decode(), newline=""))]
    return sorted(rows, key=str) if name == "compliance_register.csv" else rows


def _without(value: Any, free: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        return {k: "" if k in free else _without(v, free) for k, v in value.items()}
    return [_without(item, free) for item in value] if isinstance(value, list) else value


def _files(dossiers: list[Path]) -> Iterator[tuple[Path, bytes]]:
    for folder in dossiers:
        ctx, _ = _context(folder)
        for path, data in (build_tables(ctx) | build_records(ctx)).items():
            if (folder / path).exists():
                yield folder / path, data


def test_files_are_equal_byte_for_byte(dossiers: list[Path]) -> None:
    """CSV, JSON and YAML evidence is the reference's, to the byte unless it holds prose."""
    same = prose = 0
    for theirs, ours in _files(dossiers):
        expected = theirs.read_bytes()
        if theirs.name in FREE_TEXT:
            assert _plain(theirs.name, ours) == _plain(theirs.name, expected), theirs
            prose += 1
        else:
            assert ours == expected, theirs
            same += 1
    assert same > 1000
    print(f"\nfiles equal byte for byte: {same}; equal but for prose: {prose}")
