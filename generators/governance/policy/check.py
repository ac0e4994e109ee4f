"""What keeps a rule table from being put into words, or a rule from ever being judged."""

from __future__ import annotations

from collections.abc import Iterator

from generators.governance.errors import GovernanceError
from generators.governance.loader import builtin_rules
from generators.governance.notation import Compare, Constant, Expression, Fact, Items, walk
from generators.governance.policy.code import RESERVED, gate_code
from generators.governance.policy.prose import requirement
from generators.governance.table import Field, Rule, RuleTable
from generators.governance.vocabulary import Record
from generators.protocol import DEFAULT_PROTOCOL


class PolicyFault(Record, frozen=True):
    """Something a rule table should not have."""

    where: str
    """Path in the rules file, such as `rule[3].condition`, and the id it stands at."""
    problem: str
    hint: str


def coverage(
    rules: RuleTable | None = None, *, protocol: str = DEFAULT_PROTOCOL
) -> tuple[PolicyFault, ...]:
    """Every fault of `rules`, in the order of the file; none when all of it holds."""
    table = rules or builtin_rules()
    return tuple(
        fault
        for index, rule in enumerate(table.rules.values())
        for fault in _rule_faults(table, rule, path=f"rule[{index}]", protocol=protocol)
    )


def _rule_faults(
    table: RuleTable, rule: Rule, *, path: str, protocol: str
) -> Iterator[PolicyFault]:
    where = f"{path}.condition, {rule.id}"
    yield from _reach(table, rule, where=f"{path}.phases, {rule.id}")
    yield from _words(table, rule, where=where)
    yield from _sections(table, rule, where=where)
    try:
        requirement(rule, rules=table, protocol=protocol)
    except GovernanceError as error:
        yield PolicyFault(
            where=where, problem=f"prose form: {error.problem}", hint=error.hint or ""
        )
    try:
        compile(gate_code(rule.gate, [rule]), "<policy>", "exec")
    except SyntaxError as error:
        problem = f"code form: {error.msg}"
        yield PolicyFault(where=where, problem=problem, hint="give the fact another name")


def _reach(table: RuleTable, rule: Rule, *, where: str) -> Iterator[PolicyFault]:
    """A rule has to be judged somewhere on some route."""
    met = {
        occurrence.phase
        for route in table.routes.values()
        for occurrence in route.occurrences
        if occurrence.gate == rule.gate
    }
    if met.isdisjoint(rule.phases):
        yield PolicyFault(
            where=where,
            problem=f"no route judges the rule: gate {rule.gate!r} never meets in its phases",
            hint=f"the gate meets in {', '.join(sorted(met)) or 'no phase'}",
        )


def _sections(table: RuleTable, rule: Rule, *, where: str) -> Iterator[PolicyFault]:
    """The glossary of the gate has to explain each fact in its code."""
    shown = {field.name for field in table.glossary(rule.gate)}
    counted = (rule.count.fact,) if rule.count and rule.count.fact else ()
    for name in dict.fromkeys((*rule.fields, *counted)):
        section = table.fields[name].section
        if name not in shown:
            yield PolicyFault(
                where=where,
                problem=f"code form: the glossary of gate {rule.gate!r} leaves out {name}",
                hint=f"add {section!r} to its glossary_sections",
            )
        if section in RESERVED:
            yield PolicyFault(
                where=where,
                problem=f"code form: section {section!r} has the name of something in the code",
                hint="give the section another name",
            )


def _words(table: RuleTable, rule: Rule, *, where: str) -> Iterator[PolicyFault]:
    """A word that a fact is compared with has to be one the fact can be."""
    for node in walk(rule.expression):
        match node:
            case Compare("==" | "!=" | "in" | "not in", Fact(name), right):
                yield from _foreign_words(table.fields[name], right, where=where)
            case _:
                pass


def _foreign_words(field: Field, right: Expression, *, where: str) -> Iterator[PolicyFault]:
    if field.type != "enum":
        return
    for item in right.items if isinstance(right, Items) else (right,):
        if isinstance(item, Constant) and item.value not in field.values:
            if item.value is None and field.nullable:
                continue
            known = ", ".join(map(str, field.values))
            yield PolicyFault(
                where=where,
                problem=f"{field.name} is never {item.value!r}",
                hint=f"its values are {known}",
            )
