"""Does the bench judge, read and write its figures rightly? Needs wrk for one of the tests."""
import io
import json
import subprocess
import tempfile
import threading
import unittest
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from os import getpid
from pathlib import Path
from unittest import mock

from Tests.bench import (
    __main__ as bench, callgraph, compare, function_order, instructions, machine, origins, page, plots, previous_page,
    result_lines)
from Tests.bench.context import Scenario
from Tests.bench.load import Load, Measurement
from Tests.bench.report import Row, json_line, last_line, measured_row, status, table, verdicts
from Tests.bench.rounds import take_turns
from Tests.bench.scenarios import requests
from Tests.bench.scenarios.hostile import Turn, longest_row
from Tests.harness import process
from Tests.harness.client import message
from Tests.harness.errors import Problem, Skipped


class Verdicts(unittest.TestCase):
    def test_each_side_of_floor_and_target(self):
        for value, verdict in ((0.5, "target"), (1.0, "target"), (1.5, "floor"), (2.0, "floor"), (2.1, "MISSED")):
            self.assertEqual(Row("row", value, "×", 2.0, 1.0).verdict, verdict)
        self.assertEqual(Row("row", 19, "per sync", 20, at_least=True).verdict, "MISSED")
        self.assertEqual(Row("row", 20, "per sync", 20, at_least=True).verdict, "holds")

    def test_errors_win_over_a_good_figure(self):
        self.assertTrue(Row("row", 0.1, "×", 2.0, errors=1).failed)

    def test_a_floor_without_a_figure_is_not_held(self):
        skipped, empty = Row("create-syncs", None, "", unshown=True), Row("a", None, "ms", 2)
        held = Row("b", 1, "ms", 2)
        for row in (skipped, empty):
            self.assertEqual((row.verdict, row.failed, row.not_shown), ("NOT SHOWN", False, True))
            self.assertEqual((status([held, row], False), status([held, row], True)), (1, 0))
        self.assertEqual(last_line([held, skipped]), "1 of 2 rows were not shown: create-syncs")
        self.assertEqual(last_line([held]), "all rows hold")
        missed = Row("c", 3, "ms", 2)
        self.assertEqual(last_line([held, skipped, missed]),
                         "1 of 3 rows failed: c; 1 of 3 rows were not shown: create-syncs")
        # A failure is never excused.
        self.assertEqual(status([held, missed], True), 1)

    def test_a_scenario_that_is_skipped_promises_nothing_only_if_all_of_it_is_for_information(self):
        for for_information in (False, True):
            def skip(_):
                raise Skipped("not here", for_information)

            given = mock.Mock(json=None, allow_skips=False)
            context = mock.Mock(highest_rss={})
            with mock.patch("builtins.print"), mock.patch.object(machine, "facts", return_value={}):
                found = bench.run(context, [Scenario("one", "", skip)], given)
            self.assertEqual(found, 0 if for_information else 1)

    def test_a_wait_over_its_floor_shows_nothing_where_the_host_took_the_processors_and_nothing_excuses_it(self):
        for stolen, value, verdict in ((0.02, 30, "NOT SHOWN"), (0.005, 30, "MISSED"), (0.02, 20, "holds")):
            row = measured_row("p99", [Measurement(1, 1, 1, stolen=stolen)], None, value=value, floor=25, by_waits=True)
            self.assertEqual(row.verdict, verdict)
            self.assertEqual(status([row], True), 0 if verdict == "holds" else 1)
            self.assertEqual(len(row.notes), 1 if stolen > 0.01 else 0)
        # Processor time is not waited for.
        row = measured_row("cpu", [Measurement(1, 1, 3, stolen=0.5)], [Measurement(1, 1, 1)], floor=2)
        self.assertEqual(row.verdict, "MISSED")

    def test_the_cpu_time_of_the_host_is_read_from_the_machine(self):
        before, after = "cpu  100 0 100 800 0 0 0 0 0 0\n", "cpu  150 0 120 820 0 0 0 10 0 0\n"
        with mock.patch("builtins.open", side_effect=[io.StringIO(before), io.StringIO(after)]):
            with process.StolenShare() as stolen:
                pass
        self.assertAlmostEqual(stolen.share, 0.1)

    def test_verdicts_are_counted(self):
        rows = [Row("a", 0.5, "×", 2.0, 1.0), Row("b", 3, "×", 2.0), Row("c", 3, "s")]
        self.assertEqual(verdicts(rows), "3 rows: 1 reach their target, 1 are for information, 1 MISSED their floor")

    def test_a_ratio_is_taken_within_each_round(self):
        measured = [Measurement(100, 1, cpu) for cpu in (1, 4, 2)]
        reference = [Measurement(100, 1, cpu) for cpu in (1, 1, 1)]
        row = measured_row("row", measured, reference, against="nginx", floor=2.0)
        self.assertEqual((row.value, row.ratio, row.verdict), (2, 2, "holds"))

    def test_turns_of_a_second_last_as_long_as_rounds_and_alternate(self):
        ran = []
        runners = [lambda seconds, name=name: ran.append((name, seconds)) for name in "AB"]
        self.assertEqual([len(one) for one in take_turns(3, 4, *runners)], [12, 12])
        self.assertEqual(ran, [("A", 1), ("B", 1)] * 13)

    def test_the_table_names_the_reference_and_its_ratio_also_where_another_figure_is_judged(self):
        measured, reference = [Measurement(100, 1, 3)], [Measurement(100, 1, 2)]
        text = table([measured_row("row", measured, reference, value=0.05, unit="ms", floor=1, against="nginx")])
        for expected in ("nginx", "0.050 ms", "1.50 ×", "holds"):
            self.assertIn(expected, text)


class Hostile(unittest.TestCase):
    def row(self, *waits: tuple[float, float], sent: int = 20, stolen: float = 0) -> Row:
        return longest_row([Turn(Measurement(1, 1, 1, max_ms=control),
                                 Measurement(1, 1, 1, max_ms=beside, stolen=stolen), sent)
                            for control, beside in waits], 20)

    def test_a_loop_blocked_in_each_turn_misses_the_floor_and_a_pause_of_the_machine_in_one_turn_does_not(self):
        self.assertEqual(self.row((1, 9), (2, 9), (1, 8)).verdict, "MISSED")
        self.assertEqual(self.row((1, 3), (1, 90), (2, 4)).verdict, "holds")
        self.assertEqual(self.row((20, 23), (30, 31), (25, 28)).verdict, "holds")

    def test_a_host_that_takes_the_processors_shows_nothing(self):
        self.assertEqual(self.row((1, 90), (2, 80), (1, 70), stolen=0.02).verdict, "NOT SHOWN")

    def test_turns_in_which_not_all_queries_came_round_show_nothing(self):
        self.assertEqual(self.row((1, 2), (1, 2), sent=19).verdict, "NOT SHOWN")


class Requests(unittest.TestCase):
    def rows(self, took: dict | None) -> list[Row]:
        with mock.patch.object(requests, "microseconds", return_value=took):
            return list(requests.requests(mock.Mock()))

    def test_a_reader_is_to_be_five_times_as_fast_as_foundation(self):
        for foundation, verdict in ((10, "holds"), (9.9, "MISSED")):
            read, resolve = self.rows({"request-read": 2, "request-resolve": 4, "request-foundation": foundation})
            self.assertEqual((read.name, read.value, read.verdict), ("request-read", foundation / 2, verdict))
            self.assertEqual(resolve.verdict, "–")

    def test_without_its_program_nothing_is_shown(self):
        with self.assertRaises(Problem):
            self.rows(None)


class Once(unittest.TestCase):
    def test_no_message_is_sent_twice_and_the_run_ends_with_the_last(self):
        seen = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_DELETE(self):
                seen.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        wanted = [f"/{number}" for number in range(101)]
        try:
            with tempfile.TemporaryDirectory() as directory:
                load = Load(Path(directory), getpid(), server.server_port, [message("DELETE", path) for path in wanted],
                            expect=204, connections=8, once=True)
                found = load.run(20)
        finally:
            server.shutdown()
            server.server_close()
        self.assertEqual(sorted(seen), sorted(wanted))
        self.assertEqual((found.operations, found.errors), (100, 0))
        self.assertLess(found.seconds, 10)


class Files(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.file = Path(self.directory.name) / "results.jsonl"

    def test_the_last_line_of_a_row_counts(self):
        self.file.write_text("".join(json_line(Row("live", value, "×")) + "\n" for value in (1, 2)))
        self.assertEqual(result_lines.read([self.file]).rows["live"]["value"], 2)

    def test_a_broken_line_is_named(self):
        self.file.write_text(json_line(Row("live", 1, "×")) + '\n{"name":\n')
        with self.assertRaisesRegex(Problem, "line 2"):
            result_lines.read([self.file])

    def test_a_curve_is_in_the_order_of_its_axis(self):
        rows = [Row(f"scale-read-{x}", 1, "×", series="scale-read", x=x) for x in (100, 10)]
        self.file.write_text("".join(json_line(row) + "\n" for row in rows))
        self.assertEqual([row["x"] for row in result_lines.read([self.file]).series("scale-read")], [10, 100])

    def test_the_page_has_every_row(self):
        rows = [Row("live", 0.5, "×", 1.0, 0.7), Row("broken", None, "", errors=1), Row("rss-idle", 12, "MB", 25)]
        self.file.write_text("".join(json_line(row) + "\n" for row in rows))
        found = result_lines.read([self.file])
        text = page.figures(found)
        for expected in ("`live`", "`broken`", "ERRORS", "12.0 MB", "≤ 25.0"):
            self.assertIn(expected, text)

    def test_the_page_shows_results_of_other_servers(self):
        result = {"suite": "peers", "work": "read", "connections": 64, "p50_ms": 1, "p99_ms": 2, "memory_mb": 3,
                  "operations": 10, "errors": 0, "rate": 100}
        self.file.write_text("".join(json.dumps(result | {"server": server, "cpu_seconds_per_1000": cpu}) + "\n"
                                     for server, cpu in (("fogbase", 0.02), ("kinto", 8))))
        found = page.figures(result_lines.read([self.file]))
        self.assertIn("| Kinto + PostgreSQL | 100 | 1.00 | 2.00 | 8.00 | 400 |", found)


class Pages(unittest.TestCase):
    NOW = {"date": "2026-11-23T10:00:00Z", "processor": "EPYC", "cores": 2, "kernel": "6.18", "commit": "abc1234"}
    BEFORE = NOW | {"date": "2026-11-21T10:00:00Z"}
    OTHER_BUILD = NOW | {"commit": "def5678"}
    MACHINE = NOW | {"memory_mb": 24576, "system": "Debian 12", "disk": "ext4", "fdatasync_p50_ms": 1,
                     "fdatasync_p99_ms": 2, "nginx": "nginx version: nginx/1", "wrk": "wrk 4", "load_average": 1.0}

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def read(self, *files: list[str]) -> result_lines.Lines:
        paths = [self.directory / str(number) for number in range(len(files))]
        for path, content in zip(paths, files):
            path.write_text("".join(line + "\n" for line in content))
        return result_lines.read(paths)

    def machine(self, facts: dict, suite: str = "bench") -> str:
        return json.dumps({"machine": self.MACHINE | facts, "seconds": 4, "rounds": 3, "suite": suite})

    def result(self, server: str, rate: float, facts: dict) -> str:
        return json.dumps({"suite": "peers", "server": server, "work": "create", "connections": 64, "rate": rate,
                           "p50_ms": 1, "p99_ms": 2, "memory_mb": 3, "operations": 10, "errors": 0,
                           "cpu_seconds_per_1000": 0.1} | facts)

    def test_a_row_says_when_and_where_it_was_measured_and_the_machine_before_it_where_it_does_not(self):
        found = self.read([self.machine(self.BEFORE), json_line(Row("old", 1, "×")),
                           json_line(Row("new", 1, "×"), machine.origin(self.MACHINE))],
                          [json_line(Row("alone", 1, "×"))])
        self.assertEqual(origins.of(found.rows["old"]), ("2026-11-21", "EPYC, 2 cores, Linux 6.18", "abc1234"))
        self.assertNotEqual(origins.of(found.rows["new"])[0], "2026-11-21")
        self.assertEqual(origins.of(found.rows["alone"]), origins.UNKNOWN)

    def test_of_each_row_the_newest_counts_in_whatever_order_the_files_are_named(self):
        old, new = ([json_line(Row("live", value, "×"), facts)] for value, facts in ((1, self.BEFORE), (2, self.NOW)))
        for files in ((old, new), (new, old)):
            self.assertEqual(self.read(*files).rows["live"]["value"], 2)

    def test_rows_of_another_day_are_named_and_the_machine_is_that_of_most(self):
        text = page.figures(self.read(
            [self.machine(self.NOW)] + [json_line(Row(name, 1, "×")) for name in ("a", "b", "c")],
            [self.machine(self.BEFORE), json_line(Row("scale-10m", 1, "×"))],
            [self.machine(self.BEFORE, "peers"), self.result("fogbase", 5, {})]))
        self.assertIn("| date | 2026-11-23 |", text)
        self.assertIn("| `scale-10m`, other servers | 2026-11-21 | EPYC, 2 cores, Linux 6.18 | abc1234 |", text)
        self.assertNotIn(origins.UNKNOWN[0], text)

    def test_rows_of_another_commit_are_named_and_the_machine_line_has_the_commit_of_most(self):
        new = [self.machine(self.NOW)] + [json_line(Row(name, 1, "×")) for name in ("a", "b", "c")]
        text = page.figures(self.read(new, [json_line(Row("d", 1, "×"), self.OTHER_BUILD)]))
        self.assertIn("| commit | abc1234 |", text)
        self.assertIn("| `d` | 2026-11-23 | EPYC, 2 cores, Linux 6.18 | def5678 |", text)
        # It is read from the page's own words as well.
        self.assertEqual(page.figures(self.read(new), previous_page.read(text)), text)

    def test_lines_and_pages_from_before_commits_were_recorded_are_read(self):
        before = {key: value for key, value in self.MACHINE.items() if key != "commit"}
        line = json.dumps({"machine": before, "seconds": 4, "rounds": 3})
        text = page.figures(self.read([line] + [json_line(Row(name, 1, "×")) for name in "ab"]))
        self.assertIn("| commit | unknown |", text)
        old = """\
|  |  |
| --- | --- |
| machine | EPYC, 2 cores, 24 GB |
| system | Debian 12, Linux 6.18 |
| date | 2026-11-23 |

Of another day or host:

| rows | date | host |
| --- | --- | --- |
| `x`, `y` | 2026-11-20 | Xeon, 4 cores, Linux 6.12 |

## All figures

| row | measured | reference | ratio | floor | target | verdict | CPU µs/op | op/s | p50 ms | p99 ms | RssAnon MB |
| --- | ---: | --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |
| `w` | 1.00 × | nginx | 1.00 | ≤ 2.00 | ≤ 1.20 | target | 13.9 | 79,309 | 0.480 | 4.60 | 11.6 |
| `x` | 2.00 × |  |  |  |  | – |  | 7 |  |  |  |
| `y` | 3.00 × |  |  |  |  | – |  | 8 |  |  |  |
"""
        self.assertEqual(previous_page.read(old).origins["`w`"], ("2026-11-23", "EPYC, 2 cores, Linux 6.18", "unknown"))
        text = page.figures(self.read([self.machine(self.NOW)] + [json_line(Row(name, 2, "×")) for name in "abcy"]),
                            previous_page.read(old))
        self.assertIn("| `w` | 2026-11-23 | EPYC, 2 cores, Linux 6.18 | unknown |", text)
        self.assertIn("| `x` | 2026-11-20 | Xeon, 4 cores, Linux 6.12 | unknown |", text)
        # Cells that the page lacked are empty; the others keep their column.
        self.assertIn("| `w` | 1.00 × | nginx | 1.00 | ≤ 2.00 | ≤ 1.20 | target | 13.9 |  | 79,309 |  | 0.480 | 4.60 |",
                      text)
        self.assertIn("| `y` | 2.00 × |", text)

    def test_the_page_shows_the_cost_of_the_reference_in_the_turns_of_each_row(self):
        row = Row("page-1m", 1.24, "×", 1.3, cpu_us=130, reference_cpu_us=105, rate=12_651, reference_rate=15_000,
                  ratio=1.24, against="page-100k")
        found = self.read([json_line(row)])
        self.assertIn("| `page-1m` | 1.24 × | page-100k | 1.24 | ≤ 1.30 |  | holds | 130 | 105 | 12,651 | 15,000 |",
                      page.figures(found))
        self.assertIn("| 130 µs | 1.24 × that of 100,000 (105 µs) |", page.short(found))

    def test_one_day_and_host_need_no_names(self):
        found = self.read([self.machine({}), json_line(Row("a", 1, "×"))])
        self.assertNotIn(previous_page.ELSEWHERE, page.figures(found))

    def test_rows_of_the_page_without_a_new_result_keep_their_date_until_they_are_measured(self):
        first = page.figures(self.read(
            [self.machine(self.BEFORE)] + [json_line(Row(name, 1, "×")) for name in ("a", "b", "x")],
            [self.result("fogbase", 5, self.BEFORE)]))
        new = [self.machine(self.NOW)] + [json_line(Row(name, 2, "×")) for name in ("a", "b", "c", "d")]
        second = page.figures(self.read(new), previous_page.read(first))
        self.assertIn("| `x` | 1.00 × |", second)
        self.assertEqual(second.count("| `a` |"), 1)
        self.assertIn("| create | 64 | Fogbase | 5.00 |", second)
        self.assertIn("| `x`, other servers | 2026-11-21 | EPYC, 2 cores, Linux 6.18 | abc1234 |", second)
        # It is parsed from its own text again, and goes when it is measured again.
        self.assertEqual(page.figures(self.read(new), previous_page.read(second)), second)
        # The page's order stays.
        self.assertLess(second.index("| `b` |"), second.index("| `x` |"))
        self.assertLess(second.index("| `x` |"), second.index("| `c` |"))
        third = page.figures(self.read(new + [json_line(Row("x", 3, "×"))]), previous_page.read(second))
        self.assertIn("| other servers | 2026-11-21 |", third)
        self.assertNotIn("| `x` | 1.00 × |", third)
        # Figures without a request are not kept.
        self.assertNotIn("`x`", page.figures(self.read(new)))

    def test_one_row_that_is_measured_again_leaves_the_machine_of_all_others(self):
        first = page.figures(self.read([self.machine(self.BEFORE)] + [json_line(Row(name, 1, "×")) for name in "abc"]))
        newer = self.read([self.machine(self.NOW), json_line(Row("a", 2, "×"))])
        second = page.figures(newer, previous_page.read(first))
        self.assertIn("| date | 2026-11-21 |", second)
        self.assertIn("| `a` | 2026-11-23 |", second)

    def test_the_short_table_is_that_of_the_readme_and_shows_missed_floors(self):
        rows = [Row("point-read", 0.9, "×", cpu_us=20.5, ratio=0.923),
                Row("create", 1.7, "×", cpu_us=40.1, ratio=1.7),
                Row("page-1m", 1.33, "×", 1.3, cpu_us=176, ratio=1.33),
                Row("rss-idle", 4.37, "MB", 25), Row("rss-load", 31.8, "MB", 60)]
        found = self.read([json_line(row) for row in rows],
                          [self.result(server, rate, self.NOW) for server, rate in
                           (("fogbase", 19_042), ("fastapi", 2046), ("kinto", 269))])
        self.assertEqual(page.short(found), """\
| | measured | beside |
|---|---:|---|
| read of a record | 20.5 µs | 0.92 × nginx with a file of the same bytes |
| durable create, 64 clients | 40.1 µs | 1.70 × a C loop that commits in groups |
| page of 50 by filter and sort, of a million | 176 µs | 1.33 × that of 100,000; **misses** its floor of 1.30 |
| memory at rest; the most under these loads | 4.4 MB; 32 MB | sign-ins take 33 MB more for a moment |

Everything durable, 64 clients create 19,042 records a second; on FastAPI with SQLite 2,046, on Kinto with PostgreSQL \
269.""")
        alone = page.short(self.read([json_line(rows[0]), self.result("fogbase", 5, {})]))
        self.assertIn("not measured", alone)
        self.assertTrue(alone.endswith("records a second."))

    def test_plots_for_the_page_have_the_names_that_it_shows(self):
        shown = page.PAGE.read_text()
        for name in ("throughput", "latency", "cost", "peers"):
            files = plots.targets(name, Path("out"), Path("resources"))
            self.assertEqual([file.parent for file in files], [Path("resources")])
            self.assertIn(f"(Resources/{files[0].name})", shown)
        self.assertEqual(plots.targets("cost", Path("out"), None), [Path("out/cost.png"), Path("out/cost.svg")])


class Commits(unittest.TestCase):
    def test_a_build_is_named_by_the_commit_and_the_changes_of_its_tree(self):
        with tempfile.TemporaryDirectory() as directory:
            tree = Path(directory) / "tree"
            binary = tree / ".build/release/fogbase"
            for file in (binary, tree / "Sources/a.swift", tree / "Tests/b.py"):
                file.parent.mkdir(parents=True)
                file.write_text("")

            def git(*arguments: str) -> str:
                return subprocess.run(["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                                      check=True, capture_output=True, text=True).stdout.strip()

            self.assertEqual(machine.commit(binary), "unknown")
            git("init")
            git("add", "Sources")
            git("commit", "-m", "a")
            self.assertEqual(machine.commit(binary), git("rev-parse", "--short", "HEAD"))
            # The bench itself is no part of the server.
            (tree / "Tests/b.py").write_text("b")
            self.assertEqual(machine.commit(binary), git("rev-parse", "--short", "HEAD"))
            (tree / "Sources/c.swift").write_text("c")
            self.assertEqual(machine.commit(binary), git("rev-parse", "--short", "HEAD") + " + changes")


class Comparisons(unittest.TestCase):
    def test_perf_counters_are_shown_per_operation_and_unsupported_ones_are_left_out(self):
        text = ("# started on Mon\n\n5000,,instructions:u,1000,100.00,,\n12.5,,cycles:k,1000,80.00,,\n"
                "<not supported>,,cache-misses,0,100.00,,\n<not counted>,,cycles:u,0,0.00,,\n")
        self.assertEqual(compare.counted(text, 50), {"instructions:u": 100, "cycles:k": 0.25})
        self.assertEqual(compare.counted("", 50), {})

    def test_builds_are_compared_turn_by_turn(self):
        first = [{"cycles:u": 100.0, "CPU": 10.0}, {"cycles:u": 200.0}, {"cycles:u": 400.0, "CPU": 10.0}]
        other = [{"cycles:u": 90.0, "CPU": 20.0}, {"cycles:u": 100.0, "CPU": 1.0}, {"cycles:u": 320.0, "CPU": 25.0}]
        self.assertEqual(compare.ratios(first, other, "cycles:u"), [0.9, 0.5, 0.8])
        # A turn in which one of them could not be counted says nothing.
        self.assertEqual(compare.ratios(first, other, "CPU"), [2.0, 2.5])
        found = {line["counter"]: line for line in compare.lines("read", [Path("a"), Path("b")], [first, other])}
        self.assertEqual((found["cycles:u"]["first"], found["cycles:u"]["this"]), (200, 100))
        self.assertEqual((found["cycles:u"]["ratio"], found["cycles:u"]["least"]), (0.8, 0.5))
        self.assertEqual(found["CPU"]["build"], "b")


class CallGraphs(unittest.TestCase):
    # fn 1 costs 10 itself and calls fn 2 three times, itself once, and a function of libc, which calls back fn 4.
    PROFILE = """\
events: Ir

ob=(1) /somewhere/server
fl=(1) ???
fn=(1) loop
0 10
cfn=(2) answer
calls=3 0
0 600
cfn=(3) loop'2
calls=1 0
0 7
cob=(2) /lib/libc.so.6
cfn=(4) qsort
calls=5 0
0 900
cfn=(2)
calls=1 0
0 200

fn=(2)
+3 40
cfn=(5) write
calls=4 0
0 50
cfn=(6) rare
calls=1 0
0 1

fn=(5)
0 50

fn=(6)
0 1
cfn=(1)
calls=0 0
0 5000

ob=(2)
fn=(4)
0 800
cob=(1)
cfn=(7) compare
calls=9 0
0 100

ob=(1)
fn=(7)
0 100
"""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        file = Path(self.directory.name) / "profile"
        file.write_text(self.PROFILE)
        self.profile = callgraph.read(file, "server")

    def test_costs_and_calls_within_the_program_are_counted(self):
        self.assertEqual(self.profile.instructions,
                         {"loop": 10, "answer": 40, "write": 50, "rare": 1, "compare": 100})
        self.assertEqual(self.profile.libraries, {"qsort": 800})
        # A call that began before the profile has a count of 0; its costs are those of others.
        self.assertEqual(self.profile.calls,
                         {("loop", "answer"): 4, ("answer", "write"): 4, ("answer", "rare"): 1})

    def test_callers_come_before_their_callees(self):
        self.assertEqual(callgraph.in_order_of_calls(self.profile, least=5), ["compare", "loop", "answer", "write"])

    def test_the_least_of_several_runs_leaves_out_work_in_the_background(self):
        runs = [Counter(read=600, sample=9_000, parse=250), Counter(read=640, parse=200)]
        self.assertEqual(instructions.least(runs), {"read": 600, "parse": 200})
        per_request = 1 / function_order.REQUESTS
        self.assertEqual(instructions.differences(runs[1], runs[0], 2),
                         [("sample", 9_000 * per_request), ("parse", 50 * per_request)])

    def test_functions_in_a_section_of_their_own_are_found_in_the_map(self):
        file = Path(self.directory.name) / "map"
        file.write_text("  388 388 64 16         /a/libswift.a(A.o):(.text.swift_retain)\n"
                        "  400 400 999 16         /a/libswift.a(B.o):(.text)\n"
                        "  400 400 12 1                 a_symbol\n")
        self.assertEqual(callgraph.sections(file), {"swift_retain"})


if __name__ == "__main__":
    unittest.main()
