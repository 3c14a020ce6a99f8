"""Streams of every kind of caller, and of tickets, from every kind of position.

The server ends a stream when the client shuts down writing, as all clients here do after their request.
"""
from Tests.fuzz.callers import Audiences
from Tests.fuzz.fixture import Fixture
from Tests.fuzz.samples import Caller, Sample
from Tests.harness.client import quoted

STREAM = ("Accept", "text/event-stream")
# Positions that are none. A stream begins again then, as a browser sends its last id for good.
WRONG_IDS = ("beginning", "now", "AAAA", "A" * 300, "0", "\xff", '"', "%00")


def feeds(fixture: Fixture, audiences: Audiences, owner: Caller) -> list[Sample]:
    reader, writer, member = (Caller(audiences.sessions[name]) for name in ("reader", "writer", "member"))
    visitor, deputy, key = (Caller(token) for token in (
        fixture.sessions["visitor"], fixture.deputy, fixture.keys["read"]["token"]))
    places = (
        [(one, "/changes?type=Post&where=title%20!%3D%20'x'") for one in (Caller(), key, visitor, owner, deputy)]
        + [(one, f"/changes?{audiences.shared}") for one in (reader, writer)]
        + [(visitor, "/changes?database=private&zone=Diaries"), (owner, f"/changes?{audiences.private}&type=Diary"),
           (member, "/changes?type=Plan&fields=n"), (reader, "/changes/zones?database=shared"),
           (visitor, "/changes/zones?database=private"), (owner, f"/changes/zones?{audiences.private}"),
           (member, "/notifications?since=now")])
    found = []
    for number, (caller, target) in enumerate(places):
        found += [caller.get(target, STREAM), caller.get(target.replace("?since=now", "?") + "&since=now", STREAM),
                  *(caller.get(target, STREAM, ("Last-Event-ID", one)) for one in (
                      token_of(fixture, caller, target), *WRONG_IDS[number % 2::2]))]
    for caller, target in places:
        found.append(caller.get(ticket(fixture, caller, target), STREAM, ("Last-Event-ID", "beginning")))
    # Of another caller: the position is none.
    other = token_of(fixture, reader, f"/changes?{audiences.shared}")
    found += [
        writer.get(f"/changes?{audiences.shared}", STREAM, ("Last-Event-ID", other)),
        writer.get(f"/changes?{audiences.shared}&since={quoted(other)}", STREAM),
        # A ticket is used once, by any caller who has it, and says all but the position.
        Caller().get("/changes?ticket=AAAA", STREAM).rejected_with(401),
        owner.get(ticket(fixture, owner, "/changes?type=Post") + "&type=Plan", STREAM).rejected_with(400),
        Caller().get(f"/changes?{audiences.shared}", STREAM).rejected_with(401),
        key.get(f"/changes?{audiences.shared}", STREAM).rejected_with(404),
        owner.get("/notifications", STREAM).rejected_with(403),
        owner.get("/changes?where=likes%20%3E", STREAM).rejected_with(400),
    ]
    return found


def token_of(fixture: Fixture, caller: Caller, target: str) -> str:
    """A position of a caller, as its streams have it for their ids."""
    parts = [one for one in target.partition("?")[2].split("&") if not one.startswith(("where=", "type=", "fields="))]
    page = fixture.get(target.partition("?")[0] + "?" + "&".join(parts), bearer(caller))
    return page["token"]


def ticket(fixture: Fixture, caller: Caller, target: str) -> str:
    """The address of a stream with a new ticket."""
    path, _, query = target.partition("?")
    made = fixture.call("POST", f"{path}/tickets?{query}", token=bearer(caller)).json()
    return made["url"]


def bearer(caller: Caller) -> str:
    return caller.fields[0][1].removeprefix("Bearer ") if caller.fields else ""
