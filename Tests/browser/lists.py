"""Actions in the rooms that manage things: menus of rows, forms in dialogs, and what is shown only once."""

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

ROWS = """
    return [...document.querySelectorAll(".list tbody tr")].map((row) => [...row.children].slice(0, -1)
        .filter((cell) => cell.checkVisibility()).map((cell) => cell.textContent))"""
BOX = """
    const root = document.querySelector(arguments[1]);
    const label = [...root?.querySelectorAll("label") ?? []]
        .find((each) => each.textContent.trim() === arguments[0] && each.checkVisibility());
    return label === undefined ? null : document.getElementById(label.htmlFor);"""


def act(page, name, title):
    """Chooses a command in the menu of a row."""
    page.click(page.find(f"summary[aria-label='Actions for {name}']"))
    page.press(title, ".list details[open]")


def box(page, label, within="dialog"):
    """The control with this label."""
    return page.until(lambda: page.run(BOX, label, within), f"the input “{label}”")


def write(page, label, text, within="dialog"):
    element = box(page, label, within)
    element.clear()
    element.send_keys(text)


def choose(page, label, title, within="dialog"):
    Select(box(page, label, within)).select_by_visible_text(title)


def ends(page):
    """Waits until no dialog is open."""
    page.until(lambda: not page.all("dialog"), "the end of the dialog")


def secret(page):
    """The text that is shown once. Copies it and closes the dialog."""
    text = page.find("dialog .secret :is(input, textarea)").get_attribute("value")
    page.press("Copy", "dialog")
    page.press("Copied", "dialog")
    page.press("Close", "dialog")
    ends(page)
    return text


def rows(page, *names):
    """Waits until the table has these names, in this order."""
    page.until(lambda: [row[0] for row in page.run(ROWS)] == list(names), f"{names}, not {page.run(ROWS)}")


def row(page, name):
    return next(each for each in page.run(ROWS) if each[0] == name)


def focused(page):
    """The text of the control with the focus, or its name."""
    return page.run("return document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent")


def press_key(page, *keys):
    page.browser.switch_to.active_element.send_keys(*keys)


def fits(page, what):
    """Nothing is wider than the window, and no text of the open dialog is cut off."""
    wide, window, dialog = page.run("""
        const dialog = document.querySelector("dialog[open]");
        return [document.documentElement.scrollWidth, innerWidth,
            dialog === null ? 0 : dialog.scrollWidth - dialog.clientWidth]""")
    assert wide <= window and dialog <= 0, f"{what} is {wide} px wide at {window} px, its dialog {dialog} px too wide"


def options(page, label, within="dialog"):
    return [each.text for each in box(page, label, within).find_elements(By.TAG_NAME, "option")]
