"""What it costs an app to write a model into a record's fields and to read it back, beside Foundation's JSON."""
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from context import Context, Scenario
from problem import Problem, Skipped
from report import Row

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "modelbench"


def models(context: Context) -> Iterator[Row]:
    build = ["swift", "build", "-c", "release", "--product", PROGRAM]
    made = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    if "no product named" in made.stdout + made.stderr:
        raise Skipped("the client is built without its macros: this toolchain has no swift-syntax modules.")
    if made.returncode:
        raise Problem(f"`{' '.join(build)}` failed:\n{made.stdout[-2000:]}{made.stderr[-2000:]}")
    count = 20_000 if context.options.quick else 200_000
    run = subprocess.run([ROOT / ".build/release" / PROGRAM, str(count)], capture_output=True, text=True, check=True)
    took = {row["name"]: row["microseconds"] for row in map(json.loads, run.stdout.splitlines())}
    for name in ("model-encode", "model-decode"):
        own, foundation = took[name], took[f"{name}-foundation"]
        notes = [f"{own:.2f} µs a record, JSON{'En' if name.endswith('encode') else 'De'}coder {foundation:.2f} µs"]
        yield Row(name, foundation / own, "× faster", floor=3, at_least=True, cpu_us=own, reference_cpu_us=foundation,
                  notes=notes, against="Foundation's JSON", ratio=own / foundation)


SCENARIOS = [Scenario("models", "encode and decode a model of the Swift client beside Foundation's JSON", models)]
