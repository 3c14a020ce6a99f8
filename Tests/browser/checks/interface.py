"""Performance: costly queries, their indexes and plans. The interface: routes that can be tried, and code to copy."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.administrators import add, enter_as
from Tests.browser.checks.operation import box, choose, dialog, posts, row, write
from Tests.browser.checks.pages import enter
from Tests.browser.files import picture
from Tests.browser.server import TOKEN
from Tests.browser.suite import check
from Tests.harness.client import message

TREE = """
    const lines = (list, depth) => [...list.children].flatMap((each) => [
        "  ".repeat(depth) + each.querySelector(":scope > .node > strong").textContent,
        ...[...each.querySelectorAll(":scope > ul")].flatMap((inner) => lines(inner, depth + 1))]);
    const tree = document.querySelector(".plan-tree");
    return tree === null ? [] : lines(tree, 0);"""


def ask(server, query):
    """The status of a query of a caller who is not signed in."""
    return server.client().send(message("GET", f"/query/Post?{query}")).status


@check
def a_missing_index_is_added_with_one_click(page, server):
    posts(server, 6000)
    assert ask(server, "where=likes+%3E+100+AND+good+%3D%3D+3") == 400
    assert ask(server, "where=likes+%3E+200+AND+good+%3D%3D+4") == 400
    start = time.monotonic()
    enter(page)
    page.heading("Home")
    page.press("Performance", "nav")
    page.heading("Performance")
    line = row(page, "good == ?")
    assert "Post" in line.text and "6,000" not in line.text, line.text
    page.shot("performance")
    adding = page.until(lambda: page.run("""
        return [...document.querySelectorAll("main td button")]
            .find((each) => each.textContent.startsWith("Add ")) ?? null"""),
        "a button that adds the index")
    name = adding.text.removeprefix("Add ")
    adding.send_keys(Keys.ENTER)
    page.until(lambda: "ready" in row(page, "good == ?").text, "the index")
    assert time.monotonic() - start < 60
    page.see("All indexes are ready.")
    assert ask(server, "where=likes+%3E+100+AND+good+%3D%3D+3") == 200
    indexes = [", ".join(each["fields"]) for each in server.call("GET", "/schema/types/Post")[1]["indexes"]]
    assert name in indexes, (name, indexes)
    # The plan of this query needs the values that the list does not have.
    page.press("Plan", "main table")
    page.see("Replace each ? with a value")
    write(page, "Where", "good == 3 AND likes > 100")
    page.press("Show the plan")
    page.see("records in")
    tree = page.until(lambda: page.run(TREE), "the plan")
    assert tree[0] == "Result" and "Scan of" in tree[-1], tree


@check
def a_query_of_ones_own_shows_its_plan_as_a_tree(page, server):
    posts(server, 400)
    enter(page, "#/performance?type=Post&where=title+%3D%3D+%27t3%27+AND+title+CONTAINS+%27t%27&sort=-likes")
    page.heading("Performance")
    page.see("Index added:", "rows examined", "rows returned")
    tree = page.run(TREE)
    assert tree[0] == "Result" and tree[1].strip() == "Filter: test record by record", tree
    assert tree[2].strip().startswith("Scan of index (title"), tree
    page.shot("plan-tree")
    page.press("Drop it", "main")
    page.see("Dropped.")
    page.press("Show the plan", "main")
    page.see("Index added:")
    write(page, "Where", "likes >")
    page.press("Show the plan", "main")
    page.see("The condition is not well formed")
    assert page.find(".problem-box") == page.browser.switch_to.active_element
    write(page, "Where", "likes == 3")
    write(page, "Sort", "")
    page.press("Show the plan", "main")
    page.see("1 record in")
    page.browser.refresh()
    page.see("1 record in")


@check
def in_production_a_rejected_query_adds_its_index(page, server):
    fields = {"title": {"type": "STRING"}, "likes": {"type": "INT64"}, "good": {"type": "INT64"}}
    schema = {"types": {"Post": {"fields": fields}}}
    assert server.call("PUT", "/schema?environment=production", schema)[0] == 200
    posts(server, 400, "?environment=production")
    add(server, "vera", "viewer")
    enter(page, "#/performance", "?environment=production")
    page.heading("Performance")
    page.see("No query was costly or rejected", "All indexes are ready.")
    write(page, "Where", "likes > 390")
    page.press("Show the plan", "main")
    page.see("NOT_INDEXED")
    page.press("Add the index likes", "main")
    page.see("9 records in")
    assert page.run(TREE)[-1].strip() == "Scan of index (likes)", page.run(TREE)
    row(page, "likes > ?")
    page.sign_out()
    page.until(lambda: not page.browser.get_cookies(), "the cookie to go")
    assert ask(server, "environment=production&where=good+%3D%3D+3") == 400
    enter_as(page, "vera", "#/performance")
    page.open("#/performance", "?environment=production")
    page.see("missing; your role cannot add it")
    assert "Add " not in page.find("main table").text


@check
def an_index_of_production_comes_to_development_too(page, server):
    fields = {"title": {"type": "STRING"}, "likes": {"type": "INT64"}, "good": {"type": "INT64"}}
    schema = {"types": {"Post": {"fields": fields}}}
    assert server.call("PUT", "/schema?environment=production", schema)[0] == 200
    posts(server, 20, "?environment=production")
    for query in ["likes+%3E+3", "good+%3D%3D+3", "title+%3D%3D+%27a%27"]:
        assert ask(server, f"environment=production&where={query}") == 400

    def added(index):
        page.press(f"Add {index}", "main")
        page.until(lambda: "ready" in row(page, f"{index} ").text, "the index")

    def in_development():
        types = server.call("GET", "/schema?environment=development")[1]["types"]
        return [index["fields"] for index in types["Post"]["indexes"]] if "Post" in types else None
    enter(page, "#/performance")
    page.heading("Performance")
    page.see("No query was costly or rejected in development")
    page.press("Performance of production: 3 costly queries")
    page.heading("Performance")
    page.until(lambda: "environment=production" in page.browser.current_url, "production")
    added("likes")
    page.see("The index was added to production, but not to development: development has no type Post")
    assert in_development() is None
    assert server.call("PUT", "/schema?environment=development", schema)[0] == 200
    added("good")
    assert in_development() == [["good"]], in_development()
    assert not page.all(".problem-box"), "the problem is over"
    page.press("Add new indexes to development, too, so that the next promotion keeps them")
    added("title")
    assert in_development() == [["good"]], in_development()
    page.press("Performance of development: 0 costly queries")
    page.until(lambda: "environment=development" in page.browser.current_url, "development")
    page.heading("Performance")
    assert "Add new indexes to development" not in page.text()


@check
def unused_indexes_are_listed_and_dropped(page, server):
    posts(server, 400)
    for index in [{"fields": ["likes"]}, {"fields": ["good", "-likes"]},
                  {"fields": ["title", "likes"], "unique": True}]:
        assert server.call("POST", "/schema/types/Post/indexes", index)[0] == 201, index
    schema = server.call("GET", "/schema")[1]
    schema["types"]["Post"]["fields"]["title"]["indexes"] = ["SEARCHABLE"]
    assert server.call("PUT", "/schema", schema)[0] == 200
    assert ask(server, "where=likes+%3E+390") == 200
    add(server, "vera", "viewer")
    enter(page, "#/performance")
    page.heading("Performance")
    page.see("Uses are counted since the server started:", "1 minute ago", "Remove an index only when")
    listed = "return [...document.querySelectorAll('.unused tbody td:nth-child(2)')].map((each) => each.textContent)"
    page.until(lambda: sorted(page.run(listed)) == ["good, -likes", "title[words] SEARCHABLE"], "two unused indexes")
    page.shot("unused-indexes")
    page.click(page.find("[aria-label='Drop the index good, -likes of Post']"))
    dialog(page, "Drop this index?", "Keep the schema")
    page.see("No query has used it since", "Queries that need them become slower or are rejected.")
    page.press("Keep the schema", "dialog")
    page.click(page.find("[aria-label='Drop the index good, -likes of Post']"))
    page.press("Drop", "dialog")
    page.until(lambda: page.run(listed) == ["title[words] SEARCHABLE"], "one unused index")
    page.click(page.find("[aria-label='Drop the index title[words] of Post']"))
    page.press("Drop", "dialog")
    page.see("Each index has been used since the server started, or there are none.")
    post = server.call("GET", "/schema/types/Post")[1]
    assert post["indexes"] == [{"fields": ["likes"]}, {"fields": ["title", "likes"], "unique": True}], post
    assert not post["fields"]["title"].get("indexes"), post
    assert server.call("POST", "/schema/types/Post/indexes", {"fields": ["good"]})[0] == 201
    page.sign_out()
    page.until(lambda: not page.browser.get_cookies(), "the cookie to go")
    enter_as(page, "vera", "#/performance")
    page.until(lambda: page.run(listed) == ["good"], "the new one")
    assert not page.all(".unused button")


@check
def routes_are_found_and_tried(page, server):
    posts(server, 3)
    enter(page, "#/api")
    page.heading("API")
    page.see("Records", "Webhooks", "/records/{type}/{name}")
    finder = page.find("main input[type=search]")
    finder.send_keys("listrecords")
    page.see("1 route")
    page.until(lambda: "find=listrecords" in page.browser.current_url, "the search in the address")

    def open_route(key):
        page.click(page.find(f"[data-route='{key}'] summary"))
        page.find(f"[data-route='{key}'] form")

    def try_it(key):
        page.press("Try it", f"[data-route='{key}']")

    open_route("GET /records/{type}")
    try_it("GET /records/{type}")
    page.see("Fill in type.")
    write(page, "type", "Post")
    write(page, "limit", "2")
    try_it("GET /records/{type}")
    page.see("200", '"recordName": "p0"')
    page.shot("api-try")
    page.press("Headers", "main .response")
    page.see("x-request-id")
    page.press("The request for curl", "main .response")
    command = page.run("return [...document.querySelectorAll('.response pre')].at(-1).textContent")
    done = shell(command)
    assert '"recordName":"p1"' in done.stdout and "p2" not in done.stdout, (command, done.stdout, done.stderr)
    write(page, "type", "../x")
    try_it("GET /records/{type}")
    page.see("BAD_REQUEST")

    # A body begins with an example, and a write is carried out as the caller.
    finder.clear()
    finder.send_keys("records/{type} createRecord")
    open_route("POST /records/{type}")
    write(page, "type", "Post")
    write(page, "Body", '{"recordName":"made","fields":{"likes":7}}')
    try_it("POST /records/{type}")
    page.see("201", '"recordName": "made"')
    assert server.fields("Post", "made") == {"likes": 7}
    finder.clear()
    finder.send_keys("deleteRecord")
    open_route("DELETE /records/{type}/{name}")
    write(page, "type", "Post")
    write(page, "name", "made")
    try_it("DELETE /records/{type}/{name}")
    dialog(page, "Delete this?", "Cancel")
    page.press("Cancel", "dialog")
    assert server.call("GET", "/records/Post/made")[0] == 200
    try_it("DELETE /records/{type}/{name}")
    page.press("Send it", "dialog")
    page.see("204", "The response has no body.")
    assert server.call("GET", "/records/Post/made")[0] == 404
    # A change of many records asks too, and a search does not.
    finder.clear()
    finder.send_keys("patch /query/{type}")
    open_route("PATCH /query/{type}")
    write(page, "type", "Post")
    try_it("PATCH /query/{type}")
    dialog(page, "Send this?", "Cancel")
    page.press("Cancel", "dialog")
    finder.clear()
    finder.send_keys("post /query query")
    open_route("POST /query")
    write(page, "Body", '{"recordType":"Post","count":true}')
    try_it("POST /query")
    page.see('"count": 3')
    # A file.
    finder.clear()
    finder.send_keys("post /assets uploadAsset")
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        file.write(picture(20, 10))
        file.flush()
        page.until(lambda: page.all("[data-route='POST /assets']"), "the route for files")
        open_route("POST /assets")
        page.find("[data-route='POST /assets'] input[type=file]").send_keys(file.name)
        try_it("POST /assets")
        page.see('"contentType": "image/png"')
    # A form with a file is a command, too.
    finder.clear()
    finder.send_keys("patch /records/{type}/{name}")
    open_route("PATCH /records/{type}/{name}")
    write(page, "type", "Post")
    write(page, "name", "p0")
    choose(page, "Content type", "multipart/form-data")
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "it's.png").write_bytes(picture(10, 10))
        page.find("[data-route^='PATCH'] input[type=file]").send_keys(str(Path(directory, "it's.png")))
        page.find("[data-route^='PATCH'] .request-body input[type=text]").send_keys("image")
        try_it("PATCH /records/{type}/{name}")
        page.see("200", '"image"')
        page.press("The request for curl", "[data-route^='PATCH'] .response")
        command = page.run("return [...document.querySelectorAll('.response pre')].at(-1).textContent")
        done = shell(command, directory)
        assert '"recordName":"p0"' in done.stdout and '"image"' in done.stdout, (command, done.stdout, done.stderr)
    finder.clear()
    finder.send_keys("nothing like this")
    page.see("No route has these words.")


def shell(command, directory="."):
    """Runs a command as a user does who has pasted it."""
    return subprocess.run(["sh", "-c", command], cwd=directory, env={**os.environ, "TOKEN": TOKEN}, capture_output=True,
                          text=True, timeout=30)


CODE = "return [...document.querySelectorAll('main .code-block pre')].map((each) => [each.ariaLabel, each.textContent])"


@check
def the_code_of_a_type_works_as_it_is_printed(page, server):
    user = server.call("POST", "/users", {"name": "ada", "password": "correct horse"})[1]["user"]["userRecordName"]
    place = f"?environment=development&database=private&owner={user}"
    asset = server.client(TOKEN).call("POST", f"/assets{place}&filename=a.png", picture(8, 8), (201,),
                                      ("Content-Type: image/png",)).json()["asset"]
    server.create("Post", "one", scope=place, title="it's", likes=3, image={"value": asset, "type": "ASSETID"})
    server.create("Author", "two", scope=place, name="ada")
    enter(page, "#/api/code", place)
    page.heading("API")
    choose(page, "Type", "Post")
    page.until(lambda: "type=Post" in page.browser.current_url, "the type in the address")
    page.see("Create a record", "/records/Post")
    code = dict(page.run(CODE))
    assert len(code) == 7, code.keys()
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "picture.jpg").write_bytes(picture(12, 6))
        for title in ["Create a record", "List records", "Query", "Change it", "Upload a file", "Delete it"]:
            done = shell(code[title], directory)
            wanted = "" if title == "Delete it" else '"recordName":"example"'
            assert done.returncode == 0 and wanted in done.stdout, (title, code[title], done.stdout, done.stderr)
            assert "serverErrorCode" not in done.stdout, (title, done.stdout)
    assert server.call("GET", f"/records/Post/example{place}")[0] == 404
    page.shot("code-curl")
    page.press("Swift", "main .tabs[aria-label^=Language]")
    page.see("@RecordCodable", "struct Post {", f'privateDatabase(of: "{user}")', "environment: .development")
    page.press("JavaScript", "main .tabs[aria-label^=Language]")
    page.see("await fetch(",
             "Pages of other origins reach the server only if the setting cors.origins names their origin.")
    # The copied text is that of the box.
    page.browser.execute_cdp_cmd("Browser.grantPermissions", {
        "origin": server.address, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    page.click(page.find("button[aria-label='Copy: List records']"))
    page.see("Copied.")
    copied = page.browser.execute_async_script("""
        const [done] = arguments;
        navigator.clipboard.readText().then(done, (error) => done(String(error)))""")
    assert copied == dict(page.run(CODE))["List records"], copied
