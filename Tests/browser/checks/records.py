"""One record: reading, creating, changing with every kind of field, conflicts, deleting."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.pages import enter
from Tests.browser.suite import check

LARGEST, SMALLEST = 2**63 - 1, -(2**63)


def turn(page, side):
    page.press(side, "main .sides")


def json_text(page):
    return page.find("textarea.code").get_attribute("value")


def write_json(page, text):
    page.set(page.find("textarea.code"), text)


@check
def a_new_type_begins_with_its_first_record(page, server):
    enter(page)
    page.press("+", "#rooms")
    page.find(".new-type input").send_keys("2 bad")
    page.press("Create type")
    page.see("A type's name is made of letters")
    box = page.find(".new-type input")
    box.clear()
    box.send_keys("Boat")
    page.press("Create type")
    page.heading("New Boat")
    page.fill("recordName", "sea/1 ü?")
    page.add_field("name", "STRING")
    page.fill("name", "Gråspurv")
    page.press("Create")
    page.heading("sea/1 ü?")
    page.see("Created.")
    assert server.fields("Boat", "sea%2F1%20%C3%BC%3F") == {"name": "Gråspurv"}
    assert "Boat" in page.find("#rooms").text, "the list of types does not have it"
    page.browser.refresh()
    page.heading("sea/1 ü?")
    page.open("#/types/Boat/new")
    page.fill("recordName", "sea/1 ü?")
    page.press("Create")
    page.see("EXISTS")


@check
def the_server_names_a_record_that_has_no_name(page, server):
    enter(page, "#/types/Boat/new")
    page.press("Create")
    page.see("Created.")
    name = page.run("return document.querySelector('h1').textContent")
    assert server.call("GET", f"/records/Boat/{name}")[0] == 200


@check
def a_field_that_is_left_empty_is_said_not_to_be_added(page, server):
    server.create("Port", "harbour")
    enter(page, "#/types/Boat/new")
    page.see("The type has the field once a record with a value in it is saved.")
    page.fill("recordName", "one")
    for name, kind in [("title", "STRING"), ("port", "REFERENCE"), ("seats", "INT64")]:
        page.add_field(name, kind)
    page.fill("title", "Gull")
    page.press("Create")
    page.see("Created. Left empty and therefore not added to the type: port, seats.")
    page.heading("one")
    page.add_field("port", "REFERENCE")
    page.fill("title", "Tern")
    page.press("Save")
    page.see("Saved. Left empty and therefore not added to the type: port.")
    page.add_field("seats", "INT64")
    page.fill("seats", "4")
    page.press("Save")
    page.until(lambda: page.find("#announcement").text == "Saved.", "nothing left out")
    assert server.call("GET", "/schema/types/Boat")[1]["fields"].keys() == {"title", "seats"}


@check
def enter_that_ends_a_word_is_no_command(page, server):
    enter(page, "#/types/Boat/new")
    page.heading("New Boat")
    name = page.find(".add-field input")
    name.send_keys("sea")
    composing = """
        arguments[0].dispatchEvent(new KeyboardEvent("keydown",
            { key: arguments[1], isComposing: true, bubbles: true, cancelable: true }))"""
    page.run(composing, name, "Enter")
    assert name.get_attribute("value") == "sea" and "sea" not in page.text(), "the word was taken before it was whole"
    name.send_keys(Keys.ENTER)
    page.until(lambda: page.control("sea"), "the field")
    page.find("header .place summary").click()
    page.run(composing, page.find("#scope-container"), "Escape")
    assert page.find("#scope-container").is_displayed(), "the box was closed in the middle of a word"


@check
def a_record_has_two_sides(page, server):
    server.create("Post", "a", title="sea", likes=LARGEST, empty="")
    enter(page, "#/types/Post/record/a")
    page.see("Created", "Change tag", "empty text")
    assert page.control("likes").get_attribute("value") == str(LARGEST)
    turn(page, "JSON")
    assert str(LARGEST) in json_text(page)
    write_json(page, '{"fields": {"title": }}')
    page.see("Line 1, column")
    turn(page, "Fields")
    assert page.all("textarea.code"), "text that is no JSON was lost"
    write_json(page, '{"fields": {"title": "fog"}, "acl": []}')
    page.press("Save")
    page.see("“acl” cannot be written here")
    write_json(page, '{"fields": {"title": "fog", "likes": {"increment": -1}}}')
    page.press("Save")
    page.see("Saved.")
    assert server.fields("Post", "a") == {"title": "fog", "likes": LARGEST - 1}
    turn(page, "Fields")
    assert page.control("likes").get_attribute("value") == str(LARGEST - 1)
    page.press("The whole record, as the server sent it")
    page.see("recordChangeTag")


@check
def every_type_of_field_can_be_written_and_changed(page, server):
    server.create("Port", "harbour")
    enter(page, "#/types/Port/new")
    page.fill("recordName", "all")
    kinds = {"text": ("STRING", "a\nb “quoted” 🌊"), "low": ("INT64", str(SMALLEST)), "high": ("INT64", str(LARGEST)),
             "ratio": ("DOUBLE", "0.1"), "raw": ("BYTES", "AAEC/w==")}
    for name, (type_name, text) in kinds.items():
        page.add_field(name, type_name)
        page.run("arguments[0].value = ''", page.control(name))
        if "🌊" in text:  # the driver's keyboard has no such key
            page.set(page.control(name), text)
        else:
            page.fill(name, text)
    page.add_field("moment", "TIMESTAMP")
    page.set(page.control("moment"), "2026-03-01T14:05:09.250")
    page.add_field("place", "LOCATION")
    page.fill("place", "63.43")
    page.fill("place", "-10.39", 1)
    page.add_field("port", "REFERENCE")
    page.fill("port", "harbour")
    page.set(page.control("port", "select"), "VALIDATE")
    page.add_field("none", "STRING_LIST")
    page.press("Add an item", ".field:last-child")
    page.click(page.find(".field:last-child [data-away]"))
    page.add_field("many", "INT64_LIST")
    for index, number in enumerate([LARGEST, 0, SMALLEST]):
        page.press("Add an item", ".field:last-child")
        page.fill("many", str(number), index)
    page.add_field("places", "LOCATION_LIST")
    page.press("Add an item", ".field:last-child")
    page.fill("places", "1", 0)
    page.fill("places", "2", 1)
    page.add_field("ports", "REFERENCE_LIST")
    page.press("Add an item", ".field:last-child")
    page.fill("ports", "harbour")
    page.add_field("chunks", "BYTES_LIST")
    page.press("Add an item", ".field:last-child")
    page.fill("chunks", "AA==")
    page.press("Create")
    page.see("Created.")
    page.heading("all")
    fields = server.fields("Port", "all")
    expected = {
        "text": kinds["text"][1], "low": SMALLEST, "high": LARGEST, "ratio": 0.1, "raw": "AAEC/w==",
        "moment": 1772373909250, "none": [], "many": [LARGEST, 0, SMALLEST], "chunks": ["AA=="],
    }
    for name, value in expected.items():
        assert fields[name] == value, f"{name} is {fields[name]}"
    assert (fields["place"]["latitude"], fields["place"]["longitude"]) == (63.43, -10.39)
    assert (fields["port"]["recordName"], fields["port"]["action"]) == ("harbour", "VALIDATE")
    assert fields["places"][0]["longitude"] == 2
    assert fields["ports"][0]["recordName"] == "harbour"

    page.fill("high", str(LARGEST + 1))
    page.press("Save")
    page.see("An INT64 must be between")
    page.fill("high", "-7")
    page.fill("raw", "AAE")
    page.press("Save")
    page.see("Base64 is made of")
    page.fill("raw", "AAE=")
    page.fill("place", "91")
    page.press("Save")
    page.see("Latitude must be between")
    page.fill("place", "0")
    page.fill("ratio", "-.5e-3")
    page.set(page.control("moment"), "1969-12-31T23:59:59.999")
    page.click(page.find("[aria-label='Move item 3 up']"))
    page.click(page.find("[aria-label='Clear text']"))
    page.press("Save")
    page.see("Saved.")
    changed = server.fields("Port", "all")
    assert "text" not in changed, "a cleared field is still there"
    assert (changed["high"], changed["raw"], changed["ratio"], changed["moment"]) == (-7, "AAE=", -0.0005, -1)
    assert changed["many"] == [LARGEST, SMALLEST, 0]
    assert changed["place"]["latitude"] == 0
    untouched = ["low", "none", "chunks", "port", "places", "ports"]
    assert all(changed[name] == fields[name] for name in untouched), "an untouched field has changed"
    page.press("Port", ".crumbs")
    page.see("all", "empty list", "2 bytes", "→ harbour", "0, -10.39")


@check
def a_refused_write_keeps_what_was_typed(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/types/Post/record/a")
    turn(page, "JSON")
    write_json(page, '{"fields": {"title": {"value": 3, "type": "INT64"}}}')
    page.press("Save")
    page.see("BAD_REQUEST", "title")
    assert '"INT64"' in json_text(page)
    write_json(page, '{"fields": {"up": {"value": {"recordName": "nobody", "action": "VALIDATE"}}}}')
    page.press("Save")
    page.see("VALIDATING_REFERENCE_ERROR")
    assert "Show the current record" not in page.text(), "a missing target is no conflict"
    write_json(page, '{"fields": {"title": "%s"}}' % ("x" * 1_100_000))
    page.press("Save")
    page.see("the server's size limit")


@check
def two_versions_of_a_record_are_settled_field_by_field(page, server):
    server.create("Post", "a", title="sea", likes=1, mood="calm")
    enter(page, "#/types/Post/record/a")
    page.fill("title", "my sea")
    page.fill("mood", "rough")
    server.call("PATCH", "/records/Post/a", {"fields": {"title": "their sea", "likes": LARGEST}})
    page.press("Save")
    page.see("Two versions of one record", "changed by both", "changed by you", "changed by others", str(LARGEST))
    page.shot("conflict")
    page.press("Save my choice")
    page.see("Choose a side for “title”.")
    page.click(page.find("input[aria-label='title: yours']"))
    page.press("Save my choice")
    page.see("Saved.")
    assert server.fields("Post", "a") == {"title": "my sea", "likes": LARGEST, "mood": "rough"}

    page.fill("title", "again mine")
    server.call("PATCH", "/records/Post/a", {"fields": {"title": "again theirs"}})
    page.press("Save")
    page.press("Keep editing", "dialog")
    page.until(lambda: not page.all("dialog, [aria-busy=true]"), "the end of the first save")
    assert page.control("title").get_attribute("value") == "again mine"
    page.press("Save")
    page.press("Take the server's", "dialog")
    page.see("This is the server's version.")
    assert page.control("title").get_attribute("value") == "again theirs"


@check
def a_record_that_vanished_is_said_to_be_gone(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/types/Post/record/a")
    page.fill("title", "fog")
    server.call("DELETE", "/records/Post/a")
    page.press("Save")
    page.see("deleted")
    assert page.control("title").get_attribute("value") == "fog", "what was typed is lost"


@check
def a_record_is_deleted_after_a_question(page, server):
    server.create("Post", "a", title="sea")
    page.delay("/changes", 60_000)  # so that the page does not learn of the newer version before the server says so
    enter(page, "#/types/Post/record/a")
    page.press("Delete")
    page.press("Keep it", "dialog")
    page.until(lambda: not page.all("dialog, [aria-busy=true]"), "the end of the question")
    server.call("PATCH", "/records/Post/a", {"fields": {"title": "fog"}})
    page.press("Delete")
    page.press("Delete", "dialog")
    page.see("The record was changed after you opened it. Look at it again before you delete it.", "CONFLICT")
    assert server.call("GET", "/records/Post/a")[0] == 200, "a newer version was deleted unseen"
    page.press("Show the current record")
    page.until(lambda: page.control("title").get_attribute("value") == "fog", "the newer version")
    page.press("Delete")
    page.press("Delete", "dialog")
    page.see("Deleted.", "No records here.")
    assert server.call("GET", "/records/Post/a")[0] == 404


@check
def unsaved_changes_are_not_left_unasked(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/types/Post/record/a")
    page.fill("title", "fog")
    page.press("Back")
    page.press("Keep editing", "dialog")
    assert page.control("title").get_attribute("value") == "fog"
    page.sign_out()
    page.press("Leave", "dialog")
    page.see("You are signed out.")
    assert server.fields("Post", "a") == {"title": "sea"}


@check
def the_focus_is_never_hidden_behind_the_bars(page, server):
    server.create("Post", "a", **{f"field{number}": [f"item {number}", "b"] for number in range(8)})
    enter(page, "#/types/Post/record/a")
    page.see("field7")
    page.run("document.querySelector('h1').focus()")
    hidden = []
    for _ in range(70):
        ActionChains(page.browser).send_keys(Keys.TAB).perform()
        name, bare = page.run("""
            const focused = document.activeElement, box = focused.getBoundingClientRect();
            const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
            return [(focused.getAttribute("aria-label") ?? "") + focused.textContent,
                    focused === document.body ||  focused.contains(top) || focused.type === "radio"]""")
        if not bare:
            hidden.append(name)
    assert not hidden, f"hidden while focused: {hidden}"
