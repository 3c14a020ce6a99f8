"""The room of the administrators, and the page with the own password and sessions."""

import re

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.administrators import PASSWORD, add, enter_as, is_signed_in, sign_in
from Tests.browser.checks.pages import enter
from Tests.browser.lists import act, box, ends, fits, focused, press_key, row, rows, secret, write
from Tests.browser.suite import check


def administrator(server, name):
    return server.call("GET", f"/administrators/{name}")[1]


def session_token(server, name, label, password=PASSWORD):
    status, session = server.call("POST", "/administrators/sessions",
                                  {"name": name, "password": password, "label": label})
    return session["token"] if status == 201 else None


@check
def an_owner_creates_an_administrator_and_passes_on_the_password(page, server):
    enter(page)
    page.heading("Home")
    page.press("Administrators", "nav")
    page.heading("Administrators")
    page.see("No named administrators yet.", "What each role may do", "Creates, changes and deletes records")
    page.press("New administrator")
    write(page, "Name", "No spaces")
    page.press("Create administrator", "dialog")
    page.see("A name is made of small letters")
    write(page, "Name", "Grace")
    page.press("editor", "dialog")
    page.press("Another one", "dialog")
    random = box(page, "First password").get_attribute("value")
    write(page, "First password", "short")
    page.press("Create administrator", "dialog")
    page.see("A password has 12 to 256 characters.")
    write(page, "First password", random)
    page.press("Create administrator", "dialog")
    page.see("grace is an administrator")
    page.shot("administrator-message")
    message = secret(page)
    assert f"{server.address}/_/" in message and "Name: grace" in message, message
    (password,) = re.findall(r"^Password: (\S+)$", message, re.M)
    assert password == random
    rows(page, "grace")
    assert row(page, "grace")[1:3] == ["editor", "active"]
    page.press("New administrator")
    write(page, "Name", "grace")
    page.press("Create administrator", "dialog")
    page.until(lambda: page.all("dialog [aria-invalid], dialog .problem-box"), "the server's sentence")
    page.press("Cancel", "dialog")
    page.sign_out()
    page.see("You are signed out.")
    sign_in(page, "grace", password)
    is_signed_in(page, "grace editor")


@check
def an_owner_changes_disables_and_deletes_administrators(page, server):
    for name, role in [("grace", "owner"), ("linus", "developer"), ("vera", "viewer")]:
        add(server, name, role)
    token = session_token(server, "linus", "phone")
    enter_as(page, "grace", "#/administrators")
    rows(page, "grace (you)", "linus", "vera")
    act(page, "linus", "Change role…")
    page.press("Change role", "dialog")
    page.see("This is the present role.")
    page.press("viewer", "dialog")
    page.press("Change role", "dialog")
    page.see("linus is viewer now.")
    assert administrator(server, "linus")["role"] == "viewer"
    assert server.call("GET", "/administrators/sessions", token=token)[0] == 401
    act(page, "linus", "New password…")
    page.see("all sessions of linus end")
    page.press("Set password", "dialog")
    page.see("The new password of linus")
    (password,) = re.findall(r"^Password: (\S+)$", secret(page), re.M)
    assert session_token(server, "linus", "phone") is None
    assert session_token(server, "linus", "phone", password) is not None
    act(page, "vera", "Disable…")
    assert focused(page) == "Cancel"
    page.press("Disable", "dialog")
    page.see("vera is disabled.")
    page.until(lambda: row(page, "vera")[2].startswith("disabled since"), "the state")
    assert session_token(server, "vera", "phone") is None
    act(page, "vera", "Enable")
    page.see("vera can sign in again.")
    page.until(lambda: row(page, "vera")[2] == "active", "the state")
    act(page, "vera", "Delete…")
    assert focused(page) == "Keep it"
    press_key(page, Keys.ENTER)
    ends(page)
    rows(page, "grace (you)", "linus", "vera")
    act(page, "vera", "Delete…")
    page.press("Delete", "dialog")
    page.see("Deleted.")
    rows(page, "grace (you)", "linus")
    # Of oneself the console warns, and offers no reset: the own password is changed with the current one.
    act(page, "grace", "Disable…")
    page.see("This is you: your own session ends, too.")
    page.press("Cancel", "dialog")
    page.click(page.find("summary[aria-label='Actions for grace']"))
    assert "New password…" not in page.find(".list details[open]").text


@check
def administrators_change_their_own_password(page, server):
    add(server, "vera", "viewer")
    phone = session_token(server, "vera", "phone")
    enter_as(page, "vera")
    page.heading("Home")
    page.find("header .account-menu summary").click()
    page.press("Password and sessions", "header")
    page.heading("Password and sessions")
    page.until(lambda: sorted(each[0] for each in page.run("""
        return [...document.querySelectorAll(".list tbody tr")].map((row) => [row.firstChild.textContent])""")) ==
        ["Console (this one)", "phone"], "the sessions")
    fresh = "five random words here"
    page.press("Change password", "main")
    page.see("Type your current password.")
    write(page, "Current password", "not it at all", "main")
    write(page, "New password", "short", "main")
    page.press("Change password", "main")
    page.see("A password has 12 to 256 characters.")
    write(page, "New password", fresh, "main")
    page.press("Change password", "main")
    page.see("The two new passwords differ.")
    write(page, "New password, once more", fresh, "main")
    page.press("Change password", "main")
    page.see("This is not your current password.")
    write(page, "Current password", PASSWORD, "main")
    page.press("Change password", "main")
    page.see("Changed. Your other sessions have ended.")
    rows(page, "Console (this one)")
    assert server.call("GET", "/administrators/sessions", token=phone)[0] == 401
    assert session_token(server, "vera", "phone") is None
    assert session_token(server, "vera", "tablet", fresh) is not None
    page.browser.refresh()
    page.heading("Password and sessions")
    act(page, "tablet", "End…")
    assert focused(page) == "Keep it"
    page.press("End it", "dialog")
    page.see("Ended.")
    rows(page, "Console (this one)")
    page.settled()
    assert not page.all(".problem-box")


@check
def a_token_has_no_password(page, server):
    enter(page, "#/administrators/me")
    page.see("You are signed in with a token, which has no password and no sessions.")
    page.find("header .account-menu summary").click()
    assert "Password and sessions" not in page.find("header .account-menu").text


@check
def the_rooms_of_administrators_fit_every_window(page, server):
    add(server, "a-name-of-an-administrator-that-has-64-characters-in-all-0123456", "owner")
    add(server, "grace", "owner")
    for number in range(3):
        session_token(server, "grace", f"A device with a long name {number} " * 2)
    enter_as(page, "grace", "#/administrators")
    for width, height in [(390, 844), (1024, 768), (1920, 1080)]:
        page.size(width, height)
        page.go("#/administrators")
        page.heading("Administrators")
        fits(page, "the list")
        page.shot(f"administrators-{width}")
        page.press("New administrator")
        fits(page, "the form")
        page.shot(f"administrator-form-{width}")
        page.press("Cancel", "dialog")
        ends(page)
        page.go("#/administrators/me")
        page.heading("Password and sessions")
        fits(page, "the own account")
        page.shot(f"own-account-{width}")


@check
def an_administrator_is_named_only_if_that_is_known(page, server):
    add(server, "grace", "editor")
    server.create("Post", "a", title="fog")
    enter_as(page, "grace", "#/types/Post/record/a")
    page.heading("a")
    page.until(lambda: page.find(".facts").text.count("by an administrator") == 2, "no name yet")
    page.fill("title", "sea")
    page.press("Save", ".bar")
    page.until(lambda: "by grace" in page.find(".facts").text and "by an administrator" in page.find(".facts").text,
               "the name of the session")
    page.browser.refresh()
    page.until(lambda: "by grace" in page.find(".facts").text, "the name after a reload")
    # What others write has no name.
    server.call("PUT", "/records/Post/a", {"fields": {"title": "haze"}})
    page.see("an administrator has changed this record")
    page.until(lambda: page.find(".facts").text.count("by an administrator") == 2, "no name again")
