"""Write the template's parts again: `python -m generators.documents.template`."""

from __future__ import annotations

from pathlib import Path

from generators.documents.template.make import template_parts

folder = Path(__file__).with_name("parts")
for name, content in template_parts().items():
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    print(f"{len(content):6d}  {name}")
