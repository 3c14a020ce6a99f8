"""The schema as a text: its mistakes in place, what it would change, files, and input methods."""

import json
import pathlib
import tempfile

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.pages import enter
from Tests.browser.checks.schema import change_rows, labelled, no_dialog, part, types
from Tests.browser.files import file
from Tests.browser.suite import check

COMPOSING = """
    arguments[0].dispatchEvent(new KeyboardEvent("keydown",
        { key: "Enter", ctrlKey: arguments[1], isComposing: true, bubbles: true, cancelable: true }))"""
POST = """DEFINE SCHEMA
    RECORD TYPE Post (
        likes INT64,
        title STRING QUERYABLE,
        GRANT READ TO "_world",
        GRANT CREATE TO "_icloud",
        GRANT WRITE TO "_creator"
    );
"""


def area(page):
    return page.find(".schema-editor textarea")


def write_text(page, text):
    page.set(area(page), text)


def selection(page):
    return page.run("""
        const box = document.querySelector(".schema-editor textarea");
        return [box === document.activeElement, box.value.slice(box.selectionStart, box.selectionEnd)]""")


@check
def a_mistake_in_the_text_is_marked_where_it_is(page, server):
    server.create("Post", "a", title="sea", likes=1)
    enter(page, "#/schema?view=text")
    page.heading("Schema as text")
    assert "RECORD TYPE Post (" in area(page).get_property("value")
    broken = POST.replace("title STRING", "船名 🐟 STRNG")
    write_text(page, "-- 霧\n" + POST.replace("title STRING", "title STRNG"))
    page.see("Not applied yet")
    page.press("Check")
    page.see("1 problem", "Line 5, column 15: 'STRNG' is no type of a field.")
    page.shot("schema-mistake")
    assert selection(page) == [True, "STRNG"]
    assert page.run("return document.querySelector('.marks mark').textContent") == "STRNG"
    assert page.find(".numbers .wrong").text == "5"
    assert area(page).get_attribute("aria-invalid") == "true"
    # The mark lies over its word.
    off = page.run("""
        const mark = document.querySelector(".marks mark").getBoundingClientRect();
        const box = document.querySelector(".schema-editor textarea"), edge = box.getBoundingClientRect();
        const style = getComputedStyle(box);
        const padding = Number.parseFloat(style.paddingTop), line = Number.parseFloat(style.lineHeight);
        return mark.top - (edge.top + padding + 4 * line - box.scrollTop)""")
    assert -1 <= off <= 6, f"the mark is {off} px off"
    # A click on the message leads there again.
    page.run("document.querySelector('.schema-editor textarea').setSelectionRange(0, 0)")
    page.click(page.find(".schema-problems button"))
    assert selection(page) == [True, "STRNG"]
    # The next key removes the mark.
    area(page).send_keys("STRING")
    assert not page.all(".marks mark, .schema-problems button, .numbers .wrong")
    page.press("Check")
    page.see("What would change", "changed", "title")
    # Signs beyond the basic plane count as one column.
    write_text(page, broken)
    page.press("Check")
    page.see("Line 4, column 12:")
    assert selection(page)[1].startswith("🐟"), selection(page)
    # What breaks a rule is marked at its type or field, with all that would be lost.
    write_text(page, POST.replace("        likes INT64,\n", "").replace("title STRING", "title INT64"))
    area(page).send_keys(Keys.CONTROL, Keys.ENTER)
    page.see("so its field likes cannot be left out", "cannot become INT64 while there are records", "2 problems")
    # JSON has its mistakes marked, too.
    write_text(page, '{"types": {"Post": }}')
    page.press("Check")
    page.see("Line 1, column 20:")
    assert page.run("return document.querySelector('.marks mark').textContent") == "}"
    assert types(server)["Post"]["fields"].keys() == {"title", "likes"}, "a check changes nothing"
    page.press("Discard changes")
    page.press("Leave", "dialog")
    page.until(lambda: "RECORD TYPE Post (" in area(page).get_property("value"), "the schema of the server")
    assert "Not applied yet" not in page.text()


@check
def a_text_is_checked_and_applied(page, server):
    server.create("Post", "a", title="sea", likes=1)
    server.create("Log", "l", level="error")
    enter(page, "#/schema?view=text")
    page.heading("Schema as text")
    page.press("Check")
    page.see("The text is correct and says what the schema is already.")
    original = area(page).get_property("value")
    log = "    RECORD TYPE Log (\n        level STRING\n    );\n"
    post = POST.replace('GRANT READ TO "_world"', "GRANT READ TO editors")
    write_text(page, post + "    CREATE ROLE editors;\n" + log)
    page.press("Check")
    page.see("What would change", "New roles: editors. They begin without members",
             "New indexes are built from existing records: Post (1).")
    page.shot("schema-check")
    rows = change_rows(page)
    for row in ["added marks Post title", "removed grant Post _world", "added grant Post editors",
                "removed grant Log _world"]:
        assert row in rows, f"{row} is not in {rows}"
    # Rights can stay.
    page.click(labelled(page, "Keep the rights of existing types"))
    assert not page.all("[data-change]"), "the changes are those of another check"
    page.press("Check")
    page.until(lambda: change_rows(page) == ["added marks Post title"], f"one change, not {change_rows(page)}")
    # Somebody else was faster.
    assert server.call("POST", "/schema/types/Log/indexes", {"fields": ["level"]})[0] == 201
    page.press("Apply")
    page.see("Somebody has changed the schema since the check.")
    page.press("Check", ".problem-box")
    page.see("Somebody has changed the schema since this text was loaded.")
    page.press("Apply")
    page.see("Applied.", "1 added, 0 changed, 0 removed.")
    now = types(server)
    assert now["Post"]["fields"]["title"]["indexes"] == ["QUERYABLE"], now
    assert now["Post"]["grants"]["_world"] == ["READ"], now
    assert now["Log"]["indexes"] == [{"fields": ["level"]}], "the index stays: the text has no words for it"
    assert area(page).get_property("value") not in (original, post), "not the schema of the server"
    # What goes asks first.
    page.click(labelled(page, "Keep the rights of existing types"))
    now = area(page).get_property("value")
    assert "STRING QUERYABLE" in now, now
    write_text(page, now.replace("STRING QUERYABLE", "STRING"))
    area(page).send_keys(Keys.CONTROL, Keys.ENTER)
    page.until(lambda: change_rows(page) == ["removed marks Post title"], "the change")
    page.press("Apply")
    page.see("Apply these changes?")
    page.press("Keep the schema", "dialog")
    no_dialog(page)
    assert types(server)["Post"]["fields"]["title"]["indexes"] == ["QUERYABLE"]
    page.press("Apply")
    page.press("Apply", "dialog")
    # The announcement of the first time may still be there.
    page.until(lambda: page.find(".schema-outcome h2").text == "Applied", "the result")
    assert not types(server)["Post"]["fields"]["title"].get("indexes")


@check
def a_schema_is_saved_as_a_file_and_opened_again(page, server):
    server.create("Post", "a", title="sea", likes=1)
    enter(page, "#/schema?view=text")
    page.heading("Schema as text")
    with tempfile.TemporaryDirectory() as directory:
        page.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": directory})

        def saved(name):
            path = pathlib.Path(directory) / name
            page.until(lambda: path.exists() and path.stat().st_size > 0, f"the file {name} in {directory}")
            return path.read_text(encoding="utf-8")
        page.press("Save as .ckdb")
        text = saved("schema-development.ckdb")
        response = server.client(server.admin).call("GET", "/schema", None, (200,), ("Accept: text/x-ckdb",))
        assert text == response.body.decode() == area(page).get_property("value"), text
        page.press("Export as JSON")
        document = json.loads(saved("schema-development.json"))
    assert document == {"types": types(server)}, document
    # In headless Chromium no dialog opens; the input is filled by hand.
    page.run("HTMLInputElement.prototype.click = () => {}")

    def open_file(name, content):
        page.press("Open a file…")
        page.find("input[type=file]").send_keys(file(name, content))
    open_file("latin.ckdb", "DEFINE SCHEMA -- \u00e9".encode("latin-1"))
    page.see("The file latin.ckdb is not UTF-8 text.")
    open_file("post.ckdb", b"\xef\xbb\xbf" + POST.encode())
    page.see("Opened post.ckdb.", "Not applied yet")
    assert area(page).get_property("value") == POST
    open_file("schema.json", json.dumps({"types": {"Post": {"fields": {
        "title": {"type": "STRING"}, "likes": {"type": "INT64"}, "tags": {"type": "STRING_LIST"}}}}}).encode())
    page.see("Leave without saving?")
    page.press("Leave", "dialog")
    page.see("Opened schema.json.")
    page.press("Check")
    page.until(lambda: change_rows(page) == ["added field Post tags"], "the change")
    page.press("Apply")
    page.see("Applied.")
    assert types(server)["Post"]["fields"]["tags"] == {"type": "STRING_LIST"}


def compose(page, text):
    """Types the letters of a word that is not whole yet, as an input method does."""
    page.browser.execute_cdp_cmd("Input.imeSetComposition", {
        "text": text, "selectionStart": len(text), "selectionEnd": len(text)})


@check
def enter_that_ends_a_word_checks_nothing(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/schema?view=text")
    page.heading("Schema as text")
    area(page).send_keys(Keys.CONTROL, Keys.HOME)
    # An input method composes a word, shows it in the text, and takes Enter to end it.
    compose(page, "ふね")
    page.until(lambda: area(page).get_property("value").startswith("ふね--"), "the word in the text")
    page.run(COMPOSING, area(page), True)
    page.run(COMPOSING, area(page), False)
    page.browser.execute_cdp_cmd("Input.insertText", {"text": "船"})
    page.until(lambda: area(page).get_property("value").startswith("船--"), "the word that was chosen")
    page.settled()
    assert not page.all(".schema-problems button, .schema-outcome h2"), "the text was checked in the middle of a word"
    area(page).send_keys(Keys.CONTROL, Keys.ENTER)
    page.see("1 problem", "Line 1, column 1:")
    # Nor is a field added in the middle of a word.
    page.press("Types", "main .tabs")
    page.press("Leave", "dialog")
    page.heading("Schema")
    box = labelled(page, "New field", part(page, "Post"))
    box.click()
    compose(page, "なまえ")
    page.run(COMPOSING, box, False)
    page.browser.execute_cdp_cmd("Input.insertText", {"text": "名前"})
    page.settled()
    assert types(server)["Post"]["fields"].keys() == {"title"}
    box.send_keys(Keys.ENTER)
    page.see("Added the field 名前.")
    assert types(server)["Post"]["fields"]["名前"] == {"type": "STRING"}
