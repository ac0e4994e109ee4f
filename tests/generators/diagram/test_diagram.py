"""The diagram as data: well-formed, constant, true, safe."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from generators.diagram import build_diagram
from generators.diagram.draw import draw
from generators.diagram.font import text_width
from generators.diagram.shapes import look_of, tones
from generators.diagram.svg import fit, wrap
from generators.diagram.topology import topology_of
from tests.generators.diagram.drawings import SVG, labels
from tests.generators.documents.contexts import MODES, OpenContext, contexts, make_context

# Any character, lone surrogates included.
HOSTILE = st.text(alphabet=st.characters(codec=None, categories=None), max_size=60)


@settings(max_examples=25)
@given(contexts)
def test_drawing_is_well_formed(context: OpenContext) -> None:
    """Any dossier's diagram parses as SVG of 1980 by 1320 with no more labels than are read."""
    svg = build_diagram(context)
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert (root.get("width"), root.get("height")) == ("1980", "1320")
    assert root.get("viewBox") == "0 0 1980 1320"
    assert 40 < len(labels(svg)) <= 300


def test_labels_state_the_case() -> None:
    """Names, ids, address ranges, profiles and recovery figures are those of the case."""
    context = make_context(5)
    case, profile = context.case, context.case["architecture_profile"]
    shown = labels(build_diagram(context))
    assert shown[0] == case["project"]["project_name"]
    assert case["project"]["project_id"] in shown[1]
    for key in ("architecture_id", "solution_type", "network_profile"):
        assert profile[key] in shown[1]
    for key in ("primary_region", "resilience_profile", "compute_profile"):
        assert profile[key] in shown[2]
    assert profile["architecture_signature"] in shown[2]
    everything = "\n".join(shown)
    for cidr in case["architecture"]["private_cidrs"]:
        assert cidr in everything
    rto, rpo = profile["rto_hours"], profile["rpo_minutes"]
    assert f"RTO {rto} h · RPO {rpo} min" in everything


def test_hidden_modes_do_not_touch_it() -> None:
    """Every mode of the dossier gives the same diagram."""
    assert len({build_diagram(make_context(9, mode=mode)) for mode in MODES}) == 1


def test_last_labels_are_constant() -> None:
    """The legend closes the drawing and counts nothing."""
    endings = {tuple(labels(build_diagram(make_context(seed)))[-9:]) for seed in range(30)}
    assert len(endings) == 1
    assert len(tones()) == 9


def test_every_generated_service_has_a_look_of_its_own() -> None:
    """No service a topology names falls back to the cloud of an unknown one."""
    fallback = look_of("nothing of the kind")
    for seed in range(150):
        for zone in topology_of(make_context(seed).case).zones:
            for service in zone.services:
                assert look_of(service) != fallback, service


@settings(max_examples=40)
@given(name=HOSTILE, service=HOSTILE)
def test_hostile_names_stay_text(name: str, service: str) -> None:
    """Markup, control characters and lone surrogates in a case neither act nor break anything."""
    case = dict(make_context(2).case)
    case["project"] = {**case["project"], "project_name": name}
    profile = case["architecture_profile"]
    case["architecture_profile"] = {**profile, "edge_services": [service or "edge"]}
    root = ET.fromstring(draw(topology_of(case)).encode())
    assert {element.tag for element in root.iter()} == {
        f"{SVG}{name}" for name in ("svg", "rect", "path", "text", "tspan")
    }


@given(st.text(max_size=80), st.floats(20, 400), st.integers(1, 3))
def test_wrapped_lines_fit(text: str, width: float, rows: int) -> None:
    """Wrapping gives at most so many lines within the width; words are lost only by cutting."""
    wrapped = wrap(text, width, size=13, bold=True, rows=rows)
    assert len(wrapped) <= rows
    assert all(text_width(line, 13, bold=True) <= width for line in wrapped)
    if not any(line.endswith("…") for line in wrapped):
        assert " ".join(wrapped).split() == text.split()


@given(st.text(max_size=80), st.floats(12, 400))
def test_fitted_text_is_a_beginning(text: str, width: float) -> None:
    """A text that fits is left alone; one that does not keeps as much of its beginning as fits."""
    fitted = fit(text, width, size=12)
    assert text_width(fitted, 12) <= width
    if text_width(text, 12) <= width:
        assert fitted == text
    else:
        assert fitted.endswith("…")
        assert text.startswith(fitted[:-1])


@pytest.mark.parametrize(
    ("char", "bold", "thousandths"),
    [("A", False, 667), ("i", False, 222), (" ", False, 278), ("W", False, 944), ("A", True, 722)],
)
def test_widths_are_those_of_helvetica(char: str, bold: bool, thousandths: int) -> None:
    """Advances equal the published metrics of Helvetica, in thousandths of the size."""
    assert round(text_width(char, 1000, bold=bold)) == thousandths


def _environments() -> Iterator[dict[str, str]]:
    yield {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    yield {"PYTHONHASHSEED": "2", "TZ": "America/Lima", "LC_ALL": "C.UTF-8"}


def test_bytes_do_not_depend_on_the_process() -> None:
    """Hash seed, time zone and locale leave every byte as it is."""
    code = (
        "import sys; from generators.diagram import build_diagram;"
        "from tests.generators.documents.contexts import make_context;"
        "sys.stdout.buffer.write(build_diagram(make_context(9001)))"
    )
    root = str(Path(__file__).parents[3])
    digests = {
        hashlib.sha256(
            subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, **environment, "PYTHONPATH": root},
                capture_output=True,
                check=True,
            ).stdout
        ).hexdigest()
        for environment in _environments()
    }
    assert digests == {hashlib.sha256(build_diagram(make_context(9001))).hexdigest()}
