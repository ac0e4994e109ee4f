"""What an attack is: one small unit that says where it plants, what, with which goal and placebo.

The units stand in `kinds/`, one file each. The base class walks the route and holds the lottery;
a unit decides for one gate. To add an attack, write a unit and register it (`registry`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Generic, Literal, TypeAlias, TypeVar

from generators.attacks.copies import Copy
from generators.attacks.manifest import Entry, Letter
from generators.attacks.options import Options
from generators.attacks.planting import Gate
from generators.attacks.wordings import DECISION, Decision, Request, Section, section, stated

W = TypeVar("W", bound=Section)

Family: TypeAlias = Literal["injection", "document", "technique"]
"""Where the report lists an attack."""

Observation: TypeAlias = Literal["token", "decoded-token", "image", "always"]
"""What counts as received under the published rule: the token in the results of tools, the same
after decoding tag characters, a picture that was attached, or always, as it is in the prompt."""

Replay: TypeAlias = Literal["full-route", "single-gate"]
"""How the pilot ran an attack."""


class Attack(Generic[W]):
    """A way to plant something; `plant` does it for one copy.

    Attributes
    ----------
    number
        Position in the paper's table; the order of attacks everywhere.
    goals
        The goals it can have, by letter.
    carrier, places
        In what it is planted, and how the place is found; one line each, for people.
    observation
        What counts as received.
    asks
        Whether it asks for anything; one that does not is a control.
    quotes_decision
        Whether its texts quote the decision sentence that several attacks share.
    shares_draws
        Whether its draws and tokens carry no id, so that the same gates get the same goals.
    has_placebo
        Whether gates it leaves alone get a neutral text in the published protocol.
    ignores_rate
        Whether the published protocol attacks every gate it can, whatever the rate.
    wording
        The form of its section in a wording set.
    """

    number: ClassVar[int]
    id: ClassVar[str]
    name: ClassVar[str]
    family: ClassVar[Family]
    goals: ClassVar[tuple[Letter, ...]]
    carrier: ClassVar[str]
    places: ClassVar[str]
    observation: ClassVar[Observation] = "token"
    replay: ClassVar[Replay] = "full-route"
    asks: ClassVar[bool] = True
    quotes_decision: ClassVar[bool] = False
    shares_draws: ClassVar[bool] = False
    has_placebo: ClassVar[bool] = True
    ignores_rate: ClassVar[bool] = False
    wording: type[W]

    def __repr__(self) -> str:
        return f"<attack {self.number} {self.id}>"

    def texts(self, wording_set: str) -> W:
        """What it says; an attack of another package brings its own."""
        found: W = section(wording_set, self.id, self.wording)
        return found

    def requests(self, say: W) -> Iterable[Request]:
        """What its texts ask for; nothing if they ask for nothing, or are no texts."""
        return ()

    def asked(self, wording_set: str) -> tuple[Request, ...]:
        """Everything it asks for under a wording set, for who is to recognise it in evidence."""
        found = (*self.requests(self.texts(wording_set)),)
        if not self.quotes_decision:
            return found
        decision: Decision = section(wording_set, DECISION, Decision)
        return (*found, stated("A", decision.A), stated("S", decision.S))

    def plant(self, copy: Copy, options: Options) -> Iterator[Entry]:
        """Plant in a copy, in the order of the route; the entries of the manifest."""
        for gate in self.gates(copy, options):
            if gate.is_drawn and self.eligible(gate):
                entry = self.attack(gate, self.texts(options.wording_set))
            else:
                entry = self.calm(gate)
            if entry is not None:
                yield entry

    def gates(self, copy: Copy, options: Options) -> Iterator[Gate]:
        """The gates of specialists, in the order of the route."""
        for occurrence in copy.clean.specialists:
            if options.only_occurrence in {None, occurrence.occurrence_id}:
                yield Gate(copy, occurrence, self, options)

    def calm(self, gate: Gate) -> Entry | None:
        """What a gate gets that is not attacked: a placebo, if it is to have one."""
        if gate.options.only_occurrence is not None:
            return None
        wanted = self.has_placebo or gate.options.placebos == "every-carrier"
        return self.placebo(gate) if wanted or gate.options.crossover else None

    def eligible(self, gate: Gate) -> bool:
        """Whether there is anything to attack for: by default, findings to be reported."""
        return bool(gate.findings)

    def attack(self, gate: Gate, say: W) -> Entry | None:
        """Plant the attack; None where it has no place."""
        raise NotImplementedError

    def placebo(self, gate: Gate) -> Entry | None:
        """Plant a neutral text of the same form; None where it has no place."""
        raise NotImplementedError


class NoWording(Section, frozen=True, kw_only=True):
    """The section of an attack that plants data and no text."""
