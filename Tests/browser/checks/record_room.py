"""The room of records: creators by name, references, changes by others, rights of users, editors, copies."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.grid import choose
from Tests.browser.checks.pages import enter
from Tests.browser.checks.queries import rows
from Tests.browser.checks.records import json_text, turn, write_json
from Tests.browser.checks.security import pick
from Tests.browser.files import choose as choose_file, file, picture, shown
from Tests.browser.suite import check


def account(server, name):
    """Signs up; returns the record name and the token."""
    status, response = server.call("POST", "/users", {"name": name, "password": "correct horse"})
    assert status == 201, response
    return response["user"]["userRecordName"], response["token"]


def post(server, name, token, title="sea"):
    status, response = server.call("POST", "/records/Post", {"recordName": name, "fields": {"title": title}}, token)
    assert status == 201, response


def press_key(page, *keys):
    ActionChains(page.browser).send_keys(*keys).perform()


def option(page, text):
    """An option of the open list of a picker."""
    return page.until(lambda: page.run("""
        return [...document.querySelectorAll("[role=listbox]:not([hidden]) [role=option]")]
            .find((each) => each.textContent.includes(arguments[0]))""", text), f"the option {text}")


@check
def the_posts_of_a_user_are_found_by_the_account_name(page, server):
    ada, ada_token = account(server, "ada")
    _, bob_token = account(server, "bob")
    post(server, "hers", ada_token, "sae")
    post(server, "his", bob_token)
    server.create("Post", "mine", title="sea")
    enter(page, "#/types/Post")
    rows(page, "hers", "his", "mine")
    page.press("Filter", ".toolbar")
    choose(page, "Field", "createdUserRecordName")
    account_box = page.find(".filters .user-input input")
    account_box.send_keys("nobody")
    page.see("No account here has the name “nobody”.")
    # Without the condition it would find all records.
    account_box.send_keys(Keys.ENTER)
    page.until(lambda: account_box.get_attribute("aria-invalid") == "true", "the mark of the unknown name")
    assert "where=" not in page.run("return location.hash")
    assert page.run("return document.activeElement.value") == "nobody"
    account_box.clear()
    # The name is looked up before the search, however fast Enter follows.
    account_box.send_keys("ada", Keys.ENTER)
    rows(page, "hers")
    page.see(f"createdUserRecordName == '{ada}'")
    assert page.find(".filters .user-input input").get_attribute("value") == "ada", "a hash in place of the name"
    page.press("hers", "tbody")
    page.heading("hers")
    page.until(lambda: "by ada" in page.find(".facts").text, "the creator's name")
    page.fill("title", "sea")
    page.press("Save")
    page.see("Saved.")
    assert server.fields("Post", "hers") == {"title": "sea"}
    # The user's own record leads to them, too.
    page.go(f"#/types/Users/record/{ada}")
    page.heading(ada)
    page.press("What refers to this record")
    page.see("Post · created by 1 record")
    page.press("1 record", ".referrers")
    rows(page, "hers")
    # Callers without an account have names as well.
    box = page.find(".filters .user-input input")
    page.until(lambda: box.get_attribute("value") == "ada", "the name in the builder")
    box.clear()
    box.send_keys("administrator", Keys.ENTER)
    rows(page, "mine")


@check
def references_show_their_targets(page, server):
    server.create("Post", "p1", title="Fog over the sea")
    more = {"value": [{"recordName": "p1"}, {"recordName": "gone"}], "type": "REFERENCE_LIST"}
    server.create("Like", "l1", post={"recordName": "p1"}, more=more)
    enter(page, "#/types/Like")
    rows(page, "l1")
    page.see("→ Fog over the sea Post", "→ gone missing")
    page.press("→ Fog over the sea Post", "tbody")
    page.heading("p1")
    page.press("What refers to this record")
    page.see("Like · post not counted: the field has no index.")
    assert "indexes" not in server.call("GET", "/schema/types/Like")[1]["fields"]["post"], "looking has added an index"
    page.press("Add the index post", ".referrers")
    page.see("Like · post 1 record")
    page.press("1 record", ".referrers")
    rows(page, "l1")
    assert "ref('p1')" in page.text()
    page.press("l1", "tbody")
    page.heading("l1")
    page.until(lambda: "→ Fog over the sea Post" in page.find(".field .preview").text, "the target of the reference")


@check
def targets_are_picked_by_the_keyboard(page, server):
    for number in range(3):
        server.create("Post", f"p{number}", title=["Fog", "Sea", "Storm"][number])
    server.create("Like", "l1", post={"recordName": "p0"})
    enter(page, "#/types/Like/record/l1")
    box = page.control("post")
    assert page.control("post", "select", 1).get_attribute("value") == "Post", "the likely type"
    box.clear()
    box.send_keys("sto")
    option(page, "Storm")
    press_key(page, Keys.ARROW_DOWN)
    assert box.get_attribute("aria-activedescendant") == option(page, "Storm").get_attribute("id")
    press_key(page, Keys.ENTER)
    page.until(lambda: box.get_attribute("value") == "p2", "the chosen target")
    page.see("→ Storm Post", "Not saved yet")
    page.shot("picker")
    box.clear()
    box.send_keys("p")
    option(page, "Fog")
    press_key(page, Keys.ESCAPE)
    page.until(lambda: not page.all("[role=listbox]:not([hidden])"), "the end of the list")
    box.clear()
    box.send_keys("nothing")
    page.see("No record has this name. The reference would lead nowhere.")
    assert server.fields("Like", "l1")["post"]["recordName"] == "p0", "saved before it was said"
    box.clear()
    box.send_keys("sea")
    page.click(option(page, "Sea"))
    page.until(lambda: box.get_attribute("value") == "p1", "the clicked target")
    page.press("Save")
    page.see("Saved.")
    assert server.fields("Like", "l1")["post"]["recordName"] == "p1"
    fields = server.call("GET", "/schema/types/Post")[1]["fields"]
    assert not fields["title"].get("indexes"), "looking has added an index"


@check
def a_list_learns_what_others_write(page, server):
    _, token = account(server, "ada")
    for name in ("a", "b"):
        server.create("Post", name, title="sea", likes=2**53 + 1)
    enter(page, "#/types/Post")
    rows(page, "a", "b")
    server.call("PATCH", "/records/Post/a", {"fields": {"title": "fog", "likes": 2**53 + 3}})
    page.until(lambda: page.all("tr.changed"), "the marked row")
    page.see("fog", str(2**53 + 3))
    assert {"fog", str(2**53 + 3)} <= {each.text for each in page.all("td.new .value")}
    assert page.find(".remark").get_attribute("title").startswith("changed by an administrator, ")
    server.call("DELETE", "/records/Post/b")
    page.until(lambda: page.all("tr.gone"), "the struck row")
    post(server, "c", token)
    page.see("1 new record")
    post(server, "d", token)
    page.see("2 new records")
    assert [each.text for each in page.all(".grid .record-name a")] == ["a", "b"], "the list has jumped"
    page.shot("news")
    page.press("Show", ".news")
    rows(page, "a", "c", "d")
    assert not page.find(".news").is_displayed()
    # In a search, only matches count.
    page.go("#/types/Post?where=title+%3D%3D+%27fog%27")
    rows(page, "a")
    post(server, "e", token)
    post(server, "f", token, "fog")
    page.see("1 new record")
    page.press("Show", ".news")
    rows(page, "a", "f")
    server.call("PATCH", "/records/Post/f", {"fields": {"title": "sea"}})
    page.until(lambda: page.all("tr.gone"), "the row that left the search")


@check
def an_open_record_learns_what_others_write(page, server):
    server.create("Post", "a", title="sea", mood="calm")
    enter(page, "#/types/Post/record/a")
    page.heading("a")
    server.call("PATCH", "/records/Post/a", {"fields": {"title": "fog"}})
    page.see("administrator has changed this record", "You see the new version: title")
    page.until(lambda: page.control("title").get_attribute("value") == "fog", "the new value")
    page.fill("mood", "rough")
    server.call("PATCH", "/records/Post/a", {"fields": {"title": "storm"}})
    page.see("administrator has changed this record while you edit it")
    assert page.control("mood").get_attribute("value") == "rough"
    page.press("Compare…", ".news")
    page.see("Two versions of one record", "changed by others", "changed by you")
    page.press("Save my choice", "dialog")
    page.see("Saved.")
    assert server.fields("Post", "a") == {"title": "storm", "mood": "rough"}
    page.until(lambda: not page.all(".news"), "the end of the notice")
    # One's own writes are no news.
    page.fill("mood", "calm")
    page.press("Save")
    page.until(lambda: server.fields("Post", "a")["mood"] == "calm", "the save")
    server.call("DELETE", "/records/Post/a")
    page.see("This record was deleted. What you see is its last version.")


@check
def what_others_write_while_a_record_is_saved_is_learned_afterwards(page, server):
    server.create("Post", "a", title="sea", mood="calm")
    enter(page, "#/types/Post/record/a")
    page.heading("a")
    page.run("""
        const real = window.fetch;
        window.fetch = async (address, options) => {
            const response = await real(address, options);
            if (options.method === "PATCH") await new Promise((resolve) => setTimeout(resolve, 1_500));
            return response;
        };""")
    page.fill("mood", "rough")
    page.press("Save")
    page.until(lambda: server.fields("Post", "a")["mood"] == "rough", "the save")
    server.call("PATCH", "/records/Post/a", {"fields": {"title": "fog"}})
    page.see("administrator has changed this record", "You see the new version: title")
    page.fill("mood", "calm")
    page.press("Save")
    page.until(lambda: server.fields("Post", "a")["mood"] == "calm", "the second save")
    server.call("DELETE", "/records/Post/a")
    page.see("This record was deleted. What you see is its last version.")


@check
def a_page_is_seen_as_a_user(page, server):
    ada, token = account(server, "ada")
    post(server, "hers", token)
    server.create("Post", "ours", title="sea")
    assert server.call("PUT", "/roles/editors", {"members": []})[0] == 201
    secret = {"fields": {"title": "x"}, "acl": {"role:editors": ["read"]}}
    assert server.call("PUT", "/records/Post/secret", secret)[0] == 201
    enter(page, "#/types/Post")
    rows(page, "hers", "ours", "secret")
    page.more("See as a user…")
    page.press("Show", "dialog")
    page.see("Enter the name of an account.")
    page.find("dialog input").send_keys("ada")
    page.press("Show", "dialog")
    page.see("As ada:", "gets 2 records on this page", "can change 1", "can create new ones")
    rights = "return [...document.querySelectorAll('.may')].map((each) => each.textContent)"
    page.until(lambda: page.run(rights) == ["read and write", "read only"], "the rights of what she gets")
    page.press("All, with the rights", ".as-user")
    page.see("As ada:", "can read 2 of 3", "can change 1", "can create new ones")
    page.until(lambda: page.run(rights) == ["read and write", "read only", "no access"], "the rights of each record")
    page.shot("as-user")
    page.press("secret", "tbody")
    page.heading("secret")
    page.see("read: no", "write: no")
    page.press("Stop", ".as-user")
    page.until(lambda: not page.all(".as-user"), "the administrator's view")
    assert "as=" not in page.run("return location.hash")


@check
def a_guest_is_shown_the_refusal_that_it_gets(page, server):
    """It is the guest's response, so the console asks nobody to sign in."""
    ada, token = account(server, "ada")
    post(server, "hers", token)
    grants = {"_icloud": ["READ", "CREATE"], "_creator": ["WRITE"]}
    assert server.call("PUT", "/grants/Post", {"grants": grants})[0] == 200
    enter(page, "#/types/Post?as=anonymous")
    page.see("As anonymous:", "the server refuses this list", "Sign in first")
    page.press("All, with the rights", ".as-user")
    page.see("can read 0 of 1")


@check
def an_access_list_is_edited_by_names(page, server):
    ada, token = account(server, "ada")
    post(server, "a", token)
    assert server.call("PUT", "/roles/editors", {"members": []})[0] == 201
    enter(page, "#/types/Post/record/a")
    page.heading("a")
    page.press("Access list none: the grants of the type decide")
    page.press("Begin a list", ".access")
    page.see("Callers who are not on the list have no access")
    page.until(lambda: page.find(".access tbody th").text == "ada", "the creator's name")
    pick(page, ".access .principal-kind", "*")
    page.press("Add", ".access")
    page.until(lambda: len(page.all(".access tbody tr")) == 2, "the second entry")
    assert page.run("return document.activeElement.className") == "principal-kind", "the focus is lost"
    pick(page, ".access .principal-kind", "role")
    pick(page, ".access .principal-role", "editors")
    page.press("Add", ".access")
    page.until(lambda: len(page.all(".access tbody tr")) == 3, "the third entry")
    page.click(page.find("[aria-label='role editors: write']"))
    page.fill("title", "unsaved")
    page.press("Save the access list")
    page.see("Saved.")
    record = server.call("GET", "/records/Post/a")[1]
    assert record["acl"] == {ada: ["read", "write"], "*": ["read"], "role:editors": ["read", "write"]}, record["acl"]
    assert page.control("title").get_attribute("value") == "unsaved", "what was typed is lost"
    page.press("Save", ".bar")
    page.until(lambda: server.fields("Post", "a") == {"title": "unsaved"}, "the fields")
    page.click(page.find("[aria-label='Remove everyone']"))
    page.press("Save the access list")
    page.until(lambda: "*" not in server.call("GET", "/records/Post/a")[1]["acl"], "the shorter list")
    page.press("Remove the list", ".access")
    page.press("Save the access list")
    page.until(lambda: "acl" not in server.call("GET", "/records/Post/a")[1], "no list")


@check
def a_share_has_its_participants(page, server):
    ada, _ = account(server, "ada")
    bob, _ = account(server, "bob")
    scope = f"database=private&owner={ada}&zone=Lists"
    server.call("PUT", f"/zones/Lists?database=private&owner={ada}")
    server.call("PUT", f"/records/List/home?{scope}", {"fields": {"title": "Home"}})
    server.call("PUT", f"/records/Item/milk?{scope}", {"fields": {"title": "Milk"}, "parent": {"recordName": "home"}})
    share = f"/records/cloudkit.share/s?{scope}"
    assert server.call("PUT", share, {"fields": {}, "forRecord": {"recordName": "home"}})[0] == 201
    enter(page, "#/types/Item/record/milk", f"?{scope}")
    page.heading("milk")
    page.until(lambda: "→ Home List" in page.find(".facts").text, "the parent")
    page.press("→ Home List", ".facts")
    page.heading("home")
    page.press("s", ".facts")
    page.heading("s")
    page.find(".access .user-input input").send_keys("bob", Keys.ENTER)
    page.until(lambda: len(page.all(".access tbody tr")) == 2, "the participant")
    page.run("""
        const select = document.querySelectorAll(".access select[aria-label=Permission]")[0];
        select.value = "READ_WRITE";
        select.dispatchEvent(new Event("change", { bubbles: true }))""")
    page.press("Save the participants")
    page.see("Saved.")
    found = [(each["userIdentity"]["userRecordName"], each["permission"])
             for each in server.call("GET", share)[1]["participants"] if each["type"] == "USER"]
    assert found == [(bob, "READ_WRITE")], found


@check
def fields_and_json_stay_in_step(page, server):
    server.create("Post", "a", title="sea", likes=1)
    page.size(1440, 900)
    enter(page, "#/types/Post/record/a")
    turn(page, "Both")
    page.fill("title", "fog")
    page.until(lambda: '"fog"' in json_text(page), "the text in the JSON")
    write_json(page, '{"fields": {"title": "storm", "likes": {"value": 7, "type": "INT64"}, "extra": "x"}}')
    page.until(lambda: page.control("title").get_attribute("value") == "storm", "the JSON in the field")
    assert page.control("likes").get_attribute("value") == "7"
    assert page.control("extra").get_attribute("value") == "x"
    write_json(page, '{"fields": {"title": ')
    page.see("Line 1, column")
    assert page.control("title").get_attribute("value") == "storm"
    page.press("Save")
    assert server.fields("Post", "a")["title"] == "sea", "invalid JSON was saved"
    page.fill("likes", "8")
    page.until(lambda: '"8"' in json_text(page) or "8" in json_text(page), "valid JSON again")
    page.press("Save")
    page.see("Saved.")
    assert server.fields("Post", "a") == {"title": "storm", "likes": 8, "extra": "x"}
    page.shot("both")


@check
def times_are_edited_in_a_zone(page, server):
    server.create("Post", "a", seen={"value": 1772373909250, "type": "TIMESTAMP"})
    enter(page, "#/types/Post/record/a")
    value = "return document.querySelector('.moment-editor input').value"
    choose(page, "Time zone", "UTC")
    page.until(lambda: page.run(value) == "2026-03-01T14:05:09.25", "the time in UTC")
    choose(page, "Time zone", "")
    other = page.find("input.zone")
    other.send_keys("Asia/Tokyo", Keys.TAB)
    page.until(lambda: page.run(value) == "2026-03-01T23:05:09.25", "the time in Tokyo")
    page.see("UTC+09:00")
    assert "Not saved yet" not in page.text(), "another zone is no change"
    page.set(page.control("seen"), "2026-03-02T00:00:00.001")
    page.press("Save")
    page.see("Saved.")
    assert server.fields("Post", "a")["seen"] == 1772377200001
    # The zone is kept on this device.
    page.browser.refresh()
    page.heading("a")
    page.until(lambda: page.run(value) == "2026-03-02T00:00:00.001", "the time in Tokyo")


@check
def numbers_bytes_and_places_have_help(page, server):
    server.create("Port", "a", big=2**63 - 2, ratio=0.1, raw={"value": "AAEC/w==", "type": "BYTES"},
                  place={"latitude": 63.43, "longitude": 10.39})
    enter(page, "#/types/Port/record/a")
    page.see("9,223,372,036,854,775,806")
    page.control("big").send_keys(Keys.ARROW_UP)
    page.control("ratio").send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    page.press("hex", ".field .sides")
    page.until(lambda: page.control("raw").get_attribute("value") == "00 01 02 ff", "the bytes in hex")
    page.control("raw").send_keys(" 0A")
    page.see("5 bytes, as hex")
    page.until(lambda: page.all(".small-map circle"), "the map")
    page.press("Save")
    page.see("Saved.")
    fields = server.fields("Port", "a")
    assert (fields["big"], fields["ratio"], fields["raw"]) == (2**63 - 1, -0.1, "AAEC/wo="), fields


@check
def a_record_is_duplicated_with_its_files(page, server):
    enter(page, "#/types/Photo/new")
    page.fill("recordName", "one")
    page.add_field("title", "STRING")
    page.fill("title", "Sea")
    page.add_field("image", "ASSET")
    choose_file(page, "image", file("sea.png", picture(300, 200)))
    page.see("Choose another file")
    page.press("Create")
    page.heading("one")
    page.press("Duplicate")
    page.heading("New Photo")
    page.see("A copy of one.", "sea.png", "Choose another file")
    page.fill("recordName", "two")
    page.press("Create")
    page.heading("two")
    first, second = server.fields("Photo", "one"), server.fields("Photo", "two")
    assert second["title"] == "Sea" and second["image"]["fileChecksum"] == first["image"]["fileChecksum"], second
    # A picture is shown larger on hover, on focus, and no longer after Escape.
    page.press("Photo", ".crumbs")
    shown(page, "td .thumbnail", 2)
    page.run("document.querySelector('td .zoom').focus()")
    wide = "return document.querySelector('.larger img')?.naturalWidth ?? 0"
    page.until(lambda: page.run(wide) > 200, "the larger picture")
    press_key(page, Keys.ESCAPE)
    page.until(lambda: not page.all(".larger"), "the end of the larger picture")
    ActionChains(page.browser).move_to_element(page.all("td .zoom")[1]).perform()
    page.until(lambda: page.all(".larger"), "the larger picture on hover")
