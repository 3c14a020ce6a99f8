"""Checks on a series of samples: memory, descriptors, threads and files must not grow."""
import os
import statistics
from dataclasses import asdict, dataclass, fields

WARM_UP = 1 / 6
# The share of the expected acts that must be done. A busy machine does less.
LEAST_DONE = 0.25
# The share of the tries that may be rejected for now, and so many more, as a few of a rare kind prove nothing.
MOST_UNAVAILABLE, FEW = 0.05, 2
BYTES = {"rss_anon", "rss", "database", "log"}


@dataclass
class Sample:
    """The server at one moment; bytes unless the name says otherwise."""
    seconds: float  # since the load began
    rss_anon: int  # the least since the last sample
    rss: int
    threads: int
    descriptors: int
    connections: int
    database: int
    log: int
    files: int  # all files of assets
    cpu_seconds: float
    requests: int  # that the clients have sent
    # Of the descriptors, those of the database file. SQLite keeps the descriptor of a closed connection for the next
    # one while others are open, so there are as many as connections were ever open at once.
    database_descriptors: int = 0
    # Of the threads, those of the two pools for reads. A pool starts a thread when all others have work, so they may
    # be few after the rehearsal, and as many as the pools may have after the load.
    pool_threads: int = 0

    def as_dict(self) -> dict:
        return asdict(self)


@dataclass
class Limits:
    growth: float = 2e6  # of RssAnon
    log: float = 80e6  # the server truncates it to 64 MiB
    # The Swift runtime creates threads under load, up to the number of processors, and keeps them.
    threads: int = os.cpu_count() or 1
    descriptors: int = 8  # by which the median of the last quarter may exceed that of the first
    # The threads of the two pools for reads, which open a connection each: two for queries, one per processor for
    # pages.
    pool_threads: int = 2 + (os.cpu_count() or 1)
    files: float = 1.5  # times those of the first quarter


@dataclass
class Slope:
    """The slope of a line through medians, per hour, with its standard error."""
    value: float
    error: float


def settled(samples: list[Sample]) -> list[Sample]:
    """The samples after the warm-up."""
    start, end = samples[0].seconds, samples[-1].seconds
    return [one for one in samples if one.seconds >= start + (end - start) * WARM_UP]


def quarters(samples: list[Sample]) -> tuple[list[Sample], list[Sample]]:
    """The first and the last quarter of the time."""
    start, end = samples[0].seconds, samples[-1].seconds
    part = (end - start) / 4
    return ([one for one in samples if one.seconds <= start + part],
            [one for one in samples if one.seconds >= end - part])


def middle(samples: list[Sample], name: str) -> float:
    return statistics.median(getattr(one, name) for one in samples)


def slope(samples: list[Sample], name: str, blocks: int = 24) -> Slope:
    """By least squares over medians of blocks, as neighboring samples depend on each other."""
    size = max(1, len(samples) // blocks)
    parts = [samples[start:start + size] for start in range(0, len(samples) - size + 1, size)]
    if len(parts) < 3:
        return Slope(0, float("inf"))
    times = [middle(one, "seconds") / 3600 for one in parts]
    values = [middle(one, name) for one in parts]
    line = statistics.linear_regression(times, values)
    spread = sum((one - statistics.fmean(times)) ** 2 for one in times)
    left = sum((value - line.slope * time - line.intercept) ** 2 for time, value in zip(times, values))
    return Slope(line.slope, (left / (len(parts) - 2) / spread) ** 0.5)


def check(samples: list[Sample], before: Sample, after: Sample, limits: Limits) -> list[str]:
    """Sentences about growth. `before` and `after` are without load."""
    flat = settled(samples)
    if len(flat) < 8:
        return [f"only {len(flat)} samples after the warm-up: nothing can be said of them"]
    first, last = quarters(flat)
    found = []
    grown = middle(last, "rss_anon") - middle(first, "rss_anon")
    if grown > limits.growth:
        found.append(f"memory grew by {grown / 1e6:.2f} MB from {middle(first, 'rss_anon') / 1e6:.2f} MB, "
                     f"more than {limits.growth / 1e6:g} MB are a leak")
    # A slow rise may be hidden by noise in two medians but not in a line through all of them.
    rise, hours = slope(flat, "rss_anon"), (flat[-1].seconds - flat[0].seconds) / 3600
    if (surely := (rise.value - 2 * rise.error) * hours) > limits.growth:
        found.append(f"memory rises by {rise.value / 1e6:.2f} ± {rise.error / 1e6:.2f} MB/h: surely by "
                     f"{surely / 1e6:.2f} MB in this time, more than {limits.growth / 1e6:g} MB are a leak")
    more = middle(last, "descriptors") - middle(first, "descriptors")
    if more > limits.descriptors:
        found.append(f"{more:.0f} descriptors more are open in the last quarter than in the first")
    found += left_over(before, after, limits)
    if (longest := max(one.log for one in flat)) > limits.log:
        found.append(f"the log was {longest / 1e6:.0f} MB long, more than {limits.log / 1e6:g} MB")
    files = middle(first, "files"), middle(last, "files")
    if files[1] > files[0] * limits.files + 20:
        found.append(f"there are {files[1]:.0f} files of assets in the last quarter, {files[0]:.0f} in the first")
    return found


def left_over(before: Sample, after: Sample, limits: Limits) -> list[str]:
    """Sentences about resources that the server still holds after the clients have gone."""
    found = []
    for name in ("threads", "descriptors", "connections"):
        then, now = getattr(before, name), getattr(after, name)
        allowed = then
        if name == "threads":
            allowed += limits.threads + min(limits.pool_threads, max(0, after.pool_threads - before.pool_threads))
        elif name == "descriptors":
            allowed += min(limits.pool_threads,
                           max(0, after.database_descriptors - before.database_descriptors))
        if now > allowed:
            found.append(f"{now} {name} are left when the load has gone; {then} there were before it came")
    return found


def demand(counts: dict[str, int], expected: dict[str, float]) -> list[str]:
    """Sentences about kinds of clients that did too little; `expected` is the expected number of acts, by kind."""
    found = []
    for kind, acts in expected.items():
        done, unavailable = (counts.get(f"{kind} {what}", 0) for what in ("acts", "unavailable"))
        if done < max(1, LEAST_DONE * acts):
            found.append(f"{kind}: only {done} times something was done, {max(1, LEAST_DONE * acts):.0f} must be "
                         f"in this time")
        if unavailable > FEW + MOST_UNAVAILABLE * (done + unavailable):
            found.append(f"{kind}: {unavailable} of {done + unavailable} times it was rejected for now, "
                         f"more than {MOST_UNAVAILABLE:.0%} are too many")
    return found


def describe(samples: list[Sample], before: Sample, after: Sample) -> list[str]:
    """The measurements in words."""
    flat = settled(samples)
    first, last = quarters(flat)
    lines = []
    for name in ("rss_anon", "rss", "database", "log", "descriptors", "threads", "connections", "files"):
        size = 1e6 if name in BYTES else 1
        # For information: the resident size includes file pages, and the database grows by design.
        rise = slope(flat, name)
        scale, word = (1e3, " KB") if size > 1 else (1, "")
        columns = (("before", getattr(before, name)), ("first quarter", middle(first, name)),
                   ("last", middle(last, name)), ("highest", max(getattr(one, name) for one in flat)),
                   ("after", getattr(after, name)))
        values = ", ".join(f"{what} {value / size:.2f}" for what, value in columns)
        lines.append(f"{name:<12}{values}{' MB' * (size > 1)}; "
                     f"slope {rise.value / scale:+.1f} ± {rise.error / scale:.1f}{word}/h")
    return lines


def sample_of(values: dict) -> Sample:
    """A sample from a line of the JSON file."""
    return Sample(**{one.name: values.get(one.name, 0) for one in fields(Sample)})
