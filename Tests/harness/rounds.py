"""Runs the rounds of a suite, prints the findings of each, and keeps the directories of those that failed."""
import argparse
import shutil
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

from Tests.harness.errors import Problem


def add_round_options(parser: argparse.ArgumentParser, rounds: int) -> None:
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--sentences", type=int, default=20, help="of a failed round that are printed")


def run_rounds(options: argparse.Namespace, numbers: Iterable[int], make: Callable[[int, Path], object],
               after: Callable[[int, object, float, list[str]], None] = lambda *_: None) -> int:
    """Runs one round per number and returns how many failed.

    `make(number, directory)` returns a round with `run`, `close`, `keep`, `summary` and `problems`. `run` returns
    sentences about what is wrong; an exception is a finding too. `after` is called with the number, the round, its
    seconds and its findings, before the directory of a round without findings is removed.
    """
    failed = 0
    for number in numbers:
        directory = options.work / f"round-{number}"
        shutil.rmtree(directory, ignore_errors=True)
        one, begun = make(number, directory), time.monotonic()
        try:
            found = one.run()
        except Exception as error:
            found = [*one.problems, description(error)]
        finally:
            one.close()
        seconds = time.monotonic() - begun
        print(f"round {number}: {one.summary()}; {seconds:.1f} s{'' if found else ': ok'}", flush=True)
        for sentence in found[:options.sentences]:
            print(f"    {sentence[:1200]}", flush=True)
        if found:
            failed += 1
            one.keep()
            print(f"    {len(found)} findings; kept: {directory}", flush=True)
        after(number, one, seconds, found)
        if not found:
            shutil.rmtree(directory, ignore_errors=True)
    return failed


def description(error: BaseException) -> str:
    """A `Problem` as its sentence; any other exception with the place where it was raised."""
    if isinstance(error, Problem):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = traceback.format_exception_only(error)[-1].strip()
    return f"{what} ({place.filename.split('/')[-1]}, line {place.lineno})"
