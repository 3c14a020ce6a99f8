"""Invitations, and the sign-up page to which they lead."""

import datetime
import urllib.parse

from Tests.browser.checks.administrators import add, enter_as
from Tests.browser.checks.pages import enter
from Tests.browser.lists import act, box, choose, ends, fits, focused, row, rows, secret, write
from Tests.browser.server import TOKEN
from Tests.browser.suite import check


def invitations(server):
    return server.call("GET", "/invitations")[1]["invitations"]


def sign_up(page, link, name, password="correct horse"):
    page.browser.get("about:blank")
    page.browser.get(link)
    page.heading("You are invited")
    write(page, "User name", name, "main")
    write(page, "Password", password, "main")
    page.press("Create account", "main")


@check
def an_invitation_is_two_clicks_and_its_link_makes_an_account(page, server):
    enter(page)
    page.heading("Home")
    page.press("Invitations", "nav")
    page.see("No invitations yet.")
    page.press("Invite a user")
    page.press("Create invitation", "dialog")
    page.see("The invitation is ready", "People who have it can sign up")
    page.shot("invitation-link")
    mail = next(each for each in page.all("dialog a") if each.text == "Write an e-mail").get_attribute("href")
    link = secret(page)
    assert link.startswith(f"{server.address}/_/signup.html#invitation=fbi_"), link
    assert mail.startswith("mailto:?") and urllib.parse.quote(link, safe="") in mail, mail
    rows(page, "anyone with the link")
    assert row(page, "anyone with the link")[2:4] == ["0 of 1", "open"], row(page, "anyone with the link")
    sign_up(page, link, "ada", "short")
    page.see("A password has 8 to 256 characters.")
    write(page, "Password", "correct horse", "main")
    page.press("Create account", "main")
    page.heading("Your account is ready")
    page.see("Your user name is ada.", "ask the person who invited you")
    assert not page.all("main a"), "a link to nowhere"
    assert "fbi_" not in page.browser.current_url
    status, session = server.call("POST", "/sessions", {"name": "ada", "password": "correct horse"}, token="")
    assert status == 201, session
    # The session of the sign-up has ended.
    sessions = server.call("GET", "/sessions", token=session["token"])[1]["sessions"]
    assert len(sessions) == 1, sessions
    sign_up(page, link, "bob")
    page.see("This invitation is not valid")
    page.open("#/invitations")
    rows(page, "anyone with the link")
    assert row(page, "anyone with the link")[2:4] == ["1 of 1", "used"]
    act(page, "anyone with the link", "Remove from the list")
    page.see("Removed from the list.", "No invitations yet.")


@check
def an_invitation_is_for_a_name_a_time_and_roles(page, server):
    assert server.call("PUT", "/roles/editors", {"members": []})[0] == 201
    enter(page, "#/invitations")
    page.press("Invite a user")
    page.press("One person", "dialog")
    page.press("Create invitation", "dialog")
    page.see("Type the user name")
    write(page, "User name", "_ada")
    page.press("Create invitation", "dialog")
    page.see("Names that begin with an underscore are the server's.")
    write(page, "User name", "ada")
    page.press("editors", "dialog")
    choose(page, "Expires", "At the end of a day…")
    day = datetime.date.today() + datetime.timedelta(days=3)
    page.set(page.find("dialog input[type=date]"), day.isoformat())
    page.press("Create invitation", "dialog")
    page.see("Send this link to ada.")
    link = secret(page)
    (made,) = invitations(server)
    end = page.run("return new Date(arguments[0]).setHours(23, 59, 59, 999)", f"{day.isoformat()}T12:00")
    assert made["name"] == "ada" and made["roles"] == ["editors"] and abs(made["expiresAt"] - end) < 60_000, made
    rows(page, "ada")
    sign_up(page, link, "bob")
    page.see("This invitation is not valid")
    write(page, "User name", "ada", "main")
    page.press("Create account", "main")
    page.heading("Your account is ready")
    assert len(server.call("GET", "/roles/editors")[1]["members"]) == 1


@check
def invitations_have_uses_and_are_withdrawn(page, server):
    enter(page, "#/invitations")
    page.press("Invite a user")
    for wrong in ["0", "1001", "1.5"]:
        write(page, "How many accounts", wrong)
        page.press("Create invitation", "dialog")
        page.see("Write a whole number from 1 to 1,000.")
    write(page, "How many accounts", "30")
    page.click(page.find("dialog details.more summary"))
    write(page, "Sign-up page", "app.example.org")
    page.press("Create invitation", "dialog")
    page.see("Write the whole address")
    write(page, "Sign-up page", "https://app.example.org/join?a=b")
    page.press("Create invitation", "dialog")
    link = secret(page)
    assert link.startswith("https://app.example.org/join?a=b#invitation=fbi_"), link
    assert invitations(server)[0]["uses"] == 30
    rows(page, "anyone with the link")
    assert row(page, "anyone with the link")[2] == "0 of 30"
    # The page is remembered, as each app has one.
    page.press("Invite a user")
    page.click(page.find("dialog details.more summary"))
    assert box(page, "Sign-up page").get_attribute("value") == "https://app.example.org/join?a=b"
    page.press("Cancel", "dialog")
    ends(page)
    act(page, "anyone with the link", "Withdraw…")
    assert focused(page) == "Keep it"
    page.press("Withdraw", "dialog")
    page.see("Withdrawn.", "No invitations yet.")
    assert invitations(server) == []


@check
def the_page_after_the_sign_up_leads_to_the_app(page, server):
    enter(page, "#/invitations")
    page.see("Sign-up is open: people can also create accounts without an invitation.")
    page.press("Invite a user")
    page.click(page.find("dialog details.more summary"))
    write(page, "Address of your app", "javascript:alert(1)")
    page.press("Create invitation", "dialog")
    page.see("Write the whole address")
    write(page, "Address of your app", "https://app.example.org/start")
    page.press("Create invitation", "dialog")
    link = secret(page)
    # The next invitation begins with the same address.
    page.press("Invite a user")
    page.click(page.find("dialog details.more summary"))
    assert box(page, "Address of your app").get_attribute("value") == "https://app.example.org/start"
    page.press("Cancel", "dialog")
    sign_up(page, link, "eve")
    page.heading("Your account is ready")
    page.see("Your user name is eve.")
    assert [(each.text, each.get_attribute("href")) for each in page.all("main a")] == [
        ("Open app.example.org", "https://app.example.org/start")]
    assert "app.example" not in page.browser.current_url


@check
def an_administrator_is_invited_by_owners_alone(page, server):
    enter(page, "#/invitations")
    page.press("Invite an administrator")
    write(page, "Name", "grace")
    page.press("Create administrator", "dialog")
    page.see("grace is an administrator")
    assert "Name: grace" in secret(page)
    assert server.call("GET", "/administrators/grace")[1]["role"] == "viewer"
    page.sign_out()
    page.see("You are signed out.")
    add(server, "linus", "developer")
    enter_as(page, "linus", "#/invitations")
    page.heading("Invitations")
    assert "Invite an administrator" not in [each.text for each in page.all("main button")]
    page.press("Invite a user")
    page.press("Create invitation", "dialog")
    secret(page)
    rows(page, "anyone with the link")


@check
def the_sign_up_page_explains_itself(page, server):
    page.size(390, 844)
    page.open("", "signup.html")
    page.heading("You are invited")
    fits(page, "the sign-up page")
    page.press("Create account", "main")
    page.see("Paste the invitation first.")
    token = server.call("POST", "/invitations", {"uses": 2})[1]["invitation"]
    write(page, "Invitation", token, "main")
    page.press("Create account", "main")
    page.see("Choose a user name.")
    assert server.call("POST", "/users", {"name": "ada", "password": "correct horse"}, token=TOKEN)[0] == 201
    write(page, "User name", "ada", "main")
    write(page, "Password", "correct horse", "main")
    page.press("Create account", "main")
    page.see("This user name is taken.")
    write(page, "User name", "bob", "main")
    page.press("Create account", "main")
    page.heading("Your account is ready")
    page.open("", "signup.html?environment=production#invitation=fbi_unknown")
    write(page, "User name", "eve", "main")
    write(page, "Password", "correct horse", "main")
    page.press("Create account", "main")
    page.see("This invitation is not valid")
    page.run("localStorage.setItem('fogbase.language', 'ja')")
    page.open("", "signup.html")
    page.heading("招待されています")


@check
def invitations_fit_every_window(page, server):
    server.call("POST", "/invitations", {"name": "a user with a long name " * 5 + "x"})
    for _ in range(120):
        assert server.call("POST", "/invitations")[0] == 201
    enter(page, "#/invitations")
    page.until(lambda: len(page.all(".list tbody tr")) == 100, "the first page")
    page.press("Show more")
    page.until(lambda: len(page.all(".list tbody tr")) == 121, "all of them")
    for width, height in [(390, 844), (1024, 768), (1920, 1080)]:
        page.size(width, height)
        fits(page, "the list")
        page.shot(f"invitations-{width}")
        page.press("Invite a user")
        fits(page, "the form")
        page.press("Cancel", "dialog")
        ends(page)
