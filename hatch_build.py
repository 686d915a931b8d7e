"""What is worked out once, when the package is built, so that no audit has to."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Tables(BuildHookInterface[Any]):
    """Adds what is read from lexicons and rules to the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        with tempfile.TemporaryDirectory() as place:
            sys.path[:0] = [self.root, f"{self.root}/rules", self._installed(place)]
            from transcript_lint import building, tables

            building.write()
        build_data["artifacts"].append(f"/transcript_lint/{tables.BUILT.name}")

    def _installed(self, place: str) -> str:
        """A folder that offers the rules and readers of this package as if it were installed already."""
        info = Path(place, f"transcript_lint-{self.metadata.version}.dist-info")
        info.mkdir()
        info.joinpath("METADATA").write_text(f"Name: {self.metadata.name}\nVersion: {self.metadata.version}\n")
        groups = self.metadata.core.entry_points.items()
        points = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in groups]
        info.joinpath("entry_points.txt").write_text("\n".join(points))
        return place
