"""`dgf dossier …`: the facts of a synthetic enterprise, and the dossiers that document them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import typer

from cache.errors import UsageError
from cli import dossier_check, dossier_diff, dossier_make, dossier_show
from cli.columns import columns
from cli.terminal import Json, emit
from generators.facts import DEFAULT_VERSION, case_hash, case_id, make_case
from generators.governance import (
    Case,
    OccurrenceResult,
    builtin_rules,
    evaluate_route,
    retained_offer,
)

app = typer.Typer(no_args_is_help=True, help="Draw facts, and make, show and check dossiers.")
app.command()(dossier_make.make)
app.command()(dossier_show.show)
app.command()(dossier_check.check)
app.command()(dossier_diff.diff)
app.command()(dossier_make.export)
app.command("import")(dossier_make.import_)

NOT_CERTIFIABLE = (
    "not certifiable: some facts that gates of this route decide on have no authoritative record"
)

LONGEST_ATTEMPT = 18
"""Digits of the number of a draw, so that it stays within 64 bits."""


@app.callback()
def dossier() -> None:
    """Draw facts, and make, show and check dossiers."""


@app.command()
def facts(  # noqa: PLR0913, PLR0917  # one per option
    seed: Annotated[int, typer.Argument(help="Seed of the case, not negative.")],
    route: Annotated[str, typer.Option(help="buy, integrate, build or full_lifecycle.")],
    difficulty: Annotated[int, typer.Option(help="1 to 5.")] = 4,
    architecture_attempt: Annotated[
        int, typer.Option(help="Which draw of the topology to take, from 0.")
    ] = 0,
    fact_attempt: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GATE=N",
            help="Which draw of a gate's own facts to take, from 0; once per gate.",
        ),
    ] = None,
    generator_version: Annotated[
        str, typer.Option(help="Version of the facts: compat-1, hashed-2 or coherent-3.")
    ] = DEFAULT_VERSION,
    decisions: Annotated[
        bool, typer.Option("--decisions", help="Also what each gate of the route has to decide.")
    ] = False,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Also the facts that no rule tests (JSON has them anyway)."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the canonical facts of a seed: what is true, whatever a dossier's documents say.

    Example: dgf dossier facts 20000 --route buy --difficulty 4 --decisions
    """
    attempts = _attempts(fact_attempt or [])
    case = make_case(
        seed,
        route=route,
        difficulty=difficulty,
        architecture_attempt=architecture_attempt,
        fact_attempts=attempts,
        version=generator_version,
    )
    taken = builtin_rules().route(route)
    note = None if taken.certifiable else NOT_CERTIFIABLE
    decided = evaluate_route(case, taken) if decisions else None
    data = {
        "seed": seed,
        "route": route,
        "difficulty": difficulty,
        "architecture_attempt": architecture_attempt,
        "fact_attempts": attempts,
        "generator_version": generator_version,
        "case_id": case_id(case, architecture_attempt=architecture_attempt),
        "case_hash": case_hash(case),
        "certifiable": taken.certifiable,
        "note": note,
        "facts": case,
        "decisions": decided,
    }

    def human() -> str:
        heading = f"{case['project']['project_name']} ({taken.label})\ncase {data['case_id']}"
        parts = [
            heading,
            note,
            _facts_table(case, everything),
            decided and _decisions_table(decided),
        ]
        return "\n\n".join(part for part in parts if part)

    emit(data, as_json=as_json, human=human)


def _attempts(given: Sequence[str]) -> dict[str, int]:
    attempts: dict[str, int] = {}
    for text in given:
        gate, _, number = text.partition("=")
        if not (number.isascii() and number.isdigit() and len(number) <= LONGEST_ATTEMPT):
            raise UsageError(
                f"cannot read the attempt {text!r}", hint="write it as GATE=N, such as legal=2"
            )
        if gate in attempts:
            raise UsageError(f"two attempts for gate {gate!r}")
        attempts[gate] = int(number)
    return attempts


def _facts_table(case: Case, everything: bool) -> str:
    """Facts by their dotted names, and the rules that test them."""
    fields = builtin_rules().fields
    retained = _flat("procurement.offer", retained_offer(case))
    found = [*(row for section in case for row in _flat(section, case[section])), *retained]
    return columns(
        ("FACT", "VALUE", "TESTED BY"),
        (
            (name, value, ", ".join(fields[name].rules) if name in fields else "")
            for name, value in found
            if everything or name in fields
        ),
    )


def _flat(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Names and values of the scalars in `value`; a list of scalars is one value."""
    match value:
        case Mapping():
            for key, inner in value.items():
                yield from _flat(f"{name}.{key}", inner)
        case list() if any(isinstance(item, Mapping) for item in value):
            for index, item in enumerate(value):
                yield from _flat(f"{name}[{index}]", item)
        case list():
            yield name, ", ".join(map(_text, value)) or "-"
        case _:
            yield name, _text(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _decisions_table(decided: Sequence[OccurrenceResult]) -> str:
    return columns(
        ("OCCURRENCE", "DISPOSITION", "OPINION", "AUTHORIZATION", "FINDINGS"),
        (
            (
                result.occurrence_id,
                result.disposition,
                result.expert_opinion,
                "required" if result.authorization_required else "-",
                ", ".join(result.finding_ids) or "none",
            )
            for result in decided
        ),
    )
