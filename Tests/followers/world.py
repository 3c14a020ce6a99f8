"""A server with four users who are signed in to CloudKit Web Services, and their devices."""
import threading
from collections import Counter
from dataclasses import dataclass

from Tests.harness.client import Client
from Tests.harness.errors import Problem
from Tests.harness.server import Server

TYPE, SHARE = "Item", "cloudkit.share"
SCHEMA = {"types": {TYPE: {"fields": {"n": {"type": "INT64"}}}}}
USERS = ["ann", "bob", "eve", "kim"]
PASSWORD = "correct horse"
ROOT = "/database/1/iCloud.fogbase.default/development"


@dataclass
class User:
    name: str
    record_name: str
    session: str  # for the native interface
    web_token: str


class World:
    """One server for all rounds, because the passwords of its users take a second to hash."""

    def __init__(self, binary: str, data, settings: dict[str, str]):
        self.server = Server(binary, data, settings)
        self._lock = threading.Lock()
        # How often a zone was to be deleted, and how often a share in it was to be made or ended, by owner and name.
        # Only these end a token.
        self._deletions: Counter[tuple[str, str]] = Counter()
        self._shares: Counter[tuple[str, str]] = Counter()

    def note(self, owner: str, zone: str, is_share: bool = False) -> None:
        """Call it before the request, because a follower may see its effect first."""
        with self._lock:
            (self._shares if is_share else self._deletions)[owner, zone] += 1

    def causes(self, zone: tuple[str, str], database: str) -> int:
        """How often the token of a zone may have ended."""
        with self._lock:
            return self._deletions[zone] + (self._shares[zone] if database == "shared" else 0)

    def start(self) -> "World":
        self.server.start()
        admin = self.server.client(self.server.admin)
        admin.call("PUT", "/schema", SCHEMA, expect=(200,))
        app = admin.call("POST", "/cloudkit/tokens", {"name": "followers"}, expect=(201,)).json()
        self.api_token = app["token"]
        self.users = []
        for name in USERS:
            made = admin.call("POST", "/users", {"name": name, "password": PASSWORD}, expect=(201,)).json()
            body = {"name": name, "password": PASSWORD, "staysSignedIn": True}
            signed_in = admin.call("POST", f"/cloudkit/sign-in/{app['id']}", body, expect=(201,)).json()
            self.users.append(
                User(name, made["user"]["userRecordName"], made["token"], signed_in["webAuthToken"]))
        admin.close()
        return self

    def device(self, user: User) -> "Device":
        return Device(self, user)


class Device:
    """One connection of a user. It speaks CloudKit Web Services alone."""

    def __init__(self, world: World, user: User):
        self.world, self.user = world, user
        self.client = Client(world.server.port, timeout=30)

    def call(self, operation: str, body: dict) -> dict:
        """The answer to a request, such as `private/records/modify`; `Refused` if the whole request failed."""
        path = (f"{ROOT}/{operation}?ckAPIToken={self.world.api_token}"
                f"&ckWebAuthToken={self.user.web_token}")
        response = self.client.call("POST", path, body, expect=tuple(range(200, 500)))
        answer = response.json()
        if response.status != 200:
            raise Refused(answer.get("serverErrorCode", ""), f"{operation}: {response.status} {answer}")
        return answer

    def close(self) -> None:
        self.client.close()


class Refused(Problem):
    def __init__(self, code: str, sentence: str):
        super().__init__(sentence)
        self.code = code


class Stoppable(threading.Thread):
    """A thread with a flag that ends it, and the problem that ended it."""

    def __init__(self):
        super().__init__(daemon=True)
        self.ends = threading.Event()
        self.problem = ""
