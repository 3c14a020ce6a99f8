"""The room of the schema: types with their fields and indexes."""

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.administrators import add, enter_as
from Tests.browser.checks.pages import enter
from Tests.browser.lists import fits
from Tests.browser.server import TOKEN
from Tests.browser.suite import check


def types(server, environment="development"):
    return server.call("GET", f"/schema?environment={environment}")[1]["types"]


def part(page, name):
    """The part of the page for one type."""
    return f".schema-type[data-type='{name}']"


def labelled(page, label, within="main"):
    """The control with this label."""
    return page.until(lambda: page.run("""
        const place = document.querySelector(arguments[1]);
        const label = [...place?.querySelectorAll("label") ?? []].find((each) => each.textContent === arguments[0]);
        return label?.control ?? place?.querySelector(`[aria-label="${arguments[0]}"]`) ?? null""", label, within),
        f"the control “{label}”")


def choose(page, element, value):
    page.run("""arguments[0].value = arguments[1];
        arguments[0].dispatchEvent(new Event("change", { bubbles: true }))""", element, value)


def add_field(page, name, kind, within):
    box = labelled(page, "New field", within)
    box.clear()
    box.send_keys(name)
    choose(page, labelled(page, "Type", within), kind)
    page.press("Add the field", within)


def no_dialog(page):
    page.until(lambda: not page.all("dialog"), "the end of the dialog")


def change_rows(page, within="main"):
    return page.run("""
        return [...document.querySelectorAll(arguments[0] + " [data-change]")].map((each) => each.dataset.change)""",
                    within)


@check
def a_type_is_created_changed_and_removed(page, server):
    enter(page, "#/schema")
    page.heading("Schema")
    page.see("Nothing but fog so far.")
    page.press("New type")
    page.press("Create type", "dialog")
    page.see("A type's name is made of letters")
    page.find("dialog form > input").send_keys("船")
    page.find(".new-fields input").send_keys("title")
    page.press("Another field", "dialog")
    page.run("""document.activeElement.value = "title" """)
    page.press("Create type", "dialog")
    page.see("There is already a field “title”.")
    page.run("""document.activeElement.value = "length" """)
    choose(page, page.find(".new-fields li:last-child select"), "DOUBLE")
    page.press("Another field", "dialog")
    page.press("×", ".new-fields li:last-child")
    page.press("Create type", "dialog")
    page.see("Created the type 船.")
    boat = types(server)["船"]
    assert boat["fields"] == {"title": {"type": "STRING"}, "length": {"type": "DOUBLE"}}, boat
    assert boat["grants"]["_world"] == ["READ"], boat
    here = part(page, "船")
    # A second type with the name is not sent.
    page.press("New type")
    page.find("dialog form > input").send_keys("船", Keys.ENTER)
    page.see("There is already a type “船”.")
    page.press("Cancel", "dialog")
    # Fields are added.
    add_field(page, "9", "STRING", here)
    page.see("A field's name is made of letters")
    add_field(page, "title", "STRING", here)
    page.see("There is already a field “title”.")
    add_field(page, "tags", "STRING_LIST", here)
    page.see("Added the field tags.", "3 fields, 0 indexes")
    assert types(server)["船"]["fields"]["tags"] == {"type": "STRING_LIST"}
    # A field gets another type.
    for answer, kind in [("Keep the schema", "DOUBLE"), ("Change the type", "TIMESTAMP")]:
        page.click(page.find(f"{here} [aria-label='Change the type of length']"))
        choose(page, page.find("dialog select"), "TIMESTAMP")
        page.press(answer, "dialog")
        no_dialog(page)
        page.until(lambda: types(server)["船"]["fields"]["length"]["type"] == kind, kind)
    page.see("Changed the type of length.", "TIMESTAMP")
    # An index comes and goes.
    labelled(page, "New index", here).send_keys("title, -length")
    page.press("Add the index", here)
    page.see("Added.", "3 fields, 1 index")
    page.press("Drop", here)
    page.see("Drop this index?", "title, -length")
    page.press("Keep the schema", "dialog")
    no_dialog(page)
    assert len(types(server)["船"]["indexes"]) == 1
    page.press("Drop", here)
    page.press("Drop", "dialog")
    page.see("Dropped.", "3 fields, 0 indexes")
    # A field goes with its indexes, after a question that names them.
    assert server.call("POST", "/schema/types/%E8%88%B9/indexes", {"fields": ["length", "title"]})[0] == 201
    page.browser.refresh()
    page.find(f"{here} [aria-label='Remove the field length']").click()
    page.see("Remove the field 船.length?", "Programs that still use these types and fields get errors: 船.length.")
    page.shot("schema-remove-field")
    assert change_rows(page, "dialog") == ["removed field 船 length", "removed index 船 length, title"]
    assert page.run("return document.activeElement.textContent") == "Keep the schema"
    page.press("Remove the field", "dialog")
    page.see("Removed.", "2 fields, 0 indexes")
    assert types(server)["船"]["fields"].keys() == {"title", "tags"}
    page.press("Remove the type…", here)
    page.see("Remove the type 船?")
    page.press("Remove the type", "dialog")
    page.see("Removed the type 船.", "Nothing but fog so far.")
    assert types(server) == {}


@check
def fields_and_types_are_renamed(page, server):
    server.create("Post", "a", title="sea", likes=1)
    server.create("Author", "b", name="ada")
    for language, open_, rename, keep in [("ja", "title の名前を変更", "名前を変更", "キャンセル"),
                                          ("en", "Rename title", "Rename", "Cancel")]:
        page.open()
        page.run("localStorage.setItem('fogbase.language', arguments[0])", language)
        if language == "ja":
            page.browser.refresh()
            page.find("#token").send_keys(TOKEN)
            page.find("form button[type=submit]").click()
            page.signed_in()
        page.open("#/schema")
        here = part(page, "Post")
        page.click(page.find(f"{here} [aria-label='{open_}']"))
        page.find("dialog input")
        # The name is there to be changed.
        assert page.run("return document.activeElement.value") == "title"
        page.shot(f"schema-rename-{language}")
        fits(page, f"the dialog in {language}")
        page.press(keep, "dialog .actions")
        no_dialog(page)
    page.click(page.find(f"{here} [aria-label='Rename title']"))
    name = labelled(page, "New name", "dialog")
    for wrong, sentence in [("9", "A name is made of letters"), ("likes", "This name is taken.")]:
        name.clear()
        name.send_keys(wrong, Keys.ENTER)
        page.see(sentence)
        # The dialog stays, with the input.
        assert page.run("return document.activeElement.value") == wrong
    name.clear()
    name.send_keys("headline", Keys.ENTER)
    page.see("title is now called headline.")
    no_dialog(page)
    assert set(types(server)["Post"]["fields"]) == {"headline", "likes"}
    page.find(f"{here} [aria-label='Rename headline']")
    # The server's error is shown in the dialog: another session has taken the name.
    page.click(page.find(f"{here} [aria-label='Rename likes']"))
    name = labelled(page, "New name", "dialog")
    assert server.call("POST", "/records/Post", {"fields": {"good": 1}})[0] == 201
    name.clear()
    name.send_keys("good", Keys.ENTER)
    page.until(lambda: page.all("dialog .problem-box, dialog [aria-invalid]"), "the error")
    page.shot("schema-rename-error")
    page.press("Cancel", "dialog .actions")
    no_dialog(page)
    # A type.
    page.press("Rename the type…", here)
    name = labelled(page, "New name", "dialog")
    name.clear()
    name.send_keys("Author", Keys.ENTER)
    page.see("This name is taken.")
    name.clear()
    name.send_keys("Article", Keys.ENTER)
    page.see("Post is now called Article.")
    no_dialog(page)
    page.until(lambda: "Article" in page.find("#rooms").text and not page.all(here), "the type by its new name")
    assert set(types(server)) == {"Article", "Author"}
    assert server.fields("Article", "a") == {"headline": "sea", "likes": 1}


@check
def what_has_records_stays_and_the_reason_is_said(page, server):
    server.create("Post", "a", title="sea", likes=1)
    server.create("Post", "b", title="sea", likes=1)
    server.call("POST", "/users", {"name": "ada", "password": "correct horse"})
    enter(page, "#/schema")
    page.heading("Schema")
    here = part(page, "Post")
    page.see("2 records", "System", "The server makes this type for accounts.")
    assert not page.all(f"{part(page, 'Users')} [aria-label^='Remove the field']"), "fields of Users are the server's"
    page.find(f"{here} [aria-label='Remove the field likes']").click()
    page.see("The type Post has records, so its field likes cannot be left out", "Records of Post")
    page.press("Remove the type…", here)
    page.see("The type Post has records and cannot be left out.")
    page.click(page.find(f"{here} [aria-label='Change the type of title']"))
    choose(page, page.find("dialog select"), "INT64")
    page.press("Change the type", "dialog")
    page.see("cannot become INT64 while there are records")
    # An index that cannot be built says so and is tried again.
    server.fill("Post", title=lambda number: f"t{number}", likes=lambda number: number)
    labelled(page, "New index", here).send_keys("title")
    page.click(labelled(page, "unique", here))
    page.press("Add the index", here)
    page.see("failed: ", "have the same value in 'title'")
    assert server.call("PATCH", "/records/Post/b", {"fields": {"title": "fog"}})[0] == 200
    page.press("Try again", here)
    page.until(lambda: "failed" not in page.text(), "the index")
    page.until(lambda: types(server)["Post"]["indexes"] == [{"fields": ["title"], "unique": True}], "the built index")
    page.press("Page of this type", here)
    page.heading("Schema of Post")
    # What the list of all types counts is what the type's own page lists.
    document = server.call("GET", "/schema")[1]
    document["types"]["Post"]["fields"]["body"] = {"type": "STRING", "indexes": ["QUERYABLE", "SORTABLE"]}
    assert server.call("PUT", "/schema", document)[0] == 200
    page.browser.refresh()
    page.until(lambda: [each.text.split("\n")[0] for each in page.all("main .index-list li")] == ["body", "title"],
               "the indexes")
    page.see("QUERYABLE, SORTABLE", "by the options of the field")
    page.press("Schema", "nav")
    page.see("2 indexes")
    page.press("Records of Post", f"{here} .facts")
    page.heading("Post")


@check
def many_types_are_filtered_and_shown_in_parts(page, server):
    document = {"types": {f"T{number}": {"fields": {"a": {"type": "STRING"}}} for number in range(130)}}
    assert server.call("PUT", "/schema", document)[0] == 200
    enter(page, "#/schema")
    page.heading("Schema")
    assert len(page.all(".schema-type")) == 100 and not page.all(".schema-type[open]")
    page.press("Show 30 more types")
    assert len(page.all(".schema-type")) == 130
    page.find("main > .filter").send_keys("t12")
    page.until(lambda: len(page.all(".schema-type")) == 11, "the types with t12")
    page.click(page.find(f"{part(page, 'T12')} summary"))
    page.find(f"{part(page, 'T12')} [aria-label='Remove the field a']")
    page.find("main > .filter").send_keys("x")
    page.see("Nothing was found.")


@check
def a_viewer_sees_the_schema_and_changes_nothing(page, server):
    add(server, "vera", "viewer")
    server.create("Post", "a", title="sea", likes=1)
    server.call("POST", "/schema/types/Post/indexes", {"fields": ["likes"]})
    enter_as(page, "vera", "#/schema")
    for place, heading in [("#/schema", "Schema"), ("#/schema?view=text", "Schema as text"),
                           ("#/schema?view=promotion", "Promotion")]:
        page.go(place)
        page.heading(heading)
        page.settled()
        page.see("You are signed in as vera (viewer), which does not cover changing the schema.")
        offered = page.run("""
            return [...document.querySelectorAll("main button")].filter((each) => each.checkVisibility())
                .map((each) => each.textContent)""")
        assert set(offered) <= {"Save as .ckdb", "Export as JSON"}, f"{place} offers {offered}"
        if "text" in place:
            text = page.find(".schema-editor textarea")
            assert text.get_property("readOnly") and "RECORD TYPE Post" in text.get_property("value")
    page.see("What would change in production")
    assert "added field Post title" in change_rows(page) and "added index Post likes" in change_rows(page)
