"""The cost for the server to read the body of a write, relative to Foundation's decoder."""
from collections.abc import Iterator

from Tests.bench.context import Context, Scenario
from Tests.bench.report import Row
from Tests.bench.swift_program import microseconds
from Tests.harness.errors import Problem

# The rows by name, and the floor of each: how many times as fast as Foundation.
FLOORS = {"request-read": 5.0, "request-resolve": None}


def requests(context: Context) -> Iterator[Row]:
    took = microseconds(context, "requestbench")
    if took is None:
        raise Problem("Package.swift has no requestbench.")
    foundation = took["request-foundation"]
    for name, floor in FLOORS.items():
        own = took[name]
        yield Row(name, foundation / own, "× faster", floor=floor, at_least=True, cpu_us=own,
                  reference_cpu_us=foundation, against="JSONDecoder, fixed types", ratio=own / foundation,
                  notes=[f"{own:.2f} µs a body, JSONDecoder {foundation:.2f} µs"])


SCENARIOS = [Scenario("requests", "parse the body of a write; reference: JSONDecoder with fixed types", requests)]
