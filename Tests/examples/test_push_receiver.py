"""The receiver of the manual's page about subscriptions, which turns webhooks into pushes."""
import base64
import hashlib
import hmac
import http.client
import http.server
import json
import re
import subprocess
import threading
import time
import types
import unittest

from Tests.harness.arguments import ROOT

PAGE = ROOT / "Sources/fogbase/fogbase.docc/Subscriptions.md"
SECRET = "whsec_plJ3nmyCDGBKInavdOK15jsl"
# The test vector of Standard Webhooks.
VECTOR = {"webhook-id": "msg_loFOjxBNrRLzqYUf", "webhook-timestamp": "1731705121",
          "webhook-signature": "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="}
VECTOR_BODY = b'{"event_type":"ping","data":{"success":true}}'


def load() -> types.ModuleType:
    """The receiver as a module of its own, which has no devices."""
    module = types.ModuleType("receiver")
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
    exec(compile(code, str(PAGE), "exec"), module.__dict__)  # the manual's own program
    return module


def record(kind: str, name: str, **fields: str) -> dict:
    return {"event": "change", "record": {"recordName": name, "recordType": kind, "fields": {
        key: {"value": value, "type": "STRING"} for key, value in fields.items()}}}


def message(*events: dict, kind: str = "records.changed") -> dict:
    return {"type": kind, "timestamp": 1, "data": {"webhook": "w", "events": list(events), "token": "t"}}


def signed(identifier: str, body: bytes, secret: str = SECRET, seconds: int = 0) -> dict[str, str]:
    """The header fields of a message."""
    timestamp = str(int(time.time()) + seconds)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    code = hmac.new(key, f"{identifier}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return {"webhook-id": identifier, "webhook-timestamp": timestamp,
            "webhook-signature": "v1,other v1," + base64.b64encode(code).decode()}


class Signatures(unittest.TestCase):
    def test_vector(self):
        """The vector of the standard is accepted in its time, and neither later nor changed."""
        receiver = load()
        now = int(VECTOR["webhook-timestamp"])
        receiver.verify(SECRET, VECTOR, VECTOR_BODY, now)
        for fields, body, moment in [(VECTOR, VECTOR_BODY, now + 301), (VECTOR, VECTOR_BODY, now - 301),
                                     (VECTOR, VECTOR_BODY + b" ", now),
                                     (VECTOR | {"webhook-id": "msg_other"}, VECTOR_BODY, now)]:
            with self.assertRaises(ValueError):
                receiver.verify(SECRET, fields, body, moment)


class Events(unittest.TestCase):
    def setUp(self):
        self.receiver, self.sent = load(), []

    def process(self, *events: dict, kind: str = "records.changed") -> None:
        self.receiver.process(message(*events, kind=kind), lambda token, note: self.sent.append((token, note)))

    def test_pushes(self):
        """A message goes to all devices of its receiver at this moment."""
        self.process(record("Device", "d1", user="ann", token="t1"), record("Device", "d2", user="bob", token="t2"),
                     record("Device", "d3", user="ann", token="t3"), record("Message", "m1", to="ann", text="Hi"))
        note = {"aps": {"alert": "Hi", "sound": "default"}, "recordName": "m1"}
        self.assertEqual(self.sent, [("t1", note), ("t3", note)])
        self.sent.clear()
        gone = {"recordName": "d1", "recordType": "Device", "deleted": True}
        self.process({"event": "change", "record": gone},
                     {"event": "leave", "record": {"recordName": "d3", "recordType": "Device"}},
                     record("Message", "m2", to="ann", text="Hi"),
                     {"event": "change", "record": {"recordName": "m1", "recordType": "Message", "deleted": True}})
        self.assertEqual(self.sent, [])

    def test_reset(self):
        """After a reset, all devices follow again."""
        self.process(record("Device", "d1", user="ann", token="t1"))
        self.receiver.process({"type": "feed.reset", "data": {"webhook": "w", "reason": "r"}})
        self.process(record("Message", "m1", to="ann", text="Hi"))
        self.assertEqual(self.sent, [])


class Requests(unittest.TestCase):
    def setUp(self):
        self.receiver, self.sent = load(), []
        self.fails = False
        handler = self.receiver.Receiver
        handler.secret, handler.send = SECRET, staticmethod(self.send)
        handler.log_error = handler.log_message = lambda *_: None
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def send(self, token: str, note: dict) -> None:
        if self.fails:
            raise subprocess.CalledProcessError(22, "curl")
        self.sent.append(token)

    def post(self, fields: dict[str, str], body: bytes) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=30)
        connection.request("POST", "/", body, fields)
        status = connection.getresponse().status
        connection.close()
        return status

    def test_statuses(self):
        """Signed messages are processed once, others rejected, and one that APNs did not take comes again."""
        body = json.dumps(message(record("Device", "d", user="ann", token="t"),
                                  record("Message", "m", to="ann", text="Hi"))).encode()
        self.assertEqual(self.post({}, body), 400)
        self.assertEqual(self.post(signed("msg_1", body, "whsec_AAAA"), body), 400)
        self.assertEqual(self.post(signed("msg_1", body, seconds=-400), body), 400)
        self.assertEqual(self.post(signed("msg_1", b"{"), b"{"), 400)
        self.assertEqual(self.sent, [])
        self.fails = True
        self.assertEqual(self.post(signed("msg_1", body), body), 503)
        self.fails = False
        for _ in range(2):
            self.assertEqual(self.post(signed("msg_1", body), body), 204)
        self.assertEqual(self.sent, ["t"])


if __name__ == "__main__":
    unittest.main()
