"""Likes that meet, connections that are lost, narrow and dark windows, and the keyboard."""

from selenium.webdriver.common.keys import Keys

from Tests.browser.files import file, picture
from Tests.browser.forum_words import (
    PASSWORD, another_browser, choose, fill, likes, posts, publish, sees_likes, sign_in, sign_up, titles,
    without_streams, write)
from Tests.browser.suite import check


@check
def every_page_comes_at_every_latency_and_stays(page, server):
    posts(server, ("Waves", 1))
    sign_up(page, "ada")
    publish(page, "sea", "Dunes")
    for latency in [0, 60, 150, 300]:
        page.latency(latency)
        for place, heading in [("#/newest", "Newest"), ("#/liked", "Most liked"), ("#/post?name=sea%3A+Waves", "Waves"),
                               ("#/write", "Write a post"), ("#/edit?name=sea%3A+Dunes", "Edit “Dunes”"),
                               ("#/newest?thread=sea", "Newest in “sea”")]:
            page.go(place)
            page.heading(heading)
            page.settled()
            assert page.run("return document.querySelector('h1').textContent") == heading, page.text()


@check
def a_late_response_leads_nowhere(page, server):
    page.delay("/records", 1_200, "POST")
    sign_up(page, "ada")
    write(page, "sea", "Waves")
    page.press("Post it")
    page.go("#/liked")
    page.heading("Most liked")
    page.until(lambda: server.call("GET", "/records/Post")[1]["records"], "the post")
    page.settled()
    assert page.run("return location.hash") == "#/liked"


@check
def likes_of_two_browsers_meet(page, server):
    sign_up(page, "ada")
    publish(page, "sea", "Waves")
    with another_browser(page) as other:
        sign_up(other, "bob")
        other.heading("Newest")
        assert likes(other, "Waves") == "0 likes"
        page.press("Like")
        sees_likes(page, "Waves", "1 like")
        sees_likes(other, "Waves", "1 like")
        other.press("Like")
        sees_likes(other, "Waves", "2 likes")
        page.browser.refresh()
        page.heading("Waves")
        sees_likes(page, "Waves", "2 likes")
    assert server.fields("Likes", "Likes%20of%20sea:%20Waves")["count"] == 2


@check
def an_account_likes_a_post_once_and_can_take_it_back(page, server):
    def count():
        return server.fields("Likes", "Likes%20of%20sea:%20Waves")["count"]
    sign_up(page, "bob")
    publish(page, "sea", "Waves")
    page.press("Sign out")
    page.see("You are signed out.")
    sign_up(page, "ada")
    page.open("#/post?name=sea%3A+Waves")
    page.heading("Waves")
    page.press("Like")
    sees_likes(page, "Waves", "1 like")
    page.see("You like “Waves”.", "Unlike")
    page.browser.refresh()
    page.heading("Waves")
    page.press("Unlike")
    sees_likes(page, "Waves", "0 likes")
    page.see("You no longer like “Waves”.")
    assert count() == 0
    with another_browser(page) as other:
        # Neither browser knows what the other one does.
        for each in (page, other):
            without_streams(each)
        sign_in(other, "ada")
        other.see("Sign out")
        for place in ["#/newest", "#/liked"]:
            for each in (page, other):
                each.open(place)
                each.until(lambda: each.all(".likes button"), "the button")
            # Two devices press: it counts once, and both know.
            for each in (page, other):
                each.press("Like", ".likes")
                sees_likes(each, "Waves", "1 like")
                each.until(lambda: each.find(".likes button").text == "Unlike", "the other way")
            assert count() == 1
            for each in (page, other):
                each.press("Unlike", ".likes")
                sees_likes(each, "Waves", "0 likes")
            assert count() == 0
    # Other users do not learn who likes a post, and the likes of a post are deleted with it.
    page.press("Like", ".likes")
    sees_likes(page, "Waves", "1 like")
    (like,) = server.call("GET", "/records/Like")[1]["records"]
    bob = server.call("POST", "/sessions", {"name": "bob", "password": PASSWORD})[1]["token"]
    assert server.call("GET", "/records/Like", token=bob)[1]["records"] == []
    assert like["recordName"].endswith(" likes sea: Waves"), like
    assert server.call("DELETE", "/records/Post/sea:%20Waves", token=bob)[0] == 204
    assert server.call("GET", "/records/Like")[1]["records"] == []


@check
def a_like_is_shown_at_once_and_taken_back_if_it_fails(page, server):
    sign_up(page, "ada")
    publish(page, "sea", "Waves")
    page.run("""
        const real = window.fetch;
        window.calls = 0;
        window.fetch = async (...call) => {
            window.calls += 1;
            await new Promise((resolve) => { window.goOn = resolve; });
            return real(...call);
        }""")
    page.press("Like")
    sees_likes(page, "Waves", "1 like")
    button = page.find(".likes button")
    assert button.get_attribute("aria-disabled") == "true"
    assert server.fields("Likes", "Likes%20of%20sea:%20Waves")["count"] == 0, "it is shown before it is known"
    # Twenty times more, while the first is under way.
    page.run("for (let time = 0; time < 20; time += 1) arguments[0].click(); window.goOn()", button)
    page.until(lambda: button.get_attribute("aria-disabled") is None, "the response")
    assert page.run("return window.calls") == 1, "it was pressed again while it was under way"
    assert (likes(page, "Waves"), server.fields("Likes", "Likes%20of%20sea:%20Waves")["count"]) == ("1 like", 1)
    page.browser.refresh()
    page.heading("Waves")
    page.answer(503, '{"serverErrorCode":"TRY_AGAIN_LATER","reason":"The disk is busy","retryAfter":1}')
    page.press("Unlike")
    page.see("The disk is busy")
    sees_likes(page, "Waves", "1 like")
    page.until(lambda: page.find(".likes button").text == "Unlike", "the like that is still there")


def lose_response(page):
    """Lets the next call reach the server, and loses its response."""
    page.run("""
        const real = window.fetch;
        window.fetch = async (...call) => {
            window.fetch = real;
            await real(...call);
            throw new TypeError("lost");
        }""")


@check
def a_write_whose_response_is_lost_happens_once(page, server):
    sign_up(page, "ada")
    write(page, "sea", "Waves", "High today.")
    lose_response(page)
    page.press("Post it")
    page.see("The server does not answer.", "Nothing is lost.", "Try again")
    page.press("Try again")
    page.heading("Waves")
    # Here the feed says what the response would have said.
    lose_response(page)
    page.press("Like")
    sees_likes(page, "Waves", "1 like")
    page.until(lambda: page.find(".likes button").text == "Unlike", "the like that took place")
    page.until(lambda: "Press again" not in page.text(), "the end of the question")
    without_streams(page)
    page.browser.refresh()
    page.heading("Waves")
    lose_response(page)
    page.press("Unlike")
    page.see("Press again to try again; it counts once.")
    sees_likes(page, "Waves", "1 like")
    page.press("Unlike")
    sees_likes(page, "Waves", "0 likes")
    page.press("Edit")
    page.heading("Edit “Waves”")
    fill(page, "text", "Lower by now.")
    lose_response(page)
    page.press("Save")
    page.see("The server does not answer.")
    page.press("Try again")
    page.heading("Waves")
    page.see("Lower by now.")
    lose_response(page)
    page.press("Delete")
    page.press("Delete", "dialog")
    page.see("The server does not answer.")
    page.press("Try again")
    page.press("Delete", "dialog")
    page.heading("Newest in “sea”")


def connect(page, isConnected):
    page.browser.execute_cdp_cmd("Network.enable", {})
    page.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": not isConnected, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


@check
def a_lost_connection_is_named_and_everything_can_be_tried_again(page, server):
    posts(server, *[(f"Wave {number}", number) for number in range(30)])
    sign_up(page, "ada")
    page.heading("Newest")
    connect(page, False)
    page.press("More")
    page.see("The server does not answer.", "Check your connection and try again.")
    assert len(titles(page)) == 20, "what was there is gone"
    connect(page, True)
    page.press("Try again")
    page.until(lambda: len(titles(page)) == 30, "the second page")
    assert "does not answer" not in page.text()
    connect(page, False)
    page.press("Most liked")
    page.heading("That did not work")
    connect(page, True)
    page.press("Try again")
    page.heading("Most liked")
    page.press("Write")
    page.heading("Write a post")
    connect(page, False)
    choose(page, file("sea.png", picture(20, 20)))
    page.see("The server does not answer.")
    connect(page, True)
    page.press("Try again")
    page.see("Remove the picture")
    connect(page, False)
    page.press("Sign out")
    page.see("You are signed out here.")
    connect(page, True)


@check
def a_server_that_has_ended_is_named(page, server):
    posts(server, ("Waves", 1))
    page.open()
    page.heading("Newest")
    server.stop()
    page.press("Waves")
    page.heading("That did not work")
    page.see("The server does not answer.", "Try again")
    page.press("Try again")
    page.see("The server does not answer.")


@check
def every_page_fits_a_narrow_window_light_and_dark(page, server):
    long = "Averylongwordthathasnoend" * 4
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                 {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True})
    sign_up(page, "ada-of-the-long-name-that-nobody-can-remember")
    write(page, "sea", long, long)
    choose(page, file("sea.png", picture(900, 700)))
    page.see("Remove the picture")
    page.press("Post it")
    page.heading(long)
    shades = []
    for scheme in ("light", "dark"):
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        for place in ("post?name=none", "newest", "liked", "write", "sign-in", "sign-up", f"post?name=sea%3A+{long}",
                      f"edit?name=sea%3A+{long}"):
            page.open(f"#/{place}")
            page.until(lambda: page.all("h1"), "the page")
            page.shot(f"forum-{scheme}-{place.split('?')[0]}")
            width = page.run("return document.documentElement.scrollWidth")
            assert width <= 360, f"{place} is {width} px wide"
        page.open(f"#/post?name=sea%3A+{long}")
        page.press("Delete")
        page.shot(f"forum-{scheme}-dialog")
        assert page.run("return document.documentElement.scrollWidth") <= 360
        page.press("Keep it", "dialog")
        shades.append(page.run("return getComputedStyle(document.documentElement).backgroundColor"))
    assert shades[0] != shades[1], shades


@check
def the_keyboard_is_enough_and_everything_has_a_name(page, server):
    def focus():
        return page.run("return document.activeElement.textContent.trim() || document.activeElement.id")

    def press(*keys):
        page.browser.switch_to.active_element.send_keys(*keys)
    posts(server, ("Waves", 1))
    sign_up(page, "ada")
    page.open("#/post?name=sea%3A+Waves")
    page.heading("Waves")
    page.until(lambda: focus() == "Waves", "the focus on the heading")
    press(Keys.TAB, Keys.TAB)
    assert focus() == "Like", focus()
    press(Keys.ENTER)
    sees_likes(page, "Waves", "2 likes")
    page.until(lambda: page.find(".likes button").get_attribute("aria-disabled") is None, "the response")
    assert focus() == "Unlike", "the button has lost the focus"
    page.see("You like “Waves”.")
    assert page.find("#announcement").get_attribute("role") == "status"
    page.run("document.querySelector('#skip').focus()")
    press(Keys.ENTER)
    assert page.run("return document.activeElement.id") == "content"
    publish(page, "sea", "Dunes")
    page.press("Delete")
    press(Keys.ESCAPE)
    page.until(lambda: not page.all("dialog"), "the end of the dialog")
    page.until(lambda: focus() == "Delete", "the focus on the button")
    assert server.call("GET", "/records/Post/sea:%20Dunes")[0] == 200
    for place in ("newest", "write", "sign-in", "sign-up", "edit?name=sea%3A+Dunes"):
        page.open(f"#/{place}")
        page.until(lambda: page.all("h1"), "the page")
        nameless = page.run("""
            return [...document.querySelectorAll("input, textarea")]
                .filter((each) => each.labels.length === 0 && each.checkVisibility()).map((each) => each.outerHTML)""")
        assert not nameless, nameless
        assert page.run("return document.title").endswith(" – Forum")
