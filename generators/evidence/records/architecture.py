"""Records of the Architecture Gate."""

from __future__ import annotations

from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.levers import Other, Record, RecordWriter, Row, others, shuffle

EXIT_PLANS: Final = ("tested", "documented", "draft", "missing")


def _architecture_register(ctx: DossierContext) -> Record:
    architecture, profile = ctx.case["architecture"], ctx.case["architecture_profile"]
    project = ctx.case["project"]

    def foreign(at: int, other: Other) -> Row:
        target = ctx.pick((50, 100, 200, 300), "arch", "target", at)
        measured = int(target * (0.5 + ctx.draw("arch", "lat", at)))
        owned = ctx.draw("arch", "own", at) < 0.7
        return _application(
            other.name,
            gateway=(ctx.draw("arch", "req", at) < 0.5, ctx.draw("arch", "dep", at) < 0.6),
            latency_ms=(target, measured),
            exit_plan=ctx.pick(EXIT_PLANS, "arch", "exit", at),
            owner=f"Data Owner {at + 1}" if owned else None,
            availability=(ctx.draw("arch", "az", at) < 0.6, ctx.draw("arch", "dr", at) < 0.3),
        )

    own = _application(
        project["project_name"],
        gateway=(architecture["api_gateway_required"], architecture["api_gateway_present"]),
        latency_ms=(architecture["latency_target_ms"], architecture["measured_latency_ms"]),
        exit_plan=architecture["reversibility_status"],
        owner=project["business_owner"] if architecture["data_owner_present"] else None,
        availability=(profile["multi_az"], profile["multi_region"]),
    )
    rows = [foreign(at, other) for at, other in enumerate(others(ctx, "arch", 2))]
    return {"applications": shuffle(ctx, "arch", [own, *rows])}


def _application(
    name: str,
    *,
    gateway: tuple[bool, bool],
    latency_ms: tuple[int, int],
    exit_plan: str,
    owner: str | None,
    availability: tuple[bool, bool],
) -> Row:
    return {
        "application": name,
        "api_gateway": {"required": gateway[0], "deployed": gateway[1]},
        "latency_s": {
            "target_p95": latency_ms[0] / 1000,
            "measured_p95": latency_ms[1] / 1000,
            "measurement_source": "APM",
        },
        "exit_plan_status": exit_plan,
        "data_domain_owner": owner,
        "availability": {
            "zone_redundant": availability[0],
            "secondary_region": availability[1],
        },
    }


WRITERS: Final[dict[str, RecordWriter]] = {
    "ARCHITECTURE_REGISTER": _architecture_register,
}
"""Evidence id → what is written for it."""
