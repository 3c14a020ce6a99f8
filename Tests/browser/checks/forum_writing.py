"""Signed-in users: accounts, posts with pictures, changes, conflicts, deletions."""

import json
import shutil

from Tests.browser.files import file, picture, refuse_uploads, shown, slow
from Tests.browser.forum_words import (
    PASSWORD, another_browser, choose, credentials, fill, publish, sign_in, sign_up, titles, write)
from Tests.browser.suite import check


def stored(page, where):
    return page.run(f"return JSON.parse({where}.getItem('forum.session'))")


@check
def a_guest_writes_nothing_and_finds_the_draft_after_signing_up(page, server):
    write(page, "sea", "Waves", "High today.")
    page.see("Guests read. Sign in to write.")
    page.press("Post it")
    page.see("Sign in first: anonymous callers may not create", "Sign in, then try again.")
    assert server.call("GET", "/records/Post")[1]["records"] == []
    page.press("Sign in", ".problem")
    page.heading("Sign in")
    page.press("Make an account")
    page.heading("Make an account")
    credentials(page, "ada")
    page.press("Make an account", "form")
    page.heading("Write a post")
    assert page.find("#text").get_attribute("value") == "High today."
    page.press("Post it")
    page.heading("Waves")
    page.see("sea", "High today.", "yours", "Edit", "Delete", "0 likes")
    page.press("Write")
    page.heading("Write a post")
    assert page.find("#text").get_attribute("value") == "", "what was posted is still there"


@check
def an_account_is_made_left_and_entered_again(page, server):
    page.open("#/sign-up")
    credentials(page, "ada", "short")
    page.press("Make an account", "form")
    assert page.run("return document.querySelector('#password').validity.tooShort")
    credentials(page, "ada")
    page.press("Make an account", "form")
    page.see("Welcome, ada.", "Sign out")
    token = stored(page, "sessionStorage")["token"]
    assert stored(page, "localStorage") is None and token not in page.browser.current_url
    assert page.browser.get_cookies() == [] and token not in page.run("return document.documentElement.outerHTML")
    page.press("Sign out")
    page.see("You are signed out.")
    assert stored(page, "sessionStorage") is None
    assert server.call("GET", "/users/me", token=token)[0] == 401, "the session goes on"
    sign_in(page, "ada", "a wrong password")
    page.see("The name or the password is wrong.")
    credentials(page, "ada")
    page.press("Stay signed in on this device", "form")
    page.press("Sign in", "form")
    page.see("Sign out")
    assert stored(page, "sessionStorage") is None and stored(page, "localStorage")["user"]["name"] == "ada"
    first = page.browser.current_window_handle
    page.browser.switch_to.new_window("tab")
    page.open()
    page.see("ada", "Sign out")
    page.press("Sign out")
    page.see("Sign in")
    # The other tab hears of it.
    page.browser.switch_to.window(first)
    page.until(lambda: "Sign out" not in page.text(), "the guest's page in the other tab")
    page.open("#/sign-up")
    credentials(page, "ada")
    page.press("Make an account", "form")
    page.see("This name is taken.")


@check
def a_post_with_a_picture_is_written_and_its_upload_is_watched(page, server):
    sign_up(page, "ada")
    write(page, "sea", "Waves", "High today.")
    # Rows that differ, or nothing of it would be left to watch.
    big = picture(1600, 1200) + bytes(600_000)
    slow(page, 200_000)
    choose(page, file("sea.png", big))
    bar = page.find("progress")
    assert bar.get_attribute("aria-label") == "Uploading sea.png"
    page.until(lambda: float(bar.get_attribute("value")) > 0.2, "a fifth of it")
    page.shot("forum-progress")
    page.press("Post it")
    page.see("The picture is still being uploaded.")
    page.press("Cancel")
    page.until(lambda: not page.all("progress"), "the end of the upload")
    slow(page, -1)
    choose(page, file("sea.png", big))
    page.see("Remove the picture", "“sea.png” is uploaded.", "Choose another picture")
    shown(page, "fieldset img")
    # The browser's own control would say under the picture that no file is chosen.
    assert not page.find("input[type=file]").is_displayed()
    page.press("Post it")
    page.heading("Waves")
    if shutil.which("vipsthumbnail"):
        shown(page, "figure img")
    record = server.call("GET", "/records/Post/sea:%20Waves")[1]
    photo = record["fields"]["photo"]["value"]
    assert (photo["filename"], photo["size"], photo["width"]) == ("sea.png", len(big), 1600), photo
    assert record["fields"]["image"]["type"] == "BYTES" and len(record["fields"]["image"]["value"]) < 8000
    page.press("Newest")
    page.heading("Newest")
    shown(page, ".post img")
    assert page.run("return document.querySelector('.post img').naturalWidth") == 96
    page.press("Waves")
    page.heading("Waves")
    page.press("Edit")
    page.heading("Edit “Waves”")
    shown(page, "fieldset img")
    page.press("Remove the picture")
    page.press("Save")
    page.heading("Waves")
    assert server.fields("Post", "sea:%20Waves").keys() == {"thread", "threadFolded", "title", "text", "author"}


@check
def files_that_do_not_fit_are_refused_in_words(page, server):
    sign_up(page, "ada")
    write(page, "sea", "Waves")
    choose(page, file("notes.txt", b"no picture"))
    page.see("“notes.txt” is not a picture that every browser can show. Choose a JPEG, PNG, GIF or WebP file.")
    choose(page, file("broken.png", b"\x89PNG\r\n\x1a\nand nothing else"))
    page.see("“broken.png” cannot be read as a picture. It may be damaged; choose another one.")
    choose(page, file("huge.png", picture(10, 10) + bytes(21_000_000)))
    page.see("“huge.png” has 21 MB; the limit is 20 MB.")
    # Errors that only the server knows are shown with its sentence.
    refuse_uploads(page, 413, json.dumps({
        "serverErrorCode": "QUOTA_EXCEEDED", "reason": "Files in no record have used up what they may"}))
    choose(page, file("sea.png", picture(10, 10)))
    page.see("Files in no record have used up what they may", "Try again")
    page.press("Try again")
    page.see("Remove the picture")
    page.press("Post it")
    page.heading("Waves")
    assert server.fields("Post", "sea:%20Waves")["photo"]["filename"] == "sea.png"


@check
def a_title_is_in_its_thread_once(page, server):
    sign_up(page, "ada")
    publish(page, "sea", "Waves", "The first.")
    write(page, "sea", " Waves ", "The second.")
    page.press("Post it")
    page.see("The thread “sea” already has a post “Waves”. Choose another title.", "Look at that one")
    page.until(lambda: page.run("return document.activeElement.id") == "title", "the focus on the title")
    # Another title is another write.
    fill(page, "title", "More waves")
    page.press("Post it")
    page.heading("More waves")
    page.press("sea")
    page.heading("Newest in “sea”")
    assert titles(page) == ["More waves", "Waves"]
    write(page, "ü" * 60, "ü" * 120)
    page.press("Post it")
    page.see("Thread and title are too long together.")
    fill(page, "title", "   ")
    page.press("Post it")
    page.see("A post needs a thread and a title.")


@check
def nobody_changes_what_is_anothers(page, server):
    sign_up(page, "ada")
    publish(page, "sea", "Waves", "Ada's.")
    with another_browser(page) as other:
        sign_up(other, "bob")
        other.open("#/post?name=sea%3A+Waves")
        other.heading("Waves")
        assert "Edit" not in other.text() and "Delete" not in other.text()
        other.open("#/edit?name=sea%3A+Waves")
        other.heading("Edit “Waves”")
        fill(other, "text", "Bob was here.")
        other.press("Save")
        other.see("You may not write this Post", "Only the author can change a post.")
    assert server.fields("Post", "sea:%20Waves")["text"] == "Ada's."


def change_meanwhile(page, other, mine, theirs):
    """The same author at two browsers: both open the post, and the other one saves first."""
    for each in (page, other):
        each.open("#/edit?name=sea%3A+Waves")
        each.heading("Edit “Waves”")
    fill(other, "text", theirs)
    other.press("Save")
    other.heading("Waves")
    fill(page, "text", mine)
    page.press("Save")
    page.see("Two versions of one post", "Yours", "On the server")
    versions = page.run("return [...document.querySelectorAll('.versions .text')].map((each) => each.textContent)")
    assert versions == [mine, theirs], versions


@check
def two_versions_are_shown_and_the_author_chooses(page, server):
    sign_up(page, "ada")
    publish(page, "sea", "Waves", "High today.")
    with another_browser(page) as other:
        sign_in(other, "ada")
        other.see("Sign out")
        change_meanwhile(page, other, "Mine.", "<b>Theirs.</b>")
        page.shot("forum-conflict")
        page.press("Keep editing", "dialog")
        page.until(lambda: not page.all("dialog"), "the end of the dialog")
        assert page.find("#text").get_attribute("value") == "Mine."
        assert server.fields("Post", "sea:%20Waves")["text"] == "<b>Theirs.</b>"
        page.press("Save")
        page.press("Save mine", "dialog")
        page.heading("Waves")
        page.see("Mine.")
        assert server.fields("Post", "sea:%20Waves")["text"] == "Mine."
        change_meanwhile(page, other, "Mine again.", "Theirs again.")
        page.press("Take the server's", "dialog")
        page.heading("Waves")
        page.see("Theirs again.")
        assert server.fields("Post", "sea:%20Waves")["text"] == "Theirs again."
        # A draft that was left and found again is still based on the version read then.
        page.press("Edit")
        page.heading("Edit “Waves”")
        fill(page, "text", "A draft.")
        page.press("Newest")
        page.heading("Newest")
        assert server.call("PATCH", "/records/Post/sea:%20Waves", {"fields": {"text": "Between."}})[0] == 200
        page.press("Waves")
        page.see("Between.")
        page.press("Edit")
        page.heading("Edit “Waves”")
        page.press("Save")
        page.see("Two versions of one post", "A draft.", "Between.")
        page.press("Save mine", "dialog")
        page.heading("Waves")
        page.see("A draft.")


@check
def an_author_deletes_what_is_seen_and_nothing_else(page, server):
    sign_up(page, "ada")
    publish(page, "sea", "Waves", "High today.")
    with another_browser(page) as other:
        sign_in(other, "ada")
        other.see("Sign out")
        other.open("#/edit?name=sea%3A+Waves")
        other.heading("Edit “Waves”")
        fill(other, "text", "Lower by now.")
        other.press("Save")
        other.see("Lower by now.", "changed")
    page.see("Lower by now.")
    page.press("Delete")
    page.see("Delete “Waves”?", "Its likes will be deleted too.")
    page.press("Keep it", "dialog")
    page.press("Delete")
    # The dialog covers the post, so this change is not seen.
    assert server.call("PATCH", "/records/Post/sea:%20Waves", {"fields": {"text": "Gone."}})[0] == 200
    page.press("Delete", "dialog")
    page.see("This post was changed after you opened it.")
    page.press("Show it as it is now")
    page.see("Gone.")
    page.press("Delete")
    page.press("Delete", "dialog")
    page.heading("Newest in “sea”")
    page.see("“Waves” is deleted.", "There are no posts here yet.")
    assert [server.call("GET", f"/records/{name}")[1]["records"] for name in ("Post", "Likes")] == [[], []]


@check
def a_guest_reads_on_when_the_session_has_ended(page, server):
    sign_up(page, "ada")
    publish(page, "sea", "Waves")
    assert server.call("DELETE", "/sessions", token=stored(page, "sessionStorage")["token"])[0] == 204
    page.open("#/newest")
    page.heading("Newest")
    page.see("Waves", "Your session has ended.", "Sign in")
    assert stored(page, "sessionStorage") is None


@check
def a_session_that_has_ended_loses_no_text(page, server):
    sign_up(page, "ada")
    write(page, "sea", "Waves", "High today.")
    assert server.call("DELETE", "/sessions", token=stored(page, "sessionStorage")["token"])[0] == 204
    page.press("Post it")
    page.see("Sign in, then try again.", "Your session has ended.")
    assert stored(page, "sessionStorage") is None
    page.press("Sign in", ".problem")
    page.heading("Sign in")
    credentials(page, "ada", PASSWORD)
    page.press("Sign in", "form")
    page.heading("Write a post")
    page.press("Post it")
    page.heading("Waves")
    page.see("High today.")
