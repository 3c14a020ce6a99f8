"""The sign-in page, the list of types, the pages of records, scopes, rejections, and small or dark windows."""

from Tests.browser.server import TOKEN
from Tests.browser.suite import check


def enter(page, place="", query=""):
    page.open(place, query)
    page.sign_in(TOKEN)


@check
def only_the_administrators_token_opens_the_door(page, server):
    page.open()
    page.press("Sign in")
    page.see("Paste the administrator's token first.")
    page.sign_in("two words")
    page.see("A token has no spaces")
    page.sign_in("fogadm_wrong")
    page.see("The server does not know this token.")
    user = server.call("POST", "/users", {"name": "ada", "password": "correct horse"})[1]
    page.sign_in(user["token"])
    page.see("it is not an administrator's")
    page.sign_in(TOKEN)
    # The account has brought the type of user records.
    page.see("Users")
    page.signed_in()
    assert TOKEN not in page.run("return JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])")
    (cookie,) = page.browser.get_cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and TOKEN not in cookie["value"], cookie
    page.sign_out()
    page.see("You are signed out.")
    assert page.run("return sessionStorage.length") == 0, "something stayed behind"
    page.until(lambda: not page.browser.get_cookies(), "the cookie to go")
    page.open()
    page.see("Administrator's token")


@check
def types_are_listed_with_their_fields_and_grants(page, server):
    server.create("Post", "a", title="sea", likes=1)
    server.create("Author", "b", name="Ada")
    enter(page)
    page.heading("Home")
    page.press("Types", "nav")
    page.heading("Types")
    page.see("Post", "title, likes", "Author", "everyone")
    count = "return document.querySelector('[data-count=Post]').textContent"
    page.until(lambda: page.run(count) == "1", "the number of records")
    page.press("Post", "nav")
    page.heading("Post")
    page.see("sea")


@check
def a_hundred_and_twenty_records_are_three_pages(page, server):
    for number in range(120):
        server.create("Post", f"p{number}", number=number)
    enter(page, "#/types/Post")

    names = "return [...document.querySelectorAll('tbody th')].map((each) => each.textContent)"

    def rows(first, count):
        wanted = [f"p{first + n}" for n in range(count)]
        page.until(lambda: page.run(names) == wanted, f"{count} rows from p{first}")
    rows(0, 50)
    page.press("Next →")
    rows(50, 50)
    page.press("Next →")
    rows(100, 20)
    page.see("Page 3, 20 records")
    assert "aria-disabled" in page.all(".pager .button")[-1].get_attribute("outerHTML"), "there is no fourth page"
    page.press("← Previous")
    rows(50, 50)
    page.browser.back()
    rows(100, 20)
    page.open("#/types/Post?page=3")
    rows(100, 20)


@check
def a_scope_shows_one_users_private_database(page, server):
    user = server.call("POST", "/users", {"name": "ada", "password": "correct horse"})[1]["user"]["userRecordName"]
    server.create("Post", "open", title="for all")
    server.create("Post", "secret", scope=f"?database=private&owner={user}", title="for ada")
    enter(page)
    page.find("header .place summary").click()
    page.set(page.find("#scope-database"), "private")
    page.press("Switch")
    page.see("Enter the owner of the private database")
    page.find("#scope-owner").send_keys(user)
    page.press("Switch")
    page.until(lambda: f"owner={user}" in page.browser.current_url, "the scope in the address")
    page.press("Post", "nav")
    page.see("secret")
    assert "for all" not in page.text(), "the public record is no part of this database"
    page.press("secret")
    page.fill("title", "still for ada")
    page.press("Save")
    page.see("Saved.")
    # Without the owner the server reports the missing parameter, and the scope box is the way back.
    page.open("#/types/Post", "?database=private")
    page.see("with 'owner'", "Try again")
    page.open("#/types/Post", "?zone=elsewhere")
    page.see("ZONE_NOT_FOUND", "another database")


@check
def refusals_are_told_in_words(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/types/Post/record/a")
    page.heading("a")
    words = {
        403: "you are already an owner", 404: "Not found", 410: "expired", 413: "the server's size limit",
        429: "Wait",
        500: "server error", 503: "not ready",
    }
    for number, (status, sentence) in enumerate(words.items()):
        page.fill("title", f"sea {number}")
        page.answer(status, "<html>nothing to read</html>")
        page.press("Save")
        page.see(sentence)
        page.until(lambda: str(status) in page.find(".problem-box").text, f"the status {status}")
    page.fill("title", "once more")
    page.answer(503, '{"serverErrorCode":"TRY_AGAIN_LATER","reason":"The index is being built","retryAfter":5}')
    page.press("Save")
    page.see("The index is being built", "5 s")
    page.open("#/types/Post/record/nobody")
    page.see("No record here has this name.", "Records of Post")
    page.open("#/types/Post")
    page.heading("Post")
    server.restart()
    page.more("Refresh")
    page.see("Your session has ended, or the server was restarted.")
    page.press("Not now")
    page.see("You are no longer signed in.")


@check
def a_token_that_was_revoked_leads_to_the_door(page, server):
    enter(page)
    page.see("Nothing but fog so far.")
    page.browser.delete_all_cookies()
    page.open()
    page.see("Your session has ended. Sign in again.")


@check
def nothing_is_cut_off_in_a_narrow_or_dark_window(page, server):
    for number in range(3):
        server.create("Post", f"a-rather-long-record-name-{number}" * 4, title="word" * 60, number=2**62,
                      tags=["x" * 80, "y"], place={"latitude": 63.43, "longitude": 10.39})
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                 {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True})
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                 {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})

    def fits(name):
        page.shot(name)
        width = page.run("return document.documentElement.scrollWidth")
        assert width <= 390, f"{name} is {width} px wide"
        shade = page.run("""
            return getComputedStyle(document.documentElement).backgroundColor.match(/\\d+(\\.\\d+)?/g).map(Number)""")
        assert max(shade[:3]) < 80, f"{name} is not dark: {shade}"
    page.open()
    page.find("#token")
    fits("narrow-door")
    page.sign_in(TOKEN)
    page.see("Version")
    fits("narrow-home")
    page.open("#/types")
    page.see("title, ")
    fits("narrow-types")
    page.find(".rooms-button").click()
    page.until(lambda: page.find("#rooms").is_displayed(), "the rooms")
    fits("narrow-rooms")
    page.open("#/types/Post")
    page.heading("Post")
    fits("narrow-records")
    page.find("tbody a").click()
    page.see("Clear")
    fits("narrow-record")
    page.press("JSON")
    page.see("Tidy up")
    fits("narrow-json")
    page.find("header .place summary").click()
    page.see("Switch")
    fits("narrow-scope")
