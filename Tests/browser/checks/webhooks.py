"""Webhooks with a receiver on this machine, and subscriptions."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import threading

from Tests.browser.checks.administrators import add, enter_as
from Tests.browser.checks.looks import TEXTS
from Tests.browser.checks.pages import enter
from Tests.browser.lists import act, box, choose, ends, fits, focused, row, rows, secret, write
from Tests.browser.runner import PROGRAM, PUBLIC
from Tests.browser.server import Server
from Tests.browser.suite import check


class Receiver:
    """Keeps the messages that it gets, and responds with `status`."""

    def __init__(self):
        self.messages, self.status = [], 204
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.messages.append((dict(self.headers), body))
                content = b"" if receiver.status == 204 else b"<b>no</b> thanks"
                self.send_response(receiver.status)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/hook"

    def types(self):
        return [json.loads(body)["type"] for _, body in self.messages]

    def is_signed(self, secret_):
        """Whether the last message is signed with the secret."""
        fields, body = self.messages[-1]
        fields = {name.lower(): value for name, value in fields.items()}
        text = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
        key = base64.b64decode(secret_.removeprefix("whsec_"))
        code = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
        return f"v1,{code}" in fields["webhook-signature"].split(" ")


@contextlib.contextmanager
def receiving(page):
    """A receiver, and a server that may reach it. The page shows that server."""
    receiver = Receiver()
    threading.Thread(target=receiver.server.serve_forever, daemon=True).start()
    before = page.address
    try:
        with Server(PROGRAM, PUBLIC, "--webhooks-allow-private", "127.0.0.0/8") as server:
            page.address = server.address
            yield receiver, server
    finally:
        page.address = before
        receiver.server.shutdown()
        receiver.server.server_close()


def make_webhook(server, url, **selection):
    status, webhook = server.call("POST", "/webhooks", {"url": url, **selection})
    assert status == 201, webhook
    return webhook


def the_webhook(server):
    (webhook,) = server.call("GET", "/webhooks")[1]["webhooks"]
    return webhook


@check
def a_webhook_is_created_by_a_form_and_delivers(page, server):
    with receiving(page) as (receiver, other):
        other.create("Post", "a", title="sea", good=5)
        enter(page)
        page.heading("Home")
        page.press("Webhooks", "nav")
        page.see("No webhooks yet.")
        page.press("New webhook")
        page.press("Create webhook", "dialog")
        page.see("Write the address of the receiver.")
        write(page, "URL", "http://10.9.8.7/hook")
        write(page, "Condition", "good > 3")
        page.press("Create webhook", "dialog")
        page.see("A condition is about one type.")
        page.press("Only these", "dialog")
        page.press("Post", "dialog")
        page.press("Create webhook", "dialog")
        page.see("Without TLS, messages go only to networks of the setting webhooks.allow_private")
        write(page, "URL", receiver.address)
        write(page, "Condition", "good >")
        page.press("Create webhook", "dialog")
        page.see("The condition is not well formed")
        assert page.run("return document.activeElement") == box(page, "Condition")
        write(page, "Condition", "good > %@")
        write(page, "Values for %@ in the condition, as a JSON list", "3")
        page.press("Create webhook", "dialog")
        page.see("Write a list in square brackets.")
        write(page, "Values for %@ in the condition, as a JSON list", "[3]")
        write(page, "Description", "To the mirror")
        write(page, "Fields", "title, good")
        choose(page, "Begins with", "All records that exist, then the changes")
        page.shot("webhook-form")
        page.press("Create webhook", "dialog")
        page.see("This is the only time that the secret is shown.")
        signing = secret(page)
        rows(page, "To the mirror")
        webhook = the_webhook(other)
        assert (webhook["types"], webhook["where"], webhook["args"]) == (["Post"], "good > %@", [3]), webhook
        assert webhook["fields"] == ["title", "good"]
        page.until(lambda: "records.changed" in receiver.types(), "the first message")
        assert receiver.is_signed(signing)
        page.press("To the mirror")
        page.heading("To the mirror")
        assert page.run("return document.querySelector('#rooms [aria-current]').textContent") == "Webhooks"
        page.see("Post where good > %@", "Last success", "delivered, 204", receiver.address)
        page.press("Send a test message")
        page.see("The receiver accepted the test message: 204 after")
        page.until(lambda: receiver.types()[-1] == "webhook.test", "the test")
        page.see("test message")
        receiver.status = 500
        page.press("Send a test message")
        page.see("The test message was not accepted: rejected, 500.")
        page.click(page.find("#only-failed"))
        page.until(lambda: len(page.all(".attempts tbody tr")) == 1, "the failed attempt alone")
        page.press("Show", ".attempts")
        page.see("<b>no</b> thanks")
        page.press("Close", "dialog")
        page.shot("webhook")


@check
def a_failing_webhook_is_retried_paused_and_resumed(page, server):
    with receiving(page) as (receiver, other):
        make_webhook(other, receiver.address, description="Mirror")
        receiver.status = 503
        enter(page, "#/webhooks")
        rows(page, "Mirror")
        other.create("Post", "a", title="sea")
        page.until(lambda: receiver.messages, "the first attempt")
        page.press("Mirror")
        page.see("fails, ", "Without a success since", "The server tries again at", "rejected, 503")
        receiver.status = 204
        page.press("Retry now")
        page.until(lambda: the_webhook(other)["failures"] == 0 and len(receiver.messages) > 1, "the retry")
        # The page follows the state by itself.
        page.see("delivered, 204")
        page.until(lambda: "Retry now" not in page.text(), "the end of the retries")
        page.press("Pause")
        page.see("Paused. Nothing is lost.", "Changes wait; “Resume” sends them.")
        count = len(receiver.messages)
        other.create("Post", "b", title="fog")
        assert the_webhook(other)["state"] == "paused" and len(receiver.messages) == count
        page.press("Resume")
        page.see("It continues where it stopped.")
        page.until(lambda: len(receiver.messages) > count, "what has waited")
        assert "fog" in receiver.messages[-1][1].decode()
        # Everything again, from the list.
        page.press("Webhooks", ".crumbs")
        rows(page, "Mirror")
        act(page, "Mirror", "Send again…")
        page.press("After a message", "dialog")
        page.press("Send again", "dialog")
        page.see("Paste the token.")
        token = json.loads(receiver.messages[-1][1])["data"]["token"]
        count = len(receiver.messages)
        page.press("At the beginning", "dialog")
        page.press("Send again", "dialog")
        page.see("The changes are being sent again.")
        page.until(lambda: len(receiver.messages) > count, "the replay")
        assert "sea" in receiver.messages[-1][1].decode()
        act(page, "Mirror", "Send again…")
        page.press("After a message", "dialog")
        write(page, "Token of the message", token)
        page.press("Send again", "dialog")
        ends(page)


@check
def a_webhook_is_changed_renewed_and_deleted(page, server):
    with receiving(page) as (receiver, other):
        for name in ["Post", "Author"]:
            other.create(name, name.lower(), title="sea")
        webhook = make_webhook(other, receiver.address, description="Mirror", types=["Post"])
        enter(page, "#/webhooks")
        rows(page, "Mirror")
        act(page, "Mirror", "Change…")
        assert box(page, "URL").get_attribute("value") == receiver.address and box(page, "Post").is_selected()
        write(page, "Description", "")
        page.press("Author", "dialog")
        page.press("Save", "dialog")
        page.see("Saved.")
        rows(page, receiver.address)
        assert the_webhook(other)["types"] == ["Post", "Author"], the_webhook(other)
        act(page, receiver.address, "Change…")
        page.press("All types", "dialog")
        page.press("Save", "dialog")
        page.until(lambda: "types" not in the_webhook(other), "all types")
        page.until(lambda: row(page, receiver.address)[2] == "all types", "all types in the list")
        act(page, receiver.address, "New secret…")
        page.press("Create the secret", "dialog")
        page.see("The new secret")
        fresh = secret(page)
        assert fresh != webhook["secret"]
        act(page, receiver.address, "Send a test message")
        page.see("The receiver accepted the test message")
        assert receiver.is_signed(fresh) and receiver.is_signed(webhook["secret"])
        act(page, receiver.address, "Pause")
        page.until(lambda: row(page, receiver.address)[1] == "paused", "the state")
        act(page, receiver.address, "Resume")
        page.until(lambda: row(page, receiver.address)[1] == "active", "the state")
        act(page, receiver.address, "Delete…")
        assert focused(page) == "Keep it"
        page.press("Delete", "dialog")
        page.see("No webhooks yet.")
        # The same on its page, which then leads to the list.
        webhook = make_webhook(other, receiver.address)
        page.go(f"#/webhooks/{webhook['id']}")
        page.see("Nothing was sent yet.", "none in the list below")
        page.press("Delete…")
        page.press("Delete", "dialog")
        page.heading("Webhooks")
        page.see("No webhooks yet.", "Deleted.")
        page.go("#/webhooks/0123456789abcdef0123456789abcdef")
        page.see("Try again")


@check
def owners_follow_a_zone_of_a_private_database(page, server):
    with receiving(page) as (receiver, other):
        ada = other.call("POST", "/users", {"name": "ada", "password": "correct horse"})[1]
        assert other.call("PUT", "/zones/Book?database=private", token=ada["token"])[0] == 201
        enter(page, "#/webhooks")
        page.press("New webhook")
        write(page, "URL", receiver.address)
        page.press("A zone of a user's private database", "dialog")
        page.press("Create webhook", "dialog")
        page.see("Type the owner of the private database.")
        write(page, "Owner (account name or record name)", "bob")
        page.press("Create webhook", "dialog")
        page.see("No account here has the name “bob”.")
        write(page, "Owner (account name or record name)", "ada")
        write(page, "Zone", "Book")
        page.press("Create webhook", "dialog")
        secret(page)
        webhook = the_webhook(other)
        assert (webhook["database"], webhook["owner"], webhook["zone"]) == (
            "private", ada["user"]["userRecordName"], "Book"), webhook
        page.until(lambda: row(page, receiver.address)[3] == "private of ada ▸ Book", "the owner's name")
        add(other, "linus", "developer")
        page.sign_out()
        page.see("You are signed out.")
        enter_as(page, "linus", "#/webhooks")
        page.press("New webhook")
        box(page, "URL")
        assert "private database" not in page.find("dialog").text


@check
def webhooks_fit_every_window_in_light_and_dark(page, server):
    with receiving(page) as (receiver, other):
        other.create("Post", "a", title="sea")
        receiver.status = 500
        make_webhook(other, receiver.address, description="A long description of where it all goes. " * 6,
                     types=["Post"], where="title != 'a long text' AND title != 'another text that is long'",
                     since="beginning")
        webhook = the_webhook(other)
        enter(page, "#/webhooks")
        page.until(lambda: receiver.messages, "an attempt")
        for scheme in ["light", "dark"]:
            for width, height in [(390, 844), (1024, 768), (1920, 1080)]:
                page.size(width, height, scheme)
                for place in ["#/webhooks", f"#/webhooks/{webhook['id']}", "#/subscriptions"]:
                    page.go(place)
                    page.until(lambda: page.run("return location.hash") == place and page.all("h1"), place)
                    page.settled()
                    fits(page, place)
                    faint = page.run(TEXTS)
                    assert not faint, f"{scheme} {place}: {faint}"
                    page.shot(f"webhooks-{scheme}-{width}-{place.count('/')}-{'sub' if 'sub' in place else ''}")
            page.go("#/webhooks")
            page.heading("Webhooks")
            page.press("New webhook")
            fits(page, "the form")
            assert not page.run(TEXTS), page.run(TEXTS)
            page.press("Cancel", "dialog")
            ends(page)


@check
def an_administrator_sees_the_subscriptions_of_all_accounts(page, server):
    server.create("Post", "a", title="sea")
    created = server.call("POST", "/users", {"name": "ada", "password": "correct horse"})[1]
    ada, token = created["user"]["userRecordName"], created["token"]
    for name, content in [("posts", {"type": "query", "recordType": "Post", "where": "title == 'sea'"}),
                          ("all-of-mine", {"type": "database"})]:
        scope = "?database=private" if content["type"] == "database" else ""
        assert server.call("PUT", f"/subscriptions/{name}{scope}", content, token=token)[0] == 201
    enter(page)
    page.heading("Home")
    page.press("Subscriptions", "nav")
    rows(page, "posts", "all-of-mine")
    page.until(lambda: row(page, "posts")[1:4] == ["ada", "public", "Post where title == 'sea'"], row(page, "posts"))
    assert row(page, "all-of-mine")[1:4] == ["ada", "private", "all zones"]
    page.see("Subscriptions of an account, at most", "500")
    act(page, "posts", "Details…")
    page.see(f'"name": "{ada}"')
    page.press("Close", "dialog")


@check
def subscriptions_are_those_of_the_caller(page, server):
    server.create("Post", "a", title="sea")
    token = server.call("POST", "/keys", {"name": "mailer", "scope": {
        "actions": ["read"], "rights": ["readSchema"]}})[1]["token"]
    page.open("#/subscriptions")
    page.sign_in(token)
    page.see("No subscriptions yet.")
    status, made = server.call("PUT", "/subscriptions/new-posts", {
        "type": "query", "recordType": "Post", "where": "title == 'sea'", "firesOn": ["create", "update"],
        "notification": {"alertBody": "A post"}}, token=token)
    assert status == 201, made
    page.browser.refresh()
    rows(page, "new-posts")
    assert row(page, "new-posts")[1:3] == ["Post where title == 'sea'", "create, update"], row(page, "new-posts")
    act(page, "new-posts", "Details…")
    page.see('"alertBody": "A post"')
    page.press("Close", "dialog")
    act(page, "new-posts", "Delete…")
    assert focused(page) == "Keep it"
    page.press("Delete", "dialog")
    page.see("No subscriptions yet.")
