"""Runs the rounds of a suite, prints the findings of each, and keeps the directories of those that failed."""
import argparse
import contextlib
import multiprocessing
import multiprocessing.connection
import shutil
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from Tests.harness.errors import Problem


def add_round_options(parser: argparse.ArgumentParser, rounds: int) -> None:
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--sentences", type=int, default=20, help="of a failed round that are printed")


def add_at_once_option(parser: argparse.ArgumentParser) -> None:
    """For suites that use `run_rounds_at_once`."""
    parser.add_argument("--at-once", type=int, default=1, metavar="N",
                        help="rounds that run at the same time (default: %(default)s)")


def run_rounds(options: argparse.Namespace, numbers: Iterable[int], make: Callable[[int, Path], object],
               after: Callable[[int, object, float, list[str]], None] = lambda *_: None) -> int:
    """Runs one round per number and returns how many failed.

    `make(number, directory)` returns a round with `run`, `close`, `keep`, `summary` and `problems`. `run` returns
    sentences about what is wrong; an exception is a finding too. `after` is called with the number, the round, its
    seconds and its findings, before the directory of a round without findings is removed.
    """
    return sum(not run_round(options, number, make, after) for number in numbers)


def run_rounds_at_once(options: argparse.Namespace, numbers: Iterable[int], make: Callable[[int, Path], object]) -> int:
    """As `run_rounds`, for rounds that share nothing: `options.at_once` of them run at the same time.

    Each has a process of its own, as the threads of one Python process take turns.
    """
    if options.at_once <= 1:
        return run_rounds(options, numbers, make)
    fork = multiprocessing.get_context("fork")
    screen, waiting, running, failed = fork.Lock(), deque(numbers), {}, 0

    def run(number: int) -> None:
        sys.exit(0 if run_round(options, number, make, screen=screen) else 1)

    try:
        while waiting or running:
            while waiting and len(running) < options.at_once:
                number = waiting.popleft()
                child = fork.Process(target=run, args=(number,))
                child.start()
                running[child.sentinel] = number, child
            for ended in multiprocessing.connection.wait(running):
                number, child = running.pop(ended)
                child.join()
                failed += child.exitcode != 0
                if child.exitcode not in (0, 1):
                    with screen:
                        print(f"round {number}: its process ended with status {child.exitcode}", flush=True)
    finally:
        for _, child in running.values():
            child.terminate()
        for _, child in running.values():
            child.join()
    return failed


def run_round(options: argparse.Namespace, number: int, make: Callable[[int, Path], object],
              after: Callable[[int, object, float, list[str]], None] = lambda *_: None,
              screen: AbstractContextManager = contextlib.nullcontext()) -> bool:
    """Runs one round and returns whether it has no findings. It holds `screen` while it prints."""
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
    with screen:
        print(f"round {number}: {one.summary()}; {seconds:.1f} s{'' if found else ': ok'}", flush=True)
        for sentence in found[:options.sentences]:
            print(f"    {sentence[:1200]}", flush=True)
        if found:
            one.keep()
            print(f"    {len(found)} findings; kept: {directory}", flush=True)
    after(number, one, seconds, found)
    if not found:
        shutil.rmtree(directory, ignore_errors=True)
    return not found


def description(error: BaseException) -> str:
    """A `Problem` as its sentence; any other exception with the place where it was raised."""
    if isinstance(error, Problem):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = traceback.format_exception_only(error)[-1].strip()
    return f"{what} ({place.filename.split('/')[-1]}, line {place.lineno})"
