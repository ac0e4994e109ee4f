"""`dgf policy …`: the rules, what a reviewer is told of them, and whether they hold together."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from cache.errors import UsageError
from cli.columns import columns
from cli.terminal import Json, emit
from generators.evidence import load_catalog
from generators.governance import (
    PHASES,
    Condition,
    Rule,
    RuleTable,
    builtin_rules,
    load_rules,
)
from generators.governance.errors import RuleTableError
from generators.governance.policy import (
    Form,
    PolicyFault,
    coverage,
    policy,
    requirement,
    rule_code,
)
from generators.protocol import DEFAULT_PROTOCOL, digest, faults

app = typer.Typer(no_args_is_help=True, help="Show rules and policy text, and check them.")

RulesFile = Annotated[
    Path | None,
    typer.Option(
        "--rules",
        exists=True,
        dir_okay=False,
        help="A rules file to use instead of the built-in rules.",
        show_default=False,
    ),
]
Protocol = Annotated[str, typer.Option(help="The protocol whose texts to use.")]


def _table(file: Path | None) -> RuleTable:
    return load_rules(file) if file else builtin_rules()


@app.command("list")
def list_rules(
    gate: Annotated[str | None, typer.Option(help="Only the rules of this gate.")] = None,
    rules: RulesFile = None,
    as_json: Json = False,
) -> None:
    """List the rules: what each one leads to, and where it is judged.

    Example: dgf policy list --gate security
    """
    table = _table(rules)
    found = table.rules_of(gate) if gate is not None else tuple(table.rules.values())
    emit(
        [_record(rule, table) for rule in found],
        as_json=as_json,
        human=lambda: columns(
            ("ID", "GATE", "SEVERITY", "DISPOSITION", "RISK", "ACTION", "ROUTES", "PHASES"),
            (_row(rule, table) for rule in found),
        ),
    )


def _row(rule: Rule, table: RuleTable) -> tuple[str, ...]:
    routes = _routes(rule, table)
    return (
        rule.id,
        rule.gate,
        rule.severity,
        rule.disposition,
        "acceptable" if rule.risk_acceptable else "-",
        rule.action,
        "all" if len(routes) == len(table.routes) else ",".join(routes) or "none",
        "all" if set(rule.phases) == set(PHASES) else ",".join(rule.phases),
    )


def _routes(rule: Rule, table: RuleTable) -> list[str]:
    """The routes on which the rule is judged."""
    return [
        route.id
        for route in table.routes.values()
        if any(met.gate == rule.gate and met.phase in rule.phases for met in route.occurrences)
    ]


def _record(rule: Rule, table: RuleTable) -> dict[str, Any]:
    """A rule for machines: its attributes as text, and its routes."""
    record: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(rule, expression=None))
    del record["expression"]
    return {**record, "routes": _routes(rule, table)}


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="GATE|RULE", help="Id of a gate or of a rule.")],
    form: Annotated[Form, typer.Option(help="As code with a glossary, or as prose.")] = "code",
    phase: Annotated[
        str | None, typer.Option(help="Only the rules judged in this phase (default: all of them).")
    ] = None,
    condition: Annotated[Condition, typer.Option(help="What the reviewer is given.")] = "docs",
    conventions: Annotated[
        bool,
        typer.Option("--conventions/--no-conventions", help="With advice on reading records."),
    ] = True,
    rules: RulesFile = None,
    protocol: Protocol = DEFAULT_PROTOCOL,
    as_json: Json = False,
) -> None:
    """Show the policy text of a gate, word for word as its reviewer reads it, or one rule of it.

    Example: dgf policy show procurement --form prose
    """
    table = _table(rules)
    if name in table.rules:
        rule = table.rules[name]
        if phase is not None and rule not in table.rules_of(rule.gate, phase):
            raise UsageError(f"rule {name} is not judged in phase {phase!r}")
        text = (
            requirement(rule, rules=table, protocol=protocol)
            if form == "prose"
            else rule_code(rule)
        )
        data = {"protocol": protocol, "form": form, **_record(rule, table), "text": text}
    elif name in table.gates:
        found = policy(
            name,
            form=form,
            condition=condition,
            phase=phase,
            conventions=conventions,
            record_owners=tuple(load_catalog().owners().items()),
            rules=table,
            protocol=protocol,
        )
        text = found.text
        data = {**msgspec.to_builtins(found), "digest": digest(protocol), "text": text}
    else:
        raise UsageError(
            f"no gate and no rule is called {name!r}",
            hint=f"gates are {', '.join(table.gates)}; `dgf policy list` shows the rules",
        )
    emit(data, as_json=as_json, human=lambda: text)


@app.command()
def check(
    file: Annotated[
        Path | None,
        typer.Argument(
            exists=True,
            dir_okay=False,
            help="A rules file (default: the built-in rules).",
            show_default=False,
        ),
    ] = None,
    protocol: Protocol = DEFAULT_PROTOCOL,
    as_json: Json = False,
) -> None:
    """Check a rules file, or the built-in rules, and the texts of every protocol.

    The format, the notation and all references have to be right; every rule has to be judged
    somewhere on some route and to be told in both forms; no shipped text may have been edited.
    Prints one line per fault and ends with exit code 1 if there is any.

    Example: dgf policy check my-rules.toml
    """
    found = [*_rule_faults(file, protocol), *_text_faults()]
    emit(
        {
            "rules": str(file) if file else "built-in",
            "protocol": protocol,
            "digest": digest(protocol),
            "holds": not found,
            "faults": found,
        },
        as_json=as_json,
        human=lambda: _verdict(found, file=file, protocol=protocol),
    )
    if found:
        raise typer.Exit(1)


def _rule_faults(file: Path | None, protocol: str) -> tuple[PolicyFault, ...]:
    try:
        table = _table(file)
    except RuleTableError as error:
        where = error.where or str(file)
        return (PolicyFault(where=where, problem=error.problem, hint=error.hint or ""),)
    return coverage(table, protocol=protocol)


def _text_faults() -> Iterable[PolicyFault]:
    for fault in faults():
        yield PolicyFault(where=fault.where, problem=fault.problem, hint=fault.hint)


def _verdict(found: list[PolicyFault], *, file: Path | None, protocol: str) -> str:
    if found:
        return "\n".join(_line(fault) for fault in found)
    table = _table(file)
    rules, gates, routes = len(table.rules), len(table.gates), len(table.routes)
    return (
        f"holds: {_counted(rules, 'rule')} of {_counted(gates, 'gate')} on "
        f"{_counted(routes, 'route')}; "
        f"texts of protocol {protocol} are as sealed ({digest(protocol)[:12]})"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _line(fault: PolicyFault) -> str:
    hint = f": {fault.hint}" if fault.hint else ""
    return " ".join(f"{fault.problem} [{fault.where}]{hint}".split())
