"""Word documents of a dossier: prose with variants, a fast writer, a template made by python-docx.

`build_documents` writes the 18 documents that are evidence, `build_review_request` the cover of one
gate. Texts are data in `texts/`; adding a variant or a document needs no code.
"""

from __future__ import annotations

from generators.documents.blocks import (
    BulletList,
    Clause,
    Document,
    Grid,
    LabelTable,
    Section,
)
from generators.documents.compose import (
    build_documents,
    build_review_request,
    compose_document,
    compose_review_request,
)
from generators.documents.word import write_word
from generators.documents.wording import WordingError

__all__ = [
    "BulletList",
    "Clause",
    "Document",
    "Grid",
    "LabelTable",
    "Section",
    "WordingError",
    "build_documents",
    "build_review_request",
    "compose_document",
    "compose_review_request",
    "write_word",
]
