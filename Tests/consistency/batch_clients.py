"""Clients of atomic batches: groups of records that share one value, and transfers between accounts."""
from Tests.consistency.client import Worker
from Tests.consistency.history import ABSENT, Access, Change
from Tests.consistency.workload import ACCOUNTS, FAMILIES, GROUPS
from Tests.harness.errors import Problem


class GroupClient(Worker):
    """Writes and deletes whole groups without preconditions; some batches must fail as a whole."""

    def begin(self) -> None:
        self.written = 0

    def act(self) -> None:
        group = self.random.choice(list(GROUPS))
        choice = self.random.random()
        if choice < 0.45:
            self.observe("Part", self.random.choice([("names", GROUPS[group]), ("is", "group", group), ("all",)]))
        elif choice < 0.85:
            self.write(group)
        elif choice < 0.93:
            self.delete(group)
        else:
            self.fail(group)

    def write(self, group: str) -> None:
        value = self.unique()
        self.send(group, [self.replacement(group, name, value) for name in GROUPS[group]], value)

    def delete(self, group: str) -> None:
        if group in FAMILIES and self.random.random() < 0.5:
            self.delete_parent(group)
            return
        self.send(group, [{"operationType": "forceDelete", "record": {"recordType": "Part", "recordName": name}}
                          for name in GROUPS[group]], ABSENT)

    def send(self, group: str, operations: list[dict], value) -> None:
        body = {"operations": operations}
        if self.random.random() < self.workload.disconnects:
            reply = self.main.disconnect("POST", "/records", body)
        elif self.random.random() < 0.2:
            reply = self.main.ask_once("POST", "/records", body, disconnects=0.2)
        else:
            reply = self.main.ask("POST", "/records", body)
        for result in reply.body["records"] if reply.body else ():
            if "serverErrorCode" in result:
                raise Problem(f"an operation of a batch failed: {result}")
        self.observations.accesses.setdefault(group, []).append(
            Access(reply.sent, reply.answered, "any", writes=True, new=value, client=self.name))
        self.observations.counts["writes Part"] += 1

    def delete_parent(self, group: str) -> None:
        """The other members refer to the first one and are deleted with it."""
        arguments = ("DELETE", f"/records/Part/{GROUPS[group][0]}")
        if self.random.random() < self.workload.disconnects:
            reply = self.main.disconnect(*arguments)
        else:
            reply = self.main.ask(*arguments, expect=(204, 404))
        access = Access(reply.sent, reply.answered, "not", ABSENT, writes=True, new=ABSENT, client=self.name)
        if reply.status == 404:
            access = Access(reply.sent, reply.answered, "is", ABSENT, client=self.name)
        self.observations.accesses.setdefault(group, []).append(access)

    def fail(self, group: str) -> None:
        """A batch whose last operation has a wrong tag. Any part of it that took effect would be a value that no client
        wrote."""
        value = self.unique()
        operations = [self.replacement(group, name, value) for name in GROUPS[group]]
        operations[-1]["operationType"] = "replace"
        operations[-1]["record"]["recordChangeTag"] = "nobody"
        results = self.main.ask("POST", "/records", {"operations": operations}).body["records"]
        if any("serverErrorCode" not in one for one in results):
            raise Problem(f"a part of a batch was done that had to fail: {results}")

    @staticmethod
    def replacement(group: str, name: str, value: str) -> dict:
        fields = {"v": {"value": value}, "group": {"value": group}}
        if group in FAMILIES and name != GROUPS[group][0]:
            fields["head"] = {"type": "REFERENCE", "value": {"recordName": GROUPS[group][0], "action": "DELETE_SELF"}}
        return {"operationType": "forceReplace", "record": {"recordType": "Part", "recordName": name, "fields": fields}}

    def unique(self) -> str:
        self.written += 1
        return f"{self.name}.{self.written}"


class TransferClient(Worker):
    """Moves amounts between accounts, by conditional batches on read values, or by increments."""

    def act(self) -> None:
        if self.random.random() < 0.35:
            self.observe("Account", self.random.choice([("all",), ("names", ACCOUNTS)]))
        elif self.random.random() < 0.6:
            self.guarded(*self.random.sample(ACCOUNTS, 2), self.random.randint(1, 9))
        else:
            self.incremented(*self.random.sample(ACCOUNTS, 2), self.random.randint(1, 9))

    def guarded(self, source: str, target: str, amount: int) -> None:
        rows = self.observe("Account", ("names", (source, target))).rows
        if rows is None:
            return
        tags = {name: row[1] for name, row in rows.items()}
        self.send([(source, -amount), (target, amount)], [
            {"operationType": "update", "record": {
                "recordType": "Account", "recordName": name, "recordChangeTag": rows[name][1],
                "fields": {"v": {"value": rows[name][0] + change}}}}
            for name, change in ((source, -amount), (target, amount))], tags)

    def incremented(self, source: str, target: str, amount: int) -> None:
        self.send([(source, -amount), (target, amount)], [
            {"operationType": "forceUpdate", "record": {
                "recordType": "Account", "recordName": name, "fields": {"v": {"increment": change}}}}
            for name, change in ((source, -amount), (target, amount))])

    def send(self, moves: list[tuple[str, int]], operations: list[dict], tags: dict[str, str] | None = None) -> None:
        """With `tags`, the transfer may meet another one: an account then has another tag."""
        body = {"operations": operations}
        if self.random.random() < self.workload.disconnects:
            reply = self.main.disconnect("POST", "/records", body)
        else:
            reply = self.main.ask("POST", "/records", body)
            failed = [one for one in reply.body["records"] if "serverErrorCode" in one]
            if failed:
                codes = sorted(one["serverErrorCode"] for one in failed)
                others = [one["serverRecord"] for one in failed if one["serverErrorCode"] == "CONFLICT"]
                if (tags is None or codes not in (["ATOMIC_ERROR", "CONFLICT"], ["CONFLICT", "CONFLICT"])
                        or any(one["recordChangeTag"] == tags[one["recordName"]] for one in others)):
                    raise Problem(f"a transfer was refused for {tags}: {reply.body['records']}")
                self.observations.counts["transfers refused"] += 1
                return
        self.observations.changes += [Change(name, amount, reply.sent, reply.answered) for name, amount in moves]
        self.observations.counts["transfers"] += 1
