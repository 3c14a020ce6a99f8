"""What the rounds of a run come to, and a line of JSON for each of them."""
import json
from pathlib import Path

import paths  # noqa: F401
from power import CrewRound


class Totals:
    def __init__(self, file: Path | None = None):
        self.file = file
        self.played: dict[str, int] = {}
        self.failed: dict[str, int] = {}
        self.writes = self.cuts = self.starts = 0
        self.seconds = self.slowest = 0.0
        self.refusals: dict[int, int] = {}

    def add(self, number: int, seed: int, one: CrewRound, seconds: float, found: list[str]) -> None:
        self.played[one.kind] = self.played.get(one.kind, 0) + 1
        if found:
            self.failed[one.kind] = self.failed.get(one.kind, 0) + 1
        self.writes += one.acknowledged()
        self.cuts += len(one.cuts)
        self.starts += len(one.starts)
        self.seconds += seconds
        self.slowest = max([self.slowest, *one.starts])
        for status, count in one.refusals().items():
            self.refusals[status] = self.refusals.get(status, 0) + count
        if self.file:
            line = {"kind": one.kind, "seed": seed, "number": number, "end": one.ending, "continued": one.continued,
                    "writes": one.acknowledged(), "refusals": one.refusals(), "cuts": len(one.cuts),
                    "starts": [round(start, 3) for start in one.starts], "seconds": round(seconds, 1),
                    "findings": [sentence[:1200] for sentence in found]}
            with open(self.file, "a") as lines:
                lines.write(json.dumps(line) + "\n")

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" + (f" ({self.failed[kind]} failed)" if kind in self.failed else "")
                          for kind, count in self.played.items())
        refused = "".join(f", {count} answered {status}" for status, count in sorted(self.refusals.items()))
        return (f"{sum(self.played.values())} rounds: {kinds}; {self.writes} writes acknowledged{refused}; {self.cuts} "
                f"ends judged, {self.starts} starts, the slowest {self.slowest:.2f} s; {self.seconds / 60:.1f} min; "
                f"{sum(self.failed.values())} rounds failed")
