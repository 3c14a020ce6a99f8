"""Slow networks, single slow responses, responses that come too late, and a server that was restarted."""

from Tests.browser.checks.pages import enter
from Tests.browser.server import TOKEN
from Tests.browser.suite import check

PAGES = {
    "#/": "Home", "#/types": "Types", "#/types/Post": "Post",
    "#/types/Post?where=likes+%3E+0&count=true&explain=true": "Post",
    "#/types/Post/record/a": "a", "#/types/Post/new": "New Post", "#/types/Post/schema": "Schema of Post",
    "#/schema": "Schema", "#/schema?view=text": "Schema as text", "#/schema?view=promotion": "Promotion",
    "#/security": "Security", "#/security/types/Post": "Security of Post", "#/security/roles": "Roles",
    "#/security/why?user=anonymous&type=Post&record=a&action=write": "What may X do?", "#/users": "Accounts",
    "#/keys": "Keys", "#/administrators": "Administrators", "#/invitations": "Invitations", "#/webhooks": "Webhooks",
    "#/subscriptions": "Subscriptions",
    "#/logs": "Logs", "#/logs/audit": "Audit log", "#/settings": "Settings", "#/backups": "Backups",
}
LATENCIES = [0, 60, 150, 300]  # milliseconds


def stays(page, heading):
    """The page comes, and nothing takes it away when the last response has come."""
    page.heading(heading)
    page.settled()
    shown = page.run("return document.querySelector('h1')?.textContent")
    assert shown == heading and not page.all(".waiting"), f"“{heading}” is gone: {page.text()}"


@check
def every_page_stays_at_every_latency(page, server):
    server.create("Post", "a", title="sea", likes=1)
    enter(page)
    page.heading("Home")
    for latency in LATENCIES:
        page.latency(latency)
        page.open()
        stays(page, "Home")
        for place, heading in PAGES.items():
            page.go(place)
            stays(page, heading)
    page.open("#/types/Post/schema")
    stays(page, "Schema of Post")
    page.sign_out()
    page.see("You are signed out.")
    page.sign_in(TOKEN)
    stays(page, "Schema of Post")


@check
def no_page_waits_for_the_advice(page, server):
    server.create("Post", "a", title="sea", likes=1)
    page.delay("/schema/advice", 5_000)
    enter(page)
    for place, heading in PAGES.items():
        page.go(place)
        page.heading(heading)
    page.go("#/")
    stays(page, "Home")
    page.go("#/types/Post/schema")
    stays(page, "Schema of Post")


@check
def one_slow_response_is_waited_for_and_then_shown(page, server):
    server.create("Post", "a", title="sea", likes=1)
    enter(page)
    page.heading("Home")
    for route, place in [("/schema", "#/"), ("/schema", "#/types/Post/schema"), ("/query", "#/types/Post"),
                         ("/query", "#/types/Post?where=likes+%3E+0"), ("/records", "#/types/Post/record/a"),
                         ("/_/session", "#/")]:
        page.delay(route, 700)
        page.open(place)
        page.see("Waiting for the server…")
        stays(page, PAGES.get(place, "Post"))


@check
def a_late_response_does_not_replace_a_newer_page(page, server):
    server.create("Post", "a", title="sea", likes=1)
    page.delay("/records", 1_500)
    page.delay("/query", 1_500)
    enter(page)
    for place in ["#/types/Post", "#/types/Post/record/a", "#/types/Post", "#/types/Post/record/a"]:
        page.go(place)
        page.see("Waiting for the server…")
        page.go("#/types/Post/schema")
        stays(page, "Schema of Post")
    # Nor does a request after a write.
    page.delay("/records", 1_500, "POST")
    page.open("#/types/Post/new")
    page.heading("New Post")
    page.press("Create")
    page.go("#/")
    page.heading("Home")
    page.see("Created.")
    stays(page, "Home")
