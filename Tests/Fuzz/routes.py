"""Whether the samples are right, and of every route that the server says it has."""
import http.client

import paths  # noqa: F401
from client import Client
from mutation import assembled
from samples import Sample

METHODS = {"get", "put", "post", "delete", "options", "head", "patch"}

Route = tuple[str, str]


def routes_of(document: dict) -> list[Route]:
    """Method and template, as /openapi.json has them."""
    return [(method.upper(), path) for path, operations in document["paths"].items()
            for method in operations if method in METHODS]


def route_of(sample: Sample, routes: list[Route]) -> Route | None:
    """The route that answers the sample; words win over parameters."""
    segments = sample.target.partition("?")[0].split("/")
    found = [one for one in routes if one[0] == sample.method and fits(segments, one[1].split("/"))]
    return min(found, key=lambda one: one[1].count("{"), default=None)


def fits(segments: list[str], template: list[str]) -> bool:
    return len(segments) == len(template) and all(
        one == other or other.startswith("{") for one, other in zip(segments, template))


# Only the operator's token, which stands in a file beside the data, opens these: mutated paths must not be written to.
OPERATORS_ALONE = {("POST", "/backup"), ("GET", "/backup"), ("DELETE", "/backup")}


def rehearse(port: int, document: dict, samples: list[Sample]) -> list[str]:
    """Sends each sample as it is: all must be answered as they must be, and each route once with what it is for."""
    routes = routes_of(document)
    findings, missing = [], set(routes)
    client = Client(port, timeout=20)
    for sample in samples:
        words = f"{sample.method} {sample.target}"
        try:
            answer = client.send(assembled(sample.method, sample.target, sample.fields, sample.body, chunked=False))
        except (OSError, http.client.HTTPException) as error:
            findings.append(f"The sample {words} has no answer: {type(error).__name__}: {error}")
            continue
        if not sample.is_right(answer.status):
            said = answer.body[:200].decode(errors="replace")
            findings.append(f"The sample {words} is answered {answer.status}: {said}")
        elif answer.status < 300 or (answer.status == 403 and route_of(sample, routes) in OPERATORS_ALONE):
            missing.discard(route_of(sample, routes))
    client.close()
    return findings + [f"The route {method} {path} has no right sample" for method, path in sorted(missing)]
