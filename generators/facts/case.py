"""Canonical cases: everything that is true about a project, from a seed.

`make_case` draws a whole case; `redraw_gate` draws one gate's facts again, which changes nothing
else. DGF-Bench protocol, sections 6 and 7.
"""

from __future__ import annotations

import functools
import hashlib
import random
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from generators.facts.compiled import DrawStream, World, compile_stream
from generators.facts.errors import CaseArgumentError
from generators.facts.hashing import architecture_signature
from generators.facts.identity import (
    architecture_identity,
    networks,
    project_dates,
    project_identity,
    vendor_names,
    words,
)
from generators.facts.ledgers import Ledgers
from generators.facts.table import (
    DEFAULT_VERSION,
    Stream,
    Version,
    generator_version,
    read_table,
)
from generators.governance.loader import builtin_rules
from generators.governance.vocabulary import SCHEMA, Case

DIFFICULTIES: Final = (1, 2, 3, 4, 5)
PROFILE: Final = "architecture_profile"
PARTS: Final = {
    "compute": "semantic_compute",
    "edge": "semantic_edge",
    "data": "semantic_data",
    "network": "semantic_network",
}
"""Short names of the sections inside the architecture profile."""

_HASHED_BYTES: Final = 6
"""Bytes of a hashed stream seed: as many as every JSON reader keeps exact."""


def make_case(
    seed: int,
    *,
    route: str,
    difficulty: int,
    architecture_attempt: int = 0,
    fact_attempts: Mapping[str, int] | None = None,
    version: str = DEFAULT_VERSION,
) -> dict[str, Any]:
    """The canonical case of `seed`.

    Parameters
    ----------
    seed
        Case seed, not negative.
    route
        Influences only who and what is named, unless `version` says otherwise.
    difficulty
        1 to 5.
    architecture_attempt
        Which draw of the topology to take, and of every fact computed from it.
    fact_attempts
        By gate, which draw of that gate's own facts to take; 0 where a gate is absent.
    version
        Version of the generator (see `version_names`).
    """
    attempts = dict(fact_attempts or {})
    check_number("seed", seed)
    check_number("architecture_attempt", architecture_attempt)
    if type(difficulty) is not int or difficulty not in DIFFICULTIES:
        raise CaseArgumentError(f"no difficulty {difficulty!r}", hint="a whole number from 1 to 5")
    generator = _generator(generator_version(version).name)
    for gate, attempt in attempts.items():
        generator.check_gate(gate)
        check_number(f"fact_attempts[{gate!r}]", attempt)
    builtin_rules().route(route)
    return generator.case(seed, route, difficulty, architecture_attempt, attempts)


def redraw_gate(
    case: Case, gate: str, *, attempt: int, version: str = DEFAULT_VERSION
) -> dict[str, Any]:
    """`case` with the facts of `gate` as its `attempt` draws them; the rest is shared with `case`.

    Equal to what `make_case` gives for this attempt.
    """
    generator = _generator(generator_version(version).name)
    generator.check_gate(gate)
    check_number("attempt", attempt)
    return {**case, gate: generator.gate_section(_world_of(case), case, gate, attempt)}


def check_number(name: str, value: object) -> None:
    """Refuse a seed or an attempt that is no whole number, or negative."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise CaseArgumentError(f"{name} is {value!r}", hint="give a whole number, 0 or more")


@functools.cache
def _generator(version: str) -> _Generator:
    return _Generator(generator_version(version))


class _Generator:
    """One version of the generator, compiled."""

    def __init__(self, version: Version) -> None:
        self._version = version
        self._layout = read_table("layout.toml", dict[str, tuple[str, ...]])
        self._select = {name: itemgetter(*keys) for name, keys in self._layout.items()}
        self._ledgers = Ledgers(version.constants)
        self._draw: dict[str, DrawStream] = {
            name: compile_stream(
                stream,
                constants=version.constants,
                names=(words().first_names, words().last_names),
                open_defects=self._ledgers.open_defects,
            )
            for name, stream in version.streams.items()
        }

    def check_gate(self, gate: object) -> None:
        """Refuse what is no gate."""
        gates = self._layout["gates"]
        if gate not in gates:
            raise CaseArgumentError(
                f"no facts are drawn for {gate!r}", hint=f"one of {', '.join(gates)}"
            )

    def case(
        self,
        seed: int,
        route: str,
        difficulty: int,
        architecture_attempt: int,
        fact_attempts: Mapping[str, int],
    ) -> dict[str, Any]:
        """A whole case; arguments are checked already."""
        world = self._whole(seed, route, difficulty, architecture_attempt)
        case: dict[str, Any] = {
            "schema_version": SCHEMA,
            "seed": seed,
            "difficulty": difficulty,
            "project": self._ordered("project", world["project"]),
            PROFILE: self._profile(world),
        }
        for gate in self._layout["gates"]:
            case[gate] = self.gate_section(world, case, gate, fact_attempts.get(gate, 0))
        return case

    def gate_section(self, world: World, case: Case, gate: str, attempt: int) -> dict[str, Any]:
        """The facts of one gate, drawn on top of the project and the architecture of `world`."""
        seed, project = case["seed"], case["project"]
        stream = self._version.streams[gate]
        holder = seed + stream.stride * attempt
        own = {**world, gate: {}, "offer": {}, "tmp": {}}
        rng = random.Random(self._seed(stream, seed, project["route"], attempt))
        self._draw[gate](own, case["difficulty"], rng, holder)
        if gate == "procurement":
            offers = [self._ordered("offer", offer) for offer in _named(own, project, holder)]
            own[gate] |= {"offers": offers, "selected_vendor": _awarded(offers, own["tmp"])}
        return self._ordered(gate, own[gate])

    def _whole(
        self, seed: int, route: str, difficulty: int, architecture_attempt: int
    ) -> dict[str, dict[str, Any]]:
        """Project and architecture, under the short names of their sections."""
        style = self._version.identity
        project = project_identity(seed, builtin_rules().route(route), style=style)
        hub, app, data = networks(seed, style=style)
        world: dict[str, dict[str, Any]] = {
            "project": project,
            "profile": {},
            "compute": {},
            "edge": {},
            "data": {},
            "network": {"hub_cidr": hub, "app_cidr": app, "data_cidr": data},
            "tmp": {},
        }
        self._run("project", world, difficulty, 0)
        project |= project_dates(
            world["tmp"]["start_shift_days"], world["tmp"]["go_live_shift_days"]
        )
        topology_seed = self._run("topology", world, difficulty, architecture_attempt)
        world["profile"] |= {
            "seed": topology_seed,
            "case_seed": seed,
            "platform_services": _platform(world["profile"], self._version),
            **architecture_identity(project["project_code"], topology_seed),
        }
        self._run("detail", world, difficulty, architecture_attempt)
        return world

    def _run(self, name: str, world: World, difficulty: int, attempt: int) -> int:
        """Make the draws of a stream of the whole case; the result is its seed."""
        seed, route = world["project"]["generation_seed"], world["project"]["route"]
        stream_seed = self._seed(self._version.streams[name], seed, route, attempt)
        self._draw[name](world, difficulty, random.Random(stream_seed), seed)
        return stream_seed

    def _seed(self, stream: Stream, seed: int, route: str, attempt: int) -> int:
        if self._version.seeding == "offsets":
            return seed + stream.offset + stream.stride * attempt
        text = f"{seed}|{route}|{stream.name}|{attempt}"
        digest = hashlib.sha256(text.encode()).digest()
        return int.from_bytes(digest[:_HASHED_BYTES], "big")

    def _profile(self, world: World) -> dict[str, Any]:
        profile = world["profile"]
        profile["architecture_signature"] = architecture_signature(
            profile, keys=self._layout["signature"]
        )
        profile |= self._ledgers.records(world)
        for short, name in PARTS.items():
            profile[name] = self._ordered(name, world[short])
        return self._ordered(PROFILE, profile)

    def _ordered(self, section: str, facts: Mapping[str, Any]) -> dict[str, Any]:
        """`facts` in the order of the layout; as drawn where the layout leaves it open."""
        keys = self._layout.get(section)
        if keys is None:
            return dict(facts)
        return dict(zip(keys, self._select[section](facts), strict=True))


def _world_of(case: Case) -> dict[str, dict[str, Any]]:
    """Project and architecture of a finished case, under the short names of their sections."""
    profile = case[PROFILE]
    parts = {short: profile[name] for short, name in PARTS.items()}
    return {"project": case["project"], "profile": profile, **parts}


def _platform(profile: Mapping[str, Any], version: Version) -> list[str]:
    """The platform services of an architecture: those of its type, and what its flags add."""
    listed: Any = version.constants["platform_services"]
    services = list(listed[profile["solution_type"]])
    gateway = "Azure API Management"
    if profile["api_management"] and gateway not in services:
        services.insert(0, gateway)
    if profile["messaging"]:
        brokers = ("Azure Service Bus", "Azure Event Hubs")
        services += [broker for broker in brokers if broker not in services]
    return services


def _named(world: World, project: Mapping[str, Any], holder: int) -> list[dict[str, Any]]:
    """The offers drawn, each with its vendor."""
    drawn = world["tmp"]["offers"]
    vendors = vendor_names(project["project_code"], holder, count=len(drawn))
    return [{**offer, "vendor": vendor} for offer, vendor in zip(drawn, vendors, strict=True)]


def _awarded(offers: Sequence[Mapping[str, Any]], drawn: Mapping[str, Any]) -> str:
    """The vendor that gets the award: the best eligible offer, unless the draw says otherwise."""
    if drawn["misaward"]:
        chosen: str = offers[drawn["misaward_slot"] - 1]["vendor"]
        return chosen
    eligible = [
        offer
        for offer in offers
        if offer["mandatory_criteria_failed"] == 0 and offer["sanctions"] != "hit"
    ]
    best: str = max(eligible or offers, key=itemgetter("weighted_score"))["vendor"]
    return best
