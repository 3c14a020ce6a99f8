"""The cost for an app to write a model into a record's fields and to read it back, relative to Foundation's JSON."""
from collections.abc import Iterator

from Tests.bench.context import Context, Scenario
from Tests.bench.report import Row
from Tests.bench.swift_program import microseconds
from Tests.harness.errors import Skipped


def models(context: Context) -> Iterator[Row]:
    took = microseconds(context, "modelbench")
    if took is None:
        raise Skipped("the client is built without its macros: this toolchain has no swift-syntax modules.")
    for name in ("model-encode", "model-decode"):
        own, foundation = took[name], took[f"{name}-foundation"]
        notes = [f"{own:.2f} µs a record, JSON{'En' if name.endswith('encode') else 'De'}coder {foundation:.2f} µs"]
        yield Row(name, foundation / own, "× faster", floor=3, at_least=True, cpu_us=own, reference_cpu_us=foundation,
                  notes=notes, against="Foundation's JSON", ratio=own / foundation)


SCENARIOS = [Scenario("models", "encode and decode a model of the Swift client; reference: Foundation's JSON", models)]
