"""The logs of requests and of changes, and the room of settings."""

import time
from urllib.parse import unquote

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.administrators import PASSWORD, add, enter_as
from Tests.browser.checks.home import member, respond
from Tests.browser.checks.pages import enter
from Tests.browser.runner import PROGRAM, PUBLIC
from Tests.browser.server import Server
from Tests.browser.suite import check


def entries(page):
    """The rows of a log as texts."""
    return page.run("""
        return [...document.querySelectorAll("tr.entry")].map((each) => each.innerText.replace(/\\s+/g, " "))""")


def rows(page, count):
    page.until(lambda: len(entries(page)) == count, f"{count} rows in: {entries(page)}")


def control(page, label):
    return page.run("""
        const label = [...document.querySelectorAll(".log-filter label")]
            .find((each) => each.textContent === arguments[0]);
        return document.getElementById(label.htmlFor)""", label)


def fill(page, label, text):
    page.set(control(page, label), text)


def open_first(page):
    page.click(page.find("tr.entry .open-row"))
    return page.find("tr.details:not([hidden])").text


@check
def requests_appear_as_they_arrive_until_one_pauses(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/logs?path=%2Frecords%2FPost")
    page.heading("Logs")
    rows(page, 1)
    assert "POST /records/Post" in entries(page)[0] and "201" in entries(page)[0], entries(page)
    assert server.call("GET", "/records/Post/a")[0] == 200
    rows(page, 2)
    assert "GET /records/Post/a" in entries(page)[0], "the newest comes first"
    details = open_first(page)
    assert "GET /records/{type}/{name}" in details and "127.0.0.1" in details, details
    page.press("Pause")
    page.see("Paused")
    server.call("GET", "/records/Post/b")
    page.settled()
    assert len(entries(page)) == 2
    page.press("Resume")
    rows(page, 3)
    assert page.find("tr.details:not([hidden])").text == details, "open details stay open"
    assert "404" in entries(page)[0] and "NOT_FOUND" in entries(page)[0]
    # What the console asks for its log is not in the log.
    page.go("#/logs?console=true")
    page.until(lambda: len(entries(page)) > 3, "all requests")
    assert not any("/requests" in each for each in entries(page)), entries(page)


@check
def the_consoles_own_requests_are_left_out_until_asked_for(page, server):
    client = server.client(server.admin)
    enter(page)
    for start in range(0, 150, 50):
        for number in range(start, start + 50):
            client.call("PUT", f"/records/Post/p{number}", {"fields": {"n": number}}, (200, 201))
        page.open("#/schema")
        page.heading("Schema")
        page.settled()
    page.go("#/logs")
    page.heading("Logs")
    # A page is full although the server's has the console's requests, too.
    rows(page, 100)
    assert all("/records/Post/p" in each for each in entries(page)), entries(page)
    page.see("100 requests shown, ", " of the console left out")
    page.press("Load older")
    # Before the first record, the harness has asked whether the server is ready.
    rows(page, 151)
    assert "/records/Post/p0" in entries(page)[-2] and not page.find(".log-end button").is_displayed()
    # New ones of the console do not appear either; those of others do.
    page.run("fetch('/limits', { headers: { 'X-Request-ID': 'console-0' } })")
    server.call("GET", "/records/Post/p1")
    rows(page, 152)
    page.press("Hide the console's own requests", ".log-filter")
    page.until(lambda: any("GET /schema" in each for each in entries(page)), "the console's requests")
    assert page.browser.current_url.endswith("#/logs?console=true"), page.browser.current_url
    page.browser.refresh()
    page.heading("Logs")
    page.until(lambda: any("GET /schema" in each for each in entries(page)), "the same after a reload")
    details = open_first(page)
    assert "console-" in details or "GET /records/Post/p1" in details, details
    page.open("#/logs?path=%2Fschema")
    page.see("Nothing was found.")
    page.until(lambda: page.run("""
        const link = document.querySelector(".empty a");
        return /^Show the \\d+ requests of the console$/.test(link?.textContent) ? !link.click() : false"""), "the way")
    page.until(lambda: any("GET /schema" in each for each in entries(page)), "the console's requests")


@check
def conditions_apply_by_themselves(page, server):
    server.create("Post", "a", title="sea")
    for name in ["a", "b", "c"]:
        server.call("GET", f"/records/Post/{name}")
    enter(page, "#/logs")
    page.heading("Logs")
    rows(page, 5)
    fill(page, "Status", "404")
    rows(page, 2)
    assert page.browser.current_url.endswith("#/logs?status=404"), page.browser.current_url
    # A text applies after a pause, and the box keeps the focus.
    control(page, "Path or record").send_keys("/records/Post/b")
    rows(page, 1)
    assert "path=%2Frecords%2FPost%2Fb" in page.browser.current_url
    assert page.run("return document.activeElement.value") == "/records/Post/b"
    control(page, "Path or record").clear()
    control(page, "Path or record").send_keys("/Post/c", Keys.ENTER)
    page.until(lambda: any("Post/c" in each for each in entries(page)) and len(entries(page)) == 1, "the other record")
    # Requests that arrive meet the conditions of now.
    server.call("GET", "/records/Post/b")
    server.call("GET", "/records/Post/c")
    rows(page, 2)
    page.browser.refresh()
    page.heading("Logs")
    rows(page, 2)
    page.press("Clear", ".log-filter")
    page.until(lambda: len(entries(page)) > 4, "all requests")
    page.go("#/logs/audit")
    page.heading("Audit log")
    fill(page, "Action", "role.put")
    page.see("No entries.")
    assert page.browser.current_url.endswith("#/logs/audit?action=role.put"), page.browser.current_url
    assert server.call("PUT", "/roles/editors", {"members": []})[0] in (200, 201)
    fill(page, "Action", "")
    page.until(lambda: any("role.put" in each for each in entries(page)), "the new entry")


@check
def times_of_other_days_have_the_date(page, server):
    day = 86_400_000
    now = int(time.time()) * 1000
    listed = [{"id": 9 - at, "timestamp": moment, "milliseconds": 1, "method": "GET", "path": f"/records/Post/{at}",
               "route": "GET /records/{type}/{name}", "status": 200, "request": f"r{at}", "address": "127.0.0.1"}
              for at, moment in enumerate([now, now - 2 * day, now - 500 * day])]
    respond(page, "/requests", {"requests": listed, "latest": 9})
    enter(page, "#/logs")
    page.heading("Logs")
    rows(page, 3)
    for width in [1440, 390]:
        page.size(width, 900)
        texts, cut = page.run("""
            const times = [...document.querySelectorAll("tr.entry time")];
            return [times.map((each) => each.textContent),
                times.filter((each) => each.parentElement.scrollWidth > each.parentElement.clientWidth).length]""")
        today, earlier, long_ago = (page.run("""
            const [time, style] = arguments;
            return new Intl.DateTimeFormat("en-US", style).format(time)""", moment, style) for moment, style in [
                (now, {"timeStyle": "medium"}), (now - 2 * day, {"month": "short", "day": "numeric"}),
                (now - 500 * day, {"month": "short", "day": "numeric", "year": "numeric"})])
        assert texts[0] == today and texts[1].startswith(earlier) and texts[2].startswith(long_ago), texts
        assert cut == 0, f"{cut} of {texts} are cut at {width} px"


@check
def requests_are_filtered_by_sender_status_and_record(page, server):
    server.create("Post", "sea 1", title="sea")
    token, user = member(server, "ada")
    server.call("GET", "/records/Post/sea%201", token=token)
    server.call("PUT", "/records/Post/sea%201", {"fields": {"title": "fog"}}, token=token)
    server.call("GET", "/records/Post", token=None)
    enter(page, "#/logs")
    page.heading("Logs")
    fill(page, "Sender", "ada")
    page.until(lambda: f"#/logs?actor={user}" in page.browser.current_url, "the record name in the URL")
    rows(page, 2)
    assert all(" ada " in each for each in entries(page)), entries(page)
    box = "return [...document.querySelectorAll('.log-filter input')][0].value"
    page.until(lambda: page.run(box) == "ada", "the name in the box")
    fill(page, "Status", "403")
    fill(page, "Path or record", "/records/Post/sea 1")
    rows(page, 1)
    assert "PUT /records/Post/sea 1" in entries(page)[0], entries(page)
    details = open_first(page)
    assert "You may not write this Post" in details, details
    why = unquote(page.find("tr.details a.primary").get_attribute("href").split("#")[1])
    assert why == f"/security/why?user={user}&type=Post&record=sea+1&action=write", why
    page.press("Link to this request")
    page.until(lambda: "#/logs?request=" in page.browser.current_url, "the identifier in the URL")
    rows(page, 1)
    page.until(lambda: page.all("tr.details:not([hidden])"), "the only request is open")
    page.press("Clear")
    page.until(lambda: len(entries(page)) > 4, "all requests")
    page.open("#/logs?request=nobody")
    page.see("The log has no request with this identifier.")
    page.press("Show all requests")
    page.until(lambda: len(entries(page)) > 4, "all requests")
    # A sender without an account: the name of a key or an administrator.
    add(server, "vera", "viewer")
    viewer = server.call("POST", "/administrators/sessions", {"name": "vera", "password": PASSWORD})[1]["token"]
    assert server.call("PUT", "/records/Post/sea%201", {"fields": {}}, token=viewer)[0] == 403
    fill(page, "Sender", "vera")
    rows(page, 1)
    assert "The sender is an administrator" in open_first(page)


@check
def the_identifier_of_an_error_leads_to_its_request(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/security/why?user=anonymous&type=Post&record=none&action=read")
    page.see("NOT_FOUND")
    link = page.find(".problem-box dd a")
    identifier = link.text
    page.click(link)
    page.heading("Logs")
    rows(page, 1)
    assert identifier in page.find("tr.details").text
    assert page.browser.current_url.endswith(f"#/logs?request={identifier}")


@check
def older_requests_are_loaded_when_asked_for(page, server):
    client = server.client(server.admin)
    for number in range(150):
        client.call("PUT", f"/records/Post/p{number}", {"fields": {"n": number}}, (200, 201))
    enter(page, "#/logs?path=%2Frecords%2FPost%2Fp")
    rows(page, 100)
    page.see("100 requests shown")
    page.press("Load older")
    rows(page, 150)
    assert "/records/Post/p149" in entries(page)[0] and "/records/Post/p0" in entries(page)[-1]
    assert not page.find(".log-end button").is_displayed()


@check
def a_server_without_the_log_says_so(page, _):
    with Server(PROGRAM, PUBLIC, "--log-requests", "0") as server:
        page.address = server.address
        enter(page, "#/logs")
        page.see("This server keeps no requests.")
        page.press("The setting log.requests")
        page.heading("Settings")
        rows(page, 1)
        assert "log.requests 0 flag --log-requests" in entries(page)[0], entries(page)


@check
def the_audit_log_shows_who_changed_what(page, server):
    user = member(server, "ada")[1]
    server.create("Post", "a", title="sea")
    assert server.call("PUT", "/roles/editors", {"members": [user]})[0] in (200, 201)
    assert server.call("PUT", "/grants/Post", {"grants": {"editors": ["READ"]}})[0] == 200
    add(server, "dora", "developer")
    enter(page, "#/logs")
    page.press("Audit log", ".tabs")
    page.heading("Audit log")
    page.until(lambda: any("grants.put" in each for each in entries(page)), "the grants")
    assert "Administrator's token" in entries(page)[0]
    fill(page, "Action", "role.put")
    rows(page, 1)
    details = open_first(page)
    assert "editors" in details and "members" in details, details
    page.click(page.find("tr.details a"))
    page.heading("Logs")
    rows(page, 1)
    assert "PUT /roles/editors" in entries(page)[0]
    page.open("#/logs/audit")
    page.heading("Audit log")
    page.run("document.querySelectorAll('.log-filter .sides label')[1].click()")
    page.until(lambda: "scope=server" in page.browser.current_url, "the server's log")
    page.until(lambda: any("administrator.create" in each for each in entries(page)), "the new administrator")
    fill(page, "Until", "2020-01-01T00:00")
    page.see("No entries.")
    page.press("Clear")
    page.until(lambda: any("dora" in each for each in entries(page)), "the server's log again")
    page.sign_out()
    enter_as(page, "dora", "#/logs")
    page.heading("Logs")
    assert not page.all(".page-head .tabs")
    page.go("#/logs/audit")
    page.see("which does not cover this room")


@check
def settings_are_found_and_say_how_they_are_changed(page, server):
    enter(page, "#/settings")
    page.heading("Settings")
    page.until(lambda: len(entries(page)) > 60, "all settings")
    # Values are shown whole, and sizes in a form that can be read.
    size = next(each for each in entries(page) if each.startswith("assets.max_bytes"))
    assert "5000000000 4.7 GiB default" in size, size
    cut = page.run("""
        return [...document.querySelectorAll(".settings .value")]
            .filter((each) => getComputedStyle(each).display === "block" && each.scrollWidth > each.clientWidth + 1)
            .length""")
    assert cut == 0, f"{cut} values are cut"
    for title in ["Webhooks", "Limits of requests"]:
        page.press(title, ".section-links")
        page.until(lambda: page.run("""
            const element = [...document.querySelectorAll("main section")]
                .find((each) => each.ariaLabel === arguments[0]);
            const { top } = element.getBoundingClientRect();
            return top >= 0 && top < innerHeight / 2
                || innerHeight + scrollY >= document.documentElement.scrollHeight - 1""", title), title)
    page.press("Only changed ones")
    page.until(lambda: len(entries(page)) < 12, "the changed ones")
    assert any(f"server.port {server.port} flag --port" in each for each in entries(page)), entries(page)
    token = next(each for each in entries(page) if each.startswith("admin.token"))
    assert "fogadm" not in page.text() and "environment FOGBASE_ADMIN_TOKEN" in token, token
    page.find(".log-filter input[type=search]").send_keys("port")
    page.until(lambda: "#/settings?search=port&changed=true" in page.browser.current_url, "the words in the URL")
    page.browser.refresh()
    page.heading("Settings")
    page.until(lambda: 0 < len(entries(page)) < 12, "the same settings")
    page.open("#/settings?search=rate_auth")
    page.heading("Settings")
    rows(page, 1)
    details = open_first(page)
    for text in ["limits.rate_auth = ", "FOGBASE_LIMITS_RATE_AUTH='", "--limits-rate-auth '10/min burst 20'"]:
        assert text in details, f"{text} in: {details}"
    page.see("recordBytes", "1 MiB", "Requests of one sender", "queryMilliseconds")
    page.find(".how-to summary").click()
    page.see("The command line overrides the environment")
    page.find(".log-filter input[type=search]").send_keys(" nothing of the kind")
    page.see("No setting contains these words.")


@check
def rooms_are_offered_by_role(page, server):
    for name, offered in [("vera", []), ("dora", ["Logs", "Settings"])]:
        add(server, name, "viewer" if name == "vera" else "developer")
        enter_as(page, name)
        page.heading("Home")
        page.settled()
        links = page.find("nav").text
        assert [title for title in ["Logs", "Settings", "Backups"] if title in links] == offered, links
        for place in ["#/logs", "#/settings", "#/backups"]:
            if place[2:].title() in offered:
                continue
            page.go(place)
            page.see("which does not cover this room")
        page.sign_out()
        page.see("You are signed out.")


@check
def a_query_that_needs_an_index_leads_to_performance(page, server):
    server.create("Post", "a", title="sea", likes=1)
    assert server.call("POST", "/schema/promotion?environment=production")[0] == 200
    assert server.call("GET", "/query/Post?environment=production&sort=-likes")[0] == 400
    enter(page, "#/logs?status=400", "?environment=production")
    rows(page, 1)
    assert "POST /schema/types/Post/indexes" in open_first(page)
    page.press("Add the index under Performance", "tr.details")
    page.heading("Performance")
    page.see("-likes")
