"""The bytes of requests, also of malformed ones."""
from Tests.harness.client import message


def head(method: str, path: str, token: str | None = None, *fields: str) -> bytes:
    """A head with any fields, and no body."""
    return message(method, path, token, None, fields)


def post(path: str, body: bytes, token: str | None = None, *fields: str) -> bytes:
    """A request with a body of JSON, or of the type that `fields` name."""
    return message("POST", path, token, body, fields)


def get(path: str, token: str | None = None) -> bytes:
    return message("GET", path, token)


LIVE = get("/health/live")
