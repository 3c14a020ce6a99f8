"""The client that builds hierarchies in a zone of its user and shares them with a second user."""
from Tests.crash.client import ABSENT, RecoveredState, Worker

TYPE = "Leaf"
TOP = ""  # the parent of a record without one


class ShareClient(Worker):
    """Creates, moves and deletes records, and shares them. The state of a record is its parent; that of a share record
    is its root, and whether the guest has joined."""

    MOST = 30  # records

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.ready: int | None = None  # when the zone was acknowledged
        self.owner, self.guest, self.owner_name, self.guest_name = "", "", "", ""

    @property
    def place(self) -> str:
        return "database=private&zone=Shared"

    def act(self) -> None:
        if self.ready is None:
            self.prepare()
        leaves = [name for name in self.known(is_present=True) if not name.endswith("-share")]
        choice = self.random.random()
        if not leaves or (len(leaves) < self.MOST and choice < 0.35):
            self.save(self.new(), self.random.choice(leaves + [TOP]))
        elif choice < 0.65:
            name = self.random.choice(leaves)
            self.save(name, self.random.choice([TOP] + [one for one in leaves if not self.is_above(name, one)]))
        elif choice < 0.9:
            self.share(self.random.choice(leaves))
        else:
            parents = {self.histories[one].state for one in leaves}
            ends = [one for one in leaves if one not in parents and not self.is_shared(one)]
            if ends:
                name = self.random.choice(ends)
                self.write(name, ABSENT, "DELETE", f"/records/{TYPE}/{name}?{self.place}", expect=(204,))

    def prepare(self) -> None:
        users = []
        for role in ("owner", "guest"):
            body = {"name": f"{self.name}-{role}".lower(), "password": "correct horse"}
            users.append(self.call_as("", "POST", "/users", body, expect=(201,)).json())
        self.owner, self.guest = (one["token"] for one in users)
        self.owner_name, self.guest_name = (one["user"]["userRecordName"] for one in users)
        self.call_as(self.owner, "PUT", "/zones/Shared?database=private", expect=(201,))
        self.ready = self.clock.now()

    def call(self, method: str, path: str, body=None, expect=(200,), headers: tuple[str, ...] = ()):
        return self.call_as(self.owner, method, path, body, expect)

    def call_as(self, token: str, method: str, path: str, body=None, expect=(200,)):
        return self.client.call(method, path, body, expect, token=token)

    def is_above(self, name: str, other: str) -> bool:
        while other != TOP:
            if other == name:
                return True
            other = self.histories[other].state
        return False

    def share_of(self, name: str) -> str:
        return f"{name}-share"

    def is_shared(self, name: str) -> bool:
        history = self.histories.get(self.share_of(name))
        return history is not None and history.state is not ABSENT

    def save(self, name: str, parent: str) -> None:
        body = {"fields": {"n": len(self.histories)}, "parent": {"recordName": parent} if parent else None}
        self.write(name, parent, "PUT", f"/records/{TYPE}/{name}?{self.place}", body, expect=(200, 201))

    def share(self, root: str) -> None:
        name = self.share_of(root)
        path = f"/records/cloudkit.share/{name}?{self.place}"
        if self.is_shared(root):
            self.write(name, ABSENT, "DELETE", path, expect=(204,))
            return
        self.histories.setdefault(name, type(self.histories[root])())
        body = {"fields": {}, "forRecord": {"recordName": root}, "participants": [{"userRecordName": self.guest_name}]}
        made = self.write(name, (root, False), "PUT", path, body, expect=(201,)).json()
        step = self.begin(self.histories[name], (root, True))
        self.call_as(self.guest, "POST", f"/shares/{made['shortGUID']}/accept")
        self.acknowledge(step)

    # After a cut

    def violations(self, cut: int, recovered: RecoveredState):
        if self.ready is None or self.ready > cut:
            return
        parents = {one["recordName"]: one.get("parent", {}).get("recordName", TOP)
                   for one in self.listed(recovered, self.owner, TYPE, self.place)}
        shares = {one["recordName"]: (one["forRecord"]["recordName"], self.has_joined(one))
                  for one in self.listed(recovered, self.owner, "cloudkit.share", self.place)}
        for name, history in self.histories.items():
            found, allowed = (parents | shares).get(name, ABSENT), history.allowed(cut)
            if found not in allowed:
                yield f"{name} is {found!r}, must be {' or '.join(map(repr, allowed))}"
        roots = {root for root, joined in shares.values() if joined}
        place = f"database=shared&zone=Shared&owner={self.owner_name}"
        seen = {one["recordName"] for one in self.listed(recovered, self.guest, TYPE, place)}
        expected = {name for name in parents if roots & set(self.way_up(name, parents))}
        if seen != expected:
            yield f"of {self.name} the guest sees {sorted(seen)}, must see {sorted(expected)}"

    def has_joined(self, share: dict) -> bool:
        return any(one["acceptanceStatus"] == "ACCEPTED" and one["type"] == "USER" for one in share["participants"])

    @staticmethod
    def way_up(name: str, parents: dict) -> list[str]:
        way = []
        while name != TOP and name not in way:
            way.append(name)
            name = parents.get(name, TOP)
        return way

    @staticmethod
    def listed(recovered: RecoveredState, token: str, kind: str, place: str) -> list[dict]:
        response = recovered.client.call("GET", f"/records/{kind}?{place}&limit=200", None, (200, 404), token=token)
        return response.json()["records"] if response.status == 200 else []
