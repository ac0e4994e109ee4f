"""Dossiers for the tests: drawn cases, with every document readable and under a chosen mode."""

from __future__ import annotations

import functools
from typing import Any

import hypothesis.strategies as st
import msgspec
from docx.table import Table
from docx.text.paragraph import Paragraph

from generators.evidence.context import DossierContext
from generators.evidence.graph import Graph, Mode
from generators.facts import make_case
from generators.governance import Case, builtin_rules

MODES: tuple[Mode, ...] = (
    "truthful",
    "temporarily_unavailable",
    "stale",
    "conflicting_claim",
    "partial",
)
ROUTES = ("buy", "integrate", "build", "full_lifecycle")


class OpenContext(DossierContext):
    """A dossier that withholds nothing and whose narrative documents all have one `mode`."""

    def __init__(self, case: Case, *, route: str, mode: Mode = "truthful") -> None:
        super().__init__(case, case_id="case", route=builtin_rules().route(route))
        self._mode = mode

    @functools.cached_property
    def graph(self) -> Graph:
        """The drawn graph, with every node available."""
        drawn = super().graph
        return Graph(
            nodes={
                name: msgspec.structs.replace(node, public_status="AVAILABLE")
                for name, node in drawn.nodes.items()
            },
            modes={
                name: drawn.modes[name] if node.authoritative else self._mode
                for name, node in drawn.nodes.items()
            },
        )


def make_context(
    seed: int, *, route: str = "buy", difficulty: int = 4, mode: Mode = "truthful"
) -> OpenContext:
    """The dossier of `seed`."""
    return OpenContext(make_case(seed, route=route, difficulty=difficulty), route=route, mode=mode)


def fact(case: Case, name: str) -> Any:
    """A fact by its dotted name."""
    section, _, key = name.partition(".")
    return case[section][key]


def style_of(element: Paragraph | Table) -> str | None:
    """Name of the style python-docx finds on `element`."""
    return element.style.name if element.style is not None else None


contexts = st.builds(
    make_context,
    st.integers(0, 10**6),
    route=st.sampled_from(ROUTES),
    difficulty=st.integers(1, 5),
    mode=st.sampled_from(MODES),
)
"""Dossiers of any seed, route, difficulty and mode."""
