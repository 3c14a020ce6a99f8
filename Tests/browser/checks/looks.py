"""How all rooms look: their width, names of controls, contrast, colors, and the Japanese texts."""

from Tests.browser.checks.pages import enter
from Tests.browser.checks.places import CONTRAST
from Tests.browser.files import picture
from Tests.browser.server import TOKEN
from Tests.browser.suite import check

ROOMS = ["#/", "#/types", "#/types/Post", "#/types/Post?where=likes+%3E+0&explain=true", "#/types/Post/record/p0",
         "#/types/Post/new", "#/types/Post/schema", "#/types/Post?view=map", "#/types/Post?view=groups&by=title",
         "#/types/Post?where=likes+%3E+%3E", "#/schema", "#/schema?view=text", "#/schema?view=promotion",
         "#/security", "#/security/types/Post", "#/security/roles", "#/security/roles/editors",
         "#/security/why?user=ada&type=Post&record=p0&action=write", "#/users", "#/users/ada", "#/keys",
         "#/keys/cloudkit", "#/administrators", "#/administrators/me", "#/invitations", "#/webhooks",
         "#/subscriptions", "#/jobs", "#/jobs?state=failed", "#/schedules", "#/new-schedule", "#/schedules/nightly",
         "#/performance?type=Post&where=likes+%3E+2&sort=-ratio", "#/api?find=job&route=GET+%2Fjobs",
         "#/api/code?type=Post", "#/api/code?type=Post&language=swift", "#/types/Post?as=anonymous",
         "#/types/Post/record/p0?as=anonymous", "#/logs", "#/logs?request=none", "#/logs/audit", "#/settings",
         "#/backups", "#/types/Post/new?from=p1", "#/import?type=Post"]
NAMED = {"button", "link", "textbox", "combobox", "checkbox", "radio", "searchbox", "spinbutton", "separator", "region",
         "navigation", "dialog"}


def fill(server):
    asset = server.client(TOKEN).call("POST", "/assets?filename=a.png", picture(64, 48), (201,),
                                      ("Content-Type: image/png",)).json()["asset"]
    operations = [{"operationType": "create", "record": {"recordType": "Post", "recordName": f"p{number}", "fields": {
        "title": "word " * 30 + str(number), "likes": number, "ratio": number / 7,
        "tags": {"value": ["sea"] * (number % 3), "type": "STRING_LIST"},
        "place": {"latitude": number, "longitude": number}, "near": {"recordName": f"p{number - 1}"},
        "raw": {"value": "AAEC", "type": "BYTES"},
        "image": {"value": asset, "type": "ASSETID"},
        "seen": {"value": 1767225600000, "type": "TIMESTAMP"}}}} for number in range(60)]
    status, response = server.call("POST", "/records", {"operations": operations})
    assert status == 200 and "serverErrorCode" not in str(response), response
    for path, body in [
            ("/keys", {"name": "mailer", "scope": {"actions": ["read"]}}), ("/cloudkit/tokens", {"name": "Forum"}),
            ("/administrators", {"name": "grace", "password": "correct horse battery", "role": "editor"}),
            ("/invitations", {"name": "ada"}), ("/webhooks", {"url": "https://receiver.invalid/hook"})]:
        assert server.call("POST", path, body)[0] == 201, path
    task = {"kind": "updateRecords", "recordType": "Post", "where": "likes > 30 AND title BEGINSWITH 'word'",
            "fields": {"likes": {"increment": 1}}}
    for name in ["nightly", "a-schedule-with-a-name-" + "x" * 41]:
        schedule = {"cron": "0 3 * * *", "timeZone": "Europe/Berlin", "task": task}
        status, response = server.call("PUT", f"/schedules/{name}", schedule)
        assert status == 201, response
    assert server.call("POST", "/schedules/nightly/run")[0] == 202
    for number in range(14):
        server.create(f"Type{number}" + "WithAVeryLongName" * 3, f"t{number}", name="x")
    user = server.call("POST", "/users", {"name": "ada", "password": "correct horse"})[1]["user"]["userRecordName"]
    assert server.call("PUT", "/roles/editors", {"members": [user]})[0] == 201
    grants = {"_world": ["READ"], "_creator": ["WRITE"], "editors": ["CREATE", "READ"]}
    assert server.call("PUT", "/grants/Post", {"grants": grants})[0] == 200


def visit(page, place):
    """Goes to a page. The heading of the page before does not count: the module of a room may still be on its way."""
    page.run("""
        if (location.hash === arguments[0]) return;
        document.querySelectorAll("h1").forEach((each) => { each.dataset.before = ""; });
        location.hash = arguments[0];""", place)

    def has_come():
        # A record that is not saved yet asks before it is left.
        page.run("document.querySelector('dialog[open] button.danger')?.click()")
        return page.run("return location.hash") == place and page.all("h1:not([data-before])")
    page.until(has_come, place)
    page.settled()


def open_filter(page, filter_="Filter", builder="Builder"):
    """Opens the filter builder; after an error, the panel is open for a condition by hand."""
    if not page.all(".filters form, form.filters"):
        page.press(filter_, ".toolbar")
    if not page.all(".filters .line"):
        page.press(builder, ".filters")
    page.find(".filters .line")


@check
def no_room_is_wider_than_the_window(page, server):
    fill(server)
    enter(page)
    page.heading("Home")
    for width, height in [(390, 844), (1024, 768), (1920, 1080)]:
        page.size(width, height)
        for place in ROOMS:
            visit(page, place)
            if place == "#/types/Post":
                open_filter(page)
            wide = page.run("return [document.documentElement.scrollWidth, innerWidth]")
            page.shot(f"width-{width}-{ROOMS.index(place)}")
            assert wide[0] <= wide[1] == width, f"{place} is {wide} px wide at {width} px"
            if place == "#/types/Post":
                page.press("Filter", ".toolbar")
    # A menu, too, stays within the window of a phone.
    page.size(390, 844)
    visit(page, "#/types/Post")
    for menu in [".place", ".account-menu", ".toolbar .sort", ".toolbar .more"]:
        page.click(page.find(f"{menu} summary"))
        left, right = page.run("""
            const box = document.querySelector(arguments[0] + " .box").getBoundingClientRect();
            return [box.left, box.right]""", menu)
        assert left >= 0 and right <= 390, f"{menu} is from {left} to {right}"
        page.click(page.find(f"{menu} summary"))


CUT = """
    const pencil = document.createElement("canvas").getContext("2d");
    const found = [];
    for (const each of document.querySelectorAll("body *")) {
        if (!each.checkVisibility() || each.clientWidth <= 1) continue;
        const style = getComputedStyle(each);
        if (each.placeholder && each.value === "") {
            pencil.font = style.font;
            const padding = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight);
            const width = pencil.measureText(each.placeholder).width;
            if (width > each.clientWidth - padding + 1) found.push(each.placeholder);
        }
        if (style.textOverflow !== "ellipsis" || style.overflowX === "visible") continue;
        if (each.scrollWidth <= each.clientWidth || each.closest("[title], thead") !== null) continue;
        if (each.querySelector("[title]") === null) found.push(each.textContent);
    }
    return found;"""


@check
def what_is_cut_has_its_whole_text_as_a_title(page, server):
    fill(server)
    enter(page)
    page.heading("Home")
    for width, height in [(390, 844), (1440, 900)]:
        page.size(width, height)
        for place in ROOMS:
            visit(page, place)
            if place == "#/types/Post":
                open_filter(page)
            cut = page.run(CUT)
            assert not cut, f"{place} at {width} px: {cut}"


@check
def eighteen_records_are_in_view(page, server):
    fill(server)
    page.size(1440, 900)
    enter(page, "#/types/Post")
    page.heading("Post")
    page.settled()
    shown, tallest, body = page.run("""
        const boxes = [...document.querySelectorAll("tbody tr")].map((each) => each.getBoundingClientRect());
        const bottom = document.querySelector(".results").getBoundingClientRect().bottom - 15;
        return [boxes.filter((each) => each.bottom <= bottom).length, Math.max(...boxes.map((each) => each.height)),
            document.documentElement.scrollHeight]""")
    assert shown >= 18 and tallest <= 36 and body <= 900, f"{shown} rows, {tallest} px, page {body} px"
    # The head and the names stay when the table scrolls.
    page.run("document.querySelector('.results').scrollTo(300, 500)")
    head, name, edge = page.run("""
        const place = (selector) => document.querySelector(selector).getBoundingClientRect();
        const box = place(".results");
        return [place("thead th").top - box.top, place("tbody .record-name").left - box.left, box.top]""")
    assert 0 <= head <= 1 and 0 <= name <= 60, (head, name, edge)


@check
def each_control_has_a_name(page, server):
    fill(server)
    enter(page)
    page.heading("Home")
    page.browser.execute_cdp_cmd("Accessibility.enable", {})
    for place in ROOMS:
        visit(page, place)
        if place == "#/types/Post":
            open_filter(page)
            page.find(".toolbar .sort summary").click()
        nodes = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        found = [node for node in nodes if not node.get("ignored") and node["role"]["value"] in NAMED]
        nameless = [node["role"]["value"] for node in found if not node.get("name", {}).get("value")]
        assert len(found) > 20 and not nameless, f"{place}: {nameless}"


TEXTS = CONTRAST[:CONTRAST.rindex("return [...document")] + """
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (walker.currentNode.textContent.trim() === "" || !element.checkVisibility()) continue;
        if (element.closest(".visually-hidden, .skip, caption, noscript, svg, option")) continue;
        if (element.closest(":disabled, [aria-disabled=true]")) continue;
        const inside = ground(element), value = ratio(over(number(getComputedStyle(element).color), inside), inside);
        if (value < 4.5) found.push([walker.currentNode.textContent, element.className, Math.round(value * 100) / 100]);
    }
    return found;"""


@check
def each_text_has_enough_contrast(page, server):
    fill(server)
    enter(page)
    page.heading("Home")
    for scheme in ["light", "dark"]:
        page.size(1440, 900, scheme)
        for place in ROOMS:
            visit(page, place)
            faint = page.run(TEXTS)
            assert not faint, f"{scheme} {place}: {faint}"
    page.open("#/types", "?environment=production")
    page.heading("Types")
    for scheme in ["light", "dark"]:
        page.size(1440, 900, scheme)
        assert not page.run(TEXTS), f"{scheme} production: {page.run(TEXTS)}"


@check
def production_and_private_databases_are_marked(page, server):
    user = server.call("POST", "/users", {"name": "ada", "password": "correct horse"})[1]["user"]["userRecordName"]
    server.create("Post", "a", title="sea")
    enter(page)
    words = "return document.querySelector('.place summary')?.textContent"
    page.until(lambda: page.run(words) == "Database: development▸public", "the default environment")
    stripe = "return getComputedStyle(document.querySelector('header')).boxShadow"
    assert page.run(stripe) == "none"
    page.open("", "?environment=production")
    page.until(lambda: page.run(words) == "Database: production▸public", "production")
    page.until(lambda: page.run(stripe) != "none", "a stripe")
    page.open("", f"?environment=development&database=private&owner={user}&zone=Book")
    page.until(lambda: page.run(words) == "Database: development▸private of ada▸Book", "the owner's name")


@check
def colors_and_language_are_chosen_in_the_menu(page, server):
    server.create("Post", "a", title="sea")
    page.size(1200, 900, "light")
    enter(page)
    page.heading("Home")
    ground = "return getComputedStyle(document.documentElement).backgroundColor"
    light = page.run(ground)
    page.find(".account-menu summary").click()
    page.press("Dark", ".account-menu")
    page.until(lambda: page.run(ground) != light, "dark colors")
    page.browser.refresh()
    page.heading("Home")
    assert page.run(ground) != light, "the choice was lost"
    page.find(".account-menu summary").click()
    page.press("System", ".account-menu")
    page.until(lambda: page.run(ground) == light, "the system's colors")
    page.run("""
        const select = document.querySelector(".account-menu select");
        select.value = "ja";
        select.dispatchEvent(new Event("change", { bubbles: true }));""")
    page.heading("ホーム")
    assert page.run("return document.documentElement.lang") == "ja"
    page.find(".account-menu summary").click()
    page.press("サインアウト", "header")
    page.see("サインアウトしました。", "管理者トークン")


ENGLISH = """
    const done = arguments[arguments.length - 1];
    import(new URL("words-ja.js", location.href)).then(({ words }) => {
        const english = new Set(Object.keys(words).filter((text) => text !== words[text]));
        const texts = [];
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const isData = (element) => element.closest("[translate=no]") !== null;
        while (walker.nextNode()) {
            if (!isData(walker.currentNode.parentElement)) texts.push(walker.currentNode.textContent.trim());
        }
        for (const element of document.querySelectorAll("[aria-label], [placeholder], [title], [data-title]")) {
            if (isData(element)) continue;
            for (const name of ["aria-label", "placeholder", "title", "data-title"]) {
                texts.push(element.getAttribute(name));
            }
        }
        done([document.documentElement.lang, texts.filter((text) => english.has(text))]);
    }, (error) => done([String(error)]));"""


@check
def every_room_speaks_japanese(page, server):
    fill(server)
    page.open()
    page.run("localStorage.setItem('fogbase.language', 'ja')")
    page.open()
    page.find("#token").send_keys(TOKEN)
    page.press("サインイン")
    page.heading("ホーム")
    for place in ROOMS:
        visit(page, place)
        if place == "#/types/Post":
            open_filter(page, "絞り込み", "項目で入力")
        language, left = page.browser.execute_async_script(ENGLISH)
        page.shot(f"japanese-{ROOMS.index(place)}")
        assert language == "ja" and not left, f"{place}: {left}"
        width = page.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert width[0] <= width[1], f"{place} is {width} px wide"
    # Dates and numbers follow the language.
    visit(page, "#/types/Post/record/p0")
    page.see(page.run("""
        return new Intl.DateTimeFormat("ja", { dateStyle: "medium" }).format(new Date())"""))
