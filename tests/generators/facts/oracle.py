"""Facts told by the published draws alone: no code of the generator takes part.

The draws of `tests/data/rules.toml` are close enough to Python that Python itself can compute them,
and the standard library's own `choice`, `randint` and `uniform` use up the streams. Facts are flat,
by dotted name; people are pairs of positions in the pools of names.
"""

from __future__ import annotations

import functools
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any

from tests.generators.governance.oracle import PUBLISHED

GENERATOR: dict[str, Any] = PUBLISHED["generator"]
STREAMS: list[dict[str, str]] = GENERATOR["streams"]
DRAWS: list[dict[str, Any]] = GENERATOR["draws"]
GATES = ("general", "it", "architecture", "security", "tech_readiness", "procurement", "legal",
         "compliance")  # fmt: skip

_WORDS = {"null": "None", "true": "True", "false": "False", "if": "choose", "_": "drawn"}
_KEPT = {"and", "or", "not", "in", "choose", "min", "max", "round", "trunc", "without", "lookup",
         "join", "lower", "collect", "value_or", "difficulty"}  # fmt: skip
_TOKEN = re.compile(r'"[^"]*"|[A-Za-z_][\w.]*')

DEFECTS: list[tuple[str, Callable[[Mapping[str, Any]], bool]]] = [
    ("public_database", lambda ap: not ap["private_endpoints"]),
    ("no_waf", lambda ap: ap["edge_pattern"] == "frontdoor_only"),
    ("single_point_compute", lambda ap: ap["compute_profile"] == "vm_single"),
    ("backup_not_restored", lambda ap: ap["backup_enabled"] and not ap["restore_tested"]),
    ("no_siem_export", lambda ap: not ap["logs_to_siem"]),
    ("dr_not_tested", lambda ap: ap["multi_region"] and not ap["dr_tested"]),
    ("missing_private_endpoint", lambda ap: not ap["private_endpoints"]),
    ("edge_control_gap", lambda ap: ap["edge_pattern"] == "frontdoor_only"),
]


@functools.cache
def code(expression: str) -> CodeType:
    """The expression compiled."""
    return compile(python_source(expression), "<draw>", "eval")


def python_source(expression: str) -> str:
    """The expression as Python over `fact` and the functions of the notation."""

    def rename(match: re.Match[str]) -> str:
        word = match[0]
        if word.startswith('"') or word in _KEPT:
            return word
        return _WORDS.get(word) or (f"fact({word!r})")

    quoted = re.sub(r"value_or\(([\w.]+)", r'value_or("\1"', expression)
    return _TOKEN.sub(rename, quoted)


class Facts:
    """The facts of one case while the published draws are made."""

    def __init__(self, difficulty: int) -> None:
        self.known: dict[str, Any] = {}
        self.kept: list[tuple[str, str]] = []
        self._difficulty = difficulty

    def value(self, expression: str, drawn: Any = None) -> Any:
        """What an expression amounts to."""
        scope = {
            "fact": self.fact,
            "drawn": drawn,
            "difficulty": self._difficulty,
            "choose": lambda condition, first, second: first if condition else second,
            "trunc": math.trunc,
            "without": lambda items, unwanted: [item for item in items if item != unwanted],
            "lookup": lambda table, key: table[key],
            "join": lambda *parts: "".join(str(part) for part in parts),
            "value_or": self.known.get,
            "collect": _collect,
        }
        return eval(code(expression), scope)

    def fact(self, name: str) -> Any:
        """A fact, or a list or table of the generator."""
        if name == "architecture_profile.availability_zones":
            return [1, 2, 3] if self.known["architecture_profile.multi_az"] else [1]
        return self.known[name] if "." in name else GENERATOR[name]

    def draw(self, entry: Mapping[str, Any], rng: random.Random) -> None:
        """Make one draw."""
        if "when" in entry and not self.value(entry["when"]):
            if "else" in entry:
                self.known[entry["field"]] = self.value(entry["else"])
            return
        drawn = self._drawn(entry["draw"], rng)
        self.known[entry["field"]] = self.value(entry["then"], drawn) if "then" in entry else drawn

    def _drawn(self, draw: str, rng: random.Random) -> Any:  # noqa: PLR0911  # one per kind
        kind, _, rest = draw.partition(" ")
        match kind:
            case "pick":
                return rng.choice(self.value(rest))
            case "weighted":
                return _weighted(self.value(rest), rng)
            case "chance":
                return rng.random() < self.value(rest)
            case "int":
                low, _, high = rest.partition("..")
                return rng.randint(int(low), self.value(high))
            case "real":
                low, _, high = rest.partition("..")
                return rng.uniform(float(low), float(high))
            case "name":
                return rng.choice(range(20)), rng.choice(range(20)), rest
            case "calc":
                return self.value(rest)
            case "per_defect":
                return self._conflicts(rest, rng)
        raise AssertionError(draw)

    def _conflicts(self, rest: str, rng: random.Random) -> None:
        chance, owners = re.fullmatch(r"chance (.*), pick (\[.*\])", rest, re.DOTALL).groups()  # type: ignore[union-attr]  # the table has this form
        profile = {
            name.partition(".")[2]: value
            for name, value in self.known.items()
            if name.startswith("architecture_profile.")
        }
        for defect, is_open in DEFECTS:
            if is_open(profile) and rng.random() < self.value(chance):
                self.kept.append((defect, rng.choice(self.value(owners))))


def published_facts(
    seed: int,
    difficulty: int,
    *,
    architecture_attempt: int = 0,
    fact_attempts: Mapping[str, int] | None = None,
) -> Facts:
    """Every fact that the published draws give for a seed."""
    facts = Facts(difficulty)
    topology = seed + 10_000 + 104_729 * architecture_attempt
    seeds = {"project": seed, "topology": topology, "detail": topology + 100}
    for order, gate in enumerate(GATES):
        attempt = (fact_attempts or {}).get(gate, 0)
        seeds[gate] = seed + 1_000_003 * attempt + 20_000 + 10_000 * order
    for stream in STREAMS:
        rng = random.Random(seeds[stream["name"]])
        entries = [entry for entry in DRAWS if entry["stream"] == stream["name"]]
        block = [entry for entry in entries if entry["field"].startswith("offer.")]
        offers = list(_offers(facts, block, rng)) if block else []
        if offers:
            facts.known["procurement.offers"] = offers
        for entry in entries:
            if entry not in block:
                facts.draw(entry, rng)
    return facts


def _offers(
    facts: Facts, block: list[dict[str, Any]], rng: random.Random
) -> Iterator[dict[str, Any]]:
    for _ in range(4):
        for entry in block:
            facts.draw(entry, rng)
        yield {
            name.removeprefix("offer."): value
            for name, value in facts.known.items()
            if name.startswith("offer.")
        }


def _weighted(pairs: list[list[Any]], rng: random.Random) -> Any:
    position = rng.random() * sum(weight for _, weight in pairs)
    passed = 0
    for value, weight in pairs:
        passed += weight
        if passed > position:
            return value
    raise AssertionError(pairs)


def _collect(default: str, *rest: Any) -> list[str]:
    return [name for name, holds in zip(rest[::2], rest[1::2], strict=True) if holds] or [default]


def flat(section: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Facts by dotted name; lists stay whole."""
    facts: dict[str, Any] = {}
    for key, value in section.items():
        if isinstance(value, Mapping):
            facts |= flat(value, f"{prefix}{key}.")
        else:
            facts[prefix + key] = value
    return facts
