"""Uploads that are never finished."""
from Tests.abuse.attack import Swarm
from Tests.abuse.expectations import answered, busy, every_message, no_failures
from Tests.abuse.requests import head
from Tests.abuse.target import Target
from Tests.abuse.trial import Scenario

TUS = "Tus-Resumable: 1.0.0"


def unfinished(target: Target) -> list[Swarm]:
    """Thousands of resumable uploads of a kilobyte without data."""
    return [Swarm([head("POST", "/assets/uploads", target.attacker, TUS, "Upload-Length: 1000")],
                  answered(201, 413, 429, 503), busy(200), connections=32, after="again")]


def unfinished_with_parts(target: Target) -> list[Swarm]:
    """The same, each with a first part on disk."""
    start = head("POST", "/assets/uploads", target.attacker, TUS, "Upload-Length: 100000",
                 "Content-Type: application/offset+octet-stream", "Content-Length: 1000")
    return [Swarm([start + b"p" * 1000], answered(201, 413, 429, 503), busy(100), connections=32, after="again")]


def wrong_offsets(target: Target) -> list[Swarm]:
    """Parts with wrong offsets, for existing and unknown uploads; invalid offsets and lengths."""
    client = target.client()
    made = client.send(head("POST", "/assets/uploads", target.attacker, TUS, "Upload-Length: 100000"))
    client.close()
    path = made.headers["Location"].split("://")[-1]
    path = path[path.index("/"):]
    octets = "Content-Type: application/offset+octet-stream"
    messages = [head("PATCH", target, target.attacker, TUS, octets, f"Upload-Offset: {offset}", "Content-Length: 0")
                for target in (path, "/assets/uploads/none", "/assets/uploads/" + "a" * 4000)
                for offset in ("5", "-1", "9" * 40, "0x0", "", "0,0")]
    messages += [head("POST", "/assets/uploads", target.attacker, TUS, f"Upload-Length: {length}", *more)
                 for length, more in (("9" * 40, ()), ("-1", ()), ("1e3", ()), ("5000000001", ()),
                                      ("1", ("Upload-Length: 2",)),
                                      ("5", ("Upload-Metadata: " + ",".join(["a YQ=="] * 900),)),
                                      ("5", ("Upload-Metadata: filename " + "A" * 8000,)),
                                      ("5", ("Upload-Defer-Length: 1",)))]
    messages += [head("HEAD", path, target.attacker, TUS), head("DELETE", "/assets/uploads/none", target.attacker, TUS)]
    # The attacker cannot parse responses to HEAD, which have a length and no body.
    return [Swarm([one for one in messages if not one.startswith(b"HEAD")], no_failures, busy(100), every_message,
                  connections=16, after="again")]


SCENARIOS = [
    Scenario("tus-unfinished", "resumable uploads that are begun and left", unfinished, seconds=8),
    Scenario("tus-first-parts", "resumable uploads that are left after a first part", unfinished_with_parts),
    Scenario("tus-wrong", "parts, offsets and lengths that are wrong", wrong_offsets),
]
