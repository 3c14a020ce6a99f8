"""What a series of samples says: whether memory, descriptors, threads and files stay as they are."""
import os
import statistics
from dataclasses import asdict, dataclass, fields

WARM_UP = 1 / 6
# Of what visitors of a kind would do in the time if the server took none of it. A busy machine does less.
LEAST_DONE = 0.25
# Of what they tried, what the server may put off; and so many more, as a few of a rare kind say nothing.
MOST_PASSING, FEW = 0.05, 2
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
    files: int  # below assets/, all of them
    cpu_seconds: float
    requests: int  # that the clients have sent
    # Of the descriptors, those of the database's file: SQLite keeps that of a connection that was closed while others
    # are open, and gives it to the next, so that there are as many as connections were ever open at once.
    database_descriptors: int = 0

    def as_dict(self) -> dict:
        return asdict(self)


@dataclass
class Limits:
    growth: float = 2e6  # of RssAnon
    log: float = 80e6  # the server takes it back to 64 MiB
    # The language's runtime makes some when much waits, up to the number of processors, and keeps them.
    threads: int = os.cpu_count() or 1
    descriptors: int = 8  # that the middle of the last quarter may be above that of the first
    database_descriptors: int = 2 + (os.cpu_count() or 1)  # the threads of the two pools that open connections
    files: float = 1.5  # times those of the first quarter


@dataclass
class Slope:
    """Of a straight line through medians, per hour, with its standard error."""
    value: float
    error: float


def settled(samples: list[Sample]) -> list[Sample]:
    """Those after the warm-up."""
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
    """By least squares. Neighbours resemble each other, so that only medians of blocks count as measurements."""
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


def judge(samples: list[Sample], before: Sample, after: Sample, limits: Limits) -> list[str]:
    """Sentences about what grows. `before` and `after` are without any load."""
    flat = settled(samples)
    if len(flat) < 8:
        return [f"only {len(flat)} samples after the warm-up: nothing can be said of them"]
    first, last = quarters(flat)
    found = []
    grown = middle(last, "rss_anon") - middle(first, "rss_anon")
    if grown > limits.growth:
        found.append(f"memory grew by {grown / 1e6:.2f} MB from {middle(first, 'rss_anon') / 1e6:.2f} MB, "
                     f"more than {limits.growth / 1e6:g} MB are a leak")
    # Noise may hide in two medians what it cannot hide in a line through all of them.
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
    """Sentences about what the server still holds of clients who have gone."""
    found = []
    for name in ("threads", "descriptors", "connections"):
        then, now = getattr(before, name), getattr(after, name)
        allowed = then
        if name == "threads":
            allowed += limits.threads
        elif name == "descriptors":
            allowed += min(limits.database_descriptors,
                           max(0, after.database_descriptors - before.database_descriptors))
        if now > allowed:
            found.append(f"{now} {name} are left when the load has gone; {then} there were before it came")
    return found


def demand(counts: dict[str, int], expected: dict[str, float]) -> list[str]:
    """Sentences about visitors who were served too little; `expected` is what they would do, by their kind."""
    found = []
    for kind, acts in expected.items():
        done, passing = (counts.get(f"{kind} {what}", 0) for what in ("acts", "passing"))
        if done < max(1, LEAST_DONE * acts):
            found.append(f"{kind}: only {done} times something was done, {max(1, LEAST_DONE * acts):.0f} must be "
                         f"in this time")
        if passing > FEW + MOST_PASSING * (done + passing):
            found.append(f"{kind}: {passing} of {done + passing} times it was put off for now, "
                         f"more than {MOST_PASSING:.0%} are a refusal to serve")
    return found


def describe(samples: list[Sample], before: Sample, after: Sample) -> list[str]:
    """What was measured, for people."""
    flat = settled(samples)
    first, last = quarters(flat)
    lines = []
    for name in ("rss_anon", "rss", "database", "log", "descriptors", "threads", "connections", "files"):
        size = 1e6 if name in BYTES else 1
        # The resident size has pages of files in it, and the database grows by design: for information.
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
    """A line of the evidence as a sample again."""
    return Sample(**{one.name: values.get(one.name, 0) for one in fields(Sample)})
