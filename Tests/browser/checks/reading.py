"""What a screen reader finds in each room: headings, landmarks, names of controls, tables, errors, and news."""

import collections
import re

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.looks import ROOMS, fill, visit
from Tests.browser.checks.pages import enter
from Tests.browser.checks.queries import find
from Tests.browser.lists import focused, press_key
from Tests.browser.suite import check

LANDMARKS = {"navigation", "region", "search"}
CONTROLS = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton",
            "DisclosureTriangle"}
CONTAINERS = {"listitem", "group", "radiogroup", "region", "navigation", "search", "form", "dialog", "generic"}


def value(node, key="name"):
    return (node.get(key) or {}).get("value") or ""


def properties(node):
    return {each["name"]: each["value"].get("value") for each in node.get("properties", [])}


def read(page):
    """The nodes of the accessibility tree that are not ignored, in their order, each with its ancestors' names."""
    nodes = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    known = {node["nodeId"]: node for node in nodes}
    found = []

    def walk(node, path):
        if not node.get("ignored"):
            found.append((node, path))
            if value(node, "role") == "row":
                path = (*path, node["nodeId"])  # Its head says which row it is.
            elif value(node, "role") in CONTAINERS and value(node):
                path = (*path, value(node))
        for each in node.get("childIds", []):
            if each in known:
                walk(known[each], path)
    walk(nodes[0], ())
    return found


def faults(page):
    """The sentences about what a reader would miss on this page."""
    found = read(page)
    of = collections.defaultdict(list)
    for node, path in found:
        of[value(node, "role")].append((node, path))
    levels = [properties(node)["level"] for node, _ in of["heading"]]
    if levels.count(1) != 1 or levels[0] != 1 or any(two > one + 1 for one, two in zip(levels, levels[1:])):
        yield f"headings {[(properties(node)['level'], value(node)) for node, _ in of['heading']]}"
    if len(of["main"]) != 1 or len(of["banner"]) != 1:
        yield "not one main part and one header"
    names = collections.Counter((role, value(node)) for role in LANDMARKS for node, _ in of[role])
    yield from (f"{count} times {name}" for name, count in names.items() if count > 1 or not name[1])
    controls = [(node, path) for role in CONTROLS for node, path in of[role]]
    yield from (f"{value(node, 'role')} “{value(node)}” has no word as its name" for node, _ in controls
                if not re.search(r"\w", value(node)))
    # The browser's own buttons are in an input, which has the name.
    buttons = collections.Counter((value(node), path) for node, path in of["button"] if "picker" not in value(node))
    yield from (f"{count} buttons {name}" for name, count in buttons.items() if count > 1)
    for table, _ in of["table"] + of["grid"]:
        if not any(value(node, "role") == "columnheader" for node, _ in within(found, table)):
            yield f"table {value(table)} has no heads"
    yield from (f"{value(node)} is wrong and does not say why" for node, _ in controls
                if properties(node).get("invalid") == "true" and not value(node, "description"))


def within(found, table):
    children = set(table.get("childIds", []))
    for node, path in found:
        if node["nodeId"] in children or node.get("parentId") in children:
            children |= {node["nodeId"], *node.get("childIds", [])}
            yield node, path


@check
def every_room_can_be_read_aloud(page, server):
    fill(server)
    enter(page)
    page.heading("Home")
    page.browser.execute_cdp_cmd("Accessibility.enable", {})
    problems = []
    for width in [1440, 390]:
        page.size(width, 900)
        for place in ROOMS:
            visit(page, place)
            problems += [f"{place} at {width} px: {fault}" for fault in faults(page)]
    assert not problems, "\n".join(problems)


def heard(page):
    """Begins to note what live regions say. Returns a function with all of it."""
    page.run("""
        window.heard = [];
        new MutationObserver((changes) => changes.forEach(({ target }) => {
            const element = target.nodeType === 1 ? target : target.parentElement;
            const region = element?.closest("[role=status], [role=alert]");
            if (region?.textContent) window.heard.push(region.textContent);
        })).observe(document.body, { childList: true, characterData: true, subtree: true });""")
    return lambda: page.run("return window.heard.join('\\n')")


@check
def what_happens_is_announced(page, server):
    for name in ("a", "b", "c"):
        server.create("Post", name, title=name, likes=1)
    enter(page, "#/types/Post")
    page.heading("Post")
    page.settled()
    said = heard(page)

    def hears(sentence):
        page.until(lambda: sentence in said(), f"“{sentence}” to be said, not:\n{said()}")
    find(page, "title == 'a'", "-likes")
    hears("1 in all")
    assert page.find(".grid thead th[aria-sort]").get_attribute("aria-sort") == "descending"
    page.go("#/types/Post/record/a")
    page.heading("a")
    assert focused(page) == "a", "a new page begins at its heading"
    page.fill("likes", "x")
    page.press("Save")
    page.see("Write a whole number")
    box = page.control("likes")
    described = page.run("""
        return arguments[0].getAttribute("aria-describedby").split(" ")
            .map((id) => document.getElementById(id)?.textContent ?? "").join(" ")""", box)
    assert box.get_attribute("aria-invalid") == "true" and "Write a whole number" in described, described
    page.fill("likes", "2")
    press_key(page, Keys.ENTER)
    page.press("Save")
    hears("Saved.")
    page.press("Delete", "main")
    dialog = page.find("dialog[open]")
    assert page.run("return document.getElementById(arguments[0].getAttribute('aria-labelledby')).textContent", dialog)
    assert focused(page) == "Keep it", "a dialog begins at the safe choice"
    page.press("Delete", "dialog .actions")
    page.heading("Post")
    hears("Deleted")
