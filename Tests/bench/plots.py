"""Draws the results of `bench.py --json` and `peers.py --json` as PNG and SVG. It needs matplotlib."""
import argparse
import os
import sys
from pathlib import Path

from Tests.bench import result_lines
from Tests.bench.packages import environment
from Tests.bench.result_lines import Lines
from Tests.harness.arguments import ROOT, run_main
from Tests.harness.errors import Problem

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker
except ImportError:
    pyplot = None

# Colors that color-blind readers can distinguish (Okabe and Ito).
BLUE, ORANGE, GREEN, PURPLE, GREY, RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#777777", "#D55E00"
SERVERS = {"fogbase": BLUE, "fastapi": ORANGE, "kinto": GREEN}
WORKS = ("create", "read", "page", "update", "delete")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE",
                        help="JSON lines; of each row the last one counts")
    parser.add_argument("--out", type=Path, default=ROOT / ".bench/plots", help="where to (default: .bench/plots)")
    parser.add_argument("--resources", type=Path, metavar="DIRECTORY",
                        help="write only SVGs, into the directory, under the names that the page of benchmarks uses")
    parser.add_argument("--install", action="store_true",
                        help="take matplotlib from PyPI into a virtual environment in .bench if it is missing")
    given = parser.parse_args()
    if pyplot is None:
        return _elsewhere(given.install)
    found = result_lines.read(given.files)
    pyplot.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
                            "grid.color": "#e4e4e4", "axes.axisbelow": True, "svg.fonttype": "none",
                            # The same figures give the same file.
                            "svg.hashsalt": "fogbase"})
    drawn = 0
    for name, draw in (("throughput", throughput), ("latency", latency), ("cost", cost), ("peers", peers)):
        figure = draw(found)
        if figure is None:
            print(f"{name}: these lines have no row for it")
            continue
        drawn += 1
        for file in targets(name, given.out, given.resources):
            file.parent.mkdir(parents=True, exist_ok=True)
            # Without a date, for the same reason.
            metadata = {"Date": None} if file.suffix == ".svg" else None
            figure.savefig(file, dpi=144, bbox_inches="tight", metadata=metadata)
            print(file)
        pyplot.close(figure)
    return 0 if drawn else 1


def targets(name: str, out: Path, resources: Path | None) -> list[Path]:
    """The files of one figure."""
    if resources:
        return [resources / f"benchmark-{name}.svg"]
    return [out / f"{name}.{kind}" for kind in ("png", "svg")]


def _elsewhere(install: bool) -> int:
    if not install:
        raise Problem("matplotlib is missing: `apt-get install python3-matplotlib`, or --install, which takes it from "
                      "PyPI into a virtual environment in .bench.")
    binaries = environment(ROOT / ".bench/plots-packages", Path(__file__).with_name("requirements-plots.txt"))
    arguments = [one for one in sys.argv[1:] if one != "--install"]
    os.environ["PYTHONPATH"] = str(ROOT)
    os.execv(binaries / "python", [str(binaries / "python"), "-m", "Tests.bench.plots", *arguments])


def throughput(found: Lines):
    """Operations per second over the number of connections, with the references."""
    titles = {"connections-read": "point reads", "connections-create": "durable creates"}
    panels = [(title, rows) for name, title in titles.items() if (rows := found.series(name))]
    if not panels:
        return None
    figure, axes = pyplot.subplots(1, len(panels), figsize=(5.4 * len(panels), 3.8), squeeze=False)
    for axis, (title, rows) in zip(axes[0], panels):
        places = [row["x"] for row in rows]
        axis.plot(places, [row["rate"] for row in rows], "o-", color=BLUE, label="Fogbase")
        axis.plot(places, [row["reference_rate"] for row in rows], "s--", color=GREY, label=rows[0]["against"])
        highest = max(max(row["rate"], row["reference_rate"]) for row in rows)
        axis.set(title=title, xlabel="connections", ylabel="per second", xscale="log", ylim=(0, highest * 1.08))
        axis.set_xticks(places, [f"{place:g}" for place in places])
        axis.minorticks_off()
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axis.legend(frameon=False, loc="lower right")
    figure.tight_layout()
    return figure


def latency(found: Lines):
    """Percentiles of the time until the response, at 64 connections."""
    wanted = [("point-read", "point read", BLUE), ("create", "durable create", ORANGE), ("update", "update", GREEN),
              ("batch", "200 creates in a batch, 4 connections", RED)]
    wanted += [(name, f"page of 50 out of {name.removeprefix('page-')}", PURPLE) for name in found.rows
               if name.startswith("page-") and found.rows[name].get("target")][:1]
    curves = [(label, found.rows[name]["percentiles"], colour, "o-") for name, label, colour in wanted
              if found.rows.get(name, {}).get("percentiles")]
    if not curves:
        return None
    if bare := found.rows.get("point-read", {}).get("reference_percentiles"):
        curves.append(("nginx, the same bytes", bare, GREY, "s--"))
    figure, axis = pyplot.subplots(figsize=(7, 4))
    for label, percentiles, colour, style in curves:
        axis.plot(list(percentiles), list(percentiles.values()), style, color=colour, label=label)
    axis.set(title="time until the response at 64 connections", xlabel="percentile", ylabel="milliseconds",
             yscale="log")
    _finer_ticks(axis)
    axis.legend(frameon=False, fontsize=9)
    figure.tight_layout()
    return figure


def cost(found: Lines):
    """CPU per operation, and p50, over the number of records."""
    works = [(work, rows) for work in ("read", "page", "update", "create") if (rows := found.series(f"scale-{work}"))]
    if not works:
        return None
    figure, axes = pyplot.subplots(1, 2, figsize=(10.8, 3.8))
    for axis, key, title in ((axes[0], "cpu_us", "CPU µs per operation"),
                             (axes[1], "p50_ms", "p50 in ms at 64 connections")):
        for (work, rows), colour in zip(works, (BLUE, PURPLE, GREEN, ORANGE)):
            axis.plot([row["x"] for row in rows], [row[key] for row in rows], "o-", color=colour, label=work)
        axis.set(title=title, xlabel="records in the database", xscale="log", yscale="log")
        _finer_ticks(axis)
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axis.margins(y=0.1)
    _legend_below(figure, axes[0])
    return figure


def peers(found: Lines):
    """The same work on other servers: rates, and CPU seconds per 1,000 operations, at the most connections."""
    if not found.results:
        return None
    most = max(connections for _, _, connections in found.results)
    servers = [name for name in SERVERS if any(server == name for server, _, _ in found.results)]
    works = [work for work in WORKS if any((server, work, most) in found.results for server in servers)]
    figure, axes = pyplot.subplots(1, 2, figsize=(10.8, 3.8))
    for axis, key, title in ((axes[0], "rate", f"per second, {most} connections"),
                             (axes[1], "cpu_seconds_per_1000", "CPU seconds per 1,000")):
        width = 0.8 / len(servers)
        for number, server in enumerate(servers):
            values = [found.results.get((server, work, most), {}).get(key) or 0 for work in works]
            places = [place + number * width for place in range(len(works))]
            bars = axis.bar(places, values, width * 0.92, color=SERVERS[server], label=server)
            axis.bar_label(bars, [_few_digits(value) for value in values], fontsize=7, padding=1)
        axis.set(title=title, yscale="log")
        axis.set_xticks([place + width * (len(servers) - 1) / 2 for place in range(len(works))], works)
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}")
        axis.grid(axis="x", visible=False)
    _legend_below(figure, axes[0])
    return figure


def _finer_ticks(axis) -> None:
    """Labels at 1, 2 and 5 of each power of ten: curves that are nearly flat span less than one power."""
    axis.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_minor_locator(ticker.NullLocator())
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")


def _legend_below(figure, axis) -> None:
    """One legend for all panels, where it covers nothing."""
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(labels), frameon=False)


def _few_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


if __name__ == "__main__":
    run_main(main)
