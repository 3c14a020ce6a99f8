"""The room “Security”: roles, rights of types, and why a request was denied."""

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.administrators import add, enter_as
from Tests.browser.checks.pages import enter
from Tests.browser.suite import check

OPEN = {"_world": ["READ"], "_icloud": ["CREATE"], "_creator": ["WRITE"]}


def account(server, name):
    """Creates an account and returns its record name."""
    status, response = server.call("POST", "/users", {"name": name, "password": "correct horse"})
    assert status == 201, response
    return response["user"]["userRecordName"]


def members(server, role):
    return server.call("GET", f"/roles/{role}")[1]["members"]


def grants(server, type_name="Post"):
    return server.call("GET", f"/grants/{type_name}")[1]["grants"]


def suggested(page):
    return page.run("return [...document.querySelectorAll('datalist option')].map((each) => each.value)")


def user_box(page):
    return page.find(".account-input input")


def pick(page, selector, value):
    """Chooses an option of a select, once it has it and is shown."""
    page.until(lambda: page.run("""
        const select = document.querySelector(arguments[0]);
        const option = [...select?.options ?? []].find((each) => each.value === arguments[1] && !each.disabled);
        if (option === undefined || !select.checkVisibility()) return false;
        select.value = arguments[1];
        select.dispatchEvent(new Event("change", { bubbles: true }));
        return true""", selector, value), f"{value} in {selector}")


def tick(page, cell):
    page.click(page.find(f"[data-cell='{cell}']"))


def headline(page, text):
    page.until(lambda: page.run("return document.querySelector('.verdict-line')?.textContent") == text, text)


@check
def a_role_is_given_by_name(page, server):
    ada, bob = account(server, "ada"), account(server, "bob")
    server.call("PUT", "/roles/editors", {"members": []})
    server.call("PUT", "/roles/writers", {"members": [bob]})
    enter(page, "#/security")
    page.heading("Security")
    page.press("Roles", "main")
    page.heading("Roles")
    box = user_box(page)
    box.send_keys("AD")
    page.until(lambda: suggested(page) == ["ada"], "a suggestion")
    page.press("Give the role")
    page.see("No account here has the name “AD”. Similar: ada")
    box.send_keys("A")
    page.press("Give the role")
    page.see("ada now has the role editors.")
    assert members(server, "editors") == [ada]
    # Members are shown by name.
    page.until(lambda: "ada" in page.text() and ada not in page.text(), "the name instead of the record name")
    page.press("editors", "tbody")
    page.heading("Role editors")
    pick(page, ".principal-kind", "role")
    assert page.run("return [...document.querySelector('.principal-role').options].map((each) => each.value)") == [
        "writers"], "a role within itself"
    page.press("Add the member")
    page.see("all members of writers")
    pick(page, ".principal-kind", "user")
    user_box(page).send_keys("bob", Keys.ENTER)
    page.see("bob now has the role editors.", "3 members")
    assert set(members(server, "editors")) == {ada, bob, "role:writers"}
    page.until(lambda: page.all("button[aria-label='Remove ada from the role']"), "a button with the name")
    page.click(page.find("button[aria-label='Remove ada from the role']"))
    page.see("ada no longer has the role editors.", "2 members")
    assert ada not in members(server, "editors")


@check
def roles_are_created_and_deleted(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/security/roles")
    page.see("No roles yet.")
    page.press("New role", "main")
    page.press("Create role", "dialog")
    page.see("A role's name is made of letters")
    page.find("dialog input").send_keys("editors", Keys.ENTER)
    page.heading("Role editors")
    page.see("No type grants this role a right.")
    server.call("PUT", "/grants/Post", {"grants": {**OPEN, "editors": ["WRITE"]}})
    page.press("Roles", ".crumbs")
    page.see("Post: write")
    page.press("New role", "main")
    page.find("dialog input").send_keys("editors", Keys.ENTER)
    page.see("There is already a role “editors”.")
    page.press("Delete", "tbody")
    page.see("Types on which it has rights: Post")
    assert page.run("return document.activeElement.textContent") == "Keep it"
    page.press("Keep it", "dialog")
    assert server.call("GET", "/roles/editors")[0] == 200
    page.press("Delete", "tbody")
    page.press("Delete", "dialog")
    page.see("No roles yet.")
    assert grants(server) == OPEN


@check
def grants_are_ticked_listed_undone_and_saved(page, server):
    server.create("Post", "a", title="sea")
    server.call("PUT", "/roles/editors", {"members": []})
    enter(page, "#/security")
    page.press("Post", "tbody")
    page.heading("Security of Post")
    assert not page.find(".rights-changes").is_displayed()
    tick(page, "editors WRITE")
    tick(page, "_icloud READ")
    tick(page, "_world WRITE")
    page.see("3 changes, not saved yet", "editors gets: write",
             "Everyone, even without an account, could change and delete every record.")
    assert grants(server) == OPEN
    page.click(page.find("[aria-label='Undo: everyone gets: write']"))
    page.see("2 changes, not saved yet")
    # The page asks before it is left.
    page.go("#/security")
    page.press("Keep editing", "dialog")
    page.press("Save")
    page.see("Saved.")
    assert grants(server) == {**OPEN, "_icloud": ["CREATE", "READ"], "editors": ["WRITE"]}
    tick(page, "editors WRITE")
    page.press("Undo all")
    page.until(lambda: not page.find(".rights-changes").is_displayed(), "no changes")
    # What somebody else has changed meanwhile stays.
    server.call("PUT", "/grants/Post", {"grants": {"editors": ["WRITE", "READ"]}})
    tick(page, "editors CREATE")
    page.press("Save")
    page.see("Somebody else has changed rights of this type too")
    assert grants(server) == {"editors": ["CREATE", "READ", "WRITE"]}
    page.until(lambda: not page.find("[data-cell='_world READ']").is_selected(), "the present grants")


@check
def rights_of_fields_and_lists_are_saved(page, server):
    ada = account(server, "ada")
    server.create("Post", "a", title="sea", cost=3)
    server.call("PUT", "/roles/editors", {"members": []})
    enter(page, "#/security/types/Post")
    page.heading("Security of Post")
    page.click(page.find("[data-cell='cost read']"))
    page.press("editors", "dialog")
    page.press("Apply", "dialog")
    page.see("cost is read by: editors")
    page.click(page.find("[data-cell='cost write']"))
    page.press("Only these roles, and administrators", "dialog")
    page.press("Apply", "dialog")
    page.see("cost is written by: Administrators only")
    tick(page, "list")
    page.see("New records begin with the access list creator: read, write")
    user_box(page).send_keys("ada", Keys.ENTER)
    page.see("creator: read, write · ada: read")
    pick(page, ".principal-kind", "role")
    pick(page, ".principal-role", "editors")
    page.press("Add to the list")
    tick(page, "entry role:editors write")
    tick(page, "required")
    page.press("Save")
    page.see("Saved.")
    entry = server.call("GET", "/schema/types/Post")[1]
    assert entry["fields"]["cost"] == {"type": "INT64", "read": ["editors"], "write": []}, entry
    assert entry["acl"] == {"_creator": ["read", "write"], ada: ["read"], "role:editors": ["read", "write"]}, entry
    assert entry["aclRequired"] is True and entry["grants"] == OPEN
    page.click(page.find("[aria-label='Remove ada from the list']"))
    page.see("List of new records: without ada")
    page.click(page.find("[data-cell='cost read']"))
    page.press("As the rights of the type say", "dialog")
    page.press("Apply", "dialog")
    page.see("cost is read by: as the type")
    page.press("Save")
    page.until(lambda: not page.find(".rights-changes").is_displayed(), "the end of the second save")
    entry = server.call("GET", "/schema/types/Post")[1]
    assert ada not in entry["acl"] and "read" not in entry["fields"]["cost"], entry
    page.go("#/security")
    page.heading("Security")
    page.see("required")


@check
def what_is_ticked_during_a_save_stays(page, server):
    server.create("Post", "a", title="sea")
    server.call("PUT", "/roles/editors", {"members": []})
    page.delay("/grants", 1_000, "PUT")
    enter(page, "#/security/types/Post")
    page.heading("Security of Post")
    tick(page, "editors READ")
    page.press("Save")
    tick(page, "editors WRITE")
    page.see("2 changes, not saved yet")
    page.see("Saved.", "1 change, not saved yet", "editors gets: write")
    assert grants(server) == {**OPEN, "editors": ["READ"]}
    page.press("Save")
    page.until(lambda: not page.find(".rights-changes").is_displayed(), "the end of the second save")
    assert grants(server) == {**OPEN, "editors": ["READ", "WRITE"]}


@check
def a_denial_is_explained_and_mended(page, server):
    ada = account(server, "ada")
    server.create("Post", "p1", title="sea", cost=3)
    server.call("PUT", "/roles/editors", {"members": []})
    server.call("PUT", "/grants/Post", {"grants": {**OPEN, "editors": ["WRITE"]}})
    enter(page, "#/security/why?user=ada&type=Post&record=p1&action=write")
    headline(page, "No: ada cannot change or delete the record p1 of Post.")
    page.see("Post grants “write” only to the creator of a record, and ada has not created this one.")
    page.press("Give the role editors to ada")
    headline(page, "Yes: ada can change and delete the record p1 of Post.")
    page.see("Post grants “write” to: editors.", "Roles of ada: editors", "Done: Give the role editors to ada.")
    assert members(server, "editors") == [ada]
    # A record name in the URL is shown by name.
    page.go(f"#/security/why?user={ada}&type=Post&record=p1&action=read")
    headline(page, "Yes: ada can read the record p1 of Post.")
    page.until(lambda: user_box(page).get_attribute("value") == "ada", "the name in the form")
    # An access list.
    listed = {"fields": {"title": "fog"}, "acl": {"role:editors": ["write"]}}
    assert server.call("PUT", "/records/Post/p2", listed)[0] == 201
    page.go("#/security/why?user=ada&type=Post&record=p2&action=read")
    page.see("The record has an access list, which does not give “read” to ada.")
    page.press("Add ada to the record's access list: read")
    headline(page, "Yes: ada can read the record p2 of Post.")
    assert server.call("GET", "/records/Post/p2")[1]["acl"][ada] == ["read"]
    # A disabled account.
    server.call("PATCH", f"/users/{ada}", {"disabled": True})
    page.go("#/security/why?user=ada&type=Post&record=p1&action=read")
    page.press("Enable the account ada")
    headline(page, "Yes: ada can read the record p1 of Post.")


@check
def grants_from_a_denial_ask_first(page, server):
    server.create("Post", "p1", title="sea", cost=3)
    enter(page, "#/security/why")
    page.heading("What may X do?")
    page.press("Ask")
    page.see("Enter the name of an account.")
    user_box(page).send_keys("anonymous")
    page.run("""
        const select = document.querySelector(".question select[name=action]");
        select.value = "create";
        select.dispatchEvent(new Event("change", { bubbles: true }))""")
    page.press("Ask")
    headline(page, "No: a caller without an account cannot create records of Post.")
    page.press("Grant “create” on Post to: everyone, even without an account")
    page.see("Grant this right?", "Who gets it: everyone, even without an account.",
             "What it allows: create records of Post.")
    assert page.run("return document.activeElement.textContent") == "Leave it"
    page.press("Leave it", "dialog")
    assert grants(server) == OPEN
    page.press("Grant “create” on Post to: everyone, even without an account")
    page.press("Grant it", "dialog")
    headline(page, "Yes: a caller without an account can create records of Post.")
    assert grants(server) == {**OPEN, "_world": ["CREATE", "READ"]}
    page.press("Rights of Post", ".verdict")
    page.heading("Security of Post")
    # A grant to a role names it and its members.
    account(server, "ada")
    bob = account(server, "bob")
    server.call("PUT", "/roles/editors", {"members": [bob]})
    page.go("#/security/why?user=ada&type=Post&record=p1&action=write")
    page.press("Grant “write” on Post to editors, and give this role to ada")
    page.see("Who gets it: the members of the role editors (1 account), and ada, who becomes a member.",
             "What it allows: change and delete all records of Post that have no access list.")
    page.press("Leave it", "dialog")
    page.press("Grant “write” on Post to: every signed-in user")
    page.see("Who gets it: every signed-in user.")
    page.press("Leave it", "dialog")
    # A question that the server cannot answer, and callers other than accounts.
    page.go("#/security/why?user=anonymous&type=Post&record=none&action=read")
    page.see("NOT_FOUND")
    page.go("#/security/why?user=administrator%3Aviewer&type=Post&action=write")
    page.see("The role of the administrator does not cover it.")
    page.go("#/security/why?user=nobody&type=Post&action=read")
    page.see("There is no user with the name nobody.")


@check
def a_viewer_sees_rights_and_cannot_change_them(page, server):
    account(server, "ada")
    add(server, "vera", "viewer")
    server.create("Post", "p1", title="sea")
    server.call("PUT", "/roles/editors", {"members": []})
    enter_as(page, "vera", "#/security/roles")
    page.heading("Roles")
    page.see("You are signed in as vera (viewer), which does not cover changing rights.")
    assert page.all("nav a[href='#/security']") and not page.all("nav a[href='#/users']")
    for place, heading in [("#/security/roles", "Roles"), ("#/security/roles/editors", "Role editors"),
                           ("#/security/types/Post", "Security of Post"), ("#/security", "Security")]:
        page.go(place)
        page.heading(heading)
        page.settled()
        offered = page.run("""
            return [...document.querySelectorAll("main button, main input[type=checkbox]")]
                .filter((each) => each.checkVisibility() && !each.matches(":disabled"))
                .map((each) => each.textContent)""")
        assert not offered, f"{place} offers {offered}"
    page.go("#/security/why?user=anonymous&type=Post&action=create")
    headline(page, "No: a caller without an account cannot create records of Post.")
    assert not page.all(".mends button")
    page.go("#/users")
    page.see("which does not cover this room.")
