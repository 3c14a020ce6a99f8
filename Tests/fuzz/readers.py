"""Runs libFuzzer on every parser of bytes that anyone may send; see README.md."""
import argparse
import base64
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

from Tests.harness.arguments import ROOT, run_main

CORPUS = Path(__file__).with_name("corpus")
# An input that takes more time or memory is a finding too.
SLOWEST_SECONDS = 5
MOST_MB = 2048
# Most of a parser's time goes to short inputs, of which more run in a second. The rest goes to long ones, which reach
# the code that counts bytes: limits of heads and texts, buffers that grow, cuts far from the beginning.
SHORT, LONG = 4096, 1 << 16
LONG_SHARE = 0.2
# libFuzzer lengthens inputs only a little at a time, so it starts with so many long ones.
LONG_INPUTS = 64
# The corpus must stay small enough for every `make test`: branches count, not how often each is taken.
KEPT = ["-merge=1", "-use_counters=0", "-max_len=1024"]
LEAKS = ROOT / "Tests/lint/leaks.txt"


def main() -> int:
    targets = sorted(path.stem for path in CORPUS.iterdir())
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, default=ROOT / ".build/fuzz/release/fuzz")
    parser.add_argument("--work", type=Path, default=ROOT / ".fuzz", help="new inputs and findings (default .fuzz)")
    parser.add_argument("--only", choices=targets, action="append", help="a reader; may be repeated")
    parser.add_argument("--seconds", type=int, default=60, help="for each reader (default 60)")
    parser.add_argument("--seed", type=int, default=0, help="0 takes another one each time")
    parser.add_argument("--keep", action="store_true", help="add the inputs that reached new code to the corpus")
    options = parser.parse_args()
    found = 0
    for target in options.only or targets:
        found += not run(target, options)
        if options.keep:
            keep(target, options)
    print(f"{found} readers with findings" if found else "No findings.")
    return 1 if found else 0


def run(target: str, options: argparse.Namespace) -> bool:
    """Whether the parser had no finding; the input of a finding is in the work directory."""
    directory, corpus, stretched = (options.work / f"{target}{suffix}" for suffix in ("", "-corpus", "-long"))
    directory.mkdir(parents=True, exist_ok=True)
    unpack(target, corpus)
    stretch(corpus, stretched, options.seed or None)
    seconds = max(1, round(options.seconds * LONG_SHARE))
    return (part(target, options, [f"-max_total_time={max(1, options.seconds - seconds)}", f"-max_len={SHORT}",
                                   str(directory), str(corpus)])
            and part(target, options, [f"-max_total_time={seconds}", f"-max_len={LONG}", "-len_control=0",
                                       str(stretched), str(corpus)]))


def part(target: str, options: argparse.Namespace, arguments: list[str]) -> bool:
    """One run of libFuzzer; its first directory receives the inputs that reach new code."""
    done = fuzz(target, options, [
        f"-seed={options.seed}", f"-timeout={SLOWEST_SECONDS}", f"-rss_limit_mb={MOST_MB}",
        f"-artifact_prefix={options.work}/{target}-", *arguments])
    # A run without a summary, or that reached no branch, has tested nothing.
    summary = re.search(r"#([1-9]\d*)\s+DONE\s+cov: ([1-9]\d*) ft: (\d+) corp: (\d+)", done.stderr)
    if done.returncode == 0 and summary:
        runs, edges, features, inputs = summary.groups()
        print(f"{target:<10} {runs:>9} inputs run, {edges} edges, {features} features, {inputs} inputs worth keeping",
              flush=True)
        return True
    (options.work / f"{target}.log").write_text(done.stderr)
    said = re.findall(r"Fatal error.*|ERROR: .*|Test unit written to .*", done.stderr)
    said = said or done.stderr.splitlines()[-3:] + ([] if summary else ["no summary of libFuzzer"])
    print(f"{target:<10} FINDING: " + "; ".join(said), flush=True)
    return False


def stretch(corpus: Path, directory: Path, seed: int | None) -> None:
    """Writes long inputs: some of the corpus, each with a part of it repeated."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    choose = random.Random(seed)
    inputs = [data for path in sorted(corpus.iterdir()) if len(data := path.read_bytes()) > 3]
    for number in range(LONG_INPUTS if inputs else 0):
        (directory / f"stretched-{number}").write_bytes(stretched(choose.choice(inputs), choose))


def stretched(data: bytes, choose: random.Random) -> bytes:
    """Repeats a random part, or one that ends where its first byte occurs again: a line, a list member, a digit."""
    start = choose.randrange(len(data))
    again = data.find(data[start], start + 1)
    end = again if again > 0 and choose.randrange(4) else choose.randint(start + 1, len(data))
    length = choose.randint(SHORT, LONG) - len(data)
    return data[:start] + data[start:end] * (1 + length // (end - start)) + data[end:]


def keep(target: str, options: argparse.Namespace) -> None:
    """Adds the fewest and smallest new inputs that reach code which the corpus does not."""
    chosen = options.work / f"{target}-corpus"
    unpack(target, chosen)
    before = {path.name for path in chosen.iterdir()}
    fuzz(target, options, [*KEPT, str(chosen), str(options.work / target)])
    pack(target, chosen)
    added = sum(path.name not in before for path in chosen.iterdir())
    print(f"{target:<10} {added} inputs added to the corpus", flush=True)


def unpack(target: str, directory: Path) -> None:
    """Writes the inputs of a corpus into files for libFuzzer. A line of a corpus is a name and base64."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for line in (CORPUS / f"{target}.txt").read_text().splitlines():
        name, _, text = line.partition(" ")
        (directory / name).write_bytes(base64.b64decode(text))


def pack(target: str, directory: Path) -> None:
    lines = [f"{path.name} {base64.b64encode(path.read_bytes()).decode()}" for path in sorted(directory.iterdir())]
    (CORPUS / f"{target}.txt").write_text("".join(f"{line}\n" for line in lines))


def fuzz(target: str, options: argparse.Namespace, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    # Swift's own crash report would keep libFuzzer from writing the input.
    environment = {**os.environ, "FOGBASE_FUZZ_TARGET": target, "SWIFT_BACKTRACE": "enable=no",
                   "LSAN_OPTIONS": f"suppressions={LEAKS}:print_suppressions=0"}
    return subprocess.run([str(options.binary), *arguments], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False)


if __name__ == "__main__":
    run_main(main)
