"""The round that ends with power cuts."""
from Tests.crash import planted_faults
from Tests.crash.large_type import IndexClient
from Tests.crash.round import Round
from Tests.powercut.checkpoints import Checkpoints, checkpoints
from Tests.powercut.disk_model import Contents, Names
from Tests.powercut.journal import Journal


class PowerRound(Round):
    kind = "power"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.has_frequent_checkpoints = self.random.random() < 0.5 or self.options.plant == "restart"
        self.checkpoints = Checkpoints()
        self.checkpoint_cuts = 0

    def settings(self, grace: float | None = None) -> dict[str, str]:
        """In half of the rounds checkpoints are as frequent as possible, and the WAL restarts soon."""
        frequent = {"FOGBASE_DATA_CHECKPOINT_BYTES": "262144"} if self.has_frequent_checkpoints else {}
        return super().settings(grace) | frequent

    def choose_cuts(self) -> None:
        """In addition to the others: the strictest cut just after a response, one during work on indexes, and one just
        after a checkpoint."""
        super().choose_cuts()
        random, acknowledged = self.random, self.moments()
        more = [(random.choice(acknowledged), Contents.NONE, Names.STRICT)]
        works = [work for one in self.workers if isinstance(one, IndexClient) for work in one.works]
        if works:
            # Drops are short. Builds take so long that other cuts meet them as well.
            drops = [work for work in works if work[2] == "drop"]
            more.append((self.within(random.choice(drops or works)), random.choice(list(Contents)),
                         random.choice(list(Names))))
        self.checkpoints = checkpoints(Journal(self.log))
        after = self.checkpoints.moments(acknowledged)
        if self.options.plant == "restart":
            after = planted_faults.forget_first_commits(self.log, self.checkpoints, acknowledged)
        if after:
            # A commit that was acknowledged before its sync is lost only if nothing unsynced survives.
            contents = random.choice([Contents.NONE, Contents.NONE, *Contents])
            contents = Contents.NONE if self.options.plant == "restart" else contents
            more.append((random.choice(after), contents, random.choice(list(Names))))
            self.checkpoint_cuts += 1
        self.set_cuts([(one.position, one.contents, one.names) for one in self.cuts] + more)

    def within(self, work: tuple[int, int, str]) -> int:
        """A position of the journal between two others, usually an early one: the end of a drop cannot be seen."""
        there = [one for one in Journal(self.log).positions() if work[0] <= one <= work[1]] or [work[0]]
        return there[int(len(there) * self.random.random() ** 2)]

    def load(self) -> None:
        super().load()
        self.ending += f", sync {self.sync} µs ({self.slow or 'all alike'}), {len(self.options.settings)} settings"
        self.ending += ", frequent checkpoints" if self.has_frequent_checkpoints else ""
