"""The room “Users”: finding accounts, and everything that an operator does with one."""

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.administrators import add, enter_as
from Tests.browser.checks.pages import enter
from Tests.browser.checks.security import account, members
from Tests.browser.lists import act
from Tests.browser.suite import check

PASSWORD = "correct horse"
# Two accounts a page, so that a few make several pages.
SHORT_PAGES = """
    const real = window.fetch;
    window.fetch = (address, options) => real(String(address).replace("/users?limit=50", "/users?limit=2"), options);"""


def names(page):
    return page.run("return [...document.querySelectorAll('tbody th')].map((each) => each.textContent)")


def listed(page, wanted):
    page.until(lambda: names(page) == wanted, f"{wanted} instead of {names(page)}")


def user(server, name):
    return server.call("GET", f"/users?name={name}")[1]["users"][0]


def sign_in(server, name, password=PASSWORD):
    return server.call("POST", "/sessions", {"name": name, "password": password}, token=None)


@check
def accounts_are_listed_in_pages_and_found_by_name(page, server):
    for name in ["ada", "bob", "adam", "eve", "Dora@Example.com"]:
        account(server, name)
    page.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SHORT_PAGES})
    enter(page, "#/users")
    page.heading("Accounts")
    listed(page, ["ada", "bob"])
    page.press("Next →")
    listed(page, ["adam", "eve"])
    page.browser.refresh()
    listed(page, ["adam", "eve"])
    page.press("Next →")
    listed(page, ["Dora@Example.com"])
    page.see("Page 3, 1 account")
    page.press("← Previous")
    listed(page, ["adam", "eve"])
    box = page.find("input[type=search]")
    box.send_keys("AD")
    listed(page, ["ada", "adam"])
    page.press("adam", "tbody")
    page.heading("adam")
    page.browser.back()
    page.heading("Accounts")
    listed(page, ["ada", "adam"])
    box = page.find("input[type=search]")
    box.clear()
    box.send_keys("dora@example.com")
    listed(page, ["Dora@Example.com"])
    box.send_keys("x")
    page.see("No account here has the name “dora@example.comx”.")
    box.send_keys(Keys.CONTROL + "a", Keys.DELETE)
    listed(page, ["ada", "bob"])


@check
def an_account_is_created_and_gets_roles(page, server):
    server.create("Post", "a", title="sea")
    server.call("PUT", "/roles/editors", {"members": []})
    server.call("PUT", "/roles/staff", {"members": ["role:editors"]})
    enter(page, "#/users")
    page.see("No accounts yet.")
    page.press("New account", "main")
    page.press("Create the account", "dialog .actions")
    page.see("Enter a name.")
    page.find("dialog input[type=text]").send_keys("ada")
    page.find("dialog input[type=password]").send_keys("short", Keys.ENTER)
    page.see("A password has at least 8 bytes.")
    box = page.find("dialog input[type=password]")
    box.clear()
    box.send_keys(PASSWORD, Keys.ENTER)
    page.heading("ada")
    # A name that is taken stays in the form.
    page.go("#/users")
    page.press("New account", "main")
    page.find("dialog input[type=text]").send_keys("ADA")
    page.find("dialog input[type=password]").send_keys(PASSWORD, Keys.ENTER)
    page.see("An account has this name already")
    assert page.find("dialog input[type=text]").get_attribute("value") == "ADA"
    page.press("Cancel", "dialog")
    page.go("#/users/ada")
    page.heading("ada")
    token = sign_in(server, "ada")[1]["token"]
    # The session that the creation has begun is over.
    assert len(server.call("GET", "/sessions", token=token)[1]["sessions"]) == 1
    page.press("editors", ".role-ticks")
    page.see("ada now has the role editors.")
    assert members(server, "editors") == [user(server, "ada")["userRecordName"]]
    page.browser.refresh()
    page.see("through another role")
    page.press("editors", ".role-ticks")
    page.see("ada no longer has the role editors.")
    assert members(server, "editors") == []
    # A role that does not exist yet is created and given in one dialog.
    page.press("New role…")
    page.find("dialog input").send_keys("staff", Keys.ENTER)
    page.see("There is already a role “staff”.")
    page.find("dialog input").clear()
    page.find("dialog input").send_keys("Gäste 1")
    page.press("Create and give the role", "dialog")
    page.see("A role's name is made of letters")
    page.find("dialog input").clear()
    page.find("dialog input").send_keys("guests", Keys.ENTER)
    page.see("ada now has the role guests.")
    assert members(server, "guests") == [user(server, "ada")["userRecordName"]]
    assert page.run("""return [...document.querySelectorAll(".role-ticks li")].map((each) =>
        [each.textContent, each.querySelector("input").checked])""") == [
            ["guests", True], ["editors", False], ["staff", False]]
    page.press("What may ada do?")
    page.heading("What may X do?")
    assert page.find(".account-input input").get_attribute("value") == "ada"


@check
def one_session_of_an_account_ends(page, server):
    account(server, "ada")
    phone = server.call("POST", "/sessions", {"name": "ada", "password": PASSWORD, "label": "phone"}, None)[1]["token"]
    token = sign_in(server, "ada")[1]["token"]
    enter(page, "#/users/ada")
    page.see("phone", "without a label")
    act(page, "phone", "End…")
    page.see("phone is signed out")
    page.press("End it", "dialog")
    page.see("Ended.")
    assert server.call("GET", "/sessions", token=phone)[0] == 401
    assert server.call("GET", "/sessions", token=token)[0] == 200


@check
def an_account_is_disabled_and_its_sessions_end(page, server):
    account(server, "ada")
    token = sign_in(server, "ada")[1]["token"]
    enter(page, "#/users/ada")
    page.heading("ada")
    page.press("End all sessions…")
    assert page.run("return document.activeElement.textContent") == "Leave it"
    page.press("End all sessions", "dialog")
    page.see("All sessions have ended.")
    assert server.call("GET", "/sessions", token=token)[0] == 401
    assert sign_in(server, "ada")[0] == 201 and "disabled" not in user(server, "ada")
    page.press("Disable…")
    page.press("Disable", "dialog")
    page.see("ada is disabled.", "disabled since")
    assert sign_in(server, "ada")[0] == 403
    page.press("Enable")
    page.see("ada can sign in again.", "active")
    assert sign_in(server, "ada")[0] == 201
    page.press("Set a password…")
    page.press("Set the password", "dialog")
    page.see("A password has at least 8 bytes.")
    page.find("dialog input[type=password]").send_keys("another horse", Keys.ENTER)
    page.see("The password is set.")
    assert sign_in(server, "ada")[0] == 401 and sign_in(server, "ada", "another horse")[0] == 201


@check
def an_accounts_records_and_private_database_are_opened(page, server):
    record_name = account(server, "ada")
    token = sign_in(server, "ada")[1]["token"]
    server.create("Post", "of-nobody", title="fog")
    assert server.call("POST", "/records/Post", {"recordName": "hers", "fields": {"title": "sea"}}, token)[0] == 201
    note = {"recordName": "n", "fields": {"text": "x"}}
    assert server.call("POST", "/records/Note?database=private", note, token)[0] == 201
    enter(page, "#/users/ada")
    page.heading("ada")
    page.see("1 in all")
    page.press("Post", "main .index-list")
    page.heading("Post")
    page.see("hers")
    assert "of-nobody" not in page.text()
    page.go("#/users/ada")
    page.heading("ada")
    page.press("Open the private database")
    page.until(lambda: f"owner={record_name}" in page.browser.current_url, "the private database")
    place = "return document.querySelector('.place summary')?.textContent ?? ''"
    page.until(lambda: "private of ada" in page.run(place), "the owner")
    page.go("#/security")
    page.see("You are looking at a private database, where grants do not apply.")


@check
def an_account_is_deleted_after_its_name_is_typed(page, server):
    record_name = account(server, "ada")
    account(server, "bob")
    enter(page, f"#/users/{record_name}")
    page.heading("ada")
    page.press("Delete the account…")
    assert page.run("return document.activeElement.textContent") == "Keep it"
    page.find("dialog input").send_keys("bob")
    page.press("Delete", "dialog")
    page.see("This is not the name of the account.")
    box = page.find("dialog input")
    box.clear()
    box.send_keys("ada")
    page.press("Delete", "dialog")
    page.heading("Accounts")
    page.see("The account ada is deleted.")
    listed(page, ["bob"])
    page.go("#/users/ada")
    page.see("No account here has the name “ada”.")


@check
def a_developer_is_not_offered_passwords_and_private_databases(page, server):
    account(server, "ada")
    add(server, "dan", "developer")
    enter_as(page, "dan", "#/users/ada")
    page.heading("ada")
    page.see("which does not cover private databases.")
    titles = page.run("return [...document.querySelectorAll('main button')].map((each) => each.textContent)")
    assert "Disable…" in titles and not {"Set a password…", "Open the private database"} & set(titles), titles
