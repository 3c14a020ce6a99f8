"""The tables of all rooms in windows from a phone's to a laptop's: no column too narrow, no row too high."""

from Tests.browser.checks.looks import ROOMS, fill, visit
from Tests.browser.checks.pages import enter
from Tests.browser.server import TOKEN
from Tests.browser.suite import check

PHONE = 390
WIDTHS = [PHONE, 700, 768, 900, 960, 1024, 1100, 1180, 1280, 1366]
HEIGHT = 800

# A column is at least as wide as the longest word of its head, and 4 rem. Columns without a visible head have only
# buttons or decoration. A row has at most three lines; on phones, where each row is a card, this applies to each field.
# What is in a dialog or for screen readers only does not count.
WRONG = """
    const [found, rem] = [[], Number.parseFloat(getComputedStyle(document.documentElement).fontSize)];
    const isSeen = (each) => each.checkVisibility() && each.getBoundingClientRect().width > 1;
    function longestWord(head) {
        let longest = 0;
        const walker = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            if (walker.currentNode.parentElement.closest(".visually-hidden") !== null) continue;
            for (const { index, 0: word } of walker.currentNode.data.matchAll(/\\S+/g)) {
                const range = document.createRange();
                range.setStart(walker.currentNode, index);
                range.setEnd(walker.currentNode, index + word.length);
                longest = Math.max(longest, range.getBoundingClientRect().width);
            }
        }
        return longest;
    }
    function lines(box) {
        const style = getComputedStyle(box);
        const edges = ["paddingTop", "paddingBottom", "borderTopWidth", "borderBottomWidth"]
            .reduce((sum, each) => sum + (Number.parseFloat(style[each]) || 0), 0);
        return (box.getBoundingClientRect().height - edges) / Number.parseFloat(style.lineHeight);
    }
    let tables = 0;
    for (const table of document.querySelectorAll("main table")) {
        if (!isSeen(table) || table.closest("dialog, .visually-hidden") !== null) continue;
        tables += 1;
        const name = table.closest("[aria-label]")?.ariaLabel ?? "";
        const isCards = getComputedStyle(table).display === "block";
        for (const head of isCards ? [] : table.querySelectorAll("thead th")) {
            const word = longestWord(head);
            if (!isSeen(head) && word === 0) continue;
            const { width } = head.getBoundingClientRect();
            const style = getComputedStyle(head);
            const room = width - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
            if (word === 0 || (room + 0.5 >= word && width + 0.5 >= 4 * rem)) continue;
            found.push(`${name}: column “${head.textContent}”: ${Math.round(width)} px, its word ${Math.round(word)}`);
        }
        for (const row of table.querySelectorAll("tbody tr")) {
            if (!isSeen(row) || row.querySelector(":scope > [colspan]") !== null) continue;
            const each = [...row.cells].filter(isSeen).map(lines);
            const high = isCards ? Math.max(...each) : Math.min(...each);
            if (high <= 3.1) continue;
            found.push(`${name}: a row of ${high.toFixed(1)} lines: ${row.textContent.slice(0, 60)}`);
        }
    }
    return [tables, [...new Set(found)].slice(0, 6)];"""

SCROLLING = """
    return [...document.querySelectorAll("main .table:has(> .cards)")]
        .filter((each) => each.scrollWidth > each.clientWidth)
        .map((each) => `${each.ariaLabel}: the cards scroll sideways`);"""

FRAMES = """
    const done = arguments[arguments.length - 1];
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)));"""


def fill_more(page, server):
    """Entries with long texts for the rooms that watch the server."""
    assert server.call("POST", "/backup/archive")[0] in (200, 201, 202)
    page.until(lambda: server.call("GET", "/backup/archive")[1]["state"] == "done", "a backup")
    page.until(lambda: server.call("GET", "/backups")[1]["backups"], "the backup in the list")
    for path in ["/records/Post/" + "a-long-name-" * 12, "/query/Post?where=absent%20%3D%201"]:
        server.call("GET", path, token=None)
    server.call("PUT", "/roles/" + "many_members_" * 4, {"members": []})


def check_tables(page, language, title):
    wrong, seen = [], 0
    for number, place in enumerate(ROOMS):
        # Each room is drawn first at another width.
        order = WIDTHS[number % len(WIDTHS):] + WIDTHS[:number % len(WIDTHS)]
        page.size(order[0], HEIGHT)
        visit(page, place)
        for width in order:
            page.size(width, HEIGHT)
            page.browser.execute_async_script(FRAMES)
            tables, found = page.run(WRONG) if width > PHONE else (0, [])
            seen += tables
            wide = page.run("return document.documentElement.scrollWidth")
            if wide > width:
                found.append(f"the page is {wide} px wide")
            found += page.run(SCROLLING) if width <= PHONE else []
            if found:
                page.shot(f"tables-{language}-{number}-{width}")
            wrong += [f"{language} {place} at {width} px: {each}" for each in found]
    assert seen > 200, f"only {seen} tables"
    assert not wrong, f"{title}: {len(wrong)}\n" + "\n".join(wrong[:200])


@check
def columns_and_rows_fit_at_each_width(page, server):
    fill(server)
    fill_more(page, server)
    enter(page)
    page.heading("Home")
    check_tables(page, "en", "English")


@check
def columns_and_rows_fit_in_japanese(page, server):
    fill(server)
    fill_more(page, server)
    page.open()
    page.run("localStorage.setItem('fogbase.language', 'ja')")
    page.open()
    page.find("#token").send_keys(TOKEN)
    page.press("サインイン")
    page.heading("ホーム")
    check_tables(page, "ja", "Japanese")
