"""The context of every scenario: options, directories, servers, and the board of posts that most of them use."""
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from Tests.bench import machine
from Tests.bench.bare_loop import BareLoop
from Tests.bench.load import Load, Measurement
from Tests.bench.report import Row
from Tests.bench.sample_records import seed
from Tests.harness import tools
from Tests.harness.errors import Problem
from Tests.harness.server import Server


HERE = Path(__file__).parent


@dataclass
class Options:
    binary: str
    work: Path
    seconds: float = 4
    rounds: int = 3
    quick: bool = False
    refill: bool = False
    records: int = 1_000_000
    environment: dict[str, str] = field(default_factory=dict)
    cache_kb: int = 8192
    mmap_bytes: int = 2_147_418_112
    sizes: list[int] = field(default_factory=list)


@dataclass
class Scenario:
    """A name for `--only`, one line for `--list`, and the function that yields its rows."""
    name: str
    summary: str
    run: Callable[["Context"], Iterator[Row]]


@dataclass
class Board:
    """A running server with posts, and a session of their author."""
    server: Server
    token: str
    names: list[str]

    def path(self, number: int) -> str:
        return f"/records/Post/{self.names[number % len(self.names)]}"


class Context:
    def __init__(self, options: Options):
        self.options = options
        options.work.mkdir(parents=True, exist_ok=True)
        kind, _ = machine.disk_of(options.work)
        if kind in ("tmpfs", "ramfs"):
            raise Problem(f"{options.work} lies in memory ({kind}), where a sync costs nothing: name a directory on a "
                          "disk with --work.")
        self.directory = Path(tempfile.mkdtemp(prefix="run-", dir=options.work)).resolve()
        self.scenario = ""
        self.highest_rss: dict[str, float] = {}
        # The data sets that `--refill` has already recreated.
        self.refilled: set[str] = set()
        self._counter = 0

    def close(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)

    def fresh_directory(self, name: str) -> Path:
        self._counter += 1
        return self.directory / f"{self._counter:02}-{name}"

    @contextmanager
    def server(self, data: Path | None = None, prefix: list[str] | None = None, start: bool = True,
               settings: dict[str, str] | None = None) -> Iterator[Server]:
        """A server over a fresh directory, or over `data`; it is stopped by SIGTERM, its fresh directory removed.

        `--env` wins over `settings`.
        """
        directory = data or self.fresh_directory("data")
        server = Server(self.options.binary, directory, (settings or {}) | self.options.environment, prefix)
        try:
            if start:
                server.start()
            yield server
            server.stop()
        finally:
            server.kill()
            if data is None:
                shutil.rmtree(directory, ignore_errors=True)

    @contextmanager
    def board(self, posts: int = 4000, prefix: list[str] | None = None,
              settings: dict[str, str] | None = None) -> Iterator[Board]:
        """A server with `posts` posts in it."""
        with self.server(prefix=prefix, settings=settings) as server:
            token = server.sign_up()
            yield Board(server, token, seed(server.client(token), posts))

    def load(self, server: Server, messages: list[bytes], **options) -> Callable[[float], Measurement]:
        """A runner that repeats `messages`, and that enters the server's memory into the highest of all loads."""
        load = Load(self.directory / "messages", server.pid, server.port, messages, **options)

        def run(seconds: float) -> Measurement:
            return self.noted(load.run(seconds))

        run.sample = load.sample
        run.during = lambda work: self.noted(load.during(work))
        return run

    def noted(self, found: Measurement) -> Measurement:
        """Enters the memory during a load of a server into the highest of all loads."""
        self.highest_rss[self.scenario] = max(self.highest_rss.get(self.scenario, 0), found.rss_mb or 0)
        return found

    def bare_loop(self, board: Board) -> BareLoop:
        """The bare loop over a copy of the board's database. The server is restarted for it."""
        database = board.server.copy_database(self.fresh_directory("copy"))
        program = tools.compile_program(HERE / "bare_loop.c", self.directory, "sqlite3")
        return BareLoop(program, database, board.names[0], self.options.cache_kb, self.options.mmap_bytes)
