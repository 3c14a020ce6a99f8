"""Backups under load: each restored copy is one consistent snapshot; an interrupted backup leaves none.

    python3 -m Tests.backup                      # the release build, 20 rounds with 32 writers
    python3 -m Tests.backup --rounds 2           # a short run
    python3 -m Tests.backup --plant change       # plants a fault: every round must fail

A round makes a backup while writers work, restores it into another directory, and starts a server there. Each writer
waits for its responses, so the versions of its records show the order of its writes. A batch writer moves an amount
between two records. The copy is one moment if

* it has every write that was acknowledged before the backup began, and none that was sent after it ended;
* it has a prefix of each writer's writes, without gaps;
* it has, for each write in it, all writes that were acknowledged before that one was sent;
* batches are whole, and all assets of its records exist with their bytes;
* a feed from its beginning equals its records. A token that the first server issued before the moment resumes to the
  same records; a later one is 410, because a backup was restored.

Some records are written once: what loses their only change lacks them for good. Each round must meet tokens of both
kinds, and in a run of three rounds or more each kind of kill must come during a backup.
"""
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from Tests.backup.clients import RECORDS_PER_WRITER, TOTAL, FeedReader, Worker, Write, Writer, record_of
from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.client import Client, quoted
from Tests.harness.errors import Problem
from Tests.harness.rounds import add_round_options, run_rounds
from Tests.harness.server import Server

RESTORED = "The sync token is of a state that this database does not have"
BUSY = "Another backup of this server is under way"
VICTIMS = ("command, by SIGINT", "command, by SIGKILL", "server")


class Round:
    def __init__(self, directory: Path, options, number: int):
        self.binary, self.directory, self.options, self.number = options.binary, directory, options, number
        self.random = random.Random(f"{options.seed} {number}")
        self.server = Server(options.binary, directory / "data", options.settings)
        self.copy = Server(options.binary, directory / "restored", options.settings)
        self.problems: list[str] = []
        self.line = "it broke off"
        self.interrupted: Counter[str] = Counter()  # the backups that were broken off, by what was killed
        self.waits = 0  # for a backup whose command was killed

    def fogbase(self, *words: str, expect: int | None = 0) -> subprocess.CompletedProcess:
        found = subprocess.run([self.binary, *words], capture_output=True, text=True, timeout=300,
                               env=self.server.environment)
        if expect is not None and found.returncode != expect:
            raise Problem(f"fogbase {' '.join(words)} ended with {found.returncode}: {found.stdout}{found.stderr}")
        return found

    def run(self) -> list[str]:
        self.directory.mkdir(parents=True)
        self.server.start()
        self.writers = [Writer(self.server, number, self.options.seed) for number in range(self.options.writers)]
        self.feed_reader = FeedReader(self.server)
        try:
            for one in self.workers:
                one.start()
            time.sleep(self.random.uniform(0.5, self.options.seconds))
            if self.options.kills:
                self.kill_during_backup()
            backup = self.directory / "backup"
            began = time.monotonic()
            self.fogbase("backup", "create", str(backup), "--data", str(self.server.data))
            ended = time.monotonic()
            time.sleep(self.random.uniform(0.1, 0.5))
            if self.options.plant == "late":
                began = ended = time.monotonic()
        finally:
            self.end_workers()
            self.server.kill()
        verified = self.fogbase("backup", "verify", str(backup), expect=None)
        if verified.returncode:
            self.problems.append(f"verify: {verified.stdout}{verified.stderr}")
        if self.options.plant == "damage":
            self.damage(backup)
        self.fogbase("backup", "restore", str(backup), "--data", str(self.copy.data))
        self.copy.environment["FOGBASE_ADMIN_TOKEN"] = self.copy.admin
        self.copy.start()
        try:
            self.check(began, ended)
        finally:
            self.copy.kill()
        return self.problems

    @property
    def workers(self) -> list[Worker]:
        return [*self.writers, self.feed_reader]

    def end_workers(self) -> None:
        for one in self.workers:
            one.ends.set()
        for one in self.workers:
            one.join(30)
            if one.is_alive():
                self.problems.append(f"{one.name} waits for a response since 30 s")
        self.problems += [one.problem for one in self.workers if one.problem]

    def damage(self, backup: Path) -> None:
        """Changes one byte of one file: restore must name the file."""
        victim = self.random.choice([one for one in backup.rglob("*") if one.is_file() and one.name != "manifest.json"])
        content = bytearray(victim.read_bytes())
        content[self.random.randrange(len(content))] ^= 1
        victim.unlink()  # what is linked stays whole elsewhere
        victim.write_bytes(content)

    # Kills

    def kill_during_backup(self) -> None:
        """Kills the command, then the server, during a backup: nothing that looks complete may be left."""
        target = self.directory / "killed"
        for victim in VICTIMS:
            child = subprocess.Popen(
                [self.binary, "backup", "create", str(target), "--data", str(self.server.data)],
                env=self.server.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            limit = time.monotonic() + 10
            while not (target.exists() or Path(f"{target}.partial").exists()) and time.monotonic() < limit:
                time.sleep(0.001)
            if time.monotonic() >= limit:
                self.problems.append("a backup has not begun in 10 s")
            time.sleep(self.random.uniform(0, 0.05))
            if victim == "server":
                self.restart()
            else:
                child.send_signal(signal.SIGINT if "SIGINT" in victim else signal.SIGKILL)
            child.wait(60)
            said = child.stdout.read()
            if victim == "command, by SIGKILL":
                self.wait_for_end()
                self.interrupted[victim] += child.returncode == -signal.SIGKILL
                if not target.exists():
                    self.problems.append("the server did not complete the backup whose command was killed")
            elif not target.exists():
                self.interrupted[victim] += 1
                if child.returncode == 0 or "SIGINT" in victim and child.returncode != 130:
                    self.problems.append(f"without a backup, the command ended with {child.returncode}: {said}")
                if "SIGINT" in victim and Path(f"{target}.partial").exists():
                    self.problems.append("a cancelled backup left something")
                elif self.fogbase("backup", "verify", f"{target}.partial", expect=None).returncode == 0:
                    self.problems.append("what a killed backup left passes for whole")
            if target.exists():  # it was faster
                found = self.fogbase("backup", "verify", str(target), expect=None)
                if found.returncode:
                    self.problems.append(f"a killed backup looks whole: {found.stdout}{found.stderr}")
                shutil.rmtree(target)
        self.fogbase("backup", "create", str(target), "--data", str(self.server.data))
        if Path(f"{target}.partial").exists():
            self.problems.append("the next backup did not delete what a killed one had left")
        shutil.rmtree(target)

    def wait_for_end(self) -> None:
        """The server continues without the command; the next backup must wait for it."""
        probe = self.directory / "probe"
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            made = self.fogbase("backup", "create", str(probe), "--data", str(self.server.data), expect=None)
            if made.returncode == 0:
                shutil.rmtree(probe)
                return
            if BUSY not in made.stdout + made.stderr:
                self.problems.append(f"a backup after a killed one fails: {made.stdout}{made.stderr}")
                return
            self.waits += 1
            time.sleep(0.05)
        self.problems.append("the server did not finish a backup whose command was killed")

    def restart(self) -> None:
        """Runs `kill -9`, and begins again with new data and new workers: what was acknowledged before a kill is the
        subject of `make crash`."""
        for one in self.workers:
            one.ends.set()
            one.is_killed.set()
        self.server.kill()
        self.end_workers()
        shutil.rmtree(self.server.data)
        self.server.start()
        self.writers = [Writer(self.server, number, self.options.seed + 1) for number in range(self.options.writers)]
        self.feed_reader = FeedReader(self.server)
        for one in self.workers:
            one.start()
        time.sleep(self.options.seconds / 2)

    # The checks

    def check(self, began: float, ended: float) -> None:
        client = self.copy.client(self.copy.admin)
        table = {one["recordName"]: one for one in client.pages("/records/Item?limit=100", "records")}
        if self.options.plant == "loss" and table:
            del table[self.random.choice(sorted(table))]
        if self.options.plant == "change" and table:
            one = table[self.random.choice(sorted(table))]
            one["fields"]["version"]["value"] -= RECORDS_PER_WRITER
        feed = {}
        for change in changes(client):
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
            assets += self.check_assets(client, known[:newest], table)
        if first_missing < began:
            self.problems.append(
                f"a write is missing that was acknowledged {began - first_missing:.3f} s before the backup")
        if last_sent > ended:
            self.problems.append(f"a write is there that was sent {last_sent - ended:.3f} s after the backup")
        if last_sent > first_missing:
            self.problems.append(
                f"a write is there that was sent {last_sent - first_missing:.3f} s after one was acknowledged that is "
                "not there")
        good, expired = self.check_tokens(client, table)
        client.close()
        writes = sum(len(one.writes) for one in self.writers)
        self.line = (f"{writes} writes, {len(table)} records, {assets} assets; backup {ended - began:.2f} s; of the "
                     f"reader's tokens {good} valid, {expired} expired; {self.interrupted.total()} kills during "
                     f"backups, {self.waits} waits for one")

    def gaps(self, writer: Writer, table: dict, newest: int) -> list[str]:
        """Problems if the records of a writer in the copy are not the result of a prefix of its writes."""
        if writer.number % 8 == 0:
            sides = [table.get(f"w{writer.number}-{side}") for side in ("left", "right")]
            if not newest and sides == [None, None]:
                return []
            if None in sides or {version(one) for one in sides} != {newest}:
                return [f"half a batch of writer {writer.number} is there"]
            total = sum(one["fields"]["amount"]["value"] for one in sides)
            return [] if total == TOTAL else [f"the amounts of writer {writer.number} are {total}"]
        wanted = {record_of(writer.number, one): one for one in range(1, newest + 1)}
        there = {name: version(one) for name, one in table.items() if name.startswith(f"w{writer.number}-")}
        return [f"{name} has version {there.get(name, 0)}, and {wanted.get(name, 0)} at the moment of version {newest}"
                for name in sorted(wanted.keys() | there.keys()) if wanted.get(name) != there.get(name)]

    def check_assets(self, client, writes: list[Write], table: dict) -> int:
        """Checks the bytes of all assets of records in the copy."""
        count = 0
        for write in writes:
            if write.asset is None or version(table.get(write.record)) != write.version:
                continue
            count += 1
            response = client.call("GET", f"/records/Item/{write.record}/file", expect=(200, 404, 500))
            if response.status != 200 or response.body != write.asset:
                self.problems.append(f"the file of {write.record} is {response.status}, or has other bytes")
        return count

    def check_tokens(self, client, table: dict) -> tuple[int, int]:
        """Feed tokens of the first server are valid up to the snapshot, and newer ones are expired.

        A token is newer exactly if its reader knew a version that the copy does not have."""
        final = {name: version(one) for name, one in table.items()}
        steps = self.feed_reader.steps
        newer = [any(one > final.get(name, 0) for name, one in known.items()) for _, known in steps]
        if newer != sorted(newer):
            self.problems.append("the feed of the first server went back")
        border = sum(not one for one in newer)
        if not 0 < border < len(steps):
            self.problems.append(f"{border} of {len(steps)} tokens are of before the backup, which shows nothing")
        chosen = {*self.random.sample(range(len(steps)), min(len(steps), 60)), border - 1, border, len(steps) - 1}
        good = expired = 0
        for position in sorted(chosen & set(range(len(steps)))):
            token, known = steps[position]
            response = client.call("GET", f"/changes?limit=200&since={quoted(token)}", expect=(200, 410))
            is_expired = response.status == 410 or self.options.plant == "expire" and position == border - 1
            if is_expired != newer[position]:
                self.problems.append(f"the token {position} is {'refused' if is_expired else 'good'}, and {border} are "
                                     f"of before the moment of the copy: {response.body[:300].decode()}")
                continue
            if is_expired:
                expired += 1
                if not (reason := response.json()["reason"]).startswith(RESTORED):
                    self.problems.append(f"a token has expired without a cause: {reason}")
                continue
            good += 1
            state = dict(known)
            if self.options.plant == "skip":  # a change of a record that is not written again
                state.pop(next((one for one in state if "once" in one), ""), None)
            for change in changes(client, token):
                if change["recordType"] == "Item":
                    state[change["recordName"]] = version(change)
            if state != final:
                self.problems.append("what a token goes on with does not lead to the table of the copy")
        return good, expired

    def summary(self) -> str:
        return self.line

    def keep(self) -> None:
        """The directory itself is all that is kept."""

    def close(self) -> None:
        self.server.kill()
        self.copy.kill()


def version(record: dict | None) -> int:
    return record["fields"]["version"]["value"] if record else 0


def changes(client: Client, since: str | None = None) -> Iterator[dict]:
    """Returns all changes of the feed after a token."""
    while True:
        rest = f"&since={quoted(since)}" if since else ""
        page = client.call("GET", "/changes?limit=200" + rest).json()
        yield from page["changes"]
        since = page["token"]
        if not page["moreComing"]:
            return


def main() -> int:
    parser = make_parser(__doc__, ".backup")
    add_round_options(parser, 20)
    parser.add_argument("--writers", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=2, help="the longest load before the backup")
    parser.add_argument("--no-kills", dest="kills", action="store_false")
    parser.add_argument("--plant", choices=["loss", "change", "late", "damage", "expire", "skip"],
                        help="for self tests: a fault that each round must find")
    options = parse(parser)
    print(f"seed {options.seed}: {options.rounds} rounds with {options.writers} writers", flush=True)
    interrupted: Counter[str] = Counter()
    failed = run_rounds(options, range(1, options.rounds + 1),
                        lambda number, directory: Round(directory, options, number),
                        lambda number, one, seconds, found: interrupted.update(one.interrupted))
    print(f"{failed} of {options.rounds} rounds failed; kills during backups: "
          + ", ".join(f"{interrupted[one]} × {one}" for one in VICTIMS))
    missing = [one for one in VICTIMS if not interrupted[one]] if options.kills and options.rounds >= 3 else []
    for one in missing:
        print(f"    no kill of the {one} came during a backup")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    run_main(main)
