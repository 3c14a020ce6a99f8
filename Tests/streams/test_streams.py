"""Self tests: each planted fault must be found; and findings of old. FOGBASE names the server."""
import http.server
import json
import queue
import threading
import unittest

from Tests.harness.arguments import BINARY, ROOT
from Tests.harness.server import Server
from Tests.harness.testing import DirectoryTest, run_suite
from Tests.streams.hook import PLANTS
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
