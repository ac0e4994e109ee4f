"""The documents of a dossier: what a decoder finds in them, and that it is the displayed truth."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import docx
import pytest
from hypothesis import given, settings

from cache.errors import UsageError
from generators.documents import build_documents, build_review_request, compose_document
from generators.evidence.context import DossierContext
from generators.evidence.graph import Mode
from tests.generators.documents.contexts import (
    MODES,
    contexts,
    fact,
    make_context,
    style_of,
)

CATALOG = tomllib.loads((Path(__file__).parents[2] / "data" / "catalog.toml").read_text("utf-8"))
SOURCES = {one["id"]: one for one in CATALOG["source"] if one.get("format") == "docx"}
DECODERS = [one for one in CATALOG["decoder"] if one["kind"].startswith("docx_")]
CAPTURES = {"no_period": r"[^.]+", "non_space": r"\S+", "word": r"\w+"}

LABELS = {
    "PROJECT_CHARTER": [
        "Name",
        "Route",
        "Business unit",
        "Sponsor",
        "Project manager",
        "Business owner",
        "Risk owner",
        "Criticality",
        "Data classification",
        "Users impacted",
        "Target go-live",
    ],
    "BENEFITS_PLAN": ["KPI", "Owner", "Change plan"],
    "COMMITTEE_BRIEFING": [
        "Portfolio priority",
        "Strategic alignment",
        "Requested budget",
        "Approved budget",
        "ROI",
        "Risk owner",
    ],
    "SUPPORT_RACI": ["Run owner", "Support model", "Patch SLA days", "CMDB required"],
    "TECH_WAIVER": ["Catalog status", "Waiver present", "Expiry days", "Convergence owner"],
    "LLD": [
        "API gateway required",
        "API gateway present",
        "DNS zone",
        "Latency target ms",
        "Measured latency ms",
        "Reversibility",
    ],
    "PENTEST": ["Status", "Age days", "Critical findings", "High findings"],
    "THREAT_MODEL": [],
    "RUNBOOK": ["Runbook status", "On-call defined", "Handover signed", "Service owner"],
    "RFP": ["Requirements", "Competition", "Budget"],
    "VENDOR_EVIDENCE_REQUEST": ["Selected vendor", "Project", "Requested by"],
    "MSA": [],
    "DPA": ["Status", "Roles", "Primary region", "Personal data"],
    "SLA_ANNEX": ["Availability", "P1 response", "Penalties", "Recovery target"],
    "INSURANCE": ["Valid", "Cyber coverage EUR m", "Insured"],
    "NEGOTIATION_LOG": [],
    "DPIA": ["Required", "Status", "Personal data", "AI enabled", "Residual risk owner"],
    "AI_IMPACT": [
        "AI enabled",
        "Ethics review",
        "High-impact decision",
        "Human override available",
    ],
}
"""Row labels of each document (protocol, dossier section 6.2)."""


def read_blocks(data: bytes) -> list[str]:
    """Blocks as a reader gets them: non-empty paragraphs, then table rows joined by bars."""
    document = docx.Document(io.BytesIO(data))
    paragraphs = [one.text for one in document.paragraphs if one.text.strip()]
    rows = [
        " | ".join(one.text.strip() for one in line.cells)
        for table in document.tables
        for line in table.rows
    ]
    return paragraphs + rows


def decode(decoder: Mapping[str, str], blocks: list[str]) -> str | None:
    """The text a published decoder takes out of the blocks."""
    if decoder["kind"] == "docx_label":
        start = f"{decoder['label']} | "
        found = [block.removeprefix(start) for block in blocks if block.startswith(start)]
        return found[0] if found else None
    pattern = (
        re.escape(decoder["marker"])
        + f"({CAPTURES[decoder['capture']]})"
        + re.escape(decoder["after"])
    )
    matches = [match for block in blocks if (match := re.search(pattern, block))]
    return matches[0][1] if matches else None


def displayed(context: DossierContext, decoder: Mapping[str, str]) -> str:
    """What the document should print: the fact, through the hidden mode where it has a key."""
    value = fact(context.case, decoder["field"])
    if key := decoder.get("perturb_key"):
        value = context.shown(decoder["source"], key, value)
    return str(value)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [1, 77, 4096, 9001])
def test_decoders_find_the_displayed_value(mode: Mode, seed: int) -> None:
    """Each published label and marker leads to the value that the mode displays; null is None."""
    context = make_context(seed, route=("buy", "integrate", "build")[seed % 3], mode=mode)
    documents = build_documents(context)
    blocks = {name: read_blocks(documents[one["path"]]) for name, one in SOURCES.items()}
    for decoder in DECODERS:
        found = decode(decoder, blocks[decoder["source"]])
        assert found == displayed(context, decoder), (decoder["field"], decoder["source"])


@settings(max_examples=25)
@given(contexts)
def test_decoders_hold_for_any_dossier(context: DossierContext) -> None:
    """The same for dossiers of any seed, route, difficulty and mode."""
    documents = build_documents(context)
    blocks = {name: read_blocks(documents[one["path"]]) for name, one in SOURCES.items()}
    for decoder in DECODERS:
        assert decode(decoder, blocks[decoder["source"]]) == displayed(context, decoder)


def test_all_docx_sources_are_written() -> None:
    """The documents are the Word sources of the published catalog, at their paths."""
    documents = build_documents(make_context(3))
    assert sorted(documents) == sorted(source["path"] for source in SOURCES.values())


def test_withheld_documents_are_not_written() -> None:
    """A source that is not available has no file: the waiver of a standard technology."""
    for seed in range(40):
        open_context = make_context(seed)
        drawn = DossierContext(open_context.case, case_id="case", route=open_context.route)
        written = SOURCES["TECH_WAIVER"]["path"] in build_documents(drawn)
        assert written == (drawn.case["it"]["catalog_status"] != "standard")


@pytest.mark.parametrize("evidence_id", LABELS)
def test_label_rows_are_those_of_the_protocol(evidence_id: str) -> None:
    """A document has the protocol's rows in order, and no block before a row poses as it."""
    data = build_documents(make_context(11))[SOURCES[evidence_id]["path"]]
    blocks = read_blocks(data)
    rows = [block.partition(" | ")[0] for block in blocks if " | " in block]
    assert rows == (["Field", *LABELS[evidence_id]] if LABELS[evidence_id] else [])
    assert len(set(rows)) == len(rows)


@pytest.mark.parametrize(("present", "owner"), [(True, "service_owner"), (False, None)])
def test_run_owner_is_named_or_open(present: bool, owner: str | None) -> None:
    """The support sheet names the service owner when one is displayed, else says TBD."""
    context = make_context(5)
    case = {**context.case, "it": {**context.case["it"], "run_owner_present": present}}
    changed = make_context(5)
    changed.case = case
    blocks = read_blocks(build_documents(changed)[SOURCES["SUPPORT_RACI"]["path"]])
    expected = case["project"][owner] if owner else "TBD"
    assert f"Run owner | {expected}" in blocks


def test_msa_has_twelve_numbered_clauses_with_remarks() -> None:
    """Clause headings are numbered 1 to 12; each has one paragraph and one supplier remark."""
    data = build_documents(make_context(8))[SOURCES["MSA"]["path"]]
    styles = [(style_of(one), one.text) for one in docx.Document(io.BytesIO(data)).paragraphs[2:]]
    assert [style for style, _ in styles] == ["Heading 1", "Normal", "Quote"] * 12
    assert [int(text.partition(".")[0]) for _, text in styles[::3]] == list(range(1, 13))


def test_negotiation_log_states_true_values_in_any_mode() -> None:
    """The log repeats the terms as they are, even when other documents distort them."""
    for mode in MODES:
        context = make_context(21, mode=mode)
        legal = context.case["legal"]
        log = "\n".join(read_blocks(build_documents(context)[SOURCES["NEGOTIATION_LOG"]["path"]]))
        for name in (
            "liability_cap_multiplier",
            "audit_right",
            "exit_assistance_days",
            "log_export_clause",
            "dpa_status",
        ):
            assert str(legal[name]) in log


def test_hostile_case_text_stays_text() -> None:
    """Markup and control characters in a case neither break a document nor act in it."""
    context = make_context(4)
    name = 'Evil & Sons <w:t>"x"</w:t> {unit} [a|b] \x07\ufffe'
    project = {**context.case["project"], "business_unit": name}
    context.case = {**context.case, "project": project}
    for data in build_documents(context).values():
        read_blocks(data)
    charter = read_blocks(build_documents(context)["shared/project_charter.docx"])
    assert 'Business unit | Evil & Sons <w:t>"x"</w:t> {unit} [a|b]' in charter


@pytest.mark.parametrize("gate", CATALOG["meta"]["gates"])
def test_review_request_lists_its_evidence(gate: str) -> None:
    """A cover document names the project and lists id, version, status, path of every node."""
    context = make_context(17)
    nodes = [node for node in context.graph.nodes.values() if gate in node.consumers]
    data = build_review_request(context, gate, nodes)
    particulars, index = docx.Document(io.BytesIO(data)).tables
    assert [row.cells[0].text for row in particulars.rows] == [
        "Field",
        "Project",
        "Business unit",
        "Criticality",
        "Data classification",
        "Target go-live",
    ]
    assert [[cell.text for cell in row.cells] for row in index.rows] == [
        ["Evidence ID", "Version", "Status", "Path"],
        *([one.evidence_id, str(one.version), one.public_status, one.path] for one in nodes),
    ]
    bullets = [
        one for one in docx.Document(io.BytesIO(data)).paragraphs if style_of(one) == "List Bullet"
    ]
    assert len(bullets) == 3


def test_unknown_document_is_a_user_error() -> None:
    """Asking for a document that is none names it and lists those there are."""
    with pytest.raises(UsageError, match="no such Word document") as refused:
        compose_document(make_context(1), "HLD")
    assert "PROJECT_CHARTER" in str(refused.value)


DIGEST = """
import hashlib
from generators.documents import build_documents, build_review_request
from tests.generators.documents.contexts import make_context
context = make_context(9001, mode="partial")
digest = hashlib.sha256()
for path, data in build_documents(context).items():
    digest.update(path.encode() + data)
digest.update(build_review_request(context, "legal", list(context.graph.nodes.values())))
print(digest.hexdigest())
"""


def test_bytes_do_not_depend_on_the_process() -> None:
    """Hash seed, time zone, locale and working folder leave every byte as it is."""
    root = Path(__file__).parents[3]
    digests = set()
    for variation in (
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "2", "TZ": "America/Lima", "LC_ALL": "C.UTF-8"},
    ):
        done = subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, **variation, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(done.stdout)
    assert len(digests) == 1
