"""A dossier as prose sees it: places to fill, traits to select on, choices to make.

Places are of three kinds. *Words* (`{vendor}`, `{go_live}`) are facts as a sentence needs them.
*Facts* (`{legal.dpa_status}`) are printed as they are. *Shown facts* (`{shown.status}`) went
through the hidden mode of the document they stand in; a withheld value prints as None.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence, Set
from importlib.resources import files
from typing import Any, Final, TypeAlias

import msgspec

from generators.documents.wording import Chooser, Slot, chooser
from generators.evidence.context import DossierContext
from generators.evidence.graph import Shown
from generators.governance import Case, builtin_rules

FACT_SECTIONS: Final = (
    "project",
    "architecture_profile",
    "general",
    "it",
    "architecture",
    "security",
    "tech_readiness",
    "procurement",
    "legal",
    "compliance",
)

_SHAPES: Final = {
    "virtual_machines": frozenset({"vm_single", "vm_ha", "vmss", "dedicated_host"}),
    "containers": frozenset({"aks", "container_apps"}),
}
"""Traits shared by several compute profiles."""
_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_NAME_END: Final = re.compile(r" (?:—|–|-) |: | \[")
_PROFILE_TRAITS: Final = (
    "solution_type",
    "compute_profile",
    "network_profile",
    "resilience_profile",
)
_CASE_FLAGS: Final = {
    "personal_data": "project.personal_data",
    "payment_data": "project.payment_data",
    "employee_data": "project.employee_data",
    "ai": "project.ai_enabled",
    "external_users": "project.external_users",
    "internet": "architecture_profile.internet_facing",
    "multi_region": "architecture_profile.multi_region",
    "messaging": "architecture_profile.messaging",
    "api_management": "architecture_profile.api_management",
    "convenience": "legal.termination_for_convenience",
    "penalties": "legal.sla_penalties",
}


class Terms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How prose names the values of the architecture profile (`texts/terms.toml`)."""

    solution_type: dict[str, str]
    purpose: dict[str, str]
    compute_profile: dict[str, str]
    data_profile: dict[str, str]
    network_profile: dict[str, str]
    resilience_profile: dict[str, str]
    data_transfer_clause: dict[str, str]


class Scene:
    """One dossier as every document of it is told."""

    __slots__ = ("_choose", "_context", "_traits", "_words")

    def __init__(self, context: DossierContext) -> None:
        self._context = context
        self._words = {name: tell(context.case) for name, tell in WORDS.items()}
        self._traits = _traits(context)
        self._choose = chooser(context.seed, context.route.id)

    def telling(self, scope: str, places: Mapping[str, str]) -> Telling:
        """How the document `scope` is told, which has `places` of its own."""
        return Telling(
            scope=scope,
            places=_Places(self._context.case, {**self._words, **places}),
            traits=self._traits,
            choose=self._choose,
        )

    def word(self, name: str) -> str:
        """One of the words."""
        return self._words[name]

    def shown(self, evidence_id: str, key: str, fact: str) -> Shown:
        """The value of `fact` as the hidden mode of `evidence_id` displays it under `key`."""
        return self._context.shown(evidence_id, key, _fact(self._context.case, fact))


class Telling:
    """One document of one dossier: turns its slots into text."""

    __slots__ = ("_choose", "_places", "_scope", "_traits")

    def __init__(
        self, *, scope: str, places: Mapping[str, str], traits: Set[str], choose: Chooser
    ) -> None:
        self._scope = scope
        self._places = places
        self._traits = traits
        self._choose = choose

    def __call__(self, slot: Slot, spot: str) -> str:
        """The text that stands in `spot`."""
        return slot.tell(
            spot=f"{self._scope}/{spot}",
            places=self._places,
            traits=self._traits,
            choose=self._choose,
        )


class _Places(dict[str, str]):
    """Given places, and behind them the facts of a case as `str` prints them."""

    def __init__(self, case: Case, places: Mapping[str, str]) -> None:
        super().__init__(places)
        self._case = case

    def __missing__(self, name: str) -> str:
        return str(_fact(self._case, name))


def known_traits() -> frozenset[str]:
    """Every trait a phrase may ask for."""
    terms = load_terms()
    profiles = (
        terms.solution_type,
        terms.compute_profile,
        terms.network_profile,
        terms.resilience_profile,
    )
    return frozenset({*_CASE_FLAGS, *_SHAPES, *builtin_rules().routes}).union(*profiles)


_Word: TypeAlias = Callable[[Case], str]


def _plain(name: str) -> _Word:
    """The fact `name` as it is."""
    return lambda case: str(_fact(case, name))


def _first(name: str) -> _Word:
    """The first of the list `name`."""
    return lambda case: str(_fact(case, name)[0])


def _term(name: str, kind: str) -> _Word:
    """The term of `kind` for the fact `name`; a value that has none is spelled as it is."""

    def word(case: Case) -> str:
        value = str(_fact(case, name))
        terms: Mapping[str, str] = getattr(load_terms(), kind)
        return terms.get(value) or value.replace("_", " ")

    return word


def _profile_term(kind: str) -> _Word:
    return _term(f"architecture_profile.{kind}", kind)


_solution: Final = _profile_term("solution_type")

WORDS: Final[Mapping[str, _Word]] = {
    "project": _plain("project.project_name"),
    "short": lambda case: _NAME_END.split(case["project"]["project_name"], maxsplit=1)[0],
    "project_id": _plain("project.project_id"),
    "code": _plain("project.project_code"),
    "unit": _plain("project.business_unit"),
    "sponsor": _plain("project.sponsor"),
    "manager": _plain("project.project_manager"),
    "business_owner": _plain("project.business_owner"),
    "service_owner": _plain("project.service_owner"),
    "risk_owner": _plain("project.risk_owner"),
    "benefits_owner": _plain("general.benefits_owner"),
    "start": lambda case: spell_date(case["project"]["start_date"]),
    "go_live": lambda case: spell_date(case["project"]["target_go_live"]),
    "go_live_month": lambda case: spell_month(case["project"]["target_go_live"]),
    "users": lambda case: f"{case['project']['users_impacted']:,}",
    "budget": lambda case: f"{case['project']['budget_requested_eur']:,}",
    "solution": _solution,
    "a_solution": lambda case: _with_article(_solution(case)),
    "purpose": _term("architecture_profile.solution_type", "purpose"),
    "compute": _profile_term("compute_profile"),
    "data": _profile_term("data_profile"),
    "network": _profile_term("network_profile"),
    "resilience": _profile_term("resilience_profile"),
    "region": _plain("architecture_profile.primary_region"),
    "second_region": _plain("architecture_profile.secondary_region"),
    "edge": _first("architecture_profile.edge_services"),
    "compute_service": _first("architecture_profile.compute_services"),
    "data_service": _first("architecture_profile.data_services"),
    "prefix": _plain("architecture_profile.resource_prefix"),
    "architecture_id": _plain("architecture_profile.architecture_id"),
    "dns_zone": _plain("architecture.dns_zone"),
    "vendor": _plain("procurement.selected_vendor"),
    "regulations": lambda case: _listed(case["compliance"]["applicable_regulations"]),
    "transfer": _term("legal.data_transfer_clause", "data_transfer_clause"),
}
"""The words of a scene by name, and how each follows from the case."""


def _with_article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeioAEIO" else f"a {noun}"


def _listed(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def spell_date(date: str) -> str:
    """`2027-12-25` as `25 December 2027`; anything else as it is."""
    match date.split("-"):
        case [year, month, day] if (year + month + day).isdecimal() and 1 <= int(month) <= 12:
            return f"{int(day)} {_MONTHS[int(month) - 1]} {year}"
        case _:
            return date


def spell_month(date: str) -> str:
    """`2027-12-25` as `December 2027`."""
    return spell_date(date).partition(" ")[2] or date


def _traits(context: DossierContext) -> frozenset[str]:
    profile = context.case["architecture_profile"]
    traits = {context.route.id, *(profile[name] for name in _PROFILE_TRAITS)}
    traits.update(
        trait for trait, shapes in _SHAPES.items() if profile["compute_profile"] in shapes
    )
    traits.update(flag for flag, name in _CASE_FLAGS.items() if _fact(context.case, name))
    return frozenset(traits)


def _fact(case: Case, name: str) -> Any:
    """The value of a fact by its dotted name."""
    section, _, key = name.partition(".")
    return case[section][key]


@functools.cache
def load_terms() -> Terms:
    """The shipped terms."""
    text = files(__package__).joinpath("texts", "terms.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Terms)
