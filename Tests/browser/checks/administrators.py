"""Signing in: administrators by name, the controls that each role gets, and a session that ends during work."""

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.pages import enter
from Tests.browser.server import TOKEN
from Tests.browser.suite import check

PASSWORD = "correct horse battery"


def add(server, name, role):
    status, response = server.call("POST", "/administrators", {"name": name, "password": PASSWORD, "role": role})
    assert status == 201, response


def sign_in(page, name, password=PASSWORD):
    page.find(".sign-in")
    page.press("Name and password", ".sign-in")
    for box, text in [("name", name), ("password", password)]:
        element = page.find(f"#{box}")
        element.clear()
        element.send_keys(text)
    page.press("Sign in", ".sign-in")


def enter_as(page, name, place=""):
    page.open(place)
    sign_in(page, name)
    page.signed_in()


def is_signed_in(page, words):
    """Waits until the header shows this name and role."""
    page.until(lambda: page.run("return document.querySelector('header .who')?.textContent") == f"Signed in as {words}",
               f"{words} in the header")


@check
def an_administrator_signs_in_by_name_and_out_again(page, server):
    add(server, "vera", "viewer")
    page.open()
    page.press("Name and password")
    page.press("Sign in")
    page.see("Type your name first.")
    page.find("#name").send_keys("vera")
    page.press("Sign in")
    page.see("Type your password first.")
    page.find("#password").send_keys("not hers at all", Keys.ENTER)
    page.see("The name or the password is wrong.")
    sign_in(page, "vera")
    is_signed_in(page, "vera viewer")
    stored = page.run("return JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])")
    assert "fba_" not in stored and PASSWORD not in stored, stored
    token = server.call("POST", "/administrators/sessions", {"name": "vera", "password": PASSWORD})[1]["token"]

    def consoles():
        sessions = server.call("GET", "/administrators/sessions", token=token)[1]["sessions"]
        return [each for each in sessions if each.get("label") == "Console"]
    assert len(consoles()) == 1
    page.browser.refresh()
    is_signed_in(page, "vera viewer")
    page.sign_out()
    page.see("You are signed out.")
    page.until(lambda: consoles() == [], "the end of the session on the server")
    # The door remembers the way, and a session of elsewhere is not ended here.
    assert page.find("#name").is_displayed() and not page.find("#token").is_displayed()
    page.press("Token", ".sign-in")
    page.sign_in(token)
    is_signed_in(page, "vera viewer")
    page.sign_out()
    page.see("You are signed out.")
    page.until(lambda: not page.browser.get_cookies(), "the cookie to go")
    assert server.call("GET", "/administrators/sessions", token=token)[0] == 200


@check
def the_servers_own_token_is_an_owners(page, server):
    enter(page)
    is_signed_in(page, "Administrator owner")


@check
def a_viewer_is_offered_nothing_that_would_be_rejected(page, server):
    add(server, "vera", "viewer")
    server.create("Post", "a", title="sea", likes=1)
    server.call("POST", "/schema/types/Post/indexes", {"fields": ["likes"]})
    enter_as(page, "vera")
    page.heading("Home")
    assert not page.find("nav .row button").is_displayed()
    for place, heading in [("#/types/Post", "Post"), ("#/types/Post?where=likes+%3E+0", "Post"),
                           ("#/types/Post/record/a", "a"), ("#/types/Post/new", "New Post"),
                           ("#/types/Post/schema", "Schema of Post")]:
        page.go(place)
        page.heading(heading)
        page.settled()
        offered = page.run("""
            return [...document.querySelectorAll("main button, main a.button")]
                .filter((each) => each.checkVisibility() && !each.matches(":disabled"))
                .map((each) => each.textContent)""")
        wrong = {"Save", "Delete", "Create", "New record", "Save indexes", "Drop", "Add the index", "Add the field",
                 "New type", "Delete all that match…", "Change all that match…"} & set(offered)
        assert not wrong, f"{place} offers {wrong}"
        page.shot(f"viewer-{heading}")
        if "record" in place or "new" in place:
            page.see("You are signed in as vera (viewer), which does not cover changing records.")
            assert page.run("return arguments[0].matches(':disabled')", page.control("title"))
        if "schema" in place:
            page.see("which does not cover changing the schema.")
            assert page.find("input[aria-label='likes: SORTABLE']").get_attribute("disabled")
    page.run("document.querySelector('form.record')?.requestSubmit()")


@check
def the_advice_on_a_refusal_fits_the_caller(page, server):
    add(server, "eddy", "editor")
    enter(page, "#/types/Users/new")
    page.press("Create")
    page.see("Records of type Users are created with their accounts", "you are already an owner")
    assert "Sign in with the administrator" not in page.text()
    page.sign_out()
    server.create("Post", "a", title="sea")
    enter_as(page, "eddy", "#/types/Post/record/a")
    page.fill("title", "fog")
    page.answer(403, '{"serverErrorCode":"ACCESS_DENIED","reason":"The role editor does not cover this"}')
    page.press("Save")
    page.see("You are signed in as eddy (editor). Sign in with a role that covers this")


@check
def a_restarted_server_costs_no_unsaved_work(page, server):
    add(server, "eddy", "editor")
    server.create("Post", "a", title="sea", likes=1)
    for way in ["token", "name"]:
        if way == "token":
            enter(page, "#/types/Post/record/a")
        else:
            enter_as(page, "eddy", "#/types/Post/record/a")
        page.fill("title", f"written with a {way}")
        server.restart()
        page.press("Save")
        page.see("Sign in again", "What you wrote on the page stays there.")
        page.shot(f"again-{way}")
        page.press("Not now", "dialog")
        page.until(lambda: not page.all("dialog"), "the end of the dialog")
        assert page.control("title").get_attribute("value") == f"written with a {way}"
        page.press("Sign in again", ".problem-box")
        if way == "token":
            page.sign_in(TOKEN)
        else:
            assert page.find("#name").get_attribute("value") == "eddy"
            page.find("#password").send_keys(PASSWORD, Keys.ENTER)
        page.until(lambda: not page.all("dialog, .problem-box"), "the end of the dialog")
        assert page.control("title").get_attribute("value") == f"written with a {way}"
        server.restart()
        page.press("Save")
        page.see("Sign in again")
        if way == "token":
            page.sign_in(TOKEN)
        else:
            page.find("#password").send_keys(PASSWORD, Keys.ENTER)
        page.see("Saved.")
        assert server.fields("Post", "a")["title"] == f"written with a {way}"
        page.sign_out()
        page.see("You are signed out.")
        if way == "token":
            assert page.find("#token").is_displayed()


@check
def a_restarted_server_is_entered_again_from_every_page(page, server):
    server.create("Post", "a", title="sea", likes=1)
    enter(page)
    page.heading("Home")
    for place, heading in [("#/types/Post", "Post"), ("#/types/Post/record/a", "a"), ("#/", "Home"),
                           ("#/types/Post/schema", "Schema of Post"), ("#/types/Post?count=true", "Post"),
                           ("#/types", "Types")]:
        server.restart()
        page.go(place)
        page.sign_in(TOKEN)
        page.until(lambda: not page.all("dialog"), "the end of the dialog")
        page.heading(heading)
    # Without a sign-in the page leads to the sign-in form.
    server.restart()
    page.go("#/types/Post")
    page.press("Not now", "dialog")
    page.see("You are no longer signed in.")


@check
def a_wrong_container_is_no_dead_end(page, server):
    server.create("Post", "a", title="sea")
    page.open("", "?container=nope")
    page.sign_in(TOKEN)
    page.see("The server has no container with this name", "The server's default database")
    assert "has ended" not in page.text()
    page.browser.refresh()
    page.see("The server has no container with this name")
    page.find("header .place summary").click()
    box = page.find("#scope-container")
    assert box.get_attribute("value") == "nope"
    page.find("header .place summary").click()
    page.press("The server's default database")
    page.heading("Home")
    page.see("Post")
    page.open("", "?environment=nowhere")
    page.see("environment", "The server's default database")
    page.sign_out()
    page.see("You are signed out.")
    page.until(lambda: not page.browser.get_cookies(), "the cookie to go")
