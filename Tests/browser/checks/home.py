"""Home: the verdict on the server with its checks, charts, denied senders, storage, and the two environments."""

import json
import time

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.administrators import add, enter_as
from Tests.browser.checks.pages import enter
from Tests.browser.suite import check

SERIES = ["requests", "refused", "throttled", "failed", "median", "p99", "receivedBytes", "sentBytes", "writes",
          "queries", "processors", "connections", "streams", "memoryBytes", "databaseBytes"]


def respond(page, route, body, status=200):
    """From the next load on, calls whose path is `route` get this response, until `server_again`."""
    page.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        {
            const [route, body, status] = %s, real = window.fetch;
            window.fetch = async (address, options) => (new URL(address, location.href).pathname === route
                && !window.isReal ? new Response(body, { status }) : real(address, options));
        }""" % json.dumps([route, body if isinstance(body, str) else json.dumps(body), status])})


def server_again(page):
    page.run("window.isReal = true")


def history(points, **values):
    """A response of `/metrics/history` with a point each 10 seconds until now."""
    now = int(time.time()) * 1000
    return {"interval": 10_000, "timestamps": [now - 10_000 * (points - 1 - at) for at in range(points)],
            "series": {name: values.get(name, [0] * points) for name in SERIES}}


def part(page, name):
    return page.find(f"section[aria-label='{name}']").text


def chosen(page):
    """The period of the charts."""
    return page.run("return document.querySelector('.charts input:checked + label').textContent")


def verdict(page, text):
    page.until(lambda: page.find(".health .verdict").text == text, f"“{text}” in: {page.find('.health').text}")


def member(server, name):
    """Signs somebody up; returns token and record name."""
    response = server.call("POST", "/users", {"name": name, "password": "correct horse"})[1]
    return response["token"], response["user"]["userRecordName"]


@check
def home_says_whether_the_server_is_healthy_and_why(page, server):
    server.create("Post", "a", title="sea")
    enter(page)
    verdict(page, "Needs attention: Last backup")
    page.until(lambda: "free" in page.find(".health").text, "the free disk")
    assert "The server knows of none." in page.find(".health").text
    page.press("Backups", ".health")
    page.heading("Backups")
    failing = {"serverErrorCode": "TRY_AGAIN_LATER", "reason": "The disk is full"}
    respond(page, "/health/ready", failing, 503)
    respond(page, "/metrics/history", history(3, requests=[10, 10, 10], failed=[0, 1, 2]))
    page.open()
    verdict(page, "Not healthy: State, Server errors, Last backup")
    page.see("Not ready: The disk is full", "10% of the responses of the last 5 minutes.")
    page.shot("home-not-healthy")
    page.press("Show them", ".health")
    page.heading("Logs")
    assert page.browser.current_url.endswith("#/logs?status=5xx")


@check
def home_says_whether_the_last_backup_can_be_relied_on(page, server):
    now = int(time.time()) * 1000
    day = 86_400_000
    old = {"created": now - 8 * day, "kind": "directory", "name": "old", "bytes": 1, "tested": now, "problems": 0}
    whole = old | {"created": now - 6 * day, "name": "whole"}
    damaged = old | {"created": now - day, "name": "new", "problems": 2, "problem": "records.sqlite is missing."}
    untested = {"created": now, "kind": "archive", "name": "newest", "bytes": 1}
    bad = "Needs attention: Last backup"
    for backups, level, text in [
            ([untested, whole, old], "Healthy", "tested"), ([untested, old], bad, "not tested yet"),
            ([old], bad, "more than a week ago"), ([], bad, "The server knows of none."),
            ([untested, damaged, whole], "Not healthy: Last backup", "is damaged: records.sqlite is missing.")]:
        respond(page, "/backups", {"backups": backups})
        if level == "Healthy":
            enter(page)
        else:
            page.open()
        verdict(page, level)
        assert text in page.find(".health").text, page.find(".health").text
    page.shot("home-backup-damaged")


@check
def charts_show_the_values_at_pointer_and_arrow_keys(page, server):
    status, real = server.call("GET", "/metrics/history?period=day")
    assert status == 200 and set(real["series"]) == set(SERIES), real
    respond(page, "/metrics/history", history(4, requests=[1, 20, 300, 41.25], refused=[0, 0.5, 0, 0],
                                              median=[2, None, 4, 0.5], p99=[12, None, 40, 3]))
    enter(page)
    page.heading("Home")
    legend = "return [...document.querySelectorAll('.chart')].map((each) => each.querySelector('.legend').textContent)"
    page.until(lambda: page.run(legend), "charts")
    assert page.run(legend)[:3] == ["all 41.3/s", "rejected (4xx) 0/sthrottled (429) 0/sfailed (5xx) 0/s",
                                    "median 0.5 ms99th percentile 3 ms"], page.run(legend)
    plot = page.find(".plot")
    text = plot.get_attribute("aria-valuetext")
    assert text.endswith("all 41.3/s") and plot.get_attribute("aria-valuemax") == "3"
    plot.send_keys(Keys.ARROW_LEFT)
    assert page.run(legend)[0] == "all 300/s" and "40 ms" in page.run(legend)[2], "all charts show the same time"
    plot.send_keys(Keys.ARROW_LEFT)
    assert page.run(legend)[2] == "median –99th percentile –"
    plot.send_keys(Keys.HOME)
    assert plot.get_attribute("aria-valuetext").endswith("all 1/s") and plot.get_attribute("aria-valuenow") == "0"
    page.shot("home-charts")
    plot.send_keys(Keys.ESCAPE)
    assert plot.get_attribute("aria-valuetext") == text
    page.run("""
        const plot = document.querySelector(".plot"), box = plot.getBoundingClientRect();
        plot.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + 50, clientY: box.top + 20 }));""")
    assert page.run(legend)[0] == "all 1/s", "the nearest point is the first one"
    tables = page.run("return [...document.querySelectorAll('.chart table')].map((each) => each.caption.textContent)")
    assert len(tables) == 6 and tables[0] == "Requests: the largest values", tables
    # Lines stay within their chart, in dark colors too.
    for scheme, width in [("light", 1440), ("dark", 390)]:
        page.size(width, 900, scheme)
        page.until(lambda: page.run("""
            const svg = document.querySelector(".plot svg");
            return Number(svg.getAttribute("width")) === Math.floor(svg.parentElement.clientWidth)"""), "a new drawing")
        colors = page.run("""
            const style = getComputedStyle(document.querySelector(".chart path.line.first"));
            return [style.stroke, getComputedStyle(document.querySelector(".chart")).backgroundColor]""")
        assert colors[0] != colors[1], colors
    page.press("Day", ".charts")
    page.until(lambda: chosen(page) == "Day", "the day")


@check
def a_part_that_fails_says_so_and_is_tried_again(page, server):
    server.create("Post", "a", title="sea")
    respond(page, "/storage", {"serverErrorCode": "INTERNAL_ERROR", "reason": "The sizes are lost"}, 500)
    respond(page, "/metrics/history", "<html>", 502)
    enter(page)
    page.see("The sizes are lost", "The charts could not be loaded", "could not be checked: The sizes are lost")
    page.see("Version", "Post")
    server_again(page)
    page.press("Try again", "section[aria-label='Storage']")
    page.until(lambda: "Free on the disk" in part(page, "Storage"), "the sizes")
    page.until(lambda: "1" in part(page, "Storage") and "Post" in part(page, "Storage"), "the sizes of Post")
    page.until(lambda: " free" in page.find(".health").text, "the check of the disk")


@check
def storage_is_shown_by_type(page, server):
    for number in range(12):
        server.create(f"Type{number:02}", f"a{number}", title="x" * (number + 1) * 100)
        server.create(f"Type{number:02}", f"b{number}", title="x")
    enter(page)
    page.until(lambda: "Type11" in part(page, "Storage"), "the largest type")
    rows = page.run("""
        return [...document.querySelectorAll(".sizes tbody tr")].map((each) => [each.cells[0].textContent,
            each.cells[1].textContent, Number.parseFloat(each.querySelector("rect").getAttribute("width"))])""")
    assert [row[0] for row in rows] == [f"Type{number:02}" for number in range(11, 1, -1)], rows
    assert all(row[1] == "2" for row in rows) and rows[0][2] == 100 and 0 < rows[-1][2] < 100, rows
    page.see("2 more types")
    page.press("Type11", ".sizes")
    page.heading("Type11")


@check
def types_that_differ_between_the_environments_are_named(page, server):
    server.create("Post", "a", title="sea")
    assert server.call("POST", "/schema/promotion?environment=production")[0] == 200
    enter(page)
    name = "Development and production"
    page.until(lambda: "Production has the schema of development." in part(page, name), "no difference")
    server.create("Post", "b", likes=1)
    server.create("Author", "c", name="ada")
    page.open()
    page.until(lambda: "2 types of development differ from production." in part(page, name), "two differences")
    assert "Author\nonly in development" in part(page, name) and "Post\n1 added" in part(page, name)
    link = page.find(f"section[aria-label='{name}'] a")
    assert link.get_attribute("href").endswith("#/schema?view=promotion")


@check
def senders_that_are_denied_lead_to_the_log(page, server):
    server.create("Post", "a", title="sea")
    token, user = member(server, "ada")
    for _ in range(3):
        assert server.call("PUT", "/records/Post/a", {"fields": {"title": "fog"}}, token=token)[0] == 403
    add(server, "vera", "viewer")
    enter(page)
    name = "Senders that were denied or throttled"
    page.until(lambda: "ada" in part(page, name), "the name of the sender")
    assert "PUT /records/{type}/{name}" in part(page, name) and "denied" in part(page, name)
    assert page.find(f"section[aria-label='{name}'] td.number").text == "3"
    page.press("PUT /records/{type}/{name}", f"section[aria-label='{name}']")
    page.heading("Logs")
    assert f"status=403&actor={user}" in page.browser.current_url
    page.until(lambda: len(page.all("tr.entry")) == 3, "three requests")
    page.sign_out()
    enter_as(page, "vera")
    verdict(page, "Needs attention: Last backup")
    assert not page.all(f"section[aria-label='{name}']") and "Logs" not in page.find("nav").text
