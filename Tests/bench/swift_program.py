"""Programs of this package that measure themselves, built in release like the server."""
import json
import subprocess

from Tests.bench.context import Context
from Tests.harness.arguments import ROOT
from Tests.harness.errors import Problem



def microseconds(context: Context, product: str) -> dict[str, float] | None:
    """Builds and runs a program that prints lines of `name` and `microseconds`; `None` if the package has none of this
    name here."""
    build = ["make", "--no-print-directory", "build", f"PRODUCT={product}", "STATIC="]
    made = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    if "no product named" in made.stdout + made.stderr:
        return None
    if made.returncode:
        raise Problem(f"`{' '.join(build)}` failed:\n{made.stdout[-2000:]}{made.stderr[-2000:]}")
    count = 20_000 if context.options.quick else 200_000
    run = subprocess.run([ROOT / ".build/release" / product, str(count)], capture_output=True, text=True, check=True)
    return {row["name"]: row["microseconds"] for row in map(json.loads, run.stdout.splitlines())}
