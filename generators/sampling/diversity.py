"""How varied the cases of a dataset are: decisions, findings and the facts rules look at.

DGF-Bench protocol, section 9. The second edition adds two figures: distinct sets of the facts that
really decide (`unique_decisive_fact_signatures`; the other count includes facts of rules that are
not in force at the phase), and where General's decisions come from (`general_decision_sources`).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from generators.facts import json_hash
from generators.governance import (
    BLOCKING,
    GENERAL,
    Case,
    OccurrenceResult,
    Rule,
    builtin_rules,
    decisive_fields,
    evaluate_route,
    read_fact,
)
from generators.governance.vocabulary import Record
from generators.sampling.plan import Edition

SCHEMA: Final = "DGF-Diversity-v1"
CONCENTRATED: Final = 0.8
"""Share of one decision above which a gate is pointed out."""
FEW_CASES: Final = 30
NOTES: Final = (
    "Names, ids and dates do not count as variety of facts.",
    "Entropies describe these synthetic cases, not any real organisation.",
    "A dominant decision is pointed out above 80 percent by convention; no test stands behind it.",
    "Rules that applied and never fired are listed apart from rules no scheduled phase applies.",
    "Facts and findings of one gate may repeat: there are only so many combinations of rules.",
)

Report: TypeAlias = dict[str, Any]
_PREFIXES: Final = {"project": "p", "architecture_profile": "a"}
_OFFER: Final = "procurement.offer."


class Row(Record, frozen=True, kw_only=True):
    """One gate's meeting on one case: what it decided and the facts its rules could look at."""

    project: str
    route: str
    result: OccurrenceResult
    facts: dict[str, Any]
    decisive: str

    @property
    def signature(self) -> str:
        """Equal for meetings that had the same facts at the same phase."""
        return json_hash({"phase": self.result.phase, "facts": self.facts})

    @property
    def pattern(self) -> tuple[str, ...]:
        """The findings, in a fixed order."""
        return tuple(sorted(self.result.finding_ids))


def diversity_report(cases: Sequence[Case], *, edition: Edition = "v1") -> Report:
    """The report on `cases`."""
    routes = [_rows(case) for case in cases]
    rows = [row for meetings in routes for row in meetings]
    by_gate = _grouped((row.result.gate, row) for row in rows)
    gates = {gate: _summary(gate, met, edition) for gate, met in by_gate.items()}
    by_route_gate = _grouped((f"{row.route}/{row.result.gate}", row) for row in rows)
    report = {
        "schema": SCHEMA,
        "case_count": len(cases),
        "routes": dict(Counter(case["project"]["route"] for case in cases)),
        "unique_project_ids": len({case["project"]["project_id"] for case in cases}),
        "unique_architecture_signatures": len(
            {case["architecture_profile"]["architecture_signature"] for case in cases}
        ),
        "unique_whole_case_decision_fact_signatures": len(set(map(_fact_signature, routes))),
        "unique_whole_case_finding_signatures": len(set(map(_finding_signature, routes))),
        "gates": gates,
        "by_route_gate": {
            key: _summary(key.partition("/")[2], met, edition) for key, met in by_route_gate.items()
        },
        "concentrated_gates": [
            gate for gate, each in gates.items() if each["dominant_decision_share"] > CONCENTRATED
        ],
        "notes": list(NOTES),
    }
    if edition == "v2":
        report["general_decision_sources"] = _sources(rows)
    return report


def diversity_markdown(report: Mapping[str, Any]) -> str:
    """The report's main figures as a page."""
    lines = [
        "# Variety of the dossiers, by gate",
        "",
        f"{report['case_count']} dossiers. Names and ids do not count as variety.",
        "",
        "| Gate | Meetings | Distinct facts | Sets of findings | Entropy (bits) | Top decision |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {gate} | {each['occurrences']} | {each['unique_relevant_fact_signatures']} "
        f"| {each['unique_finding_patterns']} | {each['decision_entropy_bits']:.3f} "
        f"| {each['dominant_decision_share']:.1%} |"
        for gate, each in report["gates"].items()
    ]
    lines += ["", *(f"- {note}" for note in report["notes"])]
    return "\n".join(lines) + "\n"


def _rows(case: Case) -> list[Row]:
    route = builtin_rules().route(case["project"]["route"])
    return [
        Row(
            project=case["project"]["project_id"],
            route=route.id,
            result=result,
            facts=_facts(case, result),
            decisive=json_hash(
                {
                    name: read_fact(case, name)
                    for name in decisive_fields(case, result.gate, phase=result.phase)
                }
            ),
        )
        for result in evaluate_route(case, route)
    ]


def _facts(case: Case, result: OccurrenceResult) -> dict[str, Any]:
    """Every fact some rule of the gate looks at, whatever the phase."""
    names = {name for rule in builtin_rules().rules_of(result.gate) for name in rule.fields}
    facts: dict[str, Any] = {_short(name): read_fact(case, name) for name in sorted(names)}
    if result.gate == GENERAL:
        received = Counter(decision.disposition for decision in result.upstream_context)
        facts["upstream_dispositions"] = dict(received)
    return facts


def _short(name: str) -> str:
    if name.startswith(_OFFER):
        return f"sel.{name.removeprefix(_OFFER)}"
    section, _, key = name.partition(".")
    return f"{_PREFIXES.get(section, 'f')}.{key}"


def _fact_signature(meetings: Sequence[Row]) -> str:
    return json_hash(
        [
            {"gate": row.result.gate, "phase": row.result.phase, "facts": row.facts}
            for row in meetings
        ]
    )


def _finding_signature(meetings: Sequence[Row]) -> str:
    return json_hash([[row.result.gate, row.result.phase, row.pattern] for row in meetings])


def _grouped(pairs: Iterable[tuple[str, Row]]) -> dict[str, list[Row]]:
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for key, row in pairs:
        groups[key].append(row)
    return dict(sorted(groups.items()))


def _summary(gate: str, rows: Sequence[Row], edition: Edition) -> Report:
    decisions = Counter(row.result.disposition for row in rows)
    patterns = Counter(row.pattern for row in rows)
    signatures = Counter(row.signature for row in rows)
    fired = Counter(name for row in rows for name in row.result.finding_ids)
    applicable = _applicable(gate, rows)
    potential = sorted({"GO", *(rule.disposition for rule in applicable)})
    bits = entropy(decisions)
    share = round(max(decisions.values()) / len(rows), 4)
    independent = len({row.project for row in rows})
    summary = {
        "occurrences": len(rows),
        "independent_cases": independent,
        "decision_counts": dict(sorted(decisions.items())),
        "decision_entropy_bits": round(bits, 4),
        "decision_entropy_normalized": round(_ratio(bits, math.log2(len(potential))), 4),
        "phase_adjusted_decision_entropy_normalized": round(_phase_adjusted(gate, rows), 4),
        "dominant_decision_share": share,
        "majority_class_baseline": share,
        "potential_dispositions": potential,
        "unobserved_dispositions": [word for word in potential if word not in decisions],
        "unique_relevant_fact_signatures": len(signatures),
        "largest_fact_duplicate_group": max(signatures.values()),
        "unique_finding_patterns": len(patterns),
        "finding_pattern_entropy_bits": round(entropy(patterns), 4),
        "finding_occurrence_counts": dict(sorted(fired.items())),
        "uncovered_phase_applicable_rules": sorted(
            rule.id for rule in applicable if rule.id not in fired
        ),
        "phase_inapplicable_rules": sorted(
            rule.id for rule in builtin_rules().rules_of(gate) if rule not in applicable
        ),
        "relevant_field_variation": _variation(rows),
        "warnings": [
            *(["dominant_decision_above_80_percent"] if share > CONCENTRATED else []),
            *(["fewer_than_30_independent_cases"] if independent < FEW_CASES else []),
        ],
    }
    if edition == "v2":
        summary["unique_decisive_fact_signatures"] = len({row.decisive for row in rows})
    return summary


def _applicable(gate: str, rows: Sequence[Row]) -> list[Rule]:
    """Rules of the gate that are in force at a phase it met in."""
    phases = {row.result.phase for row in rows}
    return [rule for rule in builtin_rules().rules_of(gate) if not phases.isdisjoint(rule.phases)]


def _variation(rows: Sequence[Row]) -> dict[str, Report]:
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for name, value in row.facts.items():
            values[name][json_hash(value)] += 1
    return {
        name: {"unique_values": len(counts), "entropy_bits": round(entropy(counts), 4)}
        for name, counts in sorted(values.items())
    }


def _phase_adjusted(gate: str, rows: Sequence[Row]) -> float:
    """Entropy of decisions within phases, as a share of what the phases allow."""
    by_phase = _grouped((row.result.phase, row) for row in rows)
    observed = possible = 0.0
    for phase, met in by_phase.items():
        share = len(met) / len(rows)
        observed += share * entropy(Counter(row.result.disposition for row in met))
        possible += share * math.log2(len(builtin_rules().possible_dispositions(gate, phase)))
    return _ratio(observed, possible)


def entropy(counts: Mapping[Any, int]) -> float:
    """In bits; exactly 0 when there is one class."""
    total = sum(counts.values())
    return sum((count / total) * math.log2(total / count) for count in counts.values())


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _sources(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """By decision of General, how often its own findings, upstream ones or both carry it."""
    sources: defaultdict[str, Counter[str]] = defaultdict(Counter)
    table = builtin_rules()
    for row in rows:
        result = row.result
        if result.gate == GENERAL and result.disposition in BLOCKING:
            carrying = [
                found for found in result.findings if found.disposition == result.disposition
            ]
            kinds = {table.rule(found.id).reads_upstream for found in carrying}
            sources[result.disposition][
                "both" if len(kinds) > 1 else "upstream" if True in kinds else "own"
            ] += 1
    return {word: dict(sorted(counts.items())) for word, counts in sorted(sources.items())}
