"""Free texts of tables and records: varied, complete, and never decisive."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter

import pytest

from generators.evidence import DossierContext, build_records, build_tables
from generators.evidence.texts import texts
from generators.facts import make_case
from generators.governance import builtin_rules
from tests.generators.evidence.cases import make_context

DOSSIERS = 30
ROUTES = ("buy", "integrate", "build")


def _context(number: int) -> DossierContext:
    route = builtin_rules().route(ROUTES[number % 3])
    case = make_case(67_000 + number, route=route.id, difficulty=1 + number % 5)
    return DossierContext(case, case_id="", route=route)


def _sentences(ctx: DossierContext) -> set[str]:
    """Every text of four words or more in the tables and records of a dossier."""
    found: set[str] = set()
    for path, data in (build_tables(ctx) | build_records(ctx)).items():
        text = data.decode()
        if path.endswith(".csv"):
            cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
        elif path.endswith(".json"):
            cells = re.findall(r'"(?:[^"\\]|\\.)*"', text)
        else:
            continue
        found |= {cell.strip('"') for cell in cells if len(cell.split()) >= 4}
    return found


@pytest.fixture(scope="module")
def corpus() -> list[set[str]]:
    """The sentences of 30 dossiers."""
    return [_sentences(_context(number)) for number in range(DOSSIERS)]


def test_no_sentence_is_in_most_dossiers(corpus: list[set[str]]) -> None:
    """Over 30 dossiers no sentence of a table stands in more than half of them."""
    counts = Counter(sentence for sentences in corpus for sentence in sentences)
    assert len(counts) > 200
    most = counts.most_common(5)
    assert most[0][1] <= DOSSIERS // 2, most


def test_every_wording_is_used() -> None:
    """Each slot has several different wordings, and the draws reach all decisions."""
    every = texts()
    slots = [every.api_purpose, every.accessibility_scope, every.mapping_pointer, every.vendor_note]
    slots += [every.vendor_statement, *every.playbook.values(), *every.control_detail.values()]
    for wordings in slots:
        assert len(set(wordings)) == len(wordings) >= 3
    seen: set[str] = set()
    for number in range(DOSSIERS):
        register = build_tables(_context(number))["gate_evidence/architecture/adr_register.csv"]
        seen |= {row["decision"] for row in csv.DictReader(io.StringIO(register.decode()))}
    assert set(every.decision) - seen == {d for d in every.decision if "{" in d}
    assert not any("{" in decision for decision in seen)


def test_a_register_repeats_no_decision() -> None:
    """There are more wordings than the 16 entries a register may have; none stands twice."""
    assert len(texts().decision) > 16
    for number in range(DOSSIERS):
        register = build_tables(_context(number))["gate_evidence/architecture/adr_register.csv"]
        decisions = [row["decision"] for row in csv.DictReader(io.StringIO(register.decode()))]
        assert len(decisions) == len(set(decisions)) >= 2


def test_other_texts_change_no_fact() -> None:
    """Vendors' claims are the case's offers, whatever the statement around them says."""
    ctx = _context(0)
    responses = json.loads(build_tables(ctx)["gate_evidence/procurement/vendor_responses.json"])
    offers = ctx.case["procurement"]["offers"]
    assert [r["vendor"] for r in responses["responses"]] == [offer["vendor"] for offer in offers]
    for response in responses["responses"]:
        assert response["vendor"] in response["statement"]


def test_the_title_of_the_interface_is_one_quoted_string() -> None:
    """A project's name with a colon in it leaves the description valid YAML: a quoted scalar."""
    ctx = _context(1)
    name = ctx.case["project"]["project_name"]
    assert ": " in name
    text = build_tables(ctx)["gate_evidence/architecture/openapi.yaml"].decode()
    (title,) = re.findall(r"^  title: (.+)$", text, re.MULTILINE)
    assert json.loads(title) == f"{name} API"


def test_a_plain_title_stays_bare() -> None:
    """A name that YAML reads as it stands is written as the protocol writes it, unquoted."""
    ctx = make_context(project={"project_name": "Project Heron [AB12C]"})
    text = build_tables(ctx)["gate_evidence/architecture/openapi.yaml"].decode()
    assert "\n  title: Project Heron [AB12C] API\n" in text
