#!/usr/bin/env python3
"""Backups under load: each restored copy is exactly one moment of the database, and what was killed is no backup.

    python3 Tests/Backup/backup.py                      # the release build, 20 rounds beside 32 writers
    python3 Tests/Backup/backup.py --rounds 2           # the short version
    python3 Tests/Backup/backup.py --forge change       # a test of the test: every round must fail

A round makes a backup while writers work, restores it into another directory, and starts a server there. Each writer
waits for its answers, so the versions of its records tell in which order it wrote; a writer of batches moves an amount
between two records. The copy is one moment if

* every write is in it that was acknowledged before the backup began, and none that was sent after it ended;
* of each writer it has a beginning of what it wrote, without gaps;
* a write that is in it has before it all writes that were acknowledged before that one was sent;
* batches are whole, and all assets of its records are there with their bytes;
* a feed from its beginning is its table. A token that the first server gave before the moment goes on to the same
  table; one that it gave later is 410.
"""
import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / "Tests/Backup"), str(ROOT / "Tests/Bench")]

from clients import RECORDS_PER_WRITER, TOTAL, Follower, Write, Writer  # noqa: E402
from problem import Problem  # noqa: E402
from server import Server  # noqa: E402
from suite import parse, parser_of, server_binary  # noqa: E402


class Round:
    def __init__(self, binary: str, place: Path, options, number: int):
        self.binary, self.place, self.options, self.number = binary, place, options, number
        self.random = random.Random(f"{options.seed} {number}")
        self.server = Server(binary, place / "data", options.settings)
        self.copy = Server(binary, place / "restored", options.settings)
        self.problems: list[str] = []
        self.line = ""

    def fogbase(self, *words: str, expect: int | None = 0) -> subprocess.CompletedProcess:
        found = subprocess.run([self.binary, *words], capture_output=True, text=True, timeout=300,
                               env=self.server.environment)
        if expect is not None and found.returncode != expect:
            raise Problem(f"fogbase {' '.join(words)} ended with {found.returncode}: {found.stdout}{found.stderr}")
        return found

    def play(self) -> list[str]:
        self.place.mkdir(parents=True)
        self.server.start()
        self.writers = [Writer(self.server, number, self.options.seed) for number in range(self.options.writers)]
        self.follower = Follower(self.server)
        try:
            for one in [*self.writers, self.follower]:
                one.start()
            time.sleep(self.random.uniform(0.5, self.options.seconds))
            if self.options.kills:
                self.kill_in_the_middle()
            backup = self.place / "backup"
            began = time.monotonic()
            self.fogbase("backup", "create", str(backup), "--data", str(self.server.data))
            ended = time.monotonic()
            time.sleep(self.random.uniform(0.1, 0.5))
            if self.options.forge == "late":
                began = ended = time.monotonic()
        finally:
            for one in [*self.writers, self.follower]:
                one.ends.set()
            for one in [*self.writers, self.follower]:
                one.join(30)
            self.server.kill()
        self.problems += [one.problem for one in [*self.writers, self.follower] if one.problem]
        verified = self.fogbase("backup", "verify", str(backup), expect=None)
        if verified.returncode:
            self.problems.append(f"verify: {verified.stdout}{verified.stderr}")
        if self.options.forge == "damage":
            self.damage(backup)
        self.fogbase("backup", "restore", str(backup), "--data", str(self.copy.data))
        self.copy.environment["FOGBASE_ADMIN_TOKEN"] = self.copy.admin
        self.copy.start()
        try:
            self.judge(began, ended)
        finally:
            self.copy.kill()
        return self.problems

    def damage(self, backup: Path) -> None:
        """One byte of one file: restore must name it."""
        victim = self.random.choice([one for one in backup.rglob("*") if one.is_file() and one.name != "manifest.json"])
        content = bytearray(victim.read_bytes())
        content[self.random.randrange(len(content))] ^= 1
        victim.unlink()  # what is linked stays whole elsewhere
        victim.write_bytes(content)

    # -- kills

    def kill_in_the_middle(self) -> None:
        """The command, and then the server, end in the middle of a backup: there is nothing that looks whole."""
        target = self.place / "killed"
        for victim in ("command, by SIGINT", "command, by SIGKILL", "server"):
            child = subprocess.Popen(
                [self.binary, "backup", "create", str(target), "--data", str(self.server.data)],
                env=self.server.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            limit = time.monotonic() + 10
            while not (target.exists() or Path(f"{target}.partial").exists()) and time.monotonic() < limit:
                time.sleep(0.001)
            time.sleep(self.random.uniform(0, 0.05))
            if victim == "server":
                self.restart()
            else:
                child.send_signal(signal.SIGINT if "SIGINT" in victim else signal.SIGKILL)
            child.wait(60)
            if victim == "command, by SIGINT" and child.returncode not in (0, 130):
                self.problems.append(f"after SIGINT the command ended with {child.returncode}: {child.stdout.read()}")
            if victim == "command, by SIGINT" and Path(f"{target}.partial").exists():
                self.problems.append("a cancelled backup left something")
            if "SIGKILL" in victim:
                self.wait_for_end()
            if target.exists():  # It was faster.
                found = self.fogbase("backup", "verify", str(target), expect=None)
                if found.returncode:
                    self.problems.append(f"a killed backup looks whole: {found.stdout}{found.stderr}")
                shutil.rmtree(target)
            elif self.fogbase("backup", "verify", f"{target}.partial", expect=None).returncode == 0:
                self.problems.append("what a killed backup left passes for whole")
        self.fogbase("backup", "create", str(target), "--data", str(self.server.data))
        if Path(f"{target}.partial").exists():
            self.problems.append("the next backup did not delete what a killed one had left")
        shutil.rmtree(target)

    def wait_for_end(self) -> None:
        """The server goes on without the command; another backup must wait for it."""
        probe = self.place / "probe"
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            made = self.fogbase("backup", "create", str(probe), "--data", str(self.server.data), expect=None)
            if made.returncode == 0:
                shutil.rmtree(probe)
                return
            time.sleep(0.05)
        self.problems.append("the server did not finish a backup whose command was killed")

    def restart(self) -> None:
        """`kill -9`; the writers begin again on the same port, and count on from what was acknowledged."""
        for one in [*self.writers, self.follower]:
            one.ends.set()
        self.server.kill()
        for one in [*self.writers, self.follower]:
            one.join(30)
        shutil.rmtree(self.server.data)
        self.server.start()
        self.writers = [Writer(self.server, number, self.options.seed + 1) for number in range(self.options.writers)]
        self.follower = Follower(self.server)
        for one in [*self.writers, self.follower]:
            one.start()
        time.sleep(self.options.seconds / 2)

    # -- judgement

    def judge(self, began: float, ended: float) -> None:
        client = self.copy.client(self.copy.admin)
        table = {one["recordName"]: one for one in pages(client, "/records/Item?limit=100", "records")}
        if self.options.forge == "loss" and table:
            del table[self.random.choice(sorted(table))]
        if self.options.forge == "change" and table:
            one = table[self.random.choice(sorted(table))]
            one["fields"]["version"]["value"] -= RECORDS_PER_WRITER
        feed, last = {}, None
        for change in feed_of(client):
            feed[change["recordName"]] = change
        if {name: version(one) for name, one in table.items()} != \
                {name: version(one) for name, one in feed.items() if one["recordType"] == "Item"}:
            self.problems.append("the feed of the copy is not its table")
        last_sent, first_missing, assets = 0.0, float("inf"), 0
        for writer in self.writers:
            present = [version(one) for name, one in table.items() if name.startswith(f"w{writer.number}-")]
            newest = max(present, default=0)
            known = writer.writes + ([writer.pending] if writer.pending else [])
            if newest > len(known):
                self.problems.append(f"writer {writer.number} has version {newest}, and wrote {len(known)}")
                continue
            self.problems += self.gaps(writer, table, newest)
            if newest:
                last_sent = max(last_sent, known[newest - 1].sent)
            if newest < len(writer.writes):
                first_missing = min(first_missing, writer.writes[newest].answered)
            assets += self.judge_assets(client, known[:newest], table)
        if first_missing < began:
            self.problems.append(
                f"a write is missing that was acknowledged {began - first_missing:.3f} s before the backup")
        if last_sent > ended:
            self.problems.append(f"a write is there that was sent {last_sent - ended:.3f} s after the backup")
        if last_sent > first_missing:
            self.problems.append(
                f"a write is there that was sent {last_sent - first_missing:.3f} s after one was acknowledged that is "
                "not there")
        good, expired = self.judge_tokens(client, table)
        client.close()
        writes = sum(len(one.writes) for one in self.writers)
        self.line = (f"{writes} writes, {len(table)} records, {assets} assets; backup {ended - began:.2f} s; of the "
                     f"follower's tokens {good} good, {expired} expired")

    def gaps(self, writer: Writer, table: dict, newest: int) -> list[str]:
        """Whether the copy has the state in which the writer's first writes left its records."""
        if writer.number % 8 == 0:
            sides = [table.get(f"w{writer.number}-{side}") for side in ("left", "right")]
            if not newest and sides == [None, None]:
                return []
            if None in sides or {version(one) for one in sides} != {newest}:
                return [f"half a batch of writer {writer.number} is there"]
            total = sum(one["fields"]["amount"]["value"] for one in sides)
            return [] if total == TOTAL else [f"the amounts of writer {writer.number} are {total}"]
        found = []
        for slot in range(RECORDS_PER_WRITER):
            name = f"w{writer.number}-{slot}"
            wanted = max((one for one in range(1, newest + 1) if one % RECORDS_PER_WRITER == slot), default=0)
            there = version(table[name]) if name in table else 0
            if there != wanted:
                found.append(f"{name} has version {there}, and {wanted} at the moment of version {newest}")
        return found

    def judge_assets(self, client, writes: list[Write], table: dict) -> int:
        """The bytes of all assets that records of the copy have."""
        count = 0
        for write in writes:
            if write.asset is None or version(table.get(write.record)) != write.version:
                continue
            count += 1
            answer = client.call("GET", f"/records/Item/{write.record}/file", expect=(200, 404, 500))
            if answer.status != 200 or answer.body != write.asset:
                self.problems.append(f"the file of {write.record} is {answer.status}, or has other bytes")
        return count

    def judge_tokens(self, client, table: dict) -> tuple[int, int]:
        """A token of the first server is good up to the moment of the copy, and goes on to its table."""
        steps = self.follower.steps
        chosen = sorted(set(self.random.sample(range(len(steps)), min(len(steps), 60))) | {len(steps) - 1})
        good = expired = 0
        for position in chosen:
            token, known = steps[position]
            state = dict(known)
            answer = client.call("GET", f"/changes?limit=200&since={quote(token, safe='')}", expect=(200, 410))
            if answer.status == 410:
                expired += 1
                # Nothing that is in the copy is newer than what this token has seen, but for what it has not.
                if all(version(table.get(name)) >= one for name, one in known.items()):
                    if position < len(steps) - 1 and len(known) and self.is_older(known, table):
                        self.problems.append("a token of before the moment of the copy is refused")
                continue
            good += 1
            if expired:
                self.problems.append("a token is good that is younger than one which has expired")
            for change in feed_of(client, token):
                if change["recordType"] == "Item":
                    state[change["recordName"]] = version(change)
            if state != {name: version(one) for name, one in table.items()}:
                self.problems.append("what a token goes on with does not lead to the table of the copy")
        return good, expired

    @staticmethod
    def is_older(known: dict[str, int], table: dict) -> bool:
        return any(version(one) > known.get(name, 0) for name, one in table.items())

    def close(self) -> None:
        self.server.kill()
        self.copy.kill()


def version(record: dict | None) -> int:
    return record["fields"]["version"]["value"] if record else 0


def pages(client, path: str, key: str):
    cursor = None
    while True:
        page = client.call("GET", path + (f"&cursor={quote(cursor, safe='')}" if cursor else ""), expect=(200,)).json()
        yield from page[key]
        if (cursor := page.get("cursor")) is None:
            return


def feed_of(client, since: str | None = None):
    while True:
        rest = f"&since={quote(since, safe='')}" if since else ""
        page = client.call("GET", "/changes?limit=200" + rest).json()
        yield from page["changes"]
        since = page["token"]
        if not page["moreComing"]:
            return


def main() -> int:
    parser = parser_of(__doc__, ".backup")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--writers", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=2, help="the longest load before the backup")
    parser.add_argument("--no-kills", dest="kills", action="store_false")
    parser.add_argument("--forge", choices=["loss", "change", "late", "damage"], help="for tests of the test")
    options = parse(parser)
    if (binary := server_binary(options)) is None:
        return 2
    print(f"seed {options.seed}: {options.rounds} rounds beside {options.writers} writers", flush=True)
    failed = 0
    for number in range(1, options.rounds + 1):
        place = options.work / f"round-{number}"
        shutil.rmtree(place, ignore_errors=True)
        one = Round(binary, place, options, number)
        try:
            problems = one.play()
        except (Problem, OSError, subprocess.SubprocessError) as problem:
            problems = [*one.problems, f"{type(problem).__name__}: {problem}"]
        finally:
            one.close()
        print(f"round {number}: {one.line}" + ("" if problems else ": exactly one moment"), flush=True)
        for sentence in problems[:12]:
            print(f"    {sentence[:1000]}", flush=True)
        if problems:
            failed += 1
            print(f"    kept: {place}")
        else:
            shutil.rmtree(place)
    print(json.dumps({"rounds": options.rounds, "failed": failed, "seed": options.seed}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
