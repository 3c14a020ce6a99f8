"""The forum as a guest sees it: lists, threads, one post and its pictures, and the posts of the Swift example."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import urllib.request

from Tests.browser.files import file, picture, shown
from Tests.browser.forum_words import choose, credentials, likes, posts, publish, sees_likes, sign_up, titles, write
from Tests.browser.runner import PROGRAM, PUBLIC
from Tests.browser.server import TOKEN, Server
from Tests.browser.suite import check
from Tests.harness.arguments import ROOT

EXAMPLE = pathlib.Path(os.environ.get("EXAMPLES", ROOT / ".build/debug")) / "ForumExample"


@check
def a_guest_reads_the_newest_and_the_most_liked_page_by_page(page, server):
    posts(server, *[(f"Wave {number}", number * 7 % 45) for number in range(45)])
    page.open()
    page.heading("Newest")
    assert titles(page) == [f"Wave {number}" for number in range(44, 24, -1)], titles(page)
    assert (likes(page, "Wave 44"), likes(page, "Wave 26")) == ("38 likes", "2 likes")
    page.press("More")
    page.until(lambda: len(titles(page)) == 40, "the second page")
    page.until(lambda: page.run("return document.activeElement.textContent") == "Wave 24", "the focus on what has come")
    page.see("20 more posts")
    page.press("More")
    page.until(lambda: len(titles(page)) == 45, "the third page")
    assert titles(page)[-1] == "Wave 0" and not page.find("main > .actions > button").is_displayed()
    page.press("Most liked")
    page.heading("Most liked")
    for pages in (2, 3):
        page.press("More")
        page.until(lambda: len(titles(page)) == min(20 * pages, 45), f"page {pages}")
    expected = sorted(range(45), key=lambda number: number * 7 % 45, reverse=True)
    assert titles(page) == [f"Wave {number}" for number in expected], titles(page)
    assert likes(page, "Wave 32") == "44 likes"
    page.see("Sign in to like")
    assert "Like" not in page.run("return [...document.querySelectorAll('button')].map((each) => each.textContent)")


@check
def threads_are_found_by_how_they_begin(page, server):
    for thread in ["sea", "Seals", "ＳＥＡ", "se%", "fog & 100% “rain”/?#"]:
        posts(server, ("One", 1), ("Two", 2), thread=thread)
    page.open()
    page.heading("Newest")
    box = page.find("#search")
    box.send_keys("SEA")
    page.press("Search")
    page.heading("Newest in threads that begin with “SEA”")
    assert titles(page) == ["Two", "One"] * 3
    page.press("Most liked first")
    page.heading("Most liked in threads that begin with “SEA”")
    assert titles(page) == ["Two", "Two", "Two", "One", "One", "One"]
    page.press("Seals")
    page.heading("Newest in “Seals”")
    assert titles(page) == ["Two", "One"]
    page.browser.back()
    page.heading("Most liked in threads that begin with “SEA”")
    page.open("#/newest?search=nothing")
    page.see("There are no posts here yet.", "Write one")
    page.open()
    page.press("fog & 100% “rain”/?#")
    page.heading("Newest in “fog & 100% “rain”/?#”")
    assert titles(page) == ["Two", "One"]
    page.press("Two")
    page.heading("Two")
    page.see("About Two.")
    page.browser.refresh()
    page.heading("Two")


def upload(server, content):
    request = urllib.request.Request(f"{server.address}/assets?filename=sea.png", content, headers={
        "Authorization": f"Bearer {TOKEN}", "Content-Type": "image/png"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["asset"]


@check
def a_guest_opens_a_post_and_its_whole_picture(page, server):
    small = {"value": base64.b64encode(picture(20, 20)).decode(), "type": "BYTES"}
    server.create("Post", "sea: Waves", thread="sea", title="Waves", text="High today.\nAnd loud.",
                  photo={"value": upload(server, picture(1200, 900)), "type": "ASSET"})
    server.create("Post", "sea: Dunes", thread="sea", title="Dunes", text="Quiet.", image=small)
    page.open("#/post?name=sea%3A+Waves")
    page.heading("Waves")
    page.see("High today.\nAnd loud.", "sea", "Show the whole picture (")
    if shutil.which("vipsthumbnail"):
        shown(page, "figure img")
    image = page.find("figure img")
    assert "width=640" in image.get_attribute("src") and image.get_attribute("alt") == "Picture of “Waves”"
    assert page.run("return arguments[0].naturalWidth", image) == (640 if shutil.which("vipsthumbnail") else 0)
    page.click(page.find("figure button"))
    page.until(lambda: page.run("return arguments[0].naturalWidth", image) == 1200, "the whole picture")
    assert not page.all("figure button")
    page.press("Newest")
    page.heading("Newest")
    shown(page, ".post img")
    page.press("Dunes")
    page.heading("Dunes")
    shown(page, "figure img")
    page.open("#/post?name=none")
    page.see("That did not work", "It may have been deleted.", "Try again")


@check
def authors_are_named(page, server):
    sign_up(page, "ada")
    publish(page, "sea", "Waves", "High today.")
    page.see("by ada", "yours")
    page.press("Newest")
    page.heading("Newest")
    page.see("by ada")
    page.press("Sign out")
    page.see("You are signed out.", "by ada", "Sign in to like")
    page.press("Waves")
    page.heading("Waves")
    page.see("by ada")
    # A post without an author.
    server.create("Post", "bare", thread="sea", title="Bare", text="")
    page.open("#/post?name=bare")
    page.heading("Bare")
    assert " by " not in page.find(".about").text


@check
def what_people_write_is_text(page, server):
    hostile = "<img src=x onerror=\"document.title='taken'\"><script>window.taken = true</script>"
    server.create("Post", "hostile", thread=hostile, title=hostile, text=hostile,
                  image={"value": "PHN2Zz4=", "type": "BYTES"})
    server.create("Likes", "Likes of hostile", thread=hostile, count=3,
                  post={"recordName": "hostile", "action": "DELETE_SELF"})

    def harmless():
        page.see(hostile)
        assert not page.all("img[src=x]") and page.run("return window.taken") is None and page.browser.title != "taken"
    page.open()
    page.heading("Newest")
    harmless()
    page.press(hostile, "h2")
    page.heading(hostile)
    harmless()
    sign_up(page, hostile)
    harmless()
    page.press(hostile, ".about")
    page.heading(f"Newest in “{hostile}”")
    harmless()
    # Other users' text is part of the address.
    page.open("#/sign-in?from=javascript:window.taken=true")
    page.heading("Sign in")
    credentials(page, hostile)
    page.press("Sign in", "form")
    page.heading("Newest")
    harmless()
    page.open("#/post?name=%E0%A4%A")
    page.see("That did not work")
    page.open("#/constructor")
    page.heading("Newest")
    harmless()


@check
def odd_records_of_others_break_no_list(page, server):
    posts(server, ("Waves", 2), ("Dunes", 1))
    server.create("Likes", "Likes of ", thread="sea", count=9)
    server.create("Likes", "forged", thread="sea", count=8, post={"recordName": "sea: Dunes"})
    server.create("Likes", "Likes of none", thread="sea", count=7, post={"recordName": "none"})
    server.create("Post", "bare", image={"value": "", "type": "BYTES"})
    page.open("#/liked")
    page.heading("Most liked")
    assert titles(page) == ["Waves", "Dunes"] and likes(page, "Dunes") == "1 like"
    page.open()
    page.heading("Newest")
    assert titles(page) == ["", "Dunes", "Waves"]
    # A first page without any post that counts is not the end.
    for number in range(20):
        server.create("Likes", f"forged {number}", thread="sea", count=50, post={"recordName": "sea: Dunes"})
    page.open("#/liked")
    page.heading("Most liked")
    page.press("More")
    page.until(lambda: titles(page) == ["Waves", "Dunes"], "the posts behind the forged ones")
    page.open("#/post?name=bare")
    page.until(lambda: page.all(".about"), "the bare post")
    assert "That did not work" not in page.text()


@check
def a_forum_that_is_not_set_up_says_how_it_is_done(page, server):
    page.open("#/liked")
    page.see("There are no posts here yet.")
    server.create("Post", "sea: Waves", thread="sea", title="Waves", text="")
    server.create("Likes", "Likes of sea: Waves", thread="sea", count=1, post={"recordName": "sea: Waves"})
    page.open("#/liked")
    page.see("Field 'count' is not marked sortable", "The forum is not set up on this server.",
             f"sh set-up.sh {server.address}")
    # A caller with write permission needs no administrator in development.
    sign_up(page, "ada")
    page.open("#/liked")
    page.heading("Most liked")
    assert titles(page) == ["Waves"]


@check
def production_is_set_up_by_the_command_that_the_page_shows(page, server):
    with Server(PROGRAM, PUBLIC, "--environment", "production") as production:
        page.address = production.address
        page.open()
        page.see("Unknown record type Post", "The forum is not set up on this server.")
        command = page.find("pre").text
        environment = {**os.environ, "TOKEN": TOKEN}
        for _ in range(2):
            done = subprocess.run(["sh", "-c", command], cwd=f"{PUBLIC}/examples/forum", env=environment,
                                  capture_output=True, timeout=60)
            assert done.returncode == 0 and b"is set up" in done.stdout, done
        assert production.call("GET", "/records/Post?environment=development")[1]["records"] == []
        page.press("Try again")
        page.see("There are no posts here yet.")
        sign_up(page, "ada")
        write(page, "sea", "Dunes", "Quiet.")
        choose(page, file("sea.png", picture(40, 30)))
        page.see("Remove the picture")
        page.press("Post it")
        page.heading("Dunes")
        page.press("Like")
        sees_likes(page, "Dunes", "1 like")
        for place, heading in [("#/liked", "Most liked"), ("#/newest?thread=sea", "Newest in “sea”"),
                               ("#/liked?thread=sea", "Most liked in “sea”"),
                               ("#/newest?search=SE", "Newest in threads that begin with “SE”"),
                               ("#/liked?search=SE", "Most liked in threads that begin with “SE”")]:
            page.go(place)
            page.heading(heading)
            assert titles(page) == ["Dunes"], place


@check
def what_the_swift_example_writes_is_read_here_and_the_other_way_round(page, server):
    assert os.access(EXAMPLE, os.X_OK), f"There is no program at {EXAMPLE} (swift build --product ForumExample)."
    done = subprocess.run([EXAMPLE, "--server", server.address], timeout=120, capture_output=True, text=True)
    assert done.returncode == 0, done
    page.open()
    page.heading("Newest")
    assert titles(page) == ["Dunes"]
    page.see("Quiet.", "0 likes")
    # A guest finds its index there.
    page.press("Most liked")
    page.heading("Most liked")
    assert titles(page) == ["Dunes"]
    thread = page.find(".about a").text
    assert thread.startswith("sea-")
    sign_up(page, "ada")
    page.press("Like")
    sees_likes(page, "Dunes", "1 like")
    publish(page, thread, "Waves", "High today.")
    page.press("Most liked")
    page.heading("Most liked")
    # The page writes the example's types, with a few additions.
    swift, web = [server.call("GET", f"/records/Post/{thread}:%20{title}")[1] for title in ("Dunes", "Waves")]
    assert {name: each["type"] for name, each in web["fields"].items()} \
        == {**{name: each["type"] for name, each in swift["fields"].items()},
            "author": "STRING", "threadFolded": "STRING"}
    swift, web = [server.call("GET", f"/records/Likes/Likes%20of%20{thread}:%20{title}")[1]
                  for title in ("Dunes", "Waves")]
    assert swift["acl"] == web["acl"], (swift, web)
    assert swift["fields"].keys() | {"threadFolded"} == web["fields"].keys(), (swift, web)
    assert swift["fields"]["post"]["value"]["action"] == web["fields"]["post"]["value"]["action"]
