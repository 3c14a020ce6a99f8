"""Interleaved rounds: a machine's speed changes by the minute, so the reference and the subject run in turns."""
from collections.abc import Callable
from statistics import median

from Tests.bench.load import Measurement

Runner = Callable[[float], Measurement]


def interleave(rounds: int, seconds: float, *runners: Runner) -> list[list[Measurement]]:
    """Runs A B A B A B after a short warm-up of each; returns each runner's measurements."""
    for runner in runners:
        runner(1)
    found: list[list[Measurement]] = [[] for _ in runners]
    for _ in range(rounds):
        for runner, list_ in zip(runners, found):
            list_.append(runner(seconds))
    return found


def take_turns(rounds: int, seconds: float, *runners: Runner) -> list[list[Measurement]]:
    """The same for as long in turns of a second, whose ratios a busy neighbour disturbs less.

    For runners that cost nothing to begin; a bare program that has to find its file's pages again is none.
    """
    return interleave(rounds * max(1, round(seconds)), 1, *runners)


def middle(measurements: list[Measurement], value: Callable[[Measurement], float | None]) -> float | None:
    """The median of a value over the rounds; `None` where it was not measured."""
    values = [found for one in measurements if (found := value(one)) is not None]
    return median(values) if values else None


def ratio(measured: list[Measurement], reference: list[Measurement]) -> float:
    """The median of the ratios of CPU per operation, each taken within its round."""
    return median(a.cpu_us / b.cpu_us for a, b in zip(measured, reference) if b.cpu_us > 0)
