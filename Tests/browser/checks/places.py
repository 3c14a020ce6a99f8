"""Where one is: the page of a list, how far it is scrolled, whose database it is; and how it looks there."""

from Tests.browser.checks.pages import enter
from Tests.browser.checks.queries import box, expert, rows, write
from Tests.browser.server import TOKEN
from Tests.browser.suite import check


# The table of records scrolls, not the page.
SCROLLED = "return (document.querySelector('.results') ?? document.scrollingElement).scrollTop"


def fill(server, count):
    operations = [{"operationType": "create", "record": {"recordType": "Post", "recordName": f"p{number}",
                   "fields": {"number": number, "title": "word " * 20}}} for number in range(count)]
    assert server.call("POST", "/records", {"operations": operations})[0] == 200


def scrolled(page, to):
    page.until(lambda: abs(page.run(SCROLLED) - to) < 30, f"{to} px, not {page.run(SCROLLED)}")


@check
def the_way_back_leads_to_the_same_place(page, server):
    fill(server, 180)
    enter(page, "#/types/Post")
    rows(page, *[f"p{number}" for number in range(50)])
    write(page, "Where", "number > 9")
    write(page, "Sort", "number")
    page.press("Find")
    rows(page, *[f"p{number}" for number in range(10, 60)])
    page.press("Next →")
    second = [f"p{number}" for number in range(60, 110)]
    rows(page, *second)
    for leave in ["Back", "crumb", "browser", "reload"]:
        page.run("document.querySelector('.results').scrollTop = 900")
        scrolled(page, 900)
        if leave == "reload":
            page.browser.refresh()
        else:
            page.run("[...document.querySelectorAll('tbody a')].find((each) => each.textContent === 'p75').click()")
            page.heading("p75")
            scrolled(page, 0)
            if leave == "Back":
                page.press("Back")
            elif leave == "crumb":
                page.press("Post", ".crumbs")
            else:
                page.browser.back()
        page.heading("Post")
        rows(page, *second)
        scrolled(page, 900)
        assert box(page, "Where").get_attribute("value") == "number > 9"
    # The navigation is at the top.
    page.press("Next →")
    rows(page, *[f"p{number}" for number in range(110, 160)])
    scrolled(page, 0)
    page.press("Post", "#rooms")
    rows(page, *[f"p{number}" for number in range(50)])
    assert page.run("return location.hash") == "#/types/Post"


@check
def a_page_that_cannot_be_found_again_says_so(page, server):
    fill(server, 120)
    enter(page, "#/types/Post?page=40")
    rows(page, *[f"p{number}" for number in range(50)])
    page.see("Page 40 can only be reached from the one before it; this is the first page.")
    assert page.run("return location.hash") == "#/types/Post"


@check
def the_heading_of_a_type_stays_in_its_place(page, server):
    fill(server, 3)
    enter(page, "#/types/Post")
    for width, height in [(1440, 900), (390, 844)]:
        page.size(width, height)
        found = set()
        for place, heading in [("#/types/Post", "Post"), ("#/types/Post/schema", "Schema of Post"),
                               ("#/security/types/Post", "Security of Post")]:
            page.go(place)
            page.heading(heading)
            page.settled()
            found.add(page.run("""
                const box = (selector) => document.querySelector(selector).getBoundingClientRect();
                const [name, tab] = [box("main h1"), box("main .tabs a")];
                return [name.left, name.top, name.width, tab.left, tab.top].map(Math.round).join()"""))
        assert len(found) == 1, f"at {width} px: {found}"
        found = set()
        for place, heading in [("#/security", "Security"), ("#/security/roles", "Roles"),
                               ("#/security/why", "What may X do?")]:
            page.go(place)
            page.heading(heading)
            page.settled()
            found.add(page.run("""
                const box = document.querySelector("main .tabs a").getBoundingClientRect();
                return [box.left, box.top].map(Math.round).join()"""))
        assert len(found) == 1, f"at {width} px: {found}"


@check
def an_owner_is_named_by_the_accounts_name(page, server):
    ada = server.call("POST", "/users", {"name": "ada", "password": "correct horse"})[1]
    user = ada["user"]["userRecordName"]
    server.call("POST", "/records/Post", {"recordName": "hers", "fields": {"title": "sea"}}, token=ada["token"])
    server.create("Note", "secret", scope=f"?database=private&owner={user}", text="for ada")
    enter(page)
    page.find("header .place summary").click()
    page.set(page.find("#scope-database"), "private")
    page.find("#scope-owner").send_keys("bob")
    page.press("Switch")
    page.see("No account here has the name “bob”.")
    page.find("#scope-owner").clear()
    page.find("#scope-owner").send_keys("ada")
    page.press("Switch")
    page.until(lambda: f"owner={user}" in page.browser.current_url, "the owner in the address")
    page.until(lambda: page.find("header .place summary").text.endswith("private of ada"), "the owner's name")
    # Grants do not apply there, and no line says that they do.
    page.go("#/types")
    page.see("its owner")
    assert "everyone" not in page.text()
    for place in ["#/types/Note", "#/types/Note/schema"]:
        page.go(place)
        page.see("Private: only its owner")
        assert "everyone: read" not in page.text()
    page.open("#/types/Post/record/hers")
    page.until(lambda: "by ada" in page.find(".facts").text, "the author's name")
    page.open("#/types/Users")
    page.until(lambda: page.run("""
        const cell = document.querySelector("tbody th");
        return [cell?.querySelector("strong")?.textContent, cell?.querySelector("a").title]""") == ["ada", user],
               "the account's name in the list")


@check
def a_switch_stays_in_the_room(page, server):
    server.create("Post", "a", title="sea")
    server.create("Boat", "b", name="fog")
    schema = server.call("GET", "/schema")[1]
    del schema["types"]["Boat"]
    assert server.call("PUT", "/schema?environment=production", schema)[0] == 200

    def switch(**values):
        page.find("header .place summary").click()
        page.until(lambda: not page.all("#scope-environment option[value='']"), "the environment")
        for key, value in values.items():
            page.set(page.find(f"#scope-{key}"), value)
        page.press("Switch", ".place")

    def arrive(query, place, heading):
        page.until(lambda: page.browser.current_url.endswith(f"/_/?{query}#/{place}"), f"{query}, {place}")
        page.heading(heading)
    enter(page, "#/types/Post?where=title+%3D%3D+%27sea%27&page=1")
    page.heading("Post")
    page.find("header .place summary").click()
    page.until(lambda: page.run("return document.querySelector('#scope-environment').value") == "development", "where")
    form = page.find(".place form").text.split("\n")
    wanted = ["Container", "Environment", "development", "production", "Database", "public", "private", "Switch"]
    assert form == wanted, form
    page.shot("switcher")
    page.find("header .place summary").click()
    switch(environment="production")
    arrive("environment=production", "types/Post?where=title+%3D%3D+%27sea%27", "Post")
    page.go("#/performance")
    page.heading("Performance")
    switch(environment="development")
    arrive("environment=development", "performance", "Performance")
    # A record need not be in the other database, so the list is shown. The type may not be there either.
    page.go("#/types/Boat/record/b")
    page.heading("b")
    switch(environment="production")
    arrive("environment=production", "types/Boat", "Boat")
    page.see("Production has no type Boat.", "Types of production", "Promotion")
    page.press("Boat in development")
    arrive("environment=development", "types/Boat", "Boat")
    page.see("fog")
    page.go("#/security/types/Boat")
    page.heading("Security of Boat")
    switch(environment="production")
    page.see("Production has no type Boat.")
    page.press("Types of production")
    page.heading("Types")


@check
def a_type_that_is_not_there_yet_says_what_it_begins_with(page, server):
    enter(page, "#/types/Boat")
    page.see("This type does not exist yet. New types start with: creator: write · signed in: create · everyone: read")
    assert "Administrators only" not in page.text()
    server.create("Boat", "a", name="sea")
    grants = server.call("GET", "/schema/types/Boat")[1]["grants"]
    assert grants == {"_creator": ["WRITE"], "_icloud": ["CREATE"], "_world": ["READ"]}, grants


@check
def a_list_has_a_line_for_each_record(page, server):
    operations = [{"operationType": "create", "record": {"recordType": "Entry", "fields": {
        "level": "error", "message": f"A whole sentence of what has happened, number {number}", "number": number}}}
        for number in range(40)]
    assert server.call("POST", "/records", {"operations": operations})[0] == 200
    page.size(1440, 900)
    enter(page, "#/types/Entry")
    page.heading("Entry")
    page.settled()
    shown, tallest = page.run("""
        const boxes = [...document.querySelectorAll("tbody tr")].map((each) => each.getBoundingClientRect());
        const bottom = document.querySelector(".results").getBoundingClientRect().bottom;
        const fit = boxes.filter((each) => each.bottom <= bottom).length;
        return [fit, Math.max(...boxes.map((each) => each.height))]""")
    assert shown >= 18 and tallest <= 36, f"{shown} rows, {tallest} px"
    # The title shows the whole of a shortened name, and the head stays when the table scrolls.
    name, short = page.run("const link = document.querySelector('tbody th a'); return [link.title, link.textContent]")
    assert len(name) == 36 and short == f"{name[:8]}…{name[-8:]}", short
    page.run("document.querySelector('.results').scrollTop = 400")
    top = page.run("""
        return document.querySelector("thead th").getBoundingClientRect().top
            - document.querySelector(".results").getBoundingClientRect().top""")
    assert 0 <= top <= 2, f"the head is at {top} px"
    assert page.run("return document.querySelector('td .value[title^=A]').title").endswith("number 0")


@check
def a_toast_ends_with_the_page_that_it_is_about(page, server):
    server.create("Post", "a", title="sea")
    enter(page, "#/types/Boat/new")
    page.heading("New Boat")
    page.press("Create")
    toast = "return document.querySelector('#announcement').textContent"
    page.until(lambda: page.run(toast) == "Created.", "the toast")
    page.until(lambda: "/record/" in page.run("return location.hash"), "the record's page")
    page.until(lambda: page.all(".bar .danger"), "the record")
    assert page.run(toast) == "Created."
    page.go("#/types/Post")
    page.heading("Post")
    assert page.run(toast) == ""


CONTRAST = """
    const number = (text) => text.match(/[\\d.]+/g).map(Number);
    const over = ([r, g, b, alpha = 1], below) => [r, g, b].map((each, at) => each * alpha + below[at] * (1 - alpha));
    function ground(element) {
        if (element === null) return number(getComputedStyle(document.documentElement).backgroundColor).slice(0, 3);
        const color = number(getComputedStyle(element).backgroundColor);
        return (color[3] ?? 1) === 1 ? color.slice(0, 3) : over(color, ground(element.parentElement));
    }
    const light = (color) => color.map((each) => each / 255)
        .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
        .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at], 0);
    function ratio(one, other) {
        const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
        return (high + 0.05) / (low + 0.05);
    }
    return [...document.querySelectorAll("input, select, textarea")].filter((each) => each.checkVisibility()
        && !["radio", "checkbox", "file"].includes(each.type)).map((each) => {
        const style = getComputedStyle(each), inside = ground(each), hint = getComputedStyle(each, "::placeholder");
        const color = number(hint.color);
        const shown = over([...color.slice(0, 3), (color[3] ?? 1) * Number(hint.opacity)], inside);
        return [each.id, ratio(over(number(style.borderTopColor), inside), inside),
            each.placeholder ? ratio(shown, inside) : 21];
    });"""


@check
def borders_and_hints_of_inputs_have_enough_contrast(page, server):
    server.create("Post", "a", title="sea")
    for scheme in ["light", "dark"]:
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        page.open()
        if scheme == "light":
            page.sign_in(TOKEN)
        for place in ["#/types/Post", "#/types/Post/new", "#/types/Post/schema"]:
            page.go(place)
            page.settled()
            if place == "#/types/Post":
                expert(page)
            page.shot(f"{scheme}-{place.split('/')[-1]}")
            found = page.run(CONTRAST)
            assert len(found) > (2 if place == "#/types/Post" else 0)
            for name, border, hint in found:
                assert border >= 3 and hint >= 4.5, f"{scheme} {place} {name}: border {border:.2f}, hint {hint:.2f}"
        page.browser.get(f"{page.address}/_/examples/forum/#/sign-up")
        page.see("Make an account")
        for name, border, _ in page.run(CONTRAST):
            assert border >= 3, f"{scheme} forum {name}: border {border:.2f}"
