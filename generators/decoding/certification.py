"""Certification: every scheduled gate can be decided from what its agent may read, or not.

A gate is certified if each fact it decides on can be read from a record that the organisation
vouches for and the gate may open in its phase, and if what is read is the truth (protocol, section
9.3). Fact snapshots play no part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

import msgspec

from generators.decoding.decode import Context
from generators.decoding.facts import decode_facts, decoders_of, given_identity, sources_of
from generators.evidence import Catalog, load_catalog
from generators.governance import Case, Occurrence, RuleTable, decisive_fields, read_fact
from generators.readers.dossier import CompiledDossier

CheckStatus = Literal["MATCH", "MISMATCH", "NOT_ESTABLISHED", "NO_DECODER"]


class FieldCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One decisive field of one occurrence.

    Attributes
    ----------
    source
        The evidence the value was read from; null if none gave one.
    """

    occurrence_id: str
    gate: str
    phase: str
    field: str
    status: CheckStatus
    source: str | None = None


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A check that is not a match, in the form of the report."""

    case: str
    occurrence_id: str
    gate: str
    phase: str
    field: str
    source: str | None
    status: CheckStatus


class CertificationReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a set of dossiers amounts to.

    Attributes
    ----------
    failure_counts
        ``field:status`` to how often, most frequent first.
    """

    cases: int
    occurrences: int
    certified_occurrences: int
    field_checks: int
    failures: tuple[Failure, ...]
    failure_counts: dict[str, int]

    @property
    def is_certified(self) -> bool:
        """Whether every occurrence is decidable."""
        return self.certified_occurrences == self.occurrences


def certify(
    dossier: CompiledDossier,
    *,
    case: Case,
    occurrences: Iterable[Occurrence],
    catalog: Catalog | None = None,
    rules: RuleTable | None = None,
) -> tuple[FieldCheck, ...]:
    """The checks of one dossier, which must be compiled in block mode."""
    checks: list[FieldCheck] = []
    context = Context(identity=given_identity(case["project"]), catalog=catalog or load_catalog())
    for occurrence in occurrences:
        checks.extend(_check_occurrence(dossier, case, occurrence, context, rules))
    return tuple(checks)


def _check_occurrence(
    dossier: CompiledDossier,
    case: Case,
    occurrence: Occurrence,
    context: Context,
    rules: RuleTable | None,
) -> Iterable[FieldCheck]:
    gate, phase = occurrence.gate, occurrence.phase
    fields = decisive_fields(case, gate, phase=phase, rules=rules)
    found = decode_facts(fields, sources_of(dossier, gate=gate, phase=phase), context)
    for field in fields:
        decoded = found.get(field)
        status: CheckStatus
        if decoded is not None:
            status = "MATCH" if decoded.value == read_fact(case, field) else "MISMATCH"
        elif decoders_of(field, context.catalog, authoritative=True):
            status = "NOT_ESTABLISHED"
        else:
            status = "NO_DECODER"
        yield FieldCheck(
            occurrence_id=occurrence.occurrence_id,
            gate=gate,
            phase=phase,
            field=field,
            status=status,
            source=decoded.source if decoded else None,
        )


def certification_report(
    cases: Iterable[tuple[str, int, Iterable[FieldCheck]]],
) -> CertificationReport:
    """The report over cases, each given by name, number of occurrences and checks."""
    failures: list[Failure] = []
    case_count = occurrence_count = check_count = failed_occurrences = 0
    for name, occurrences, checks in cases:
        case_count += 1
        occurrence_count += occurrences
        failed: set[str] = set()
        for check in checks:
            check_count += 1
            if check.status != "MATCH":
                failed.add(check.occurrence_id)
                failures.append(Failure(case=name, **msgspec.structs.asdict(check)))
        failed_occurrences += len(failed)
    counts = Counter(f"{failure.field}:{failure.status}" for failure in failures)
    return CertificationReport(
        cases=case_count,
        occurrences=occurrence_count,
        certified_occurrences=occurrence_count - failed_occurrences,
        field_checks=check_count,
        failures=tuple(failures),
        failure_counts=dict(counts.most_common()),
    )
