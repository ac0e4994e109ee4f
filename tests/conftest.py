"""What holds for every test: how hypothesis searches."""

from __future__ import annotations

import os

from hypothesis import settings

# A slow example is no failure here: speed is measured in benchmarks. CI searches the same examples
# each time, so that a red run can be repeated; everywhere else the search goes on finding new ones.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
