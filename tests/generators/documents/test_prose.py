"""The prose as a reader meets it: varied, complete, without leftovers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from generators.documents import (
    BulletList,
    Clause,
    Document,
    LabelTable,
    compose_document,
    compose_review_request,
)
from generators.documents.library import load_documents
from generators.evidence.context import DossierContext
from generators.governance import builtin_rules
from tests.generators.documents.contexts import make_context

ROUTES = ("buy", "integrate", "build")
DOSSIERS = 30


def every_document(context: DossierContext) -> Iterator[Document]:
    for evidence_id in load_documents():
        yield compose_document(context, evidence_id)
    for gate in builtin_rules().gates:
        yield compose_review_request(context, gate, [])


def texts(document: Document) -> Iterator[str]:
    """Everything a document says in sentences or phrases."""
    yield document.title
    yield document.subtitle
    for section in document.sections:
        yield section.heading
        match section:
            case LabelTable():
                yield from (value for _, value in section.rows)
            case BulletList():
                yield from section.items
            case Clause():
                yield from section.paragraphs
                yield from filter(None, [section.remark])
            case _:
                pass


def dossier(number: int) -> DossierContext:
    return make_context(9000 + number, route=ROUTES[number % 3], difficulty=1 + number % 5)


@pytest.fixture(scope="module")
def corpus() -> list[list[str]]:
    """All texts of 30 dossiers."""
    return [
        [text for document in every_document(dossier(number)) for text in texts(document)]
        for number in range(DOSSIERS)
    ]


def test_no_long_sentence_is_common(corpus: list[list[str]]) -> None:
    """No sentence of eight words or more stands in over 40 % of 30 dossiers.

    Lines that put a profile of the case into words are left out: there are three network profiles.
    """
    counts: Counter[str] = Counter()
    for dossier_texts in corpus:
        counts.update(
            {
                sentence
                for text in dossier_texts
                for sentence in re.split(r"(?<=[.!?;])\s+", text)
                if len(sentence.split()) >= 8
                and not re.match(r"(Compute|Network|Resilience) profile", sentence)
            }
        )
    assert len(counts) > 2000
    sentence, most = counts.most_common(1)[0]
    assert most <= 0.4 * DOSSIERS, sentence
    repeated = sum(count for count in counts.values() if count > 1)
    assert repeated < 0.2 * sum(counts.values())


def test_no_mark_is_left_over(corpus: list[list[str]]) -> None:
    """No brace, bar, doubled blank or doubled full stop; brackets only in project names."""
    for dossier_texts in corpus:
        for text in dossier_texts:
            bare = re.sub(r"\[[0-9A-F]{5}\]", "code", text)
            assert not re.search(r"[{}|\[\]]|  |\.\.|^\s|\s$| [.,;]", bare), text


def test_articles_fit(corpus: list[list[str]]) -> None:
    """No "a" stands before a vowel and no "an" before a consonant (an hour, a one-off, a user)."""
    for dossier_texts in corpus:
        for text in dossier_texts:
            assert not re.search(r"\b[Aa] (?!one|user|euro|unit|use)[aeiouAEIO]", text), text
            assert not re.search(r"\b[Aa]n (?!hour|honest|SLA|RFP)[^aeiouAEIO\W]", text), text


def test_sentences_end(corpus: list[list[str]]) -> None:
    """Every bullet, paragraph and remark ends with a full stop or a question mark."""
    for number in range(6):
        for document in every_document(dossier(number)):
            for section in document.sections:
                if isinstance(section, BulletList | Clause):
                    for text in list(texts(Document(title="", sections=(section,))))[3:]:
                        assert text.endswith((".", "?")), text


def test_texts_agree_with_the_case() -> None:
    """Prose about people, models or a second region stands only in cases that have them."""
    for number in range(60):
        context = dossier(number)
        project, profile = context.case["project"], context.case["architecture_profile"]
        told = " ".join(text for one in every_document(context) for text in texts(one))
        if not project["personal_data"]:
            assert not re.search(r"staff records|Records of people|records of staff", told)
        if not project["ai_enabled"]:
            assert "The model " not in told
        if profile["secondary_region"] is None:
            assert not re.search(r"\b(in|and|from|to) None\b", told)
