"""Self tests: the checks reject impossible histories and accept possible ones: handmade, simulated and mutated."""
import copy
import json
import itertools
import time
import unittest
from collections import Counter
from random import Random

from Tests.consistency import simulation
from Tests.consistency.checks import (
    check_bank, check_crowds, check_end, check_orders, check_registers, check_tags, moments_of_feed)
from Tests.consistency.client import Worker
from Tests.consistency.connection import REASONS, REMEMBERED_BYTES, Connection, Reply, Unavailable
from Tests.consistency.counters import check_counter, check_list, check_order, check_sum
from Tests.consistency.feeds import check_run
from Tests.consistency.history import ABSENT, FOREVER, Access, Change, Observations, Page, Paging, Run, Snapshot, Step
from Tests.consistency.linearizability import Undecided, can_follow, violation
from Tests.consistency.timelines import check_pagings, check_snapshots, timelines
from Tests.consistency.totals import METRICS, Totals
from Tests.consistency.workload import ACCOUNTS, CROWD, GROUPS, MONEY, PARTS, REGISTERS, SLOTS, Workload
from Tests.harness.errors import Problem

CASES = 6_000


def is_linearizable_by_trying_all(accesses: list[Access], initial=ABSENT) -> bool:
    """The definition: some choice of the operations with an unknown outcome, in some order that the times allow."""
    known = [one for one in accesses if one.answered is not None]
    unknown = [one for one in accesses if one.answered is None]
    for size in range(len(unknown) + 1):
        for chosen in itertools.combinations(unknown, size):
            for order in itertools.permutations(known + list(chosen)):
                if is_right(order, initial):
                    return True
    return False


def is_right(order, state) -> bool:
    latest = -1
    for one in order:
        # An operation that was sent after another was answered comes after it.
        if (one.answered or FOREVER) < latest or not can_follow(state, one):
            return False
        latest = max(latest, one.sent)
        state = one.new if one.writes else state
    return True


def read(sent, answered, value) -> Access:
    return Access(sent, answered, "is", value)


def write(sent, answered, new, *guard) -> Access:
    return Access(sent, answered, "is" if guard else "any", guard[0] if guard else None, True, new)


class Linearizability(unittest.TestCase):
    def accept(self, *accesses):
        self.assertIsNone(violation(list(accesses)))
        self.assertTrue(is_linearizable_by_trying_all(list(accesses)))

    def refuse(self, *accesses):
        self.assertIsNotNone(violation(list(accesses)))
        self.assertFalse(is_linearizable_by_trying_all(list(accesses)))

    def test_one_after_another(self):
        self.accept(write(1, 2, "a"), read(3, 4, "a"), write(5, 6, "b", "a"), read(7, 8, "b"))
        self.accept(write(1, 2, "a"), write(3, 4, ABSENT, "a"), read(5, 6, ABSENT))

    def test_a_stale_read(self):
        self.refuse(write(1, 2, "a"), write(3, 4, "b"), read(5, 6, "a"))
        self.accept(write(1, 2, "a"), write(3, 6, "b"), read(5, 6, "a"))

    def test_two_writes_with_one_guard(self):
        self.refuse(write(1, 2, "a"), write(3, 6, "b", "a"), write(4, 7, "c", "a"))
        self.accept(write(1, 2, "a"), write(3, 6, "b", "a"), write(4, 7, "c", "a"), write(3, 9, "a"))

    def test_a_refusal_needs_another_state(self):
        self.refuse(write(1, 2, "a"), Access(3, 4, "not", "a"))
        self.accept(write(1, 2, "a"), write(3, 6, "b"), Access(4, 5, "not", "a"))

    def test_reads_do_not_go_back(self):
        self.refuse(write(1, 20, "a"), read(3, 4, "a"), read(5, 6, ABSENT))
        self.accept(write(1, 20, "a"), read(3, 6, "a"), read(5, 7, ABSENT))

    def test_unknown_outcomes_may_come_any_time_or_never(self):
        self.accept(write(1, None, "a"), read(30, 40, ABSENT), read(50, 60, "a"))
        self.accept(write(1, None, "a"), read(30, 40, ABSENT))
        self.refuse(write(1, None, "a"), read(30, 40, "a"), read(50, 60, ABSENT))
        self.refuse(write(50, None, "a"), read(30, 40, "a"))
        self.refuse(write(1, 2, "x"), write(3, None, "a", "x"), read(30, 40, "a"), write(50, 60, "b", "x"))

    def test_a_value_that_no_client_wrote_is_found(self):
        self.refuse(write(1, 2, "a"), read(1, 9, "z"))

    def test_responses_at_the_time_of_a_call_are_simultaneous(self):
        self.accept(write(1, 5, "a"), read(5, 8, ABSENT))

    def test_hundreds_of_unknown_outcomes_do_not_drown_it(self):
        for seed in range(10):
            accesses = simulation.register(Random(seed), 8, 120, unknown=0.5)
            self.assertGreater(sum(one.answered is None for one in accesses), 150)
            self.assertIsNone(violation(accesses, limit=300_000), seed)

    def test_too_much_work_is_said(self):
        with self.assertRaises(Undecided):
            violation([write(number, 900, f"v{number}") for number in range(40)] + [read(901, 902, "z")], limit=20_000)

    def test_agrees_with_the_definition_on_random_histories(self):
        random, verdicts = Random(5), {True: 0, False: 0}
        for number in range(CASES):
            accesses, share = [], random.choice([0.15, 0.5])
            for _ in range(random.randrange(2, 7)):
                sent = random.randrange(14)
                answered = None if random.random() < share else sent + random.randrange(1, 8)
                values = [ABSENT, "a", "b", "c"][:random.choice([3, 4])]
                must = random.choice(["is", "is", "not", "any"])
                writes = answered is None or random.random() < 0.5
                accesses.append(Access(sent, answered, must, random.choice(values), writes, random.choice(values)))
            expected = is_linearizable_by_trying_all(accesses)
            verdicts[expected] += 1
            self.assertEqual(violation(accesses) is None, expected, f"case {number}: {list(map(str, accesses))}")
        self.assertGreater(min(verdicts.values()), CASES // 10, verdicts)

    def test_agrees_with_the_definition_on_mutated_right_histories(self):
        random, verdicts = Random(6), {True: 0, False: 0}
        for number in range(CASES // 4):
            accesses = simulation.register(random, 3, 2, unknown=0.1)
            one = random.choice(accesses)
            one.value = random.choice([other.new for other in accesses] + [ABSENT])
            expected = is_linearizable_by_trying_all(accesses)
            verdicts[expected] += 1
            self.assertEqual(violation(accesses) is None, expected, f"case {number}: {list(map(str, accesses))}")
        self.assertGreater(min(verdicts.values()), CASES // 40, verdicts)

    def test_right_long_histories_are_accepted_and_a_stale_read_is_found(self):
        found = 0
        for seed in range(60):
            random = Random(seed)
            accesses = simulation.register(random, random.choice([2, 5, 9]), random.choice([20, 60]))
            self.assertIsNone(violation(accesses), f"seed {seed}")
            written = [one for one in accesses if one.writes and one.new is not ABSENT and one.answered is not None]
            reads = [one for one in accesses if not one.writes and one.must == "is"]
            for one in reversed(reads):
                # A value that was certainly replaced by two successive writes before the read began.
                old = [first for first in written for second in written
                       if first.answered < second.sent and second.answered < one.sent and second.must == "any"]
                if old:
                    one.value = old[0].new
                    self.assertIsNotNone(violation(accesses), f"seed {seed}")
                    found += 1
                    break
        self.assertGreater(found, 30)


class Arithmetic(unittest.TestCase):
    def test_sums(self):
        changes = [Change("t", 5, 1, 2), Change("t", -2, 1, None), Change("t", 7, 3, None)]
        for final, is_right in ((5, True), (3, True), (12, True), (10, True), (4, False), (0, False), (17, False)):
            self.assertEqual(not list(check_sum("t", 0, changes, final)), is_right, final)

    def test_orders(self):
        self.assertFalse(list(check_order("x", [(1, 1, 5), (2, 2, 3), (3, 4, 9)])))
        self.assertTrue(list(check_order("x", [(1, 4, 5), (2, 2, 3)])))
        self.assertFalse(list(check_order("x", [(1, 4, 5), (1, 2, 3)])))

    def test_counters(self):
        right = [Change("c", 1, 1, 4, 1), Change("c", 1, 2, 5, 2)]
        self.assertFalse(list(check_counter("c", right, [(6, 7, 2), (1, 3, 0), (1, 4, 1)])))
        self.assertTrue(list(check_counter("c", right, [(6, 7, 1)])), "a stale read")
        self.assertTrue(list(check_counter("c", right, [(1, 3, 3)])), "from the future")
        self.assertTrue(list(check_counter("c", right, [(1, 2, 2), (3, 4, 1)])), "reads that go back")
        self.assertTrue(list(check_counter("c", [Change("c", 1, 1, 4, 1), Change("c", 1, 2, 5, 1)], [])), "doubled")
        self.assertTrue(list(check_counter("c", [Change("c", 1, 1, 2, 2), Change("c", 1, 3, 5, 1)], [])), "reordered")

    def test_lists(self):
        right = [Change("l", "a", 1, 4, ["a"]), Change("l", "b", 2, 5, ["a", "b"]), Change("l", "u", 1, None)]
        self.assertFalse(list(check_list("l", right, [(6, 7, ["a", "b"])], ["a", "b"])))
        self.assertFalse(list(check_list("l", right, [], ["a", "b", "u"])))
        for reads, final, why in (([], ["a"], "lost"), ([], ["a", "b", "b"], "twice"), ([], ["a", "b", "z"], "strange"),
                                  ([], ["b", "a"], "moved"), ([(6, 7, ["a"])], ["a", "b"], "stale"),
                                  ([(1, 2, ["a", "b", "u"])], ["a", "b"], "undone")):
            self.assertTrue(list(check_list("l", right, reads, final)), why)

    def test_simulated_numbers_are_accepted_and_mutated_ones_rejected(self):
        for seed in range(300):
            random = Random(seed)
            (counts, reads, value), (appends, list_reads, members) = simulation.numbers(random, 6, 12)
            self.assertFalse(list(check_counter("c", counts, reads)) + list(check_sum("c", 0, counts, value)), seed)
            self.assertFalse(list(check_list("l", appends, list_reads, members)), seed)
            known = [one for one in counts if one.answered is not None]
            if len(known) > 3:
                wrong = copy.deepcopy(counts)
                random.choice([one for one in wrong if one.returned is not None]).returned += random.choice([-20, 50])
                self.assertTrue(list(check_counter("c", wrong, reads)), seed)
                unknown = sum(one.answered is None for one in counts)
                self.assertTrue(list(check_sum("c", 0, counts, len(known) - 1)), seed)
                self.assertTrue(list(check_sum("c", 0, counts, len(known) + unknown + 1)), seed)
            acknowledged = [one.amount for one in appends if one.answered is not None]
            if acknowledged:
                lost = random.choice(acknowledged)
                self.assertTrue(list(check_list("l", appends, [], [one for one in members if one != lost])), seed)

    def test_orders_are_made_once(self):
        returned = [Change("Order", "x", 1, 2, "name")]
        self.assertFalse(list(check_orders(returned, {"Order": {"name": ("x", "t")}})))
        for rows in ({}, {"other": ("x", "t")}, {"name": ("x", "t"), "other": ("x", "u")}, {"name": ("y", "t")}):
            self.assertTrue(list(check_orders(returned, {"Order": rows})), rows)


def step(name, index, sent, answered, alive=True, bucket="b0") -> Step:
    return Step("Item", name, index, sent, answered, alive, bucket if alive else "")


def snapshot(sent, answered, rows, scope=("all",), count=None) -> Snapshot:
    rows = rows if rows is None else {name: (index, "") for name, index in rows.items()}
    return Snapshot("reader", "query", "Item", scope, sent, answered, rows, count)


class Timelines(unittest.TestCase):
    STEPS = [step("x", 0, 10, 20), step("x", 1, 30, 40, bucket="b1"), step("x", 2, 50, 60, alive=False),
             step("y", 0, 10, 45), step("y", 1, 70, 80)]

    def accept(self, *snapshots):
        self.assertFalse(list(check_snapshots(timelines(self.STEPS), list(snapshots))))

    def refuse(self, *snapshots):
        self.assertTrue(list(check_snapshots(timelines(self.STEPS), list(snapshots))))

    def test_acknowledged_states_are_seen(self):
        self.accept(snapshot(41, 42, {"x": 1, "y": 0}), snapshot(21, 25, {"x": 0}), snapshot(21, 35, {"x": 1}))
        self.refuse(snapshot(41, 42, {"x": 0, "y": 0}))
        self.refuse(snapshot(41, 42, {"y": 0}))
        self.refuse(snapshot(46, 47, {"x": 1}))
        self.refuse(snapshot(61, 62, {"x": 1, "y": 0}))

    def test_nothing_is_seen_before_it_was_sent(self):
        self.refuse(snapshot(21, 25, {"x": 1}))
        self.refuse(snapshot(1, 5, {"x": 0}))
        self.refuse(snapshot(81, 85, {"x": 7, "y": 1}))
        self.refuse(snapshot(81, 85, {"z": 0, "y": 1}))

    def test_reads_do_not_go_back(self):
        self.accept(snapshot(31, 33, {"x": 1}), snapshot(32, 36, {"x": 0}))
        self.refuse(snapshot(31, 33, {"x": 1}), snapshot(34, 36, {"x": 0}))
        self.refuse(snapshot(51, 53, {"y": 0}), snapshot(54, 56, {"x": 1, "y": 0}))

    def test_conditions(self):
        self.accept(snapshot(41, 42, {"x": 1}, ("is", "bucket", "b1")))
        self.accept(snapshot(46, 47, {"y": 0}, ("is", "bucket", "b0")))
        self.refuse(snapshot(41, 42, {}, ("is", "bucket", "b1")))
        self.refuse(snapshot(46, 47, {"x": 1, "y": 0}, ("is", "bucket", "b0")))
        self.refuse(snapshot(41, 42, {"x": 0}, ("is", "bucket", "b0")))

    def test_counts(self):
        self.accept(snapshot(46, 47, None, count=2), snapshot(35, 36, None, count=1), snapshot(35, 36, None, count=2))
        self.refuse(snapshot(46, 47, None, count=1))
        self.refuse(snapshot(46, 47, None, count=3))
        self.refuse(snapshot(46, 47, {"x": 1, "y": 0}, count=1))

    def test_a_snapshot_is_one_moment(self):
        steps = [step("x", 0, 10, 20), step("y", 0, 10, 20), step("x", 1, 30, 40), step("y", 1, 50, 60)]
        self.assertFalse(list(check_snapshots(timelines(steps), [snapshot(25, 65, {"x": 1, "y": 1})])))
        self.assertFalse(list(check_snapshots(timelines(steps), [snapshot(25, 65, {"x": 1, "y": 0})])))
        self.assertTrue(list(check_snapshots(timelines(steps), [snapshot(25, 65, {"x": 0, "y": 1})])))

    def test_pages(self):
        def violations(*pages, scope=("all",)):
            rows = [(sent, answered, {name: (index, "") for name, index in page.items()})
                    for sent, answered, page in pages]
            return list(check_pagings(timelines(self.STEPS), [Paging("pager", "Item", scope, rows)]))
        self.assertFalse(violations((31, 32, {"x": 1}), (46, 47, {"y": 0})))
        self.assertFalse(violations((31, 32, {}), (61, 62, {"y": 0})), "x was deleted meanwhile")
        self.assertTrue(violations((41, 42, {"x": 0}), (46, 47, {"y": 0})), "stale")
        self.assertTrue(violations((41, 42, {"x": 1}), (46, 47, {})) == [], "y may not have been there at first")
        self.assertTrue(violations((46, 47, {"x": 1}), (48, 49, {})), "y is missing")
        self.assertTrue(violations((46, 47, {"x": 1}), (48, 49, {"x": 1, "y": 0})), "x comes twice")
        self.assertTrue(violations((46, 47, {"x": 1}), scope=("is", "bucket", "b0")), "it does not belong there")

    def test_simulated_snapshots_are_accepted_and_mutated_ones_rejected(self):
        mutated = 0
        for seed in range(150):
            random = Random(seed)
            steps, snapshots, _, _ = simulation.records(random, 4, 25)
            lines = timelines(steps)
            self.assertEqual(list(check_snapshots(lines, snapshots)), [], seed)
            for one in random.sample(snapshots, 10):
                wrong = copy.deepcopy(one)
                for name in list(wrong.rows or {}):
                    line, index = lines[("Item", name)], wrong.rows[name][0]
                    if line.floor(one.sent) == index:  # acknowledged, so it may be neither older nor missing
                        wrong.rows[name] = (index - 1, "")
                        self.assertTrue(list(check_snapshots(timelines(steps), [wrong])), seed)
                        if line.ceiling(one.answered) == index:
                            del wrong.rows[name]
                            self.assertTrue(list(check_snapshots(timelines(steps), [wrong])), seed)
                        mutated += 1
                        break
        self.assertGreater(mutated, 300)


def page(sent, answered, *changes, more=False) -> Page:
    return Page(sent, answered, [("Item", name, index, index if index is None else f"{name}{index}")
                                 for name, index in changes], "", more)


class Feeds(unittest.TestCase):
    STEPS = [step("x", 0, 10, 20), step("x", 1, 30, 40), step("x", 2, 50, 60, alive=False), step("y", 0, 65, 70),
             step("x", 3, 72, 80)]
    WRITES = {("x", 0): (10, 20), ("x", 1): (30, 40), ("y", 0): (65, 70), ("x", 3): (72, 80)}

    def violations(self, *pages):
        return list(check_run(Run("feed client", 5, True, list(pages)), timelines(self.STEPS), self.WRITES))

    def test_all_that_happened(self):
        self.assertFalse(self.violations(page(21, 22, ("x", 0)), page(41, 42, ("x", 1)), page(61, 62, ("x", None)),
                                         page(71, 72, ("y", 0)), page(90, 91, ("x", 3))))
        self.assertFalse(self.violations(page(90, 91, ("y", 0), ("x", 3))))
        self.assertFalse(self.violations(page(90, 91, ("y", 0), more=True), page(92, 93, ("x", 3))))
        self.assertFalse(self.violations(page(61, 62)), "who never knew a record need not be returned that it is gone")

    def test_violations_are_found(self):
        self.assertTrue(self.violations(page(41, 42, ("x", 0))), "an old version")
        self.assertTrue(self.violations(page(41, 42)), "a missing record")
        self.assertTrue(self.violations(page(41, 42, ("x", 1)), page(61, 62)), "a missing deletion")
        self.assertTrue(self.violations(page(41, 42, ("x", 1), more=True), page(43, 44, ("x", 0))), "it goes back")
        self.assertTrue(self.violations(page(41, 42, ("x", 1)), page(43, 44, ("x", 1))), "a change twice")
        self.assertTrue(self.violations(page(90, 91, ("x", 3), ("y", 0))), "not the order of the commits")
        self.assertTrue(self.violations(page(21, 22, ("x", 1))), "before it was sent")
        self.assertTrue(self.violations(page(90, 91, ("y", 0), ("x", 3)), page(92, 93, ("x", None))), "no deletion")

    def test_the_end(self):
        final = {("Item", "y"): "y0", ("Item", "x"): "x3"}
        self.assertFalse(list(check_end(Run("f", 5, True, [page(90, 91, ("y", 0), ("x", 3))]), final, {})))
        for pages in ([page(90, 91, ("y", 0))], [page(90, 91, ("y", 0), ("x", 1))], [], [page(90, 91, more=True)],
                      [page(90, 91, ("y", 0), ("x", 3), ("z", 1))]):
            self.assertTrue(list(check_end(Run("f", 5, True, pages), final, {})), pages)

    def test_the_end_of_a_follower_from_a_token(self):
        """It lacks what did not change since the token, and nothing that changed once."""
        final, before = {("Item", "y"): "y0", ("Order", "o"): "o0"}, {("Item", "y"): "y0", ("Item", "x"): "x0"}
        order = Page(90, 91, [("Order", "o", "first", "o0")], "token", False)
        self.assertEqual(list(check_end(Run("f", 5, False, [order]), final, before)), [])
        self.assertEqual(len(list(check_end(Run("f", 5, False, [page(90, 91)]), final, before))), 1, "no order")
        self.assertEqual(len(list(check_end(Run("f", 5, False, [order]), final | {("Item", "x"): "x1"}, before))), 1)

    def test_simulated_followers_are_accepted_and_mutated_ones_rejected(self):
        tried = 0
        for seed in range(150):
            random = Random(seed)
            steps, _, runs, writes = simulation.records(random, 4, 25)
            lines = timelines(steps)
            living = {name[1]: line.steps[-1] for name, line in lines.items() if line.steps[-1].alive}
            final = {("Item", name): f"{name}:{one.index}" for name, one in living.items()}
            for run in runs:
                self.assertEqual(list(check_run(run, lines, writes)) + list(check_end(run, final, {})), [], seed)
                wrong = copy.deepcopy(run)
                kind = random.choice(["lose", "repeat", "truncate"])
                pages = [one for one in wrong.pages if any(change[3] for change in one.changes)]
                if not pages:
                    continue
                chosen = random.choice(pages)
                change = random.choice([one for one in chosen.changes if one[3]])
                last = [one for one in wrong.pages for other in one.changes if other[:2] == change[:2]]
                if kind == "repeat":
                    wrong.pages[-1].changes.append(change)
                elif kind == "lose" and chosen is last[-1]:
                    chosen.changes.remove(change)
                else:
                    wrong.pages[-1].more = True
                self.assertTrue(list(check_run(wrong, lines, writes)) + list(check_end(wrong, final, {})), (seed, kind))
                tried += 1
        self.assertGreater(tried, 300)


class Repeating(unittest.TestCase):
    RECORD = {"recordName": "a", "recordType": "Part", "recordChangeTag": "x", "deleted": False, "fields": {"v": 1}}
    OUTLINE = {"recordName": "a", "recordType": "Part", "recordChangeTag": "x", "deleted": False}
    ERROR = {"recordName": "b", "serverErrorCode": "CONFLICT"}

    def reply(self, *records, status=200, length=REMEMBERED_BYTES, is_replay=True, **others) -> Reply:
        return Reply(1, 2, status, {"records": list(records)}, is_replay, length=length, **others)

    def test_a_short_response_is_repeated_as_it_was(self):
        first = self.reply(self.RECORD, self.ERROR, is_replay=False)
        self.assertTrue(first.is_repeated_by(self.reply(self.RECORD, self.ERROR)))
        for again in (self.reply(self.OUTLINE, self.ERROR), self.reply(self.RECORD),
                      self.reply(self.ERROR, self.RECORD), self.reply(self.RECORD, self.ERROR, is_replay=False),
                      self.reply(self.RECORD, self.ERROR, status=201)):
            self.assertFalse(first.is_repeated_by(again), again)

    def test_of_a_long_one_records_have_their_tags_at_least(self):
        for first in (self.reply(self.RECORD, self.RECORD, self.ERROR, length=REMEMBERED_BYTES + 1, is_replay=False),
                      self.reply(self.RECORD, self.RECORD, self.ERROR, was_left=True)):
            self.assertTrue(first.is_repeated_by(self.reply(self.OUTLINE, self.RECORD, self.ERROR)))
            for again in (self.reply(self.OUTLINE, self.RECORD), self.reply(self.OUTLINE, self.RECORD, self.OUTLINE),
                          self.reply(dict(self.OUTLINE, recordChangeTag="y"), self.RECORD, self.ERROR),
                          self.reply(dict(self.RECORD, fields={"v": 2}), self.RECORD, self.ERROR),
                          self.reply(self.OUTLINE, self.RECORD, self.ERROR, is_replay=False)):
                self.assertFalse(first.is_repeated_by(again), again)


class Wholes(unittest.TestCase):
    """Groups, accounts and tags."""

    FINAL = {"Register": {}, "Part": {}}

    def part(self, values: dict, sent=5, answered=6) -> Snapshot:
        names = GROUPS["g1"]
        rows = {name: (values.get(number, values.get("all")), "") for number, name in enumerate(names)}
        rows = {name: row for name, row in rows.items() if row[0] is not None}
        return Snapshot("reader", "query", "Part", ("names", names), sent, answered, rows)

    def violations(self, accesses, *moments, final=FINAL):
        return list(check_registers(accesses, list(moments), final, {}))

    def test_groups_are_whole(self):
        accesses = {"g1": [write(1, 4, "a"), write(10, 20, ABSENT)]}
        self.assertFalse(self.violations(accesses, self.part({"all": "a"})))
        self.assertTrue(self.violations(accesses, self.part({"all": "a", 3: "b"})))
        self.assertTrue(self.violations(accesses, self.part({2: "a"})))
        self.assertTrue(self.violations(accesses, self.part({})), "a stale read")
        self.assertTrue(self.violations(accesses, self.part({"all": "failed"})), "a batch that failed left something")
        half = {"Register": {}, "Part": {GROUPS["g1"][0]: ("a", "")}}
        self.assertTrue(self.violations(accesses, final=half))

    def test_a_register_is_not_found_by_a_value_it_had(self):
        name = REGISTERS[0]
        accesses = {name: [write(1, 2, f"{name}:a"), write(3, 4, f"{name}:b"), write(30, 40, ABSENT)]}
        def query(rows):
            return Snapshot("reader", "query", "Register", ("is", "v", f"{name}:b"), 5, 6, rows)
        self.assertFalse(self.violations(accesses, query({name: (f"{name}:b", "")})))
        self.assertTrue(self.violations(accesses, query({})))

    def test_money_is_neither_made_nor_lost(self):
        rows = {name: (MONEY, "") for name in ACCOUNTS}
        final = {"Account": rows}
        def at(**other):
            return Snapshot("reader", "list", "Account", ("all",), 5, 6, rows | {k: (v, "") for k, v in other.items()})
        moved = at(**{ACCOUNTS[0]: MONEY - 5, ACCOUNTS[1]: MONEY + 5})
        self.assertFalse(list(check_bank([at(), moved], [], final)))
        self.assertTrue(list(check_bank([at(**{ACCOUNTS[0]: MONEY - 5})], [], final)))
        self.assertTrue(list(check_bank([], [Change(ACCOUNTS[0], 3, 1, 2)], final)))
        self.assertFalse(list(check_bank([], [Change(ACCOUNTS[0], 3, 1, None)], final)))

    def test_a_set_is_changed_once_and_as_a_whole(self):
        part, names = PARTS[0], [f"{PARTS[0]}-{number}" for number in range(CROWD)]
        changes = [Change(f"Crowd {part}", 1, 1, 4), Change(f"Crowd {part}", 1, 10, 20)]

        def crowd(first, others):
            return {name: (first if name == names[0] else others, "") for name in names}

        def violations(sent, answered, rows, final):
            scope = ("is", "part", part)
            snapshot = Snapshot("reader", "query", "Crowd", scope, sent, answered, rows)
            return list(check_crowds([snapshot], changes, {"Crowd": final}))
        right = crowd(2, 2)
        self.assertFalse(violations(5, 6, crowd(1, 1), right))
        self.assertFalse(violations(12, 13, crowd(2, 1), right), "slices let others through")
        self.assertTrue(violations(5, 6, crowd(2, 1), right), "not yet sent")
        self.assertTrue(violations(21, 22, crowd(2, 1), right), "one was left out")
        self.assertTrue(violations(21, 22, crowd(3, 2), right), "one was changed twice")
        self.assertTrue(violations(5, 6, crowd(1, 1), crowd(1, 2)), "one was left out in the end")
        self.assertTrue(violations(5, 6, {names[0]: (1, "")}, right), "records are missing")

    def test_a_slot_is_held_by_one(self):
        slot = SLOTS[0]
        first, second = write(1, 4, "x", ABSENT), write(5, 8, "y", ABSENT)
        self.assertFalse(self.violations({slot: [first, write(4, 5, ABSENT, "x"), second, write(9, 10, ABSENT, "y")]}))
        self.assertTrue(self.violations({slot: [first, second, write(9, 10, ABSENT, "y")]}))
        held = self.FINAL | {"Ticket": {"x": (slot, ""), "y": (slot, "")}}
        self.assertTrue(self.violations({slot: [first]}, final=held))

    def test_tags(self):
        self.assertFalse(list(check_tags({("r", "1", "a"), ("r", "2", "b"), ("s", "1", "c")})))
        self.assertTrue(list(check_tags({("r", "1", "a"), ("r", "1", "b")})))
        self.assertTrue(list(check_tags({("r", "1", "a"), ("r", "2", "a")})))

    def test_a_follower_that_knows_a_half_is_seen(self):
        first, *others = GROUPS["g1"]
        changes = [("Part", name, "a", f"{name}1") for name in (first, *others)]
        whole = Run("f", 9, True, [Page(5, 6, changes[:2], "", True), Page(7, 8, changes[2:], "", False)])
        half = Run("f", 9, True, [Page(5, 6, changes[:2], "", False)])
        accesses = {"g1": [write(1, 4, "a"), write(10, 20, ABSENT)]}
        self.assertFalse(self.violations(accesses, *moments_of_feed(whole)))
        self.assertTrue(self.violations(accesses, *moments_of_feed(half)))


class Clients(unittest.TestCase):
    """A client that ends early has tested nothing since."""

    def problems(self, error: BaseException, part: str = "act") -> list[str]:
        def fail():
            raise error

        client = Worker("client", Workload(1, "", "", time.monotonic_ns() + 10**8, ""), Random(1), Observations())
        client.act = lambda: time.sleep(0.01)
        setattr(client, part, fail)
        client.run()
        return client.observations.problems

    def test_a_client_that_dies_is_a_finding(self):
        for error in (Problem("no"), KeyError("fields"), ZeroDivisionError(), OSError(), SystemExit(0)):
            for part in ("begin", "act", "end"):
                self.assertEqual(len(self.problems(error, part)), 1, (error, part))

    def test_a_temporary_rejection_is_retried(self):
        self.assertEqual(self.problems(Unavailable("INDEX_BUILDING")), [])

    def test_only_known_causes_are_temporary_each_for_its_requests(self):
        def causes(path: str, headers: tuple[str, ...], status: int, cause: str) -> type:
            connection = Connection(1, "", Random(1))
            with self.assertRaises((Problem, Unavailable)) as caught:
                connection.refuse("GET", path, headers, status, json.dumps(
                    {"reason": cause} if " " in cause else {"details": {"cause": cause}}).encode())
            self.assertEqual(connection.refused.total(), isinstance(caught.exception, Unavailable))
            return type(caught.exception)

        key, (waiting, _, running) = ("Idempotency-Key: k",), REASONS
        for one in (("/query/Item", (), 503, "INDEX_BUILDING"), ("/query/Item", (), 400, "NOT_INDEXED"),
                    ("/query/Item", (), 503, waiting), ("/records", key, 503, running)):
            self.assertIs(causes(*one), Unavailable, one)
        for one in (("/records/Item/i", (), 503, "INDEX_BUILDING"), ("/query/Item", (), 500, "INDEX_BUILDING"),
                    ("/query/Item", (), 503, "UNAVAILABLE"), ("/records", (), 503, running),
                    ("/records", key, 503, waiting), ("/changes", (), 410, "TOKEN_EXPIRED")):
            self.assertIs(causes(*one), Problem, one)


class WholeRuns(unittest.TestCase):
    """The least work of a run that proves something."""

    COUNTS = {"requests": 10_000, "refused INDEX_BUILDING": 100, "transfers": 100, "uploads": 100, "indexes dropped": 4,
              "files read": 90}

    def missing(self, rounds: int = 3, metrics: dict[str, int] | None = None, **counts: int) -> list[str]:
        totals = Totals(4)
        for _ in range(rounds):
            totals.add(Counter(self.COUNTS | {name.replace("_", " ", 1): count for name, count in counts.items()}),
                       lambda name: (metrics or {}).get(name, 2))
        return totals.missing()

    def test_a_run_that_did_everything_is_accepted(self):
        self.assertEqual(self.missing(), [])

    def test_missing_events_are_found(self):
        self.assertIn("no indexes dropped in 3 rounds", self.missing(indexes_dropped=0))
        self.assertIn("no files read in 3 rounds", self.missing(files_read=0))
        for name in METRICS.values():
            self.assertEqual(len(self.missing(metrics={name: 0})), 1, name)

    def test_too_few_requests_are_found(self):
        self.assertIn("only 300 requests", self.missing(requests=100, refused_INDEX_BUILDING=0)[0])

    def test_a_server_that_puts_off_is_found(self):
        self.assertIn("were refused for now", self.missing(refused_NOT_INDEXED=2_000)[0])
        self.assertEqual(self.missing(**{"refused_key in progress": 2_000}), [])

    def test_transfers_and_uploads_that_hardly_succeed_are_found(self):
        self.assertIn("transfers refused", self.missing(transfers_refused=100)[0])
        self.assertIn("uploads expired", self.missing(uploads_expired=20)[0])

    def test_of_two_rounds_nothing_is_demanded(self):
        self.assertEqual(self.missing(rounds=2, requests=0, metrics=dict.fromkeys(METRICS.values(), 0)), [])


if __name__ == "__main__":
    unittest.main()
