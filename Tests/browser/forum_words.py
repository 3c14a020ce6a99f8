"""The actions of users in the forum, as functions for its checks."""

import contextlib
import unicodedata

from Tests.browser.page import Page, open_browser

PASSWORD = "correct horse battery"


@contextlib.contextmanager
def another_browser(page):
    """A second person at a browser of their own."""
    browser = open_browser()
    try:
        other = Page(browser, page.address, page.root)
        yield other
        mistakes = other.mistakes()
        assert not mistakes, "the other browser complains:\n" + "\n".join(mistakes)
    finally:
        browser.quit()


def sign_up(page, name):
    page.open("#/sign-up")
    page.heading("Make an account")
    credentials(page, name)
    page.press("Make an account", "form")
    page.see("Sign out", name)


def sign_in(page, name, password=PASSWORD):
    page.open("#/sign-in")
    page.heading("Sign in")
    credentials(page, name, password)
    page.press("Sign in", "form")


def credentials(page, name, password=PASSWORD):
    fill(page, "name", name)
    fill(page, "password", password)


def fill(page, box, text):
    element = page.find(f"#{box}")
    element.clear()
    element.send_keys(text)


def write(page, thread, title, text=""):
    """Fills the form of a new post, and does not send it."""
    page.open("#/write")
    page.heading("Write a post")
    fill(page, "thread", thread)
    fill(page, "title", title)
    fill(page, "text", text)


def publish(page, thread, title, text=""):
    write(page, thread, title, text)
    page.press("Post it")
    page.heading(title)


def without_streams(page):
    """From the next load on, no stream of changes opens."""
    page.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        {
            const real = window.fetch;
            window.fetch = async (address, options) => {
                const type = new Headers(options?.headers).get("Accept");
                return type === "text/event-stream" ? new Promise(() => {}) : real(address, options);
            };
        }"""})


def choose(page, path):
    page.find("input[type=file]").send_keys(path)


def posts(server, *rows, thread="sea"):
    """Writes posts past the browser, as `(title, likes)`, and the indexes that they are found by."""
    for title, likes in rows:
        name = f"{thread}: {title}"
        folded = unicodedata.normalize("NFKC", thread).lower()
        server.create("Post", name, thread=thread, threadFolded=folded, title=title, text=f"About {title}.")
        status, response = server.call("POST", "/records/Likes", {
            "recordName": f"Likes of {name}", "acl": {"*": ["read", "write"]},
            "fields": {"thread": thread, "threadFolded": folded, "count": likes,
                       "post": {"recordName": name, "action": "DELETE_SELF"}}})
        assert status == 201, response
    for type_name, further in [("Likes", ["-count"]), ("Post", [])]:
        for field in ["thread", "threadFolded"]:
            fields = {"fields": [field, *further]}
            status, response = server.call("POST", f"/schema/types/{type_name}/indexes", fields)
            assert status in (200, 201), response


def titles(page):
    return page.run("return [...document.querySelectorAll('.post h2')].map((each) => each.textContent)")


def likes(page, title):
    """The number next to a post of the list, or on the page of one."""
    return page.run("""
        const posts = [...document.querySelectorAll(".post")];
        const post = posts.find((each) => each.querySelector("h2").textContent === arguments[0]) ?? document;
        return post.querySelector(".likes .number")?.textContent""", title)


def sees_likes(page, title, sentence):
    page.until(lambda: likes(page, title) == sentence, f"“{sentence}” beside {title} in:\n{page.text()}")
