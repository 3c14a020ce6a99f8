"""Curves over the number of records: the cost of a read, a page, a create and an update with 1,000 and with
millions."""
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random
from urllib.parse import quote

from Tests.bench.context import Context, Scenario
from Tests.bench.forum import THREAD_POSTS, TYPE, Forum, forum
from Tests.bench.report import Row, measured_row
from Tests.bench.rounds import interleave
from Tests.bench.scenarios.bulk import board_creates
from Tests.bench.scenarios.queries import page_load, short
from Tests.harness.client import message, quoted

# Records that are read and updated: as many as in so many threads, each of which is spread over the whole file.
THREADS = 20


def scale(context: Context) -> Iterator[Row]:
    """All sizes run at once and take turns, so that each is compared with the smallest in the same minutes."""
    with ExitStack() as stack:
        forums = [stack.enter_context(forum(context, size, copy=True)) for size in context.options.sizes]
        paths = [_paths(one) for one in forums]
        # Reads come first: updates and creates change the records that they would read.
        like = {"fields": {"likes": {"increment": 1}}}
        works = {
            "read": [context.load(one.server, [message("GET", path) for path in found])
                     for one, found in zip(forums, paths)],
            "page": [page_load(context, one) for one in forums],
            "update": [context.load(one.server, [message("PATCH", path, one.token, like) for path in found])
                       for one, found in zip(forums, paths)],
            "create": [context.load(one.server, board_creates(one), expect=201) for one in forums],
        }
        for work, runners in works.items():
            found = interleave(context.options.rounds, context.options.seconds, *runners)
            for one, measured in zip(forums, found):
                yield measured_row(f"scale-{work}-{short(one.records)}", measured, found[0],
                                   against=f"{short(forums[0].records)} records", series=f"scale-{work}", x=one.records)


def _paths(given: Forum) -> list[str]:
    """The paths of records of some threads, in an order that no cache line likes."""
    client = given.server.client()
    threads = Random(1).sample(given.threads, min(THREADS, len(given.threads)))
    names = []
    for one in threads:
        where = quote(f'threadname == "{one}"')
        response = client.call("GET", f"/query/{TYPE}?where={where}&limit={THREAD_POSTS}&fields=likes").json()
        names += [record["recordName"] for record in response["records"]]
    client.close()
    Random(2).shuffle(names)
    return [f"/records/{TYPE}/{quoted(name)}" for name in names]


SCENARIOS = [Scenario("scale", "a read, a page, an update and a create out of 1,000 to 1,000,000 records (--sizes): "
                      "for information", scale)]
