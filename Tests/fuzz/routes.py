"""Whether the samples are valid, and cover every route of the server."""
import http.client

from Tests.fuzz.mutation import assembled
from Tests.fuzz.samples import Sample
from Tests.harness.client import Client

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


# Only the operator's token from the file next to the data opens these: mutated paths must not be written to.
OPERATORS_ALONE = {("POST", "/backup"), ("GET", "/backup"), ("DELETE", "/backup")}


def send_samples(port: int, document: dict, samples: list[Sample]) -> list[str]:
    """Sends each sample unchanged: each must get its correct status, and each route a success."""
    routes = routes_of(document)
    findings, missing = [], set(routes)
    client = Client(port, timeout=20)
    for sample in samples:
        words = f"{sample.method} {sample.target}"
        try:
            response = client.send(assembled(sample.method, sample.target, sample.fields, sample.body, chunked=False))
        except (OSError, http.client.HTTPException) as error:
            findings.append(f"The sample {words} has no response: {type(error).__name__}: {error}")
            continue
        if not sample.is_right(response.status):
            said = response.body[:200].decode(errors="replace")
            findings.append(f"The sample {words} is answered {response.status}: {said}")
        elif response.status < 300 or (response.status == 403 and route_of(sample, routes) in OPERATORS_ALONE):
            missing.discard(route_of(sample, routes))
    client.close()
    return findings + [f"The route {method} {path} has no right sample" for method, path in sorted(missing)]
