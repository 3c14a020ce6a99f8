"""The objects that the samples refer to: accounts, keys, roles, files, uploads. Mutated requests use them up."""
import http.client
import json
import secrets
import time

from Tests.harness.client import Response, Client
from Tests.harness.errors import Problem

PASSWORD = "correct horse battery"
OTHER_PASSWORD = "staple battery horse"


def picture(side: int) -> bytes:
    """A black GIF for thumbnails. Its codes have one byte each, as a clear code comes before they would grow."""
    size = side.to_bytes(2, "little")
    codes = bytes(128 if number % 100 == 0 else 0 for number in range(side * side * 100 // 99 + 1)) + bytes([129])
    blocks = b"".join(bytes([len(part)]) + part for part in (codes[at:at + 255] for at in range(0, len(codes), 255)))
    return (b"GIF89a" + size + size + b"\xf6\x00\x00" + bytes(3 * 128)
            + b"\x2c\x00\x00\x00\x00" + size + size + b"\x00\x07" + blocks + b"\x00;")


PICTURE = picture(20)
# Each route that deletes, disables or signs out an account has its own. An account may have at most a thousand
# unfinished uploads, so each fixture has an uploader too.
ACCOUNTS = ("visitor", "uploader", "signing out", "ending one", "ended", "ending all", "rotating", "leaving",
            "changed", "removed")
KEYS = ("read", "rotated", "revoked")
APPS = ("shown", "deleted")
# The container of a server without settings.
CONTAINER = "iCloud.fogbase.default"
UPLOADS = ("continued", "terminated")
# The server keeps at most 1,000 keys, and as many open invitations.
MOST_KEYS = MOST_INVITATIONS = 300
# The server keeps at most 50 webhooks and 100 schedules.
# A table with a row that is rejected, and what its columns become.
TABLE = b"name;price\nTea;2\nCoffee;much\n"
MAPPING = {"recordType": "Row", "columns": [{"column": "name", "field": "title", "type": "STRING"},
                                            {"column": "price", "field": "price", "type": "DOUBLE"}]}
# A container with an account, a file and a record that has it.
PERSON = "_000000000000000000000000000000fe"
FILE_OF_CONTAINER = "\n".join(json.dumps(line) for line in (
    {"fogbase": {"version": 1}}, {"account": {"userRecordName": PERSON, "name": "fuzz of a container", "created": 1}},
    {"role": {"name": "fuzzed", "members": [PERSON]}}, {"zone": {"zoneName": "z", "owner": PERSON}},
    {"file": {"fileChecksum": "tdQEXD9Gb6kf4sxqvnkjKhpXzfEE96JucW4KHieJ33g=", "size": 3}}, {"data": "QUJD"},
    {"record": {"recordType": "Row", "recordName": "of-a-container", "fields": {"title": "x"}}, "owner": PERSON,
     "zone": "z"}, {"end": {}})).encode()
MOST_WEBHOOKS, MOST_SCHEDULES = 20, 50


class Fixture:
    """All of it for one client, which makes a new fixture from time to time.

    Named accounts and administrators, whose passwords take a third of a second to hash, come from an earlier fixture.
    """

    # The URL of webhooks. Nothing listens there.
    RECEIVER = "http://127.0.0.1:9/"

    def __init__(self, port: int, token: str, earlier: "Fixture | None" = None):
        self.port, self.token, self.mark = port, token, secrets.token_hex(6)
        self.operator = Client(port, token)
        try:
            self.sessions = {name: self.post("/users/anonymous", {})["token"] for name in ACCOUNTS}
            self.names = {name: self.get("/users/me", token)["userRecordName"] for name, token in self.sessions.items()}
            self.session = self.get("/sessions", self.sessions["ending one"])["sessions"][0]["id"]
            self.ended = self.get("/sessions", self.sessions["ended"])["sessions"][0]["id"]
            self.make_records()
            self.make_rights()
            self.make_files()
            self.make_work()
            if earlier is None:
                self.make_named()
            else:
                self.named, self.administrators = earlier.named, earlier.administrators
                self.web_user = earlier.web_user
                self.deputy, self.leaver, self.deputys_other = earlier.deputy, earlier.leaver, earlier.deputys_other
        except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
            raise Problem(f"the fixture could not be made: {type(error).__name__}: {error}") from error
        finally:
            self.operator.close()

    def make_records(self) -> None:
        self.call("PUT", f"/records/Post/{self.mark}", {"fields": {"title": "sea"}})
        place = f"database=private&owner={self.names['visitor']}"
        self.call("PUT", f"/zones/Open?{place}", expect=(201,))
        share = self.call("PUT", f"/records/cloudkit.share/open?{place}&zone=Open",
                          {"fields": {}, "publicPermission": "READ_WRITE"}, expect=(201,)).json()
        self.share = share["shortGUID"]

    def make_rights(self) -> None:
        member = self.names["visitor"]
        for role in ("changed", "deleted"):
            self.call("PUT", f"/roles/{self.role(role)}", {"members": [member]})
        body = {"scope": {"types": ["Post"], "actions": ["read"]}, "expiresIn": "1d"}
        self.delete_old_keys()
        self.keys = {name: self.post("/keys", {"name": f"{name} {self.mark}", **body}) for name in KEYS}
        self.delete_old("/cloudkit/tokens?limit=1000", "tokens", "id", MOST_KEYS)
        self.apps = {name: self.post("/cloudkit/tokens", {"name": f"{name} {self.mark}"})["id"] for name in APPS}
        self.app_token = self.post("/cloudkit/tokens", {"name": f"used {self.mark}"})["token"]
        self.delete_old_invitations()
        self.invitation = self.post("/invitations", {"expiresIn": "1h"})["id"]

    def make_files(self) -> None:
        self.addresses = {"named": self.file("named", "?filename=a.gif"), "nameless": self.file("nameless", "")}
        self.uploads = {name: self.upload() for name in UPLOADS}

    def make_work(self) -> None:
        """Jobs, which soon end, a webhook, and a type to rename."""
        self.job, self.over = (
            self.call("DELETE", "/query/Post?where=recordName%20%3D%3D%20'none'", expect=(202,),
                      headers=("Prefer: respond-async",)).json()["id"] for _ in range(2))
        self.table = self.call("POST", "/assets", TABLE, headers=("Content-Type: text/csv",)).json()["asset"]
        self.container = self.call(
            "POST", "/assets", FILE_OF_CONTAINER, headers=("Content-Type: text/plain",)).json()["asset"]
        body = {"file": self.table, "format": "table", "table": {"separator": ";"}, "mapping": MAPPING}
        self.imported = self.call("POST", "/imports", body, expect=(202,)).json()["id"]
        body = {"format": "table", "recordType": "Post"}
        self.exported = self.call("POST", "/exports", body, expect=(202,)).json()["id"]
        for job in (self.job, self.over, self.imported, self.exported):
            while "ended" not in self.get(f"/jobs/{job}"):
                time.sleep(0.01)
        self.call("PUT", f"/records/Named{self.mark}/{self.mark}-type", {"fields": {"title": "x"}})
        self.delete_old("/webhooks", "webhooks", "id", MOST_WEBHOOKS)
        self.delete_old("/schedules", "schedules", "name", MOST_SCHEDULES)
        self.webhook = self.post("/webhooks", {"url": self.RECEIVER, "types": ["Nothing"]})["id"]

    def file(self, name: str, query: str) -> str:
        """Creates a record with a file; returns the file's address."""
        asset = self.call("POST", f"/assets{query}", PICTURE, headers=("Content-Type: image/gif",)).json()["asset"]
        path = f"/records/File/{self.mark}-{name}"
        self.call("PUT", path, {"fields": {"file": asset}})
        return target_of(self.get(path)["fields"]["file"]["value"]["downloadURL"])

    def make_named(self) -> None:
        """The named account, the named administrators and their sessions."""
        self.named = f"bob-{self.mark}", self.post(
            "/users", {"name": f"bob-{self.mark}", "password": PASSWORD})["token"]
        person = {"name": f"cara-{self.mark}", "password": PASSWORD}
        self.post("/users", person)
        self.web_user = self.post(
            f"/cloudkit/sign-in/{self.apps['shown']}", {**person, "staysSignedIn": True})["webAuthToken"]
        self.administrators = {name: f"{name}-{self.mark}" for name in ("deputy", "spare")}
        for name, role in (("deputy", "owner"), ("spare", "viewer")):
            self.post("/administrators", {"name": self.administrators[name], "password": PASSWORD, "role": role})
        self.deputy, self.leaver, _ = (self.sign_in("deputy") for _ in range(3))
        found = self.get("/administrators/sessions", self.deputy)["sessions"]
        # The newest session comes first; no sample uses it.
        self.deputys_other = next(one["id"] for one in found if not one["isCurrent"])

    def sign_in(self, name: str) -> str:
        return self.post("/administrators/sessions", {
            "name": self.administrators[name], "password": PASSWORD})["token"]

    def role(self, name: str) -> str:
        """Role names repeat, as at most ten thousand roles may exist."""
        return f"{name}{self.mark[:2]}"

    def upload(self) -> str:
        response = self.call("POST", "/assets/uploads", token=self.sessions["uploader"],
                             headers=("Tus-Resumable: 1.0.0", "Upload-Length: 10"))
        return target_of(response.headers["Location"])

    def delete_old_keys(self) -> None:
        existing = [one["id"] for one in self.operator.pages("/keys?limit=1000", "keys") if one["state"] != "revoked"]
        for one in existing if len(existing) > MOST_KEYS else ():
            # Other clients delete keys too.
            self.call("DELETE", f"/keys/{one}", expect=(200, 204, 404))

    def delete_old_invitations(self) -> None:
        open_ones = [one for one in self.get("/invitations")["invitations"] if one["state"] == "open"]
        for one in open_ones if len(open_ones) > MOST_INVITATIONS else ():
            # Other clients delete invitations too.
            self.call("DELETE", f"/invitations/{one['id']}", expect=(204, 404))

    def delete_old(self, path: str, key: str, name: str, most: int) -> None:
        """Deletes what other fixtures have left, if there is much of it."""
        found = self.get(path)[key]
        for one in found if len(found) > most else ():
            # Other clients delete too.
            self.call("DELETE", f"{path.split('?')[0]}/{one[name]}", expect=(204, 404))

    def get(self, path: str, token: str | None = None) -> dict:
        return self.call("GET", path, token=token).json()

    def post(self, path: str, body: dict) -> dict:
        return self.call("POST", path, body).json()

    def call(self, method: str, path: str, body=None, token: str | None = None, expect=(200, 201, 204),
             headers: tuple[str, ...] = ()) -> Response:
        return self.operator.call(method, path, body, expect, headers, token)


def target_of(address: str) -> str:
    """A URL without its scheme and host."""
    return "/" + address.split("://")[-1].split("/", 1)[1]
