"""Queries on the page of records, deleting the matches, and the indexes on the page of a type's schema."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.pages import enter
from Tests.browser.suite import check

NAMES = "return [...document.querySelectorAll('.grid tbody th')].map((each) => each.textContent)"


def expert(page):
    """Opens the filter with the condition and the sort to be written by hand, unless it is open."""
    page.until(lambda: page.run("""
        if ([...document.querySelectorAll("main label")].some((each) => each.textContent === "Where")) return true;
        const buttons = [...document.querySelectorAll(".filters button")];
        const button = buttons.find((each) => each.textContent === "Expert");
        (button ?? document.querySelector(".toolbar button[aria-expanded=false]"))?.click();
        return false;"""), "the box for the condition")


def box(page, label):
    """The input with this label."""
    if label in ("Where", "Sort"):
        expert(page)
    return page.until(lambda: page.run("""
        return [...document.querySelectorAll("main label")]
            .find((each) => each.textContent === arguments[0])?.control ?? null""", label), f"the box “{label}”")


def write(page, label, text):
    element = box(page, label)
    element.clear()
    element.send_keys(text)


def find(page, where, sort=""):
    write(page, "Where", where)
    write(page, "Sort", sort)
    page.press("Find")


def rows(page, *wanted):
    page.until(lambda: page.run(NAMES) == list(wanted), f"the rows {wanted}, not {page.run(NAMES)}")


def forum(server):
    for number, (name, thread, good) in enumerate([("a1", "Anchors", 5), ("a2", "Anchors", 9), ("b1", "Buoys", 5)]):
        server.create("Post", name, threadname=thread, good=good, number=number)


@check
def a_condition_and_a_sort_find_records(page, server):
    forum(server)
    enter(page, "#/types/Post")
    rows(page, "a1", "a2", "b1")
    find(page, "threadname == 'Anchors'", "-good")
    rows(page, "a2", "a1")
    page.see("Index added: threadname, -good")
    assert "where=" in page.browser.current_url, "the search is not in the address"
    page.browser.refresh()
    rows(page, "a2", "a1")
    assert box(page, "Where").get_attribute("value") == "threadname == 'Anchors'"
    find(page, "good > 100")
    page.see("Nothing was found.")
    page.browser.back()
    rows(page, "a2", "a1")
    page.press("Clear")
    rows(page, "a1", "a2", "b1")


@check
def the_keyboard_is_enough_to_search(page, server):
    forum(server)
    enter(page, "#/types/Post")
    rows(page, "a1", "a2", "b1")
    box(page, "Where").send_keys("good == 9", Keys.ENTER)
    rows(page, "a2")
    page.run("document.querySelector('.more summary').focus()")
    ActionChains(page.browser).send_keys(Keys.ENTER, Keys.TAB, Keys.TAB, Keys.ENTER).perform()
    page.until(lambda: "count=true" in page.run("return location.hash"), "the exact number")
    page.see("1 in all")


@check
def a_mistake_is_marked_where_it_stands(page, server):
    forum(server)
    enter(page, "#/types/Post")
    find(page, "threadname == 'é' foo 'x'")
    page.until(lambda: page.find(".marked mark").text == "foo", "the mark at foo")
    page.until(lambda: page.run("""
        const box = document.activeElement;
        return box.value?.slice(box.selectionStart, box.selectionEnd)""") == "foo", "the selection in the box")
    assert box(page, "Where").get_attribute("aria-invalid") == "true"
    find(page, "god > 1")
    page.see("UNKNOWN_NAME")
    page.until(lambda: page.find(".marked mark").text == "god", "the mark at god")
    find(page, "good > ")
    page.see("Details")
    page.until(lambda: page.all(".marked"), "a mark at the end")
    assert page.all(".marked"), "the end of the text has no mark"
    find(page, "good > 1", "nothing")
    page.see("UNKNOWN_NAME")
    find(page, "good > 5")
    rows(page, "a2")


@check
def a_plan_and_a_count_are_shown(page, server):
    forum(server)
    enter(page, "#/types/Post")
    write(page, "Where", "good == 5")
    page.press("Find")
    rows(page, "a1", "b1")
    page.more("Count exactly")
    page.until(lambda: "count=true" in page.run("return location.hash"), "the exact number")
    rows(page, "a1", "b1")
    page.more("Show the plan")
    page.see("2 in all", "scan index (good)", "examined")
    page.more("Hide the plan")
    page.until(lambda: not page.all(".plan"), "the end of the plan")


@check
def pages_of_a_search_have_cursors_of_their_own(page, server):
    operations = [{"operationType": "create", "record": {"recordType": "Post", "recordName": f"p{number}",
                   "fields": {"number": number, "even": number % 2}}} for number in range(120)]
    assert server.call("POST", "/records", {"operations": operations})[0] == 200
    enter(page, "#/types/Post")
    rows(page, *[f"p{number}" for number in range(50)])
    find(page, "even == 0", "-number")
    rows(page, *[f"p{number}" for number in range(118, 18, -2)])
    page.press("Next →")
    rows(page, *[f"p{number}" for number in range(18, -2, -2)])
    page.see("Page 2, 10 records")
    page.press("← Previous")
    rows(page, *[f"p{number}" for number in range(118, 18, -2)])


@check
def what_is_found_is_deleted_after_counting_and_asking(page, server):
    forum(server)
    enter(page, "#/types/Post")
    rows(page, "a1", "a2", "b1")
    commands = page.run("return document.querySelector('.more').textContent")
    assert "Delete all that match…" not in commands, "without a condition there is nothing to delete by"
    find(page, "good == 5")
    rows(page, "a1", "b1")
    page.more("Delete all that match…")
    page.see("Delete 2 records of Post?", "2 records match this condition")
    page.press("Keep them", "dialog")
    assert len(server.call("GET", "/records/Post")[1]["records"]) == 3
    page.more("Delete all that match…")
    page.see("Delete 2 records of Post?")
    # One more record appears between counting and deleting: only confirmed records are deleted.
    server.create("Post", "c1", good=5)
    page.press("Delete 2 records", "dialog")
    page.see("TOO_MANY_AFFECTED")
    assert len(server.call("GET", "/records/Post")[1]["records"]) == 4
    page.more("Delete all that match…")
    page.press("Delete 3 records", "dialog")
    page.see("Deleted 3 records.", "Nothing was found.")
    assert [each["recordName"] for each in server.call("GET", "/records/Post")[1]["records"]] == ["a2"]


@check
def fields_are_marked_and_indexes_come_and_go(page, server):
    forum(server)
    enter(page, "#/types/Post")
    page.press("Schema", "main")
    page.heading("Schema of Post")
    mark = page.find("input[aria-label='good: SORTABLE']")
    page.click(mark)
    page.see("Not saved yet")
    page.press("Save indexes")
    page.see("Saved.")
    fields = server.call("GET", "/schema/types/Post")[1]["fields"]
    assert fields["good"]["indexes"] == ["SORTABLE"], fields
    write(page, "New index", "threadname, +good")
    page.press("Add the index")
    page.see("is not a field name")
    write(page, "New index", "threadname, none")
    page.press("Add the index")
    page.see("The type has no field of this name")
    write(page, "New index", "threadname, -good")
    page.press("Add the index")
    page.see("Added.", "threadname, -good")
    indexes = server.call("GET", "/schema/types/Post")[1]["indexes"]
    assert indexes == [{"fields": ["threadname", "-good"]}], indexes
    page.press("Drop")
    page.see("Drop this index?")
    page.press("Drop", "dialog")
    page.see("Dropped.")
    # The option of the field makes an index, too.
    page.until(lambda: [each.text for each in page.all("main .index-list .code")] == ["good"], "the index that is left")
    assert server.call("GET", "/schema/types/Post")[1]["indexes"] == []
    write(page, "New index", "number")
    page.click(box(page, "unique"))
    page.press("Add the index")
    page.see("UNIQUE")
    assert server.call("POST", "/records/Post", {"fields": {"number": 1}})[0] == 409


@check
def an_index_tells_how_far_it_is(page, server):
    forum(server)
    enter(page, "#/types/Post")
    page.heading("Post")
    page.run("""
        const [body] = arguments, real = window.fetch;
        let answers = 0;
        window.fetch = async (address, options) => {
            const isSchema = String(address).startsWith("/schema") && !String(address).includes("advice");
            if (!isSchema) return real(address, options);
            answers += 1;
            return new Response(answers === 1 ? body : body.replace(',"state":"building","built":7', ""));
        }""", '{"types":{"Post":{"fields":{"good":{"type":"INT64"}},'
              '"indexes":[{"fields":["good"],"state":"building","built":7}],"grants":{}}}}')
    page.press("Schema", "main")
    page.see("building, 7 records so far")
    page.until(lambda: "building" not in page.text(), "the end of building")


@check
def an_index_that_is_missing_is_added_where_it_is_missed(page, server):
    server.create("Post", "a1", "?environment=development", thread="Anchors", good=5, mood="calm")
    schema = server.call("GET", "/schema?environment=development")[1]
    assert server.call("PUT", "/schema?environment=production", schema)[0] == 200
    server.create("Post", "a1", "?environment=production", thread="Anchors", good=5)
    server.create("Post", "b1", "?environment=production", thread="Buoys", good=7)
    enter(page, "#/types/Post?where=good+%3E+5", "?environment=production")
    page.see("NOT_INDEXED", "Field 'good' is not marked queryable")
    page.press("Add the index good")
    rows(page, "b1")
    assert "NOT_INDEXED" not in page.text()
    assert server.call("GET", "/schema/types/Post?environment=production")[1]["indexes"] == [{"fields": ["good"]}]
    find(page, "", "-thread")
    page.press("Add the index thread")
    rows(page, "b1", "a1")
    # A caller that may not change the schema is not offered it.
    server.call("POST", "/administrators", {"name": "vera", "password": "correct horse battery", "role": "viewer"})
    page.sign_out()
    page.press("Name and password")
    page.find("#name").send_keys("vera")
    page.find("#password").send_keys("correct horse battery", Keys.ENTER)
    page.heading("Post")
    find(page, "mood > 'C'")
    page.see("NOT_INDEXED")
    assert not page.run("""
        return [...document.querySelectorAll("button")].some((each) => each.textContent.startsWith("Add the index"))""")


@check
def what_is_not_ready_is_asked_for_again_by_itself(page, server):
    forum(server)
    enter(page, "#/types/Post")
    rows(page, "a1", "a2", "b1")
    soon = '{"serverErrorCode":"TRY_AGAIN_LATER","reason":"The index is being built","retryAfter":3}'
    page.answer(503, soon)
    write(page, "Where", "good > 5")
    page.press("Find")
    page.see("The index is being built", "Retrying in 3 seconds.")
    assert not page.all(".problem-box"), "nothing has gone wrong"
    # Text typed meanwhile stays.
    write(page, "Where", "good > 6")
    rows(page, "a2")
    assert box(page, "Where").get_attribute("value") == "good > 6" and not page.all(".wait-box")
    # So it is with every page.
    page.answer(503, soon)
    page.press("Schema", "main")
    page.see("The index is being built")
    page.heading("Schema of Post")
    # Another page is not replaced when the time has come.
    page.answer(503, soon)
    page.go("#/types/Post?where=good+%3E+5")
    page.see("Retrying in 3 seconds.")
    page.go("#/types/Post/record/a1")
    page.heading("a1")
    since = "return performance.now() - performance.getEntriesByType('resource').at(-1).responseEnd"
    page.until(lambda: page.run(since) > 3300, "the time to ask again")
    assert page.run("return document.querySelector('h1').textContent") == "a1"


@check
def a_mistake_in_the_sort_is_marked_in_its_box(page, server):
    forum(server)
    enter(page, "#/types/Post")
    page.heading("Post")
    assert box(page, "Where").get_attribute("placeholder") == "good > 3 AND threadname BEGINSWITH 'a'"
    for sort, marked in [("good, -nothing", "nothing"), ("go od,-", "go od,-")]:
        find(page, "good > 1", sort)
        page.until(lambda: page.run("""
            const box = document.activeElement;
            return box.value?.slice(box.selectionStart, box.selectionEnd)""") == marked, f"the selection of {marked}")
        assert box(page, "Sort").get_attribute("aria-invalid") == "true"
        assert box(page, "Where").get_attribute("aria-invalid") is None
    # Details are shown on request.
    find(page, "god > 1")
    page.see("Field god not found in Post", "Details")
    assert "expected" not in page.text() and "{" not in page.find(".problem-box").text
    page.press("Details", ".problem-box")
    page.see("expected: a field of Post")
    server.create("Boat", "a", seats=3.5)
    page.open("#/types/Boat")
    assert box(page, "Where").get_attribute("placeholder") == "seats > 3"


@check
def an_index_that_could_not_be_built_is_tried_again(page, server):
    forum(server)
    enter(page, "#/types/Post/schema")
    page.heading("Schema of Post")
    write(page, "New index", "good")
    page.click(box(page, "unique"))
    page.press("Add the index")
    page.see("have the same value in 'good'. Change one of them, then add the index again", "None.")
    server.fill("Post", good=lambda number: 1_000 + number)
    page.open("#/types/Post/schema")
    page.heading("Schema of Post")
    write(page, "New index", "good")
    page.click(box(page, "unique"))
    page.press("Add the index")
    page.see("The index good could not be built; the list shows the reason.", "have the same value in 'good'",
             "press “Try again”")
    assert "Added." not in page.text() and "put the schema" not in page.text()
    page.press("Try again")
    page.until(lambda: not page.all("[aria-busy=true]"), "the second try")
    page.see("have the same value in 'good'")
    assert server.call("PATCH", "/records/Post/b1", {"fields": {"good": 6}})[0] == 200
    page.press("Try again")
    page.until(lambda: "could not be built" not in page.text() and "failed" not in page.text(), "the index")
    # The failure is no longer shown as soon as the index is being built again.
    page.until(lambda: server.call("GET", "/schema/types/Post")[1]["indexes"] == [{"fields": ["good"], "unique": True}],
               "the index in the schema")


@check
def searching_fits_a_narrow_window(page, server):
    forum(server)
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                 {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True})
    enter(page, "#/types/Post?where=good+%3E+1&explain=true&count=true")
    page.see("examined")
    for place, sight in [(None, "examined"), ("#/types/Post?where=good+%3E+%3E+1", "Details"),
                         ("#/types/Post/schema", "New index")]:
        if place is not None:
            page.open(place)
        page.see(sight)
        page.shot(f"narrow-{sight.split()[0]}")
        width = page.run("return document.documentElement.scrollWidth")
        assert width <= 390, f"{sight} is {width} px wide"
