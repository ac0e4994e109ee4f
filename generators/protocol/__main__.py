"""`python -m generators.protocol seal NAME`: record the digests of a protocol's new texts."""

from __future__ import annotations

import sys
from pathlib import Path

from cache.errors import DgfError
from generators.protocol.digests import SEAL_FILE, seal_text


def main(arguments: list[str]) -> int:
    """Seal the named protocol in the source tree; 0 when done."""
    match arguments:
        case ["seal", protocol]:
            try:
                Path(__file__).with_name(SEAL_FILE).write_text(seal_text(protocol), "utf-8")
            except DgfError as error:
                sys.stderr.write(f"{error}\n")
                return error.exit_code
            return 0
        case _:
            sys.stderr.write("usage: python -m generators.protocol seal PROTOCOL\n")
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
