"""Readers, decoders, citations and quotes against the published package, black box.

Its dossiers are decoded and compared with its own truth. Its harness runs an agent of the test,
whose trace shows what its tools answer and whose score shows which citations it accepts.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generators.decoding.certification import certification_report, certify
from generators.decoding.citations import Citations
from generators.decoding.decode import Context, decode
from generators.decoding.facts import full_identity
from generators.decoding.pointers import pointer
from generators.decoding.quotes import Quotable
from generators.evidence import load_catalog, snapshot_id
from generators.evidence.graph import distort, unit
from generators.governance import Occurrence, builtin_rules, decisive_fields, premises, read_fact
from generators.readers.compiled import EvidenceLibrary
from generators.readers.content import Json, Mode
from generators.readers.dossier import CompiledDossier, list_evidence, read_evidence
from generators.readers.loading import FilesInMemory, compile_dossier
from tests.interop.conftest import Dataset, Dossier
from tests.interop.provider import run_harness

pytestmark = [pytest.mark.interop, pytest.mark.timeout(1800)]

CATALOG = load_catalog()
RULES = builtin_rules()
ROUTES = ("buy", "integrate", "build")


def compiled(dossier: Dossier, mode: Mode = "blocks") -> CompiledDossier:
    """The dossier as our tools see it."""
    folder = dossier.folder
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    return compile_dossier(FilesInMemory(files), mode=mode, library=EvidenceLibrary())


def occurrences(dossier: Dossier) -> list[Occurrence]:
    """The scheduled gates."""
    manifest = json.loads((dossier.folder / "01_route_manifest.json").read_text("utf-8"))
    return msgspec.convert(manifest["occurrences"], list[Occurrence])


@pytest.fixture(scope="module")
def dossiers(datasets: list[Dataset]) -> list[Dossier]:
    """All dossiers of the three routes that can be certified."""
    every = [dossier for dataset in datasets for dossier in dataset.dossiers]
    return [dossier for dossier in every if dossier.planned["route"] in ROUTES]


def content_of(dossier: CompiledDossier, evidence_id: str) -> Json:
    """What a read gives, whoever reads."""
    evidence = dossier.evidence(evidence_id)
    assert evidence is not None
    assert evidence.error is None, evidence.error
    return evidence.content


def test_every_occurrence_is_certified(dossiers: list[Dossier]) -> None:
    """Each decisive value of each scheduled gate decodes to the published truth."""
    report = certification_report(
        (d.folder.name, len(gates), certify(compiled(d), case=d.truth, occurrences=gates))
        for d in dossiers
        for gates in [occurrences(d)]
    )
    print(f"\n{report.certified_occurrences} of {report.occurrences} occurrences certified, ")
    print(f"{report.field_checks - len(report.failures)} of {report.field_checks} values equal")
    assert report.failures == ()


def test_every_pair_decodes(dossiers: list[Dossier]) -> None:
    """Each field reads back from each of its sources as the source's hidden mode displays it."""
    pairs: Counter[tuple[str, str]] = Counter()
    absent = without_value = 0
    for dossier in dossiers:
        ours, truth = compiled(dossier), dossier.truth
        nodes = dossier.hidden["evidence_graph"]["nodes"]
        modes = {node["evidence_id"]: node["_hidden_mode"] for node in nodes}
        context = Context(identity=full_identity(truth))
        vendor = truth["procurement"]["selected_vendor"]
        for field, decoders in CATALOG.decoders.items():
            for decoder in decoders:
                if decoder.form != "standard":
                    continue
                if ours.by_id[decoder.source].public_status != "AVAILABLE":
                    absent += 1
                    continue
                shown: Any = read_fact(truth, field)
                if decoder.noise:
                    key = decoder.noise.replace("<vendor>", vendor)
                    draw = unit(truth["seed"], decoder.source, key)
                    shown = distort(shown, modes[decoder.source], blank=draw)
                decoded = decode(decoder, content_of(ours, decoder.source), context)
                if decoded is None:
                    without_value += 1
                    assert shown in (None, "None"), (dossier.folder.name, field, decoder.source)
                    continue
                assert decoded.value == shown, (dossier.folder.name, field, decoder.source)
                pairs[field, decoder.source] += 1
    print(f"\n{sum(pairs.values())} values of {len(pairs)} pairs equal; {absent} sources withheld,")
    print(f"{without_value} displayed without a value")
    assert len(pairs) == 116


def some(datasets: list[Dataset], number: int) -> Dataset:
    """The balanced dataset of one difficulty: the three routes twice."""
    return datasets[2 * number + 1]


@pytest.mark.parametrize("condition", ["docs", "facts"])
def test_tools_answer_alike(
    reference: str, datasets: list[Dataset], tmp_path: Path, condition: str
) -> None:
    """Listings, reads, refusals and observation ids are those an agent of the harness receives."""
    dataset = some(datasets, 4)
    files = run_harness(reference, dataset.folder, tmp_path / "r", condition=condition, plan={})
    mode: Mode = "blocks" if condition == "docs" else "text"
    answers = 0
    for dossier in dataset.dossiers:
        ours = compiled(dossier, mode)
        for gate in occurrences(dossier):
            name = f"{dossier.folder.name}/{gate.position:02d}_{gate.occurrence_id}"
            for entry in files[name]["tool_trace"]:
                theirs = entry["result"]
                if entry["tool"] == "list_evidence":
                    found = list_evidence(ours, gate=gate.gate, phase=gate.phase)
                elif entry["args"]["evidence_id"] == "UPSTREAM_DECISIONS":
                    continue
                else:
                    evidence_id = entry["args"]["evidence_id"]
                    read = read_evidence(ours, evidence_id, gate=gate.gate, phase=gate.phase)
                    assert isinstance(read, dict), read
                    found = read
                assert json.dumps(worded_alike(found)) == json.dumps(worded_alike(theirs))
                answers += 1
    print(f"\n{answers} tool answers equal in the {condition} condition")
    assert answers > 500


def worded_alike(result: dict[str, Any]) -> dict[str, Any]:
    """The result without the two sentences that are each project's own, and what hangs on them."""
    content = result.get("content")
    if isinstance(content, dict) and set(content) == {"note", "labels"}:
        labels = {"labels": content["labels"]}
        return {**result, "content": labels, "observation_id": None}
    if "evidence" in result:
        rows = [{**row, "source": None} if "source" in row else row for row in result["evidence"]]
        return {**result, "evidence": rows}
    return result


def leaves(value: Json, *steps: str | int) -> Iterator[str]:
    """Pointers to everything inside a value."""
    if steps:
        yield pointer(*steps)
    if isinstance(value, dict):
        for key, member in value.items():
            yield from leaves(member, *steps, key)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from leaves(member, *steps, index)


def planned(reference: dict[str, Any], support: list[dict[str, str]]) -> dict[str, Any]:
    """The reference decision with these citations."""
    return {
        "disposition": reference["disposition"],
        "finding_ids": [finding["id"] for finding in reference["findings"]],
        "actions": [action["action"] for action in reference["required_actions"]],
        "evidence_refs": [],
        "evidence_support": support,
        "authorization_required": reference["authorization_required"],
        "rationale": "none",
        "confidence": 1,
    }


@pytest.mark.parametrize("honest", [True, False], ids=["right", "doubtful"])
def test_citations_count_alike(
    reference: str, datasets: list[Dataset], tmp_path: Path, honest: bool
) -> None:
    """The harness accepts exactly the citations we accept, right and doubtful ones."""
    dataset = some(datasets, 2)
    draw = random.Random(7)
    plan: dict[str, dict[str, Any]] = {}
    expected: dict[tuple[str, str, str], list[str]] = {}
    for dossier in dataset.dossiers:
        ours, truth = compiled(dossier), dossier.truth
        book = Citations(ours, identity=full_identity(truth))
        gates = plan[truth["project"]["project_id"]] = {}
        for decision in dossier.hidden["reference_decisions"]:
            gate, phase = decision["gate"], decision["phase"]
            decisive = decisive_fields(truth, gate, phase=phase)
            support = []
            for finding in decision["findings"]:
                cited = []
                for field in premises(RULES.rule(finding["id"]), decisive):
                    sources = {
                        decoder.source: None
                        for decoder in CATALOG.decoders[field]
                        if ours.readable(decoder.source, gate=gate, phase=phase)
                        and (not honest or book.citable(field, decoder.source))
                    }
                    source = draw.choice(list(sources))
                    right = book.citable(field, source)
                    good = list(right.pointers) if right else []
                    every = [*leaves(content_of(ours, source)), "/", "/99", "/00", "/-"]
                    column = [
                        p for p in every if good and p.split("/")[-1] == good[0].split("/")[-1]
                    ]
                    doubtful = [*good, *column, *draw.sample(every, 2)]
                    cited.append((field, source, good[0] if honest else draw.choice(doubtful)))
                support += [
                    {
                        "finding_id": finding["id"],
                        "observation_id": ours.observation_id(source),
                        "json_pointer": place,
                    }
                    for _, source, place in cited
                ]
                expected[dossier.folder.name, decision["occurrence_id"], finding["id"]] = [
                    field
                    for field, _, _ in cited
                    if not any(
                        book.supports(field, read_fact(truth, field), evidence_id=s, pointer=p)  # type: ignore[arg-type]  # premises are scalars
                        for _, s, p in cited
                    )
                ]
            gates[decision["occurrence_id"]] = planned(decision, support)
    files = run_harness(reference, dataset.folder, tmp_path / "r", condition="docs", plan=plan)
    compared = unsupported = 0
    for (folder, occurrence_id, finding_id), fields in expected.items():
        if RULES.rule(finding_id).reads_upstream:
            continue
        theirs = diagnosed(files[f"{folder}/score"], occurrence_id).get(finding_id, {})
        assert sorted(theirs.get("fields", [])) == sorted(fields), (folder, finding_id)
        compared += 1
        unsupported += bool(fields)
    print(f"\n{compared} findings judged alike, {unsupported} of them unsupported")
    assert compared > 20
    assert bool(unsupported) is not honest


def diagnosed(score: dict[str, Any], occurrence_id: str) -> dict[str, dict[str, Any]]:
    """Finding to what the harness found wrong with its citations."""
    [row] = [o for o in score["occurrences"] if o["occurrence_id"] == occurrence_id]
    return {
        entry["finding_id"]: entry for entry in row["evidence_diagnostics"] if "finding_id" in entry
    }


def variants(line: str, key: str, excerpt: str) -> list[str]:
    """Right and wrong ways to quote one line of a snapshot."""
    return [
        line,
        f"  {line.replace(': ', chr(10) + ':  ')}\u00a0",
        f", {line}",
        f"{line},",
        excerpt,
        line.replace(f'"{key}"', f'"\\u{ord(key[0]):04x}{key[1:]}"'),
        f'"{key}"',
        f"{line} ...",
        f'"{key}": "another word"',
        f"{{{line}}}",
        f"{line}:",
        line.upper(),
        line.replace("0", "0.0"),
    ]


@pytest.mark.parametrize("number", [1, 3])
def test_quotes_count_alike(
    reference: str, datasets: list[Dataset], tmp_path: Path, number: int
) -> None:
    """In the facts condition the harness accepts exactly the quotes we accept."""
    dataset = some(datasets, number)
    draw = random.Random(number)
    plan: dict[str, dict[str, Any]] = {}
    expected: dict[tuple[str, str, str], bool] = {}
    for dossier in dataset.dossiers:
        ours = compiled(dossier, "text")
        gates = plan[dossier.truth["project"]["project_id"]] = {}
        for decision in dossier.hidden["reference_decisions"]:
            snapshot = snapshot_id(decision["gate"])
            content = content_of(ours, snapshot)
            text = json.dumps(content, ensure_ascii=False, indent=1)
            support = []
            for finding in decision["findings"]:
                rule = RULES.rule(finding["id"])
                if rule.reads_upstream:
                    continue
                keys = [field.rpartition(".")[2] for field in rule.fields]
                key = draw.choice(keys)
                start = text.find(f'"{key}"')
                line = text[start : text.index("\n", start)].rstrip(",")
                quote = draw.choice(
                    variants(line, key, text[start : start + 150].rsplit("\n", 1)[0])
                )
                support.append(
                    {"finding_id": finding["id"], "evidence_id": snapshot, "quote": quote}
                )
                where = (dossier.folder.name, decision["occurrence_id"], finding["id"])
                expected[where] = Quotable(content).supports(quote, keys)
            gates[decision["occurrence_id"]] = {
                **planned(decision, support),
                "evidence_refs": [snapshot],
            }
    files = run_harness(reference, dataset.folder, tmp_path / "r", condition="facts", plan=plan)
    for (folder, occurrence_id, finding_id), supported in expected.items():
        refused = finding_id in diagnosed(files[f"{folder}/score"], occurrence_id)
        assert refused is not supported, (folder, occurrence_id, finding_id)
    print(f"\n{len(expected)} quotes judged alike, {sum(expected.values())} of them supporting")
    assert len(expected) > 20
    assert 0 < sum(expected.values()) < len(expected)
