"""Self tests: each planted fault must be found; and findings of old. FOGBASE names the server."""
import base64
import http.server
import itertools
import json
import queue
import socket
import threading
import unittest

from Tests.harness.arguments import BINARY, ROOT
from Tests.harness.server import Server
from Tests.harness.testing import DirectoryTest, run_suite
from Tests.streams.hook import PLANTS, Hook, now, signature
from Tests.streams.webhooks import SETTINGS, TYPES, scope


class PlantedFaultTests(unittest.TestCase):
    def test_a_follower_that_lost_a_record_is_found(self):
        for fault, words in {"skip": "lacks", "reset": "have a cause"}.items():
            with self.subTest(fault=fault):
                done = run_suite("streams", "--rounds", "1", "--plant", fault, "--work", str(ROOT / ".streams/planted"))
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(words, done.stdout)

    def test_each_fault_of_webhooks_is_found(self):
        for fault, words in PLANTS.items():
            with self.subTest(fault=fault):
                done = run_suite("streams.webhooks", "--rounds", "1", "--seconds", "2", "--plant", fault, "--sentences",
                                 "500", "--work", str(ROOT / ".streams/planted"))
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(words, done.stdout)


class ChangesOnTheWayTests(unittest.TestCase):
    """A message shows the state at the moment when the server made it, which may have changed before it arrives."""

    def setUp(self):
        self.secrets = ["whsec_" + base64.b64encode(bytes([number] * 24)).decode() for number in range(4)]
        self.hook = Hook("hook", "token", TYPES)
        self.hook.id = "id"
        self.hook.is_known.set()
        self.numbers = itertools.count()
        self.begun = now() // 1000 * 1000 - 10_000
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(theirs.close)
        self.connection = ours

    def arrive(self, composed: int, signed: int | None = None, secrets: tuple[int, ...] = (0,), query: str = "",
               kind: str = "records.changed", name: str = "", is_settled: bool = True) -> None:
        """A message arrives and is processed. Its moments are in milliseconds since `begun`."""
        content = {"type": kind, "timestamp": self.begun + composed, "data": {"webhook": "id", "events": []}}
        body = json.dumps(content).encode()
        name = name or f"msg_{next(self.numbers)}"
        second = str((self.begun + (composed if signed is None else signed)) // 1000)
        signed_part = f"{name}.{second}.".encode() + body
        fields = {"webhook-id": name, "webhook-timestamp": second,
                  "webhook-signature": " ".join(signature(self.secrets[one], signed_part) for one in secrets)}
        found = self.hook.begin(fields, body, query, self.connection)
        self.hook.finish(found, True, is_settled)

    def rotate(self, *moments: int) -> None:
        for number, moment in enumerate(moments):
            self.hook.secrets.add(self.secrets[number], self.begun + moment)

    def assert_found(self, words: str) -> None:
        self.assertEqual([words in one for one in self.hook.problems], [True], self.hook.problems)

    def test_a_secret_may_be_replaced_twice_while_a_message_is_on_its_way(self):
        self.rotate(0, 2_100, 2_360)
        self.arrive(1_900)
        self.arrive(2_000, 2_050, secrets=(0,))
        self.arrive(2_200, secrets=(1, 0))
        self.arrive(2_999, secrets=(2, 1))
        # Its row was read in this second, and it was signed in the next one.
        self.arrive(2_350, 3_010, secrets=(1, 0))
        self.assertEqual(self.hook.problems, [])

    def test_a_secret_that_was_replaced_twice_before_the_message_is_found(self):
        self.rotate(0, 2_100, 2_360)
        self.arrive(2_361)
        self.assert_found("the signature")

    def test_a_message_that_waits_for_seconds_is_signed_with_the_secrets_of_the_end(self):
        self.rotate(0, 2_100, 2_360)
        self.arrive(2_000, 3_999)
        self.assertEqual(self.hook.problems, [])
        self.arrive(2_000, 4_000)
        self.assert_found("the signature")

    def test_the_previous_secret_may_sign_alone_and_an_unknown_one_may_not(self):
        self.rotate(0, 1_000)
        self.arrive(9_000, secrets=(0,))
        # The response with the newest secret may arrive after a message.
        self.arrive(9_000, secrets=(2, 1))
        self.assertEqual(self.hook.problems, [])
        self.arrive(9_000, secrets=(2,))
        self.assert_found("the signature")

    def test_a_url_may_be_replaced_while_a_message_is_on_its_way(self):
        self.rotate(0)
        self.hook.queries.add("at=1", self.begun + 1_000)
        self.hook.queries.add("at=2")  # the request is on its way
        self.arrive(1_000)
        self.arrive(5_000, query="at=1")
        self.arrive(5_000, query="at=2")
        self.hook.queries.confirm(self.begun + 2_000)
        self.arrive(2_000, query="at=1")
        self.assertEqual(self.hook.problems, [])
        self.arrive(1_500)
        self.assert_found("the URL no longer has")

    def test_a_message_to_a_replaced_url_is_found(self):
        self.rotate(0)
        self.hook.queries.add("at=1", self.begun + 1_000)
        self.arrive(1_001)
        self.assert_found("the URL no longer has")

    def test_a_reset_may_get_another_id_while_it_is_on_its_way(self):
        """It arrives before a rename, or during one, or after it; or the server does not know yet that it arrived."""
        for moment in ("before", "during", "after", "acknowledged"):
            with self.subTest(moment=moment):
                self.setUp()
                self.rotate(0)
                self.hook.causes = 1
                if moment in ("before", "acknowledged"):
                    self.arrive(9_000, kind="feed.reset", is_settled=moment == "acknowledged")
                with self.hook.changing(renames=True):
                    if moment == "during":
                        self.arrive(9_000, kind="feed.reset", is_settled=False)
                if moment == "after":
                    self.arrive(9_000, kind="feed.reset", is_settled=False)
                later = now() + 1 - self.begun
                self.arrive(later, kind="feed.reset")
                self.assertEqual(self.hook.problems, [])
                self.arrive(later, kind="feed.reset")
                self.assert_found("have a cause")

    def test_a_rename_is_no_cause_of_a_reset_before_or_after_it(self):
        for is_before in (True, False):
            with self.subTest(is_before=is_before):
                self.setUp()
                self.rotate(0)
                self.hook.causes = 1
                if is_before:
                    self.arrive(9_000, kind="feed.reset")
                    self.arrive(9_001)
                with self.hook.changing(renames=True):
                    pass
                for _ in range(2 - is_before):
                    self.arrive(now() + 1 - self.begun, kind="feed.reset")
                self.assert_found("have a cause")


class Messages(http.server.BaseHTTPRequestHandler):
    """A receiver that keeps the kind and the id of each message, and responds once the server's `gate` is open."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.messages.put((body["type"], self.headers["webhook-id"]))
        self.server.gate.wait(30)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class ResetTests(DirectoryTest):
    def setUp(self):
        super().setUp()
        self.receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Messages)
        self.receiver.messages, self.receiver.gate = queue.Queue(), threading.Event()
        self.receiver.gate.set()
        self.receiver.handle_error = lambda *_: None  # the killed server has closed its connection
        threading.Thread(target=self.receiver.serve_forever, daemon=True).start()
        self.addCleanup(self.receiver.server_close)
        self.addCleanup(self.receiver.shutdown)

    def test_a_reset_has_the_same_id_after_a_kill(self):
        """Also if the webhook had passed changes that it does not send."""
        url, messages = f"http://127.0.0.1:{self.receiver.server_port}/", self.receiver.messages
        with Server(BINARY, self.directory / "data", SETTINGS) as server:
            admin = server.client(server.admin)
            for kind in TYPES:
                admin.call("PUT", f"/records/{kind}/first-{kind}", {"fields": {"good": 1}}, expect=(201,))
            key = admin.call("POST", "/keys", {"name": "key", "scope": scope(TYPES)}, expect=(201,)).json()
            hook = server.client(key["token"]).call("POST", "/webhooks", {
                "url": url, "types": ["Club"], "since": "beginning"}, expect=(201,)).json()["id"]
            self.assertEqual(messages.get(timeout=20)[0], "records.changed")
            for number in range(5):
                admin.call("PUT", f"/records/Post/p{number}", {"fields": {"good": 1}}, expect=(201,))
                # A test message takes longer than the passing of a change.
                admin.call("POST", f"/webhooks/{hook}/test")
                self.assertEqual(messages.get(timeout=20)[0], "webhook.test")
            self.receiver.gate.clear()
            admin.call("PATCH", f"/keys/{key['id']}", {"scope": scope(["Post"])})
            first = messages.get(timeout=20)
            server.kill()
            self.receiver.gate.set()
            server.start()
            self.assertEqual((first[0], messages.get(timeout=20)), ("feed.reset", first))


if __name__ == "__main__":
    unittest.main()
