"""Keys: API keys, server-to-server keys, and API tokens of CloudKit Web Services."""

import datetime

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.administrators import add, enter_as
from Tests.browser.checks.pages import enter
from Tests.browser.lists import act, box, choose, ends, fits, focused, press_key, row, rows, secret, write
from Tests.browser.server import TOKEN
from Tests.browser.suite import check

PUBLIC_KEY = """-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEnNl5yAWrjVLBVyIbjWHsaZrQYQ1u
g78EVOmCigKfRj4b8Wf1rANLFp+/kmRhRHtFaEedLLQhZGu5s0AGHVJBiQ==
-----END PUBLIC KEY-----
"""


def make_key(server, name, **scope):
    status, key = server.call("POST", "/keys", {"name": name, "scope": scope or {"actions": ["read"]}})
    assert status == 201, key
    return key


def the_key(server, name):
    return next(each for each in server.call("GET", "/keys")[1]["keys"] if each["name"] == name)


@check
def what_a_dialog_is_for_is_its_last_button(page, server):
    assert server.call("POST", "/keys", {"name": "mailer", "scope": {"actions": ["read"]}})[0] == 201
    assert server.call("POST", "/users", {"name": "ada", "password": "correct horse"})[0] == 201
    server.create("Post", "a", title="sea")
    enter(page, "#/keys")

    def has(*wanted):
        page.until(lambda: [each.text for each in page.all("dialog[open] > .actions button")] == list(wanted),
                   f"the buttons {wanted}")
        page.press(wanted[0], "dialog")
        page.until(lambda: not page.all("dialog[open]"), "the end of the dialog")
    page.press("New key")
    has("Cancel", "Create key")
    page.find("[data-key] .menu summary").click()
    page.press("Revoke…", "[data-key]")
    has("Keep it", "Revoke")
    page.go("#/users")
    page.press("New account")
    has("Cancel", "Create the account")
    page.go("#/types/Post/record/a")
    page.press("Delete", ".bar")
    has("Keep it", "Delete")


@check
def a_key_is_built_by_ticks_and_its_token_is_shown_once(page, server):
    server.create("Post", "a", title="sea")
    server.create("Author", "b", name="Ada")
    enter(page)
    page.heading("Home")
    page.press("Keys", "nav")
    page.heading("Keys")
    page.see("No keys yet.")
    page.press("New key")
    page.press("Create key", "dialog")
    page.see("Give it a name.")
    assert page.run("return document.activeElement") == box(page, "Name")
    write(page, "Name", "mailer")
    page.see("This key may: read · all types")
    page.press("Read records and files", "dialog")
    page.see("This key may do nothing yet.")
    page.press("Create key", "dialog")
    page.see("Tick what the key may do.")
    page.press("Read records and files", "dialog")
    page.press("Create records", "dialog")
    page.press("Only these", "dialog")
    page.press("Create key", "dialog")
    page.see("Tick at least one type, or choose all types.")
    page.press("Post", "dialog")
    page.see("This key may: read, create · Post")
    choose(page, "Expires", "At the end of a day…")
    day = datetime.date.today() + datetime.timedelta(days=40)
    page.set(page.find("dialog input[type=date]"), day.isoformat())
    page.press("Create key", "dialog")
    page.see("The key mailer", "This is the only time that the token is shown.")
    page.shot("key-token")
    press_key(page, Keys.ESCAPE)
    page.see("Copy it first")
    token = secret(page)
    rows(page, "mailer")
    assert token not in page.run("return document.documentElement.outerHTML"), "the token stayed on the page"
    assert row(page, "mailer")[1:3] == ["read, create · Post", "active"]
    key = the_key(server, "mailer")
    assert key["scope"] == {"types": ["Post"], "actions": ["read", "create"]}, key
    end = page.run("return new Date(arguments[0]).setHours(23, 59, 59, 999)", f"{day.isoformat()}T12:00")
    assert key["expiresAt"] == end, (key, end)
    assert server.call("GET", "/records/Post/a", token=token)[0] == 200
    assert server.call("POST", "/records/Post", {"fields": {"title": "fog"}}, token=token)[0] == 201
    assert server.call("GET", "/records/Author/b", token=token)[0] in (403, 404)


@check
def a_key_is_changed_renewed_and_revoked(page, server):
    server.create("Post", "a", title="sea")
    key = make_key(server, "mailer", actions=["read"], types=["Post"], rights=["readSchema"])
    enter(page, "#/keys")
    rows(page, "mailer")
    act(page, "mailer", "Change…")
    page.see("Change the key mailer", "As it is: never")
    assert box(page, "Read records and files").is_selected() and not box(page, "Create records").is_selected()
    assert page.find("dialog details.more").get_attribute("open") is not None
    write(page, "Name", "postman")
    page.press("Change and delete records", "dialog")
    choose(page, "Expires", "In 30 days")
    page.press("Save", "dialog")
    page.see("Saved.")
    rows(page, "postman")
    changed = the_key(server, "postman")
    assert changed["scope"] == {"types": ["Post"], "actions": ["read", "write"], "rights": ["readSchema"]}, changed
    assert "expiresAt" in changed
    page.until(lambda: focused(page) == "Actions for postman", "the focus on the row")
    act(page, "postman", "New token…")
    choose(page, "The old token ends", "At once")
    page.press("Create the token", "dialog")
    page.see("New token for postman")
    token = secret(page)
    assert server.call("GET", "/records/Post/a", token=token)[0] == 200
    assert server.call("GET", "/records/Post/a", token=key["token"])[0] == 401
    act(page, "postman", "Details…")
    page.see("Token begins with", "Records that it creates are by", key["userRecordName"])
    page.press("Close", "dialog")
    act(page, "postman", "Revoke…")
    assert focused(page) == "Keep it"
    press_key(page, Keys.ENTER)
    ends(page)
    assert the_key(server, "postman")["state"] == "active"
    act(page, "postman", "Revoke…")
    page.press("Revoke", "dialog")
    page.see("Revoked.")
    page.until(lambda: row(page, "postman")[2] == "revoked", "the state")
    assert server.call("GET", "/records/Post/a", token=token)[0] == 401
    page.click(page.find("summary[aria-label='Actions for postman']"))
    page.press("Details…", ".list details[open]")
    page.press("Close", "dialog")
    assert "Change…" not in page.run("return document.querySelector('.list tbody').textContent")


@check
def keys_are_listed_page_by_page(page, server):
    for number in range(130):
        make_key(server, f"key{number}")
    enter(page, "#/keys")
    rows(page, *(f"key{number}" for number in range(100)))
    page.press("Show more")
    rows(page, *(f"key{number}" for number in range(130)))
    page.until(lambda: not page.find(".collection > .actions button").is_displayed(), "the end of the list")
    act(page, "key120", "Revoke…")
    page.press("Revoke", "dialog")
    page.until(lambda: row(page, "key120")[2] == "revoked", "the state of a key of the second page")


@check
def a_server_to_server_key_has_an_id_and_no_token(page, server):
    enter(page, "#/keys")
    page.press("New key")
    write(page, "Name", "signer")
    page.press("CloudKit server-to-server key", "dialog")
    page.press("Create key", "dialog")
    page.see("Paste the public key.")
    write(page, "Public key (PEM)", "not a key")
    page.press("Create key", "dialog")
    page.see("'publicKey' is PEM text")
    assert page.run("return document.activeElement") == box(page, "Public key (PEM)")
    page.set(box(page, "Public key (PEM)"), PUBLIC_KEY)
    page.press("Create key", "dialog")
    page.see("The service sends this ID")
    key_id = secret(page)
    assert the_key(server, "signer")["keyID"] == key_id
    page.click(page.find("summary[aria-label='Actions for signer']"))
    assert "New token…" not in page.find(".list details[open]").text


@check
def api_tokens_of_cloudkit_name_origins(page, server):
    enter(page, "#/keys")
    page.press("CloudKit tokens", ".tabs")
    page.see("No API tokens yet.")
    page.press("New token")
    write(page, "Name of the app", "Forum")
    write(page, "Web origins, one in each line", "app.example.org")
    page.press("Create token", "dialog")
    page.see("must begin with a scheme")
    write(page, "Web origins, one in each line", "https://app.example.org\nhttps://*.example.com")
    page.press("Create token", "dialog")
    page.see("The token of Forum")
    token = secret(page)
    assert len(token) == 64
    rows(page, "Forum")
    assert row(page, "Forum")[1] == "https://app.example.org, https://*.example.com"
    act(page, "Forum", "Change…")
    write(page, "Web origins, one in each line", "")
    write(page, "Callback URL", "https://app.example.org/in")
    write(page, "Notes", "of the forum")
    page.press("Save", "dialog")
    page.see("Saved.")
    (shown,) = server.call("GET", "/cloudkit/tokens")[1]["tokens"]
    assert (shown["origins"], shown["callback"], shown["notes"]) == (None, "https://app.example.org/in", "of the forum")
    act(page, "Forum", "Delete…")
    assert focused(page) == "Keep it"
    page.press("Delete", "dialog")
    page.see("No API tokens yet.")


@check
def a_key_in_the_console_gives_no_more_than_it_has(page, server):
    server.create("Post", "a", title="sea")
    token = make_key(server, "keeper", actions=["read"], types=["Post"], rights=["readSchema", "manageKeys"])["token"]
    page.open("#/keys")
    page.sign_in(token)
    rows(page, "keeper")
    page.press("New key")
    page.see("Read records and files")
    text = page.find("dialog").text
    assert "Create records" not in text and "All types" not in text, text
    page.click(page.find("dialog details.more summary"))
    assert [each.text for each in page.all("dialog details.more label")] == [
        "See types, fields, indexes and grants", "Create, change and revoke keys"]
    write(page, "Name", "smaller")
    page.press("Post", "dialog")
    page.press("Create key", "dialog")
    page.see("The key smaller")
    secret(page)
    rows(page, "keeper", "smaller")


@check
def an_error_of_an_action_is_shown_above_the_list(page, server):
    make_key(server, "mailer")
    enter(page, "#/keys")
    rows(page, "mailer")
    act(page, "mailer", "Revoke…")
    page.answer(503, '{"serverErrorCode":"TRY_AGAIN_LATER","reason":"The server is about to stop","retryAfter":1}')
    page.press("Revoke", "dialog")
    page.see("The server is about to stop", "Load the list again")
    assert the_key(server, "mailer")["state"] == "active"
    page.press("Load the list again")
    page.until(lambda: not page.all(".problem-box"), "the end of the problem")
    rows(page, "mailer")
    # An error of a form keeps the form.
    page.press("New key")
    write(page, "Name", "other")
    page.answer(500, '{"serverErrorCode":"INTERNAL_ERROR","reason":"Something broke"}')
    page.press("Create key", "dialog")
    page.see("Something broke")
    assert box(page, "Name").get_attribute("value") == "other"
    page.press("Create key", "dialog")
    page.see("The key other")
    secret(page)
    rows(page, "mailer", "other")


@check
def a_restarted_server_costs_no_form(page, server):
    enter(page, "#/keys")
    page.press("New key")
    write(page, "Name", "mailer")
    server.restart()
    page.press("Create key", "dialog")
    page.see("Sign in again")
    page.sign_in(TOKEN)
    page.see("The key mailer")
    secret(page)
    rows(page, "mailer")


@check
def keys_can_be_made_by_keyboard_alone(page, server):
    enter(page, "#/keys")
    page.heading("Keys")
    button = next(each for each in page.all("main button") if each.text == "New key")
    page.run("arguments[0].focus()", button)
    press_key(page, Keys.ENTER)
    page.see("New API key")
    assert page.run("return document.activeElement") == box(page, "Name")
    press_key(page, "mailer", Keys.ENTER)
    page.see("The key mailer")
    assert focused(page) == "Copy"
    press_key(page, Keys.ENTER)
    page.press("Copied", "dialog")
    press_key(page, Keys.ESCAPE)
    ends(page)
    page.until(lambda: focused(page) == "Actions for mailer", "the focus on the new row")
    press_key(page, Keys.ENTER)
    page.until(lambda: page.all(".list details[open]"), "the menu")
    press_key(page, Keys.ESCAPE)
    page.until(lambda: not page.all(".list details[open]"), "the end of the menu")
    assert focused(page) == "Actions for mailer"


@check
def keys_fit_every_window_and_each_menu_is_in_view(page, server):
    server.create("Post", "a", title="sea")
    make_key(server, "a key with a name that is much longer than its column can show at once, and has no end",
             actions=["read", "create", "write"], types=[f"TypeWithALongName{number}" for number in range(30)])
    make_key(server, "short")
    enter(page, "#/keys")
    for width, height in [(390, 844), (1024, 768), (1920, 1080)]:
        page.size(width, height)
        page.settled()
        fits(page, "the list")
        tallest = page.run("""
            return Math.max(...[...document.querySelectorAll(".list tbody tr")].map((each) => each.offsetHeight))""")
        assert width == 390 or tallest <= 36, f"a row has {tallest} px"
        page.click(page.find("summary[aria-label='Actions for short']"))
        left, right = page.run("""
            const box = document.querySelector(".list details[open] .box").getBoundingClientRect();
            return [box.left, box.right]""")
        assert left >= 0 and right <= width, f"the menu is from {left} to {right} at {width} px"
        page.shot(f"keys-{width}")
        page.press("Change…", ".list details[open]")
        fits(page, "the form")
        page.shot(f"keys-form-{width}")
        page.press("Cancel", "dialog")
        ends(page)


@check
def roles_without_the_right_get_a_reason(page, server):
    add(server, "vera", "viewer")
    enter_as(page, "vera", "#/keys")
    page.see("You are signed in as vera (viewer), which does not cover this room.")
    links = page.run("return [...document.querySelectorAll('#rooms a')].map((each) => each.textContent)")
    assert not {"Keys", "Invitations", "Administrators", "Webhooks"} & set(links), links
    page.sign_out()
    page.see("You are signed out.")
    page.press("Token", ".sign-in")
    page.sign_in(TOKEN)
    page.heading("Keys")


@check
def what_a_key_has_created_leads_to_the_keys(page, server):
    server.create("Post", "a", title="sea")
    token = server.call("POST", "/keys", {"name": "mailer", "scope": {"actions": ["read", "create"]}})[1]["token"]
    assert server.call("POST", "/records/Post", {"recordName": "k", "fields": {"title": "fog"}}, token=token)[0] == 201
    enter(page, "#/types/Post/record/k")
    page.heading("k")
    page.until(lambda: page.all(".facts a.user[href$='#/keys']"), "the link to the keys")
    page.press("key mailer", ".facts")
    page.heading("Keys")
