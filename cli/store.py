"""`dgf store …`: look into, check, clean, copy and merge a store."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True, help="Look into, check, clean, copy and merge a store.")


@app.callback()
def store() -> None:
    """Look into, check, clean, copy and merge a store."""
