"""Entry point of `dgf`: finds the command, runs it, and turns every expected failure into one line.

Command groups are imported when they are used, so that `dgf --help` starts fast and loads no heavy
library. A group is a module of this package with a `typer.Typer` named `app`.
"""

from __future__ import annotations

import importlib
import os
import sys
from difflib import get_close_matches
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from cache.errors import DgfError, UsageError
from cli.terminal import safe

GROUPS = {
    "attack": ("cli.attack", "List, show and plant the attacks."),
    "dossier": ("cli.dossier", "Draw facts, and make, show and check dossiers."),
    "policy": ("cli.policy", "Show rules and policy text, and check them."),
    "store": ("cli.store", "Look into, check, clean, copy and merge a store."),
}
"""Command groups by name: the module that holds them, and their line in `dgf --help`."""

EXIT_INTERRUPTED = 130
INTERRUPTED = "dgf: interrupted\n"

CommandLineError: Any = typer.BadParameter.__mro__[2]
"""Base of what a wrong command line raises; typer publishes only its leaves."""


class LazyGroup(TyperGroup):
    """The root command: lists the groups by name and imports one only when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Every command and group, in the order they are declared."""
        return [*super().list_commands(ctx), *GROUPS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command, or for a group only what `dgf --help` shows of it."""
        if cmd_name not in GROUPS:
            return super().get_command(ctx, cmd_name)
        line = GROUPS[cmd_name][1]
        return typer.main.get_group(typer.Typer(name=cmd_name, help=line, callback=lambda: None))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command to run: here a group is imported."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            near = get_close_matches(name, known, n=1)
            raise UsageError(
                f"there is no command {name!r}",
                hint=f"did you mean `dgf {near[0]}`" if near else "`dgf --help` lists them",
            )
        if name not in GROUPS:
            return super().resolve_command(ctx, args)
        group = typer.main.get_group(importlib.import_module(GROUPS[name][0]).app)
        group.name = name
        return name, group, args[1:]


app = typer.Typer(
    name="dgf",
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"dgf-async {version('dgf-async')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Measure whether boards of tool-using LLM agents can be deceived by the evidence they review.

    Example: dgf store stats
    """


def main() -> None:
    """Run `dgf`; expected failures end with one line on standard error and their own exit code."""
    if sys.stdout is None:  # started with a closed output (`dgf … >&-`)
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115  # stays open until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # the same bytes wherever it runs
            stream.reconfigure(encoding="utf-8")
    try:
        code = app(standalone_mode=False)
        if code == EXIT_INTERRUPTED:  # what typer makes of Ctrl-C, without a word
            sys.stderr.write(INTERRUPTED)
        sys.exit(code)
    except CommandLineError as error:
        if message := error.format_message().rstrip("."):  # without one, help has been shown
            where = f" [{error.ctx.command_path}]" if error.ctx else ""
            sys.stderr.write(f"dgf: {safe(message)}{where}: see --help\n")
        sys.exit(error.exit_code)
    except DgfError as error:
        sys.stderr.write(f"dgf: {safe(str(error))}\n")
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write(INTERRUPTED)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader went away (`dgf … | head`): not an error, and nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()
