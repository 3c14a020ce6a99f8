"""Event streams that nobody reads, that come and go, and whose conditions are costly."""
from urllib.parse import quote

from Tests.abuse.attack import Swarm
from Tests.abuse.expectations import busy, closed_within, no_failures, some
from Tests.abuse.requests import head
from Tests.abuse.target import Target
from Tests.abuse.trial import Scenario

EVENTS = "Accept: text/event-stream"
LIMITS = {"timeouts.write": "3s"}
LATE = 3 + 2.5
# As many tests as the longest address allows.
COSTLY = " OR ".join(f"text BEGINSWITH '{'%05d ' % number}{'x' * 60}' AND likes != {number}" for number in range(40))


def stream(target: Target, path: str) -> bytes:
    return head("GET", path, target.attacker, EVENTS)


def stalled_streams(target: Target) -> list[Swarm]:
    """All changes are 8 MB each: more than the server buffers for a client that does not read."""
    return [Swarm([stream(target, "/changes")], closed_within(LATE), busy(200), connections=200, open_rate=200,
                  read="none")]


def unread_streams(target: Target) -> list[Swarm]:
    """They wait for the good client's creates, and read none of them."""
    return [Swarm([stream(target, "/changes?since=now&type=Note")], no_failures, busy(1000), connections=1000,
                  open_rate=500, read="none")]


def passing_streams(target: Target) -> list[Swarm]:
    messages = [stream(target, "/changes?since=now"), stream(target, "/changes")]
    return [Swarm(messages, busy(1000), after=after, sources=8, connections=64, open_rate=300)
            for after in ("close", "reset")]


def costly_streams(target: Target) -> list[Swarm]:
    """Each judges all posts, and then every create."""
    paths = [f"/changes?type=Post&where={quote(COSTLY)}",
             f"/changes?type=Note&since=now&where={quote(COSTLY.replace('likes', 'number'))}"]
    return [Swarm([stream(target, path) for path in paths], some(200, 64), connections=64, open_rate=64)]


SCENARIOS = [
    Scenario("stalled-streams", "200 event streams of all changes that nobody reads", stalled_streams, LIMITS),
    Scenario("unread-streams", "1,000 event streams that wait for changes and do not read them", unread_streams),
    Scenario("passing-streams", "event streams that are closed or reset at once", passing_streams),
    Scenario("costly-streams", "64 event streams with conditions at the limit", costly_streams),
]
