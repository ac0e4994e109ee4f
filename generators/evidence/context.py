"""What every writer of evidence is given: the case, the graph, and the seeded draws.

Draws are keyed hashes of the seed, so the order in which writers ask does not matter, and two
writers that use the same key get the same draw. Protocol, dossier sections 2 and 7.2.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, TypeVar

from generators.evidence.catalog import Catalog, load_catalog
from generators.evidence.graph import Graph, Shown, build_graph, distort, unit
from generators.governance import Case, Route

T = TypeVar("T")


class DossierContext:
    """One dossier in the making. Immutable; everything derived from it is too.

    Parameters
    ----------
    case
        The canonical case, without `case_id`.
    case_id
        The dossier's UUID.
    route
        The route its reviews follow.
    catalog
        The evidence catalog, by default the built-in one.
    """

    def __init__(
        self, case: Case, *, case_id: str, route: Route, catalog: Catalog | None = None
    ) -> None:
        self.case = case
        self.case_id = case_id
        self.route = route
        self.catalog = catalog or load_catalog()
        self.seed: int = case["seed"]
        self.difficulty: int = case["difficulty"]

    def __repr__(self) -> str:
        return f"<DossierContext: {self.folder_name}, difficulty {self.difficulty}>"

    @functools.cached_property
    def graph(self) -> Graph:
        """The evidence graph with its hidden modes."""
        return build_graph(self.case, self.route, difficulty=self.difficulty, catalog=self.catalog)

    @functools.cached_property
    def offer(self) -> Mapping[str, Any]:
        """The offer of the selected vendor."""
        procurement = self.case["procurement"]
        chosen = procurement["selected_vendor"]
        offer: Mapping[str, Any] = next(o for o in procurement["offers"] if o["vendor"] == chosen)
        return offer

    @property
    def folder_name(self) -> str:
        """The name of the dossier's folder: project id and route."""
        return f"{self.case['project']['project_id']}_{self.route.id}"

    def shown(self, evidence_id: str, key: str, value: Shown) -> Shown:
        """What the narrative document `evidence_id` displays for a true `value`.

        `key` names the value within the document: it keys the draw that decides whether a partial
        document leaves it out.
        """
        return distort(
            value,
            self.graph.modes[evidence_id],
            blank=unit(self.seed, evidence_id, key),
            catalog=self.catalog,
        )

    def draw(self, *keys: object) -> float:
        """A draw in [0, 1) under `keys`."""
        return unit(self.seed, "difficulty", *keys)

    def pick(self, options: Sequence[T], *keys: object) -> T:
        """One of `options`, equally likely."""
        return options[int(self.draw(*keys) * len(options))]

    def pick_other(self, value: T, options: Sequence[T], *keys: object) -> T:
        """One of `options` without `value`."""
        return self.pick([option for option in options if option != value], *keys)

    def count(self, least: int, most: int, *keys: object) -> int:
        """A whole number from `least` to `most`, both included."""
        return least + int(self.draw(*keys) * (most - least + 1))

    def wording(self, variants: Sequence[T], *keys: object) -> T:
        """One of several wordings of a free text; these draws decide no fact and no order."""
        return variants[int(unit(self.seed, "wording", *keys) * len(variants))]

    def recorded_on(self, index: int) -> str:
        """The ISO date of the `index`-th entry of a dated history: every 17 days, from day 12."""
        start = date.fromisoformat(self.case["project"]["start_date"])
        return (start + timedelta(days=12 + 17 * index)).isoformat()

    def record_word(self, status: str) -> str:
        """The wording that records of the levers use for a status."""
        return self.catalog.alias.get(status, status)
