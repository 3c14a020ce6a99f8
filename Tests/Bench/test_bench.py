#!/usr/bin/env python3
"""Does the bench judge, read and write its figures rightly? Needs wrk for one of the tests."""
import json
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from os import getpid
from pathlib import Path
from unittest import mock

import bench
import callgraph
import compare
import lines
import page
from client import message
from context import Scenario
from load import Load, Measurement
from problem import Problem, Skipped
from report import Row, json_line, last_line, measured_row, status, table, verdicts
from rounds import take_turns


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
        # What failed is never excused.
        self.assertEqual(status([held, missed], True), 1)

    def test_a_scenario_that_is_skipped_promises_nothing_only_if_all_of_it_is_for_information(self):
        for for_information in (False, True):
            def skip(_):
                raise Skipped("not here", for_information)

            given = mock.Mock(json=None, allow_skips=False)
            context = mock.Mock(highest_rss={})
            with mock.patch("builtins.print"), mock.patch("bench.machine.facts", return_value={}):
                found = bench.run(context, [Scenario("one", "", skip)], given)
            self.assertEqual(found, 0 if for_information else 1)

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
            with tempfile.TemporaryDirectory() as folder:
                load = Load(Path(folder), getpid(), server.server_port, [message("DELETE", path) for path in wanted],
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
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name) / "results.jsonl"

    def test_the_last_line_of_a_row_counts(self):
        self.file.write_text("".join(json_line(Row("live", value, "×")) + "\n" for value in (1, 2)))
        self.assertEqual(lines.read([self.file]).rows["live"]["value"], 2)

    def test_a_broken_line_is_named(self):
        self.file.write_text(json_line(Row("live", 1, "×")) + '\n{"name":\n')
        with self.assertRaisesRegex(Problem, "line 2"):
            lines.read([self.file])

    def test_a_curve_is_in_the_order_of_its_axis(self):
        rows = [Row(f"scale-read-{x}", 1, "×", series="scale-read", x=x) for x in (100, 10)]
        self.file.write_text("".join(json_line(row) + "\n" for row in rows))
        self.assertEqual([row["x"] for row in lines.read([self.file]).series("scale-read")], [10, 100])

    def test_the_page_has_every_row(self):
        rows = [Row("live", 0.5, "×", 1.0, 0.7), Row("broken", None, "", errors=1), Row("rss-idle", 12, "MB", 25)]
        self.file.write_text("".join(json_line(row) + "\n" for row in rows))
        found = lines.read([self.file])
        text = page.figures(found)
        for expected in ("`live`", "`broken`", "ERRORS", "12.0 MB", "≤ 25.0"):
            self.assertIn(expected, text)
        self.assertIn("memory at rest", page.short(found))

    def test_the_page_shows_results_of_other_servers(self):
        result = {"suite": "peers", "work": "read", "connections": 64, "p50_ms": 1, "p99_ms": 2, "memory_mb": 3,
                  "operations": 10, "errors": 0, "rate": 100}
        self.file.write_text("".join(json.dumps(result | {"server": server, "cpu_seconds_per_1000": cpu}) + "\n"
                                     for server, cpu in (("fogbase", 0.02), ("kinto", 8))))
        self.assertIn("| Kinto + PostgreSQL | 100 | 1.00 | 2.00 | 8.00 | 400 |", page.figures(lines.read([self.file])))


class Comparisons(unittest.TestCase):
    def test_what_perf_counts_is_told_for_each_operation_and_what_it_cannot_count_is_left_out(self):
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
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        file = Path(self.folder.name) / "profile"
        file.write_text(self.PROFILE)
        self.profile = callgraph.read(file, "server")

    def test_costs_and_calls_within_the_program_are_counted(self):
        self.assertEqual(self.profile.instructions,
                         {"loop": 10, "answer": 40, "write": 50, "rare": 1, "compare": 100})
        self.assertEqual(self.profile.calls,
                         {("loop", "answer"): 4, ("answer", "write"): 4, ("answer", "rare"): 1})

    def test_callers_come_before_what_they_call(self):
        self.assertEqual(callgraph.in_order_of_calls(self.profile, least=5), ["compare", "loop", "answer", "write"])

    def test_functions_in_a_section_of_their_own_are_found_in_the_map(self):
        file = Path(self.folder.name) / "map"
        file.write_text("  388 388 64 16         /a/libswift.a(A.o):(.text.swift_retain)\n"
                        "  400 400 999 16         /a/libswift.a(B.o):(.text)\n"
                        "  400 400 12 1                 a_symbol\n")
        self.assertEqual(callgraph.sections(file), {"swift_retain"})


if __name__ == "__main__":
    unittest.main()
