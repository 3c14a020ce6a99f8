"""A server that is gone or not ready, addresses of nothing, and numbers that follow what others write."""

from Tests.browser.checks.looks import visit
from Tests.browser.checks.pages import enter
from Tests.browser.files import picture
from Tests.browser.server import TOKEN
from Tests.browser.suite import check

STRIP = "return document.querySelector('.strip:not([hidden])')?.textContent ?? ''"


def connect(page, is_connected):
    """Takes the network from the browser, or gives it back."""
    page.browser.execute_cdp_cmd("Network.enable", {})
    page.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": not is_connected, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


@check
def a_dead_server_is_shown_in_each_kind_of_room(page, server):
    server.create("Post", "a", title="sea")
    enter(page)
    # A list follows a stream, Home asks by itself, and the types ask nothing.
    for place in ["#/types/Post", "#/", "#/types"]:
        visit(page, place)
        assert page.run(STRIP) == ""
        connect(page, False)
        page.until(lambda: "No connection since" in page.run(STRIP), f"the strip at {place}")
        assert "trying again" in page.run(STRIP)
        connect(page, True)
        page.until(lambda: page.run(STRIP) == "", f"the end of the strip at {place}")


@check
def a_stopped_server_is_shown_and_an_ended_session_too(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/types/Post")
    page.heading("Post")
    page.settled()
    server.stop()
    page.until(lambda: "No connection since" in page.run(STRIP), "the strip")
    page.see("sea")
    server.start()
    page.until(lambda: page.run(STRIP) == "", "the end of the strip")
    page.more("Refresh")
    page.see("Your session has ended, or the server was restarted.")


@check
def a_page_that_could_not_be_loaded_comes_by_itself(page, server):
    server.create("Post", "a", title="sea")
    enter(page)
    visit(page, "#/types")
    connect(page, False)
    page.go("#/settings")
    page.see("The server did not answer.", "Try again", "No connection since")
    connect(page, True)
    page.heading("Settings")
    page.until(lambda: page.run(STRIP) == "", "the end of the strip")
    assert not page.all("main > .problem-box")
    # What comes back belongs to the page that is shown.
    connect(page, False)
    page.go("#/keys")
    page.see("The server did not answer.")
    page.go("#/backups")
    page.see("The server did not answer.")
    connect(page, True)
    page.heading("Backups")


@check
def a_gateway_without_a_server_counts_as_no_connection(page, server):
    enter(page)
    visit(page, "#/types")
    page.run("""
        window.realFetch = window.fetch;
        window.fetch = async () => new Response("<html>Bad Gateway</html>", { status: 502 });""")
    page.go("#/settings")
    page.until(lambda: "No connection since" in page.run(STRIP), "the strip")
    page.run("window.fetch = window.realFetch")
    page.heading("Settings")
    page.until(lambda: page.run(STRIP) == "", "the end of the strip")


@check
def an_unknown_address_says_so_and_leads_on(page, server):
    server.create("Good", "G-0001", title="sea")
    enter(page)
    page.heading("Home")
    for place, links in [
            ("#/accounts", ["#/users"]), ("#/types/Good/G-0001", ["#/types/Good/record/G-0001", "#/types/Good"]),
            ("#/new-key", ["#/keys"]), ("#/schedule", ["#/schedules"]), ("#/nothing/at/all", []), ("#/%zz", []),
            ("#/types/Good/record/G-0001/more", ["#/types/Good"])]:
        page.go(place)
        page.heading("There is no such page")
        found = page.run("return [...document.querySelectorAll('main a')].map((each) => each.getAttribute('href'))")
        assert found[-1] == "#/" and set(links) <= set(found), f"{place}: {found}"
        assert page.run("return location.hash") == place
        assert not page.all("nav [aria-current]"), "no room is marked"
        page.go("#/types")
        page.heading("Types")
    page.go("#/types/Good/G-0001")
    page.press("Record G-0001 of Good", "main")
    page.heading("G-0001")
    # Switching to another environment leads to a page that exists.
    page.open("#/accounts", "?environment=production")
    page.heading("There is no such page")


BUILDING = """
    const real = window.fetch;
    window.looks = 0;
    window.times = [];
    window.fetch = async (address, options) => {
        const path = new URL(address, location.href).pathname;
        const index = { type: "STRING", indexes: ["SORTABLE"], state: "building", built: 250 * window.looks };
        const type = { fields: { title: index } };
        if (path.endsWith("/schema/types/Post") && window.looks < 3) {
            window.looks += 1;
            window.times.push(performance.now());
            return new Response(JSON.stringify(type), { status: 200 });
        }
        if (path.endsWith("/query") && window.looks === 0 && options.body.includes("sort")) {
            return new Response(JSON.stringify({ serverErrorCode: "TRY_AGAIN_LATER", reason: "An index", retryAfter: 5,
                details: { cause: "INDEX_BUILDING", recordType: "Post" } }), { status: 503 });
        }
        return real(address, options);
    };"""


@check
def the_build_of_an_index_is_followed_and_not_waited_for(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/types/Post")
    page.heading("Post")
    page.settled()
    page.run(BUILDING)
    start = page.run("return performance.now()")
    page.go("#/types/Post?sort=title")
    page.find(".wait-box progress")
    page.until(lambda: page.all("tbody tr") and not page.all(".wait-box"), "the list")
    took = page.run("return performance.now()") - start
    pauses = page.run("return window.times.slice(1).map((time, at) => time - window.times[at])")
    assert len(pauses) == 2 and all(250 < each < 1_500 for each in pauses), pauses
    assert took < 4_500, f"{took} ms, although the server asks for 5 s"


@check
def the_number_of_records_follows_what_others_write(page, server):
    for name in "ab":
        server.create("Post", name, title="sea")
    enter(page, "#/types/Post")
    page.see("2 in all")
    page.settled()
    server.create("Post", "c", title="sea")
    page.see("1 new record", "3 in all")
    assert server.call("DELETE", "/records/Post/a")[0] in (200, 204)
    page.see("2 in all")
    page.go("#/types/Post?where=title+%3D+'sea'")
    page.see("2 in all")
    page.settled()
    server.create("Post", "d", title="hill")
    server.create("Post", "e", title="sea")
    page.see("3 in all")


@check
def pictures_of_a_list_are_not_in_the_log(page, server):
    for number in range(4):
        asset = server.client(TOKEN).call("POST", "/assets?filename=a.png", picture(64, 48 + number), (201,),
                                          ("Content-Type: image/png",)).json()["asset"]
        server.create("Post", f"p{number}", image={"value": asset, "type": "ASSETID"})
    enter(page, "#/types/Post")
    page.until(lambda: page.run("""
        return [...document.querySelectorAll("img.thumbnail")]
            .filter((each) => each.complete && each.naturalWidth > 0).length""") == 4, "four pictures")
    status, log = server.call("GET", "/requests?path=/assets&limit=100")
    assert status == 200
    read = [each for each in log["requests"] if each["method"] == "GET"]
    assert not read, read
    # A rejected request with the same marker is in the log.
    assert server.call("GET", "/assets/forged?log=false", token=None)[0] >= 400
    assert len(server.call("GET", "/requests?status=4xx&path=/assets")[1]["requests"]) == 1


@check
def home_tells_of_webhooks_that_fail(page, server):
    server.create("Post", "a", title="sea", likes=1)
    assert server.call("POST", "/webhooks", {"url": "https://receiver.invalid/hook"})[0] == 201
    server.create("Post", "b", title="sea", likes=1)
    page.until(lambda: int(server.call("GET", "/webhooks")[1]["webhooks"][0].get("failures", 0)) > 0,
               "a failed delivery")
    enter(page)
    page.heading("Home")
    page.see("Needs attention:", "1 fails.")
    assert "Webhooks" in page.find(".health .verdict").text
    page.click(page.find(".health .checks a[href='#/webhooks']"))
    page.heading("Webhooks")
