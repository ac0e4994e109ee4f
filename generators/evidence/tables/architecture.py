"""Tables and documents of the Architecture Gate."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from generators.evidence.context import DossierContext
from generators.evidence.formats import Content, Document, Rows
from generators.evidence.texts import texts


def _flow_matrix(ctx: DossierContext) -> Rows:
    profile = ctx.case["architecture_profile"]
    edge, data = profile["edge_services"], profile["data_services"]
    protocol = "TLS/Private Link" if profile["private_endpoints"] else "TLS/Public endpoint"
    api_purpose = ctx.wording(texts().api_purpose, "FLOW_MATRIX")
    flows = [("Internet Users", edge[0], "HTTPS/443", "User traffic")] * profile["internet_facing"]
    if profile["api_management"]:
        flows.append((edge[-1], "Azure API Management", "HTTPS/443", api_purpose))
    flows.append((profile["compute_services"][0], data[0], protocol, "Application data"))
    classification = ctx.case["project"]["data_classification"]
    return [
        {
            "classification": classification,
            "destination": destination,
            "protocol": protocol,
            "purpose": purpose,
            "source": source,
        }
        for source, destination, protocol, purpose in flows
    ]


def _openapi(ctx: DossierContext) -> str:
    title = f"{ctx.case['project']['project_name']} API"
    if ": " in title:  # bare, it would start a mapping; a JSON string is a YAML one too
        title = json.dumps(title, ensure_ascii=False)
    return f"""\
openapi: 3.0.3
info:
  title: {title}
  version: 1.0.0
paths:
  /health:
    get:
      responses:
        '200':
          description: OK
  /v1/items:
    get:
      security:
        - oauth2: []
      responses:
        '200':
          description: Success
"""


def _data_model(ctx: DossierContext) -> Document:
    architecture, project = ctx.case["architecture"], ctx.case["project"]
    return {
        "data_owner": project["business_owner"] if architecture["data_owner_present"] else None,
        "classification": project["data_classification"],
        "personal_data": project["personal_data"],
        "lineage_complete": architecture["data_lineage_complete"],
    }


def _data_lineage(ctx: DossierContext) -> Rows:
    model = _data_model(ctx)
    return [
        {
            "lineage_status": "complete" if model["lineage_complete"] else "partial",
            "owner": model["data_owner"],
            "source": "Business source",
            "target": ctx.case["architecture_profile"]["data_services"][0],
        }
    ]


def _ip_plan(ctx: DossierContext) -> Rows:
    architecture = ctx.case["architecture"]
    overlap = architecture["ip_overlap"]
    return [{"cidr": cidr, "overlap_detected": overlap} for cidr in architecture["private_cidrs"]]


def _adr_register(ctx: DossierContext) -> Rows:
    architecture, profile = ctx.case["architecture"], ctx.case["architecture_profile"]
    decisions = sorted(texts().decision, key=lambda text: ctx.draw("adr", text))
    return [
        {
            "adr_id": f"ADR-{number:03d}",
            "decision": decision.format(
                compute=profile["compute_services"][0],
                data=profile["data_services"][0],
                prefix=profile["resource_prefix"],
                region=profile["primary_region"],
                zone=architecture["dns_zone"],
            ),
            "status": "Accepted",
        }
        for number, decision in enumerate(decisions[: architecture["adr_count"]], start=1)
    ]


def _arch_debt(ctx: DossierContext) -> Rows:
    return [
        {
            "debt_id": f"DEBT-{number + 1:03d}",
            "owner": "Architecture",
            "severity": "medium",
            "target": "Post go-live",
        }
        for number in range(ctx.case["architecture"]["architecture_debt_items"])
    ]


WRITERS: Final[dict[str, Callable[[DossierContext], Content]]] = {
    "FLOW_MATRIX": _flow_matrix,
    "OPENAPI": _openapi,
    "DATA_MODEL": _data_model,
    "DATA_LINEAGE": _data_lineage,
    "IP_PLAN": _ip_plan,
    "ADR_REGISTER": _adr_register,
    "ARCH_DEBT": _arch_debt,
}
"""Evidence id → what is written for it."""
