"""Choosing the cases of a dataset: plans, and the checks that a plan's cases differ enough."""

from __future__ import annotations

from generators.sampling.diversity import diversity_markdown, diversity_report
from generators.sampling.errors import (
    CollisionError,
    ExhaustedError,
    PlanArgumentError,
    PlanError,
    SamplingError,
)
from generators.sampling.plan import (
    Edition,
    Plan,
    PlannedCase,
    Policy,
    decode_plan,
    encode_plan,
    generate,
    identified_cases,
)
from generators.sampling.planner import ROUTES, benchmark_plan, make_plan
from generators.sampling.uniqueness import require_unique, uniqueness_report

__all__ = [
    "ROUTES",
    "CollisionError",
    "Edition",
    "ExhaustedError",
    "Plan",
    "PlanArgumentError",
    "PlanError",
    "PlannedCase",
    "Policy",
    "SamplingError",
    "benchmark_plan",
    "decode_plan",
    "diversity_markdown",
    "diversity_report",
    "encode_plan",
    "generate",
    "identified_cases",
    "make_plan",
    "require_unique",
    "uniqueness_report",
]
