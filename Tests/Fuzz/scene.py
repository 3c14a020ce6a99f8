"""What the samples name: accounts, keys, roles, files, uploads. Right requests make them, and wrong ones spend them."""
import http.client
import json
import secrets

import paths  # noqa: F401
from client import Answer, Client
from problem import Problem

PASSWORD = "correct horse battery"
OTHER_PASSWORD = "staple battery horse"


def picture(side: int) -> bytes:
    """A black GIF that a thumbnail can be made of. Its codes have a byte each: a clear code in time keeps them so."""
    size = side.to_bytes(2, "little")
    codes = bytes(128 if number % 100 == 0 else 0 for number in range(side * side * 100 // 99 + 1)) + bytes([129])
    blocks = b"".join(bytes([len(part)]) + part for part in (codes[at:at + 255] for at in range(0, len(codes), 255)))
    return (b"GIF89a" + size + size + b"\xf6\x00\x00" + bytes(3 * 128)
            + b"\x2c\x00\x00\x00\x00" + size + size + b"\x00\x07" + blocks + b"\x00;")


PICTURE = picture(20)
# Accounts that one route or another may take away, lock or sign out, so each has its own.
# Nobody may have more than a thousand uploads that are not complete, so each scene has an uploader, too.
ACCOUNTS = ("visitor", "uploader", "signing out", "ending one", "ending all", "rotating", "leaving", "changed",
            "removed")
KEYS = ("read", "rotated", "revoked")
UPLOADS = ("continued", "terminated")
# The server keeps at most 1,000 keys, and as many invitations that are open.
MOST_KEYS = MOST_INVITATIONS = 300


class Scene:
    """All of it for one client, whose requests spend it; so each makes a new one now and then.

    What takes a password's hash to make, a third of a second, comes from an earlier scene if there is one.
    """

    def __init__(self, port: int, token: str, earlier: "Scene | None" = None):
        self.port, self.token, self.mark = port, token, secrets.token_hex(6)
        self.operator = Client(port, token)
        try:
            self.sessions = {name: self.post("/users/anonymous", {})["token"] for name in ACCOUNTS}
            self.names = {name: self.me(token)["userRecordName"] for name, token in self.sessions.items()}
            self.session = self.get("/sessions", self.sessions["ending one"])["sessions"][0]["id"]
            self.make_records()
            self.make_rights()
            self.make_files()
            if earlier is None:
                self.make_named()
            else:
                self.named, self.administrators = earlier.named, earlier.administrators
                self.deputy, self.leaver, self.deputys_other = earlier.deputy, earlier.leaver, earlier.deputys_other
        except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
            raise Problem(f"what requests name could not be made: {type(error).__name__}: {error}") from error
        finally:
            self.operator.close()

    def make_records(self) -> None:
        self.call("PUT", f"/records/Post/{self.mark}", {"fields": {"title": "sea"}})

    def make_rights(self) -> None:
        member = self.names["visitor"]
        for role in ("changed", "deleted"):
            self.call("PUT", f"/roles/{self.role(role)}", {"members": [member]})
        body = {"scope": {"types": ["Post"], "actions": ["read"]}, "expiresIn": "1d"}
        self.tidy_keys()
        self.keys = {name: self.post("/keys", {"name": f"{name} {self.mark}", **body}) for name in KEYS}
        self.tidy_invitations()
        self.invitation = self.post("/invitations", {"expiresIn": "1h"})["id"]

    def make_files(self) -> None:
        self.addresses = {"named": self.file("named", "?filename=a.gif"), "nameless": self.file("nameless", "")}
        self.uploads = {name: self.upload() for name in UPLOADS}

    def file(self, name: str, query: str) -> str:
        """A record with a file; the file's address."""
        message = self.raw("POST", f"/assets{query}", PICTURE, "Content-Type: image/gif")
        path = f"/records/File/{self.mark}-{name}"
        self.call("PUT", path, {"fields": {"file": self.answer(message).json()["asset"]}})
        return target_of(self.get(path)["fields"]["file"]["value"]["downloadURL"])

    def make_named(self) -> None:
        """The account and the administrators with names, and the sessions of these."""
        self.named = f"bob-{self.mark}", self.post(
            "/users", {"name": f"bob-{self.mark}", "password": PASSWORD})["token"]
        self.administrators = {name: f"{name}-{self.mark}" for name in ("deputy", "spare")}
        for name, role in (("deputy", "owner"), ("spare", "viewer")):
            self.post("/administrators", {"name": self.administrators[name], "password": PASSWORD, "role": role})
        self.deputy, self.leaver, _ = (self.sign_in("deputy") for _ in range(3))
        found = self.get("/administrators/sessions", self.deputy)["sessions"]
        # The newest one comes first, and is nobody's.
        self.deputys_other = next(one["id"] for one in found if not one["isCurrent"])

    def sign_in(self, name: str) -> str:
        return self.post("/administrators/sessions", {
            "name": self.administrators[name], "password": PASSWORD})["token"]

    def role(self, name: str) -> str:
        """Ten thousand may be made, so their names come again."""
        return f"{name}{self.mark[:2]}"

    def upload(self) -> str:
        answer = self.answer(self.raw("POST", "/assets/uploads", b"", "Tus-Resumable: 1.0.0", "Upload-Length: 10",
                                      token=self.sessions["uploader"]))
        return target_of(answer.headers["Location"])

    def tidy_keys(self) -> None:
        page = self.get("/keys?limit=1000")
        found = page["keys"]
        while cursor := page.get("cursor"):
            page = self.get(f"/keys?limit=1000&cursor={cursor}")
            found += page["keys"]
        living = [one["id"] for one in found if one["state"] != "revoked"]
        for one in living if len(living) > MOST_KEYS else ():
            # Other clients tidy up too.
            self.call("DELETE", f"/keys/{one}", expect=(200, 204, 404))

    def tidy_invitations(self) -> None:
        open_ones = [one for one in self.get("/invitations")["invitations"] if one["state"] == "open"]
        for one in open_ones if len(open_ones) > MOST_INVITATIONS else ():
            # Other clients tidy up too.
            self.call("DELETE", f"/invitations/{one['id']}", expect=(204, 404))

    # Right requests

    def me(self, token: str) -> dict:
        return self.get("/users/me", token)

    def get(self, path: str, token: str | None = None) -> dict:
        return self.call("GET", path, token=token).json()

    def post(self, path: str, body: dict) -> dict:
        return self.call("POST", path, body).json()

    def call(self, method: str, path: str, body=None, token: str | None = None, expect=(200, 201, 204)) -> Answer:
        content = b"" if body is None else json.dumps(body).encode()
        fields = ["Content-Type: application/json"] if content else []
        return self.answer(self.raw(method, path, content, *fields, token=token), expect)

    def raw(self, method: str, path: str, content: bytes, *fields: str, token: str | None = None) -> bytes:
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token or self.token}",
                 *fields, f"Content-Length: {len(content)}"]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + content

    def answer(self, message: bytes, expect=(200, 201, 204)) -> Answer:
        found = self.operator.send(message)
        if found.status not in expect:
            line = message.split(b" HTTP/", 1)[0].decode()
            raise Problem(f"{line} answered {found.status}: {found.body[:300].decode(errors='replace')}")
        return found


def target_of(address: str) -> str:
    """A URL without its scheme and host."""
    return "/" + address.split("://")[-1].split("/", 1)[1]
