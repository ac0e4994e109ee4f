"""Clean dossiers of this project for the tests of attacks, each made once."""

from __future__ import annotations

import functools

from generators.attacks import CleanDossier, Options, Variant, build_variant, find_attack
from generators.attacks.storing import clean_of_dossier
from generators.dossier import Dossier, DossierSpec, build_dossier
from generators.sampling import Plan, benchmark_plan, make_plan

FULL = Options(rate=1.0)


@functools.cache
def made(route: str = "buy", difficulty: int = 4, seed: int = 20_004) -> Dossier:
    """A dossier of natural sampling."""
    return build_dossier(DossierSpec(seed=seed, route=route, difficulty=difficulty))


@functools.cache
def sample(route: str = "buy", difficulty: int = 4, seed: int = 20_004) -> CleanDossier:
    """The same, ready to be attacked."""
    return clean_of_dossier(made(route, difficulty, seed))


@functools.cache
def plan(name: str) -> Plan:
    """The plan of one of the published configurations."""
    if name == "dev15":
        return make_plan(policy="balanced", seed=20_000, cases_per_route=5, difficulty=4)
    return benchmark_plan(dossiers=int(name.removeprefix("run")), seed=40_000, difficulty=4)


@functools.cache
def planned(name: str) -> tuple[CleanDossier, ...]:
    """The dossiers of a published configuration, as this project writes them."""
    return tuple(
        clean_of_dossier(build_dossier(DossierSpec.planned(row))) for row in plan(name).cases
    )


def variant(attack_id: str, dossier: CleanDossier, options: Options = FULL) -> Variant:
    """A dossier under an attack."""
    return build_variant(dossier, find_attack(attack_id), options)
