"""What other users do in the forum, on pages that are open meanwhile."""

import contextlib

from Tests.browser.files import file, picture
from Tests.browser.forum_words import (
    another_browser, choose, fill, likes, posts, publish, sees_likes, sign_up, titles, write)
from Tests.browser.suite import check


@contextlib.contextmanager
def bob_beside(page):
    with another_browser(page) as bob:
        sign_up(bob, "bob")
        bob.heading("Newest")
        yield bob


def focus(page):
    return page.run("return document.activeElement.textContent")


def news(page, text):
    """Waits until the line of new posts says this; nothing without new posts."""
    page.until(lambda: page.run("return document.querySelector('.news')?.textContent") == text,
               f"“{text}” in the line of news of:\n{page.text()}")



@check
def new_posts_are_announced_and_do_not_move_the_page(page, server):
    posts(server, *[(f"Wave {number}", number) for number in range(12)])
    page.open()
    page.heading("Newest")
    old = titles(page)
    page.run("scrollTo(0, 700)")
    top = page.run("return document.querySelectorAll('.post')[8].getBoundingClientRect().top")
    with bob_beside(page) as bob:
        publish(bob, "sea", "Dunes", "Quiet.")
        news(page, "Show one new post")
        publish(bob, "Fog", "Lamps", "Bright.")
        news(page, "Show 2 new posts")
        assert titles(page) == old, "the list has moved"
        assert page.run("return document.querySelectorAll('.post')[8].getBoundingClientRect().top") == top
        assert page.find(".news").get_attribute("role") == "status"
        page.shot("forum-live-news")
        # A post that is deleted before it was shown is no news.
        bob.press("Delete")
        bob.press("Delete", "dialog")
        news(page, "Show one new post")
        page.press("Show one new post")
        page.until(lambda: titles(page) == ["Dunes", *old], "the new post")
        news(page, "")
        assert focus(page) == "Dunes" and page.run("return scrollY") == 0
        page.open("#/newest?thread=sea")
        page.heading("Newest in “sea”")
        publish(bob, "Fog", "Bells")
        publish(bob, "sea", "Cliffs")
        news(page, "Show one new post")
        page.open("#/newest?search=ＳＥ")
        page.heading("Newest in threads that begin with “ＳＥ”")
        publish(bob, "Seals", "Pups")
        news(page, "Show one new post")


@check
def the_first_post_of_all_is_announced_to_a_signed_in_user(page, server):
    sign_up(page, "ada")
    page.see("There are no posts here yet.")
    with bob_beside(page) as bob:
        publish(bob, "sea", "Waves", "High today.")
        page.press("Show one new post")
        page.until(lambda: titles(page) == ["Waves"], "the post")
        assert "no posts here yet" not in page.text()
        # Ada's own posts are not news: she is shown each at once.
        publish(page, "sea", "Dunes")
        page.press("Newest")
        page.until(lambda: titles(page) == ["Dunes", "Waves"], "both posts")
        news(page, "")
        bob.press("Newest")
        bob.until(lambda: titles(bob) == ["Dunes", "Waves"], "both posts")


@check
def likes_of_others_are_counted_in_place(page, server):
    posts(server, ("Waves", 5), ("Dunes", 4))
    page.open("#/liked")
    page.heading("Most liked")
    with another_browser(page) as ada, bob_beside(page) as bob:
        sign_up(ada, "ada")
        ada.open("#/post?name=sea%3A+Dunes")
        ada.heading("Dunes")
        button = ada.find(".likes button")
        ada.run("arguments[0].focus()", button)
        bob.open("#/post?name=sea%3A+Dunes")
        bob.press("Like")
        for each, number in [(bob, "5 likes"), (ada, "5 likes"), (page, "5 likes")]:
            sees_likes(each, "Dunes", number)
        ada.press("Like")
        for each in (ada, bob, page):
            sees_likes(each, "Dunes", "6 likes")
        # Nothing moves in the list, and the button keeps the focus.
        assert titles(page) == ["Waves", "Dunes"]
        assert focus(ada) == "Unlike" and focus(bob) == "Unlike"
        bob.press("Unlike")
        for each in (ada, bob, page):
            sees_likes(each, "Dunes", "5 likes")
    assert server.fields("Likes", "Likes%20of%20sea:%20Dunes")["count"] == 5


@check
def an_own_like_counts_once_whatever_comes_first(page, server):
    posts(server, ("Waves", 1))
    sign_up(page, "ada")
    page.open("#/post?name=sea%3A+Waves")
    page.heading("Waves")
    page.run("""
        const real = window.fetch;
        window.fetch = async (address, options) => {
            const response = await real(address, options);
            if (options.method === "POST") await new Promise((resolve) => { window.goOn = resolve; });
            return response;
        };
        window.numbers = [];
        const number = document.querySelector(".number");
        new MutationObserver(() => window.numbers.push(number.textContent)).observe(number, { childList: true });""")
    page.press("Like")
    # The server has counted the like, and then another one; the response is still on its way.
    page.until(lambda: server.fields("Likes", "Likes%20of%20sea:%20Waves")["count"] == 2, "the like")
    status, response = server.call("PATCH", "/records/Likes/Likes%20of%20sea:%20Waves",
                                   {"fields": {"count": {"increment": 1}}})
    assert status == 200, response
    # A change of the post's text shows that the page has received the changes before it.
    server.call("PATCH", "/records/Post/sea:%20Waves", {"fields": {"text": "Higher."}})
    page.see("Higher.")
    assert likes(page, "Waves") == "2 likes"
    page.run("window.goOn()")
    sees_likes(page, "Waves", "3 likes")
    page.until(lambda: page.find(".likes button").text == "Unlike", "the like")
    assert page.run("return window.numbers") == ["2 likes", "3 likes"]


@check
def changed_and_deleted_posts_are_so_on_every_page(page, server):
    posts(server, ("Waves", 1), ("Dunes", 2))
    page.open()
    page.heading("Newest")
    with bob_beside(page) as bob, another_browser(page) as ada:
        publish(bob, "sea", "Cliffs", "Steep.")
        ada.open("#/post?name=sea%3A+Cliffs")
        ada.heading("Cliffs")
        page.press("Show one new post")
        page.see("Steep.")
        bob.press("Edit")
        bob.heading("Edit “Cliffs”")
        fill(bob, "text", "Steeper.")
        choose(bob, file("sea.png", picture(400, 300)))
        bob.see("Remove the picture")
        bob.press("Save")
        for each in (ada, page):
            each.see("Steeper.")
            each.until(lambda: each.all("figure img, .post .small"), "the picture")
        ada.see("This post was just changed.", "changed")
        # The focus moves on from a post that goes.
        page.run("document.querySelector('.post a').focus()")
        bob.press("Delete")
        bob.press("Delete", "dialog")
        bob.heading("Newest in “sea”")
        page.until(lambda: titles(page) == ["Dunes", "Waves"], "the list without the post")
        assert focus(page) == "Dunes"
        ada.see("This post was deleted.", "Newest in “sea”")
        ada.shot("forum-live-deleted")
        assert "Steeper." not in ada.text()
        for title in ("Waves", "Dunes"):
            assert server.call("DELETE", f"/records/Post/sea:%20{title}")[0] == 204
        page.see("There are no posts here yet.")


@check
def an_open_form_or_dialog_is_left_alone(page, server):
    sign_up(page, "ada")
    publish(page, "sea", "Waves", "High today.")
    page.press("Edit")
    page.heading("Edit “Waves”")
    fill(page, "text", "A draft.")
    form = page.find("form.editor")
    with bob_beside(page) as bob:
        publish(bob, "sea", "Dunes")
        assert server.call("PATCH", "/records/Post/sea:%20Waves", {"fields": {"text": "Between."}})[0] == 200
        bob.press("Waves") if "Waves" in titles(bob) else bob.open("#/post?name=sea%3A+Waves")
        bob.see("Between.")
        assert page.find("form.editor") == form and page.find("#text").get_property("value") == "A draft."
        assert page.run("return document.activeElement.id") == "text"
        page.open("#/post?name=sea%3A+Waves")
        page.press("Delete")
        dialog = page.find("dialog")
        assert server.call("DELETE", "/records/Post/sea:%20Waves")[0] == 204
        page.until(lambda: "This post was deleted." in page.run("return document.querySelector('main').textContent"),
                   "the page below the dialog")
        assert page.find("dialog") == dialog and dialog.is_displayed()
        page.press("Delete", "dialog")
        page.see("This post was deleted.")
        assert not page.all(".problem")


@check
def the_stream_ends_with_the_session_and_goes_on_for_the_guest(page, server):
    def tokens():
        return page.run("return window.streams")
    page.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        {
            const real = window.fetch;
            window.streams = [];
            window.fetch = (address, options) => {
                const headers = new Headers(options?.headers);
                if (headers.get("Accept") === "text/event-stream") {
                    const stream = { isSigned: headers.has("Authorization"), isOpen: true };
                    window.streams.push(stream);
                    options.signal.addEventListener("abort", () => { stream.isOpen = false; });
                }
                return real(address, options);
            };
        }"""})
    posts(server, ("Waves", 1))
    page.open()
    page.heading("Newest")
    page.until(lambda: tokens() == [{"isSigned": False, "isOpen": True}], "the guest's stream")
    page.press("Sign in")
    page.press("Make an account")
    page.heading("Make an account")
    fill(page, "name", "ada")
    fill(page, "password", "correct horse battery")
    page.press("Make an account", "form")
    page.heading("Newest")
    page.until(lambda: [each["isOpen"] for each in tokens()] == [False, True] and tokens()[1]["isSigned"],
               "the stream of the user")
    page.press("Sign out")
    page.see("You are signed out.")
    page.until(lambda: [each["isOpen"] for each in tokens()] == [False, False, True] and not tokens()[2]["isSigned"],
               "the guest's second stream")
    posts(server, ("Dunes", 1))
    news(page, "Show one new post")
    # A session that ends elsewhere ends here too, without a request of the page.
    sign_up(page, "carol")
    page.heading("Newest")
    page.until(lambda: tokens()[-1:] == [{"isSigned": True, "isOpen": True}], "the stream of the user")
    token = page.run("return JSON.parse(sessionStorage.getItem('forum.session')).token")
    assert server.call("DELETE", "/sessions", token=token)[0] == 204
    page.see("Your session has ended.", "Sign in to like")
    posts(server, ("Cliffs", 1))
    news(page, "Show one new post")


@check
def the_page_continues_after_the_server_was_killed_or_stopped(page, server):
    posts(server, ("Waves", 1))
    sign_up(page, "ada")
    page.heading("Newest")
    for number, end in enumerate([server.kill, server.stop], 1):
        end()
        server.start()
        server.create("Post", f"sea: Dunes {number}", thread="sea", threadFolded="sea", title=f"Dunes {number}")
        status, response = server.call("PATCH", "/records/Likes/Likes%20of%20sea:%20Waves",
                                       {"fields": {"count": {"increment": 1}}})
        assert status == 200, response
        news(page, "Show one new post" if number == 1 else f"Show {number} new posts")
        sees_likes(page, "Waves", f"{number + 1} likes")


@check
def a_hidden_page_holds_no_connection_and_catches_up(page, server):
    def hide(is_hidden):
        page.run("""
            Object.defineProperty(document, "hidden", { configurable: true, value: arguments[0] });
            document.dispatchEvent(new Event("visibilitychange"));""", is_hidden)
    posts(server, ("Waves", 1))
    page.open()
    page.heading("Newest")
    hide(True)
    posts(server, ("Dunes", 1))
    with another_browser(page) as other:
        other.open()
        other.heading("Newest")
        posts(server, ("Cliffs", 1))
        news(other, "Show one new post")
    news(page, "")
    hide(False)
    news(page, "Show 2 new posts")


@check
def a_forum_without_streams_works_as_before(page, server):
    posts(server, ("Waves", 1))
    page.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        {
            const real = window.fetch;
            window.fetch = async (address, options) => {
                const { pathname } = new URL(address, location.href);
                return pathname === "/changes" ? new Response("{}", { status: 404 }) : real(address, options);
            };
        }"""})
    sign_up(page, "ada")
    write(page, "sea", "Dunes")
    page.press("Post it")
    page.heading("Dunes")
    page.press("Like")
    sees_likes(page, "Dunes", "1 like")
