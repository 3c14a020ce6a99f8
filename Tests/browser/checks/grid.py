"""The grid of records: sorting by heads, the filter builder, columns, ticks, changes of many; types and Home."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.pages import enter
from Tests.browser.checks.queries import box, forum, rows, write
from Tests.browser.suite import check

HEADS = "return [...document.querySelectorAll('.grid thead .text')].map((each) => each.textContent)"


def head(page, title):
    return page.until(lambda: page.run("""
        return [...document.querySelectorAll(".grid thead button")]
            .find((each) => each.querySelector(".text").textContent === arguments[0])""", title), f"the head {title}")


def heads(page, *wanted):
    page.until(lambda: page.run(HEADS) == list(wanted), f"the heads {wanted}, not {page.run(HEADS)}")


def choose(page, label, value, index=0):
    """Chooses an option of a select, by their labels for screen readers."""
    page.until(lambda: page.run("""
        const found = [...document.querySelectorAll("select")]
            .filter((each) => each.ariaLabel === arguments[0])[arguments[2]];
        if (found === undefined) return false;
        found.value = arguments[1];
        found.dispatchEvent(new Event("change", { bubbles: true }));
        return found.value === arguments[1];""", label, value, index), f"the choice {label}: {value}")


def pick(page, select, value):
    page.run("""arguments[0].value = arguments[1];
                arguments[0].dispatchEvent(new Event("change", { bubbles: true }))""", select, value)


def values(page):
    return page.all(".filters .values input")


def tick(page, *names):
    for name in names:
        page.click(page.find(f"input[aria-label='Select {name}']"))


@check
def heads_sort_in_both_directions(page, server):
    forum(server)
    enter(page, "#/types/Post")
    rows(page, "a1", "a2", "b1")
    for hash_, order, wanted in [("sort=number", "ascending", ["a1", "a2", "b1"]),
                                 ("sort=-number", "descending", ["b1", "a2", "a1"]), ("", None, ["a1", "a2", "b1"])]:
        page.click(head(page, "number"))
        page.until(lambda: page.run("return location.hash") == "#/types/Post" + (f"?{hash_}" if hash_ else ""), hash_)
        rows(page, *wanted)
        now = "return document.querySelector('[aria-sort]')?.ariaSort ?? null"
        page.until(lambda: page.run(now) == order, f"the order {order}")
    # The menu sorts by several fields.
    page.find(".toolbar .sort summary").click()
    choose(page, "Sort by", "good")
    choose(page, "Direction", "-")
    choose(page, "then by", "number")
    choose(page, "Direction", "-", 1)
    page.press("Apply", ".toolbar .sort")
    rows(page, "a2", "b1", "a1")
    assert page.run("return location.hash") == "#/types/Post?sort=-good%2C-number"


@check
def the_builder_writes_the_condition(page, server):
    forum(server)
    enter(page, "#/types/Post")
    rows(page, "a1", "a2", "b1")
    page.press("Filter", ".toolbar")
    page.see("no condition yet")
    choose(page, "Field", "good")
    choose(page, "Operator", "more")
    values(page)[0].send_keys("5")
    page.see("good > 5")
    page.press("+ Condition")
    choose(page, "Field", "threadname", 1)
    choose(page, "Operator", "begins", 1)
    values(page)[1].send_keys("An", Keys.ENTER)
    rows(page, "a2")
    page.see("good > 5 AND threadname BEGINSWITH 'An'", "1 in all")
    # By hand and back; the builder leaves to the hand what it cannot write.
    page.press("Expert", ".filters")
    assert box(page, "Where").get_attribute("value") == "good > 5 AND threadname BEGINSWITH 'An'"
    page.press("Find")
    rows(page, "a2")
    page.press("Builder", ".filters")
    page.until(lambda: [each.get_attribute("value") for each in values(page)] == ["5", "An"], "the builder's lines")
    page.click(page.find("[aria-label='Remove the condition']"))
    page.press("Find")
    rows(page, "a1", "a2")
    write(page, "Where", "good > 5 OR number == 2")
    page.press("Find")
    rows(page, "a2", "b1")
    assert "Builder" not in page.find(".filters").text
    # After a reload, a line shows the condition, and leads to the same box.
    page.browser.refresh()
    rows(page, "a2", "b1")
    page.see("good > 5 OR number == 2")
    page.press("Edit", ".filters")
    assert box(page, "Where").get_attribute("value") == "good > 5 OR number == 2"
    page.press("Clear", ".filters")
    rows(page, "a1", "a2", "b1")


@check
def words_and_names_are_found(page, server):
    forum(server)
    schema = server.call("GET", "/schema")[1]
    schema["types"]["Post"]["fields"]["threadname"]["indexes"] = ["SEARCHABLE"]
    assert server.call("PUT", "/schema", schema)[0] == 200
    enter(page, "#/types/Post")
    rows(page, "a1", "a2", "b1")
    page.find(".toolbar .words").send_keys("buoy*", Keys.ENTER)
    rows(page, "b1")
    # A name that no record has is said beside the box, and the list stays.
    page.find(".toolbar .jump").send_keys("a", Keys.ENTER)
    page.see("No record of Post has the name “a”.")
    assert page.find(".toolbar .jump").get_attribute("aria-invalid") == "true"
    rows(page, "b1")
    page.find(".toolbar .jump").send_keys("2")
    page.until(lambda: "No record of Post" not in page.text(), "the end of the sentence")
    page.press("Open record", ".toolbar")
    page.heading("a2")
    # The page of a record that is not there leads back.
    page.go("#/types/Post/record/none")
    page.see("No record here has this name.")
    page.press("Records of Post", "main")
    page.heading("Post")


@check
def columns_are_chosen_ordered_and_widened(page, server):
    forum(server)
    enter(page, "#/types/Post")
    heads(page, "recordName", "threadname", "good", "number", "modified", "created by")
    page.press("Columns", ".toolbar")
    page.press("good", ".columns")
    heads(page, "recordName", "threadname", "number", "modified", "created by")
    page.press("created by", ".columns")
    heads(page, "recordName", "threadname", "number", "modified")
    page.press("created by", ".columns")
    page.click(page.find("[aria-label='Move number to the left']"))
    page.click(page.find("[aria-label='Move number to the left']"))
    heads(page, "recordName", "number", "threadname", "modified", "created by")
    ActionChains(page.browser).send_keys(Keys.ESCAPE).perform()
    page.until(lambda: not page.all(".toolbar details[open]"), "the end of the menu")
    width = """
        return [...document.querySelectorAll(".grid thead th")]
            .find((each) => each.textContent.startsWith("number")).offsetWidth"""
    before = page.run(width)
    page.run("document.querySelector('[aria-label=\"Width of number\"]').focus()")
    ActionChains(page.browser).send_keys(Keys.ARROW_RIGHT).perform()
    page.until(lambda: page.run(width) == before + 16, f"a wider column than {before}, not {page.run(width)}")
    edge = page.find("[aria-label='Width of number']")
    ActionChains(page.browser).drag_and_drop_by_offset(edge, 60, 0).perform()
    page.until(lambda: abs(page.run(width) - before - 76) <= 4, f"the dragged width, not {page.run(width)}")
    kept = page.run(width)
    page.browser.refresh()
    heads(page, "recordName", "number", "threadname", "modified", "created by")
    assert page.run(width) == kept
    page.press("Columns", ".toolbar")
    page.press("Reset", ".toolbar")
    heads(page, "recordName", "threadname", "good", "number", "modified", "created by")


@check
def the_creator_is_a_column_if_there_is_room(page, server):
    user = server.call("POST", "/users", {"name": "ada", "password": "correct horse"}, token=None)[1]
    body = {"recordName": "a", "fields": {"text": "sea " * 20, "number": 1}}
    assert server.call("POST", "/records/Post", body, token=user["token"])[0] == 201
    page.size(1200, 900)
    enter(page, "#/types/Post")
    heads(page, "recordName", "text", "number", "modified", "created by")
    page.until(lambda: page.run("return document.querySelector('.grid tbody').textContent").endswith("ada"), "the name")
    cut = page.run("return [...document.querySelectorAll('.grid .moment')].filter((each) => "
                   "each.scrollWidth > each.clientWidth)")
    assert not cut, "a date is cut"
    page.size(800, 900)
    page.browser.refresh()
    heads(page, "recordName", "text", "number", "modified")


@check
def ticked_records_are_changed_and_deleted(page, server):
    forum(server)
    enter(page, "#/types/Post")
    rows(page, "a1", "a2", "b1")
    assert not page.find(".chosen").is_displayed()
    tick(page, "a1", "b1")
    page.see("2 selected")
    page.press("Change…", ".chosen")
    page.see("recordName IN {'a1', 'b1'}")
    field = page.find("dialog select")
    pick(page, field, "good")
    page.press("Count them", "dialog")
    page.see("Enter a value.")
    page.find("dialog input").send_keys("x")
    page.press("Count them", "dialog")
    page.see("Write a whole number")
    element = page.find("dialog input")
    element.clear()
    element.send_keys("7")
    page.press("Count them", "dialog")
    page.see("Change 2 records of Post?")
    page.press("Change 2 records", "dialog")
    page.see("Changed 2 records.")
    assert [server.fields("Post", name)["good"] for name in ("a1", "a2", "b1")] == [7, 9, 7]
    rows(page, "a1", "a2", "b1")
    page.click(page.find("input[aria-label='Select all records of this page']"))
    page.see("3 selected")
    tick(page, "a2")
    page.see("2 selected")
    page.press("Delete…", ".chosen")
    page.press("Delete 2 records", "dialog")
    page.see("Deleted 2 records.")
    rows(page, "a2")
    tick(page, "a2")
    page.press("Deselect", ".chosen")
    page.until(lambda: not page.find(".chosen").is_displayed(), "nothing ticked")


@check
def many_records_are_changed_by_a_job(page, server):
    for start in range(0, 600, 200):
        operations = [{"operationType": "create", "record": {"recordType": "Post", "recordName": f"p{number}",
                       "fields": {"number": number, "state": "open"}}} for number in range(start, start + 200)]
        assert server.call("POST", "/records", {"operations": operations})[0] == 200
    enter(page, "#/types/Post?where=number+%3E%3D+0")
    page.see("600 in all")
    page.more("Change all that match…")
    field = page.find("dialog select")
    pick(page, field, "number")
    action = page.all("dialog select")[1]
    pick(page, action, "increment")
    page.find("dialog input").send_keys("1000")
    page.press("Count them", "dialog")
    page.press("Change 600 records", "dialog")
    page.see("Changed 600 records.")
    assert server.fields("Post", "p599")["number"] == 1599
    page.go("#/")
    page.see("Change records", "600 of 600", "done")


@check
def an_index_that_looking_has_added_can_be_dropped(page, server):
    forum(server)
    enter(page, "#/types/Post")
    rows(page, "a1", "a2", "b1")
    page.click(head(page, "good"))
    page.see("Index added: good")
    assert server.call("GET", "/schema/types/Post")[1]["fields"]["good"]["indexes"] == ["SORTABLE"]
    page.press("Drop it")
    page.see("Dropped. The same search would add it again.")
    page.until(lambda: not page.all(".notices"), "the end of the notice")
    assert not server.call("GET", "/schema/types/Post")[1]["fields"]["good"].get("indexes")


@check
def many_types_are_filtered_and_their_names_shortened(page, server):
    for number in range(15):
        server.create(f"Type{number}" + "LongName" * 6, f"t{number}", name="x")
    server.create("Post", "a", title="sea")
    enter(page)
    page.heading("Home")
    links = "return [...document.querySelectorAll('#rooms .within a')].map((each) => each.textContent)"
    assert len(page.run(links)) == 16
    tallest = page.run("""
        return Math.max(...[...document.querySelectorAll("#rooms .within a")].map((each) => each.offsetHeight))""")
    assert tallest < 36, f"a name has {tallest} px"
    page.find("#rooms .filter").send_keys("pos")
    page.until(lambda: page.run(links) == ["Post"], "the filtered types")
    page.press("Post", "#rooms")
    rows(page, "a")
    assert page.find("#rooms .filter").get_attribute("value") == "pos"
    assert page.run("return document.querySelector('#rooms [aria-current]').textContent") == "Post"


@check
def home_shows_what_the_server_does(page, server):
    forum(server)
    enter(page)
    page.heading("Home")
    page.see("Ready", "Version", "0.1.0", "Requests", "All database files",
             "No jobs in the last week.", "Limits", "1 MiB")
    page.until(lambda: "per second" in page.text(), "the numbers of later")


@check
def home_leads_to_the_door_when_the_session_ends(page, server):
    enter(page)
    page.see("Ready", "per second")
    server.restart()
    page.press("Not now", "dialog")
    page.see("You are no longer signed in.")
    page.settled()
    assert not page.all("dialog")
