"""Whether the samples are valid, and cover every route of the server."""
import http.client

from Tests.fuzz.exchange import exchange, outcome
from Tests.fuzz.mutation import assembled
from Tests.fuzz.samples import Sample
from Tests.harness.client import Client
from Tests.harness.errors import Problem

METHODS = {"get", "put", "post", "delete", "options", "head", "patch"}

Route = tuple[str, str]


def routes_of(document: dict) -> list[Route]:
    """Method and template of each route of /openapi.json."""
    return [(method.upper(), path) for path, operations in document["paths"].items()
            for method in operations if method in METHODS]


def route_of(sample: Sample, routes: list[Route]) -> Route | None:
    """The route of a sample; literal segments precede parameters."""
    segments = sample.target.partition("?")[0].split("/")
    found = [one for one in routes if one[0] == sample.method and fits(segments, one[1].split("/"))]
    return min(found, key=lambda one: one[1].count("{"), default=None)


def fits(segments: list[str], template: list[str]) -> bool:
    return len(segments) == len(template) and all(
        one == other or other.startswith("{") for one, other in zip(segments, template))


# The correct status of these is an error. Only the operator's token from the file next to the data opens the first
# four: mutated paths must not be written to. The archive may not be complete yet. A server with a token in its
# settings has no code for a first administrator. The others need a job that has not ended, and no job is sure to take
# that long.
EXCUSED = {("POST", "/backup"): 403, ("GET", "/backup"): 403, ("DELETE", "/backup"): 403,
           ("POST", "/backup/tests"): 403,
           ("GET", "/backup/archive/file"): 404, ("POST", "/administrators/first"): 403,
           ("POST", "/jobs/{id}/pause"): 409, ("POST", "/jobs/{id}/resume"): 409, ("POST", "/jobs/{id}/cancel"): 409}


def send_samples(port: int, document: dict, samples: list[Sample]) -> list[str]:
    """Sends each sample unchanged: each must get its correct status, and each route a success."""
    routes = routes_of(document)
    findings, missing = [], set(routes)
    client = Client(port, timeout=20)
    for sample in samples:
        words = f"{sample.method} {sample.target}"
        data = assembled(sample.method, sample.target, sample.fields, sample.body, chunked=False)
        try:
            status, said = stream(port, data) if sample.is_stream else plain(client, data)
        except (OSError, http.client.HTTPException, Problem) as error:
            findings.append(f"The sample {words} has no response: {type(error).__name__}: {error}")
            continue
        if not sample.is_right(status):
            findings.append(f"The sample {words} is answered {status}: {said[:300].decode(errors='replace')}")
        elif (route := route_of(sample, routes)) and (status < 300 or status == EXCUSED.get(route)):
            missing.discard(route)
    client.close()
    return findings + [f"The route {method} {path} has no right sample" for method, path in sorted(missing)]


def plain(client: Client, data: bytes) -> tuple[int, bytes]:
    response = client.send(data)
    return response.status, response.body


def stream(port: int, data: bytes) -> tuple[int, bytes]:
    """The status of a stream, which must end with the client's writing."""
    found = exchange(port, data)
    status, fault = outcome(data, found)
    if fault or not isinstance(status, int):
        raise Problem(fault or status)
    return status, found.response.partition(b"\r\n\r\n")[2]
