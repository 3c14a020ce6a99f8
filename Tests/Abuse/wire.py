"""The bytes of requests that are not as they should be."""
from client import message


def head(method: str, path: str, token: str | None = None, *fields: str) -> bytes:
    """A head with any fields, and nothing behind it."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *fields]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def post(path: str, body: bytes, token: str | None = None, *fields: str, method: str = "POST") -> bytes:
    """A request with a body of JSON, or of what `fields` say."""
    has_kind = any(field.lower().startswith("content-type") for field in fields)
    kind = () if has_kind else ("Content-Type: application/json",)
    return head(method, path, token, *kind, f"Content-Length: {len(body)}", *fields) + body


def get(path: str, token: str | None = None) -> bytes:
    return message("GET", path, token)


LIVE = get("/health/live")
